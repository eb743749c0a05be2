// Helper for Shoal programs written in AssemblyScript. docs/program-abi.md
// describes every byte that is read and written here.
//
//   import * as shoal from "…/abi/shoal";
//   export { alloc } from "…/abi/shoal";
//
//   export function run(ptr: usize, len: usize): u64 {
//     shoal.open(ptr, len, 1);                 // one number per item
//     const rows = shoal.items();
//     for (let row: u32 = 0; row < rows; ++row) {
//       shoal.seek(0, row);                    // stream 0, from its first draw
//       shoal.put(row, 0, shoal.unit());
//     }
//     return shoal.done();
//   }
//
// Compile without imports:
//
//   asc program.ts -o program.wasm -O3 --converge --noAssert --runtime stub --use abort= --initialMemory 1
//
// Rows count from 0 within a call; the item of a row is first() + row. The
// accessors are on the hot path and do not check that a row, column, param or
// output exists.

/** "SHL1" read as a little-endian number. */
const MAGIC: u32 = 0x314c4853;
/** The version of the frame that this file reads. */
const VERSION: u32 = 1;
/** The bytes before the keys. */
const HEADER: usize = 40;
/** More bytes than this cannot lie in memory beside a frame. */
const LIMIT: u64 = 0x7fffffff;

let lent: usize = 0; // the buffer that alloc hands out
let room: usize = 0; // its bytes
let out: usize = 0; // the results of this call
let outRoom: usize = 0; // the bytes there
let outLen: usize = 0; // the bytes that this call returns
let outRow: usize = 0; // the bytes of one row

let pieces: usize = 0; // how many items have their bytes
let piecesEnd: usize = 0; // where the next bytes go, behind the lengths and the bytes that are there

let frame: usize = 0;
let streams: u32 = 0;
let paramsAt: usize = 0;
let columnsAt: usize = 0;
let inputsAt: usize = 0;

/**
 * Returns room for a frame of n bytes, aligned to 8, and traps if there is
 * none. The same room is returned as long as it is big enough.
 */
export function alloc(n: i32): i32 {
  const need = <usize>n;
  if (need > room) {
    lent = heap.alloc(need);
    room = need;
  }
  return <i32>lent;
}

/**
 * Starts a call: reads the frame and makes room for `outputs` numbers per item.
 * Traps if the frame is not one, or if its sections do not fit in len bytes.
 */
export function open(ptr: usize, len: usize, outputs: u32): void {
  openInPlace(ptr, len);
  const need = <u64>items() * <u64>outputs << 3;
  if (need > LIMIT) unreachable();
  outRow = <usize>outputs << 3;
  outLen = <usize>need;
  if (outLen > outRoom) {
    out = heap.alloc(outLen);
    outRoom = outLen;
  }
}

/** open without room for results, for a program that places them itself. */
export function openInPlace(ptr: usize, len: usize): void {
  if (!shapely(ptr, len)) unreachable();
  frame = ptr;
  streams = load<u32>(ptr, 24);
  paramsAt = ptr + HEADER + (<usize>streams << 3);
  columnsAt = paramsAt + (<usize>load<u32>(ptr, 20) << 3);
  inputsAt = columnsAt + (<usize>items() * <usize>columns() << 3);
}

/** Tells whether the sections of known size lie in len bytes of memory. */
function shapely(ptr: usize, len: usize): bool {
  if (len < HEADER || load<u32>(ptr) != MAGIC || load<u32>(ptr, 4) != VERSION) return false;
  const cells = <u64>load<u32>(ptr, 16) * <u64>load<u32>(ptr, 28);
  if (cells > LIMIT) return false;
  const words = <u64>load<u32>(ptr, 20) + <u64>load<u32>(ptr, 24) + cells + <u64>load<u32>(ptr, 32);
  return HEADER + (words << 3) <= <u64>len && inMemory(ptr, len);
}

function inMemory(ptr: usize, len: usize): bool {
  return <u64>ptr + <u64>len <= <u64>memory.size() << 16;
}

/** The number of the first item of this call, counted over the whole job. */
export function first(): u64 {
  return load<u64>(frame, 8);
}

/** How many items this call computes. */
export function items(): u32 {
  return load<u32>(frame, 16);
}

/** How many columns the split gives each item. */
export function columns(): u32 {
  return load<u32>(frame, 28);
}

/** The value of a param, by its place in the order that the ABI states. */
export function param(index: u32): f64 {
  return load<f64>(paramsAt + (<usize>index << 3));
}

/** A column of a row: a grid coordinate, or a number of a record. */
export function column(row: u32, index: u32): f64 {
  return load<f64>(columnsAt + (<usize>row * <usize>columns() + <usize>index << 3));
}

/** Where the columns lie, row by row. */
export function columnsPtr(): usize {
  return columnsAt;
}

/** The length of an input in bytes. */
export function inputLen(index: u32): usize {
  return load<u32>(inputsAt + (<usize>index << 3), 4);
}

/** Where the bytes of an input lie. Traps if they do not lie in memory. */
export function inputPtr(index: u32): usize {
  const ptr = frame + <usize>load<u32>(inputsAt + (<usize>index << 3));
  if (!inMemory(ptr, inputLen(index))) unreachable();
  return ptr;
}

/** How many inputs there are: those that the job names, and then the records that are text. */
export function inputs(): u32 {
  return load<u32>(frame, 32);
}

/** Which input is the record of a row, a line or a FASTA record. Traps if there are no such records. */
export function record(row: u32): u32 {
  if (inputs() < items()) unreachable();
  return inputs() - items() + row;
}

/** How many rows an input has that is a table. */
export function tableRows(index: u32): u32 {
  return load<u32>(inputPtr(index));
}

/** How many columns an input has that is a table. */
export function tableColumns(index: u32): u32 {
  return load<u32>(inputPtr(index), 4);
}

/** A number of an input that is a table. Traps if it does not lie in memory. */
export function cell(index: u32, row: u32, column: u32): f64 {
  return load<f64>(inputPtr(index) + 8 + ((<usize>row * <usize>tableColumns(index) + <usize>column) << 3));
}

/** Writes a result of a row. */
export function put(row: u32, index: u32, value: f64): void {
  store<f64>(out + <usize>row * outRow + (<usize>index << 3), value);
}

/** Where the results lie, row by row. */
export function outPtr(): usize {
  return out;
}

/** Ends a call: what run returns. */
export function done(): u64 {
  return pack(out, outLen);
}

/** What run returns for results that lie elsewhere. */
export function pack(ptr: usize, len: usize): u64 {
  return <u64>ptr << 32 | <u64>len;
}

// Bytes. A program whose job says "returns": "bytes" yields one piece of bytes for
// each item, in order:
//
//   export { allocText as alloc } from "…/abi/shoal";
//
//   export function run(ptr: usize, len: usize): u64 {
//     shoal.openBytes(ptr, len);
//     for (let row: u32 = 0; row < shoal.items(); ++row) {
//       const input = shoal.record(row);
//       const n = shoal.inputLen(input);
//       memory.copy(shoal.piece(n), shoal.inputPtr(input), n);
//     }
//     return shoal.doneBytes();
//   }

/** The least power of two, from 64 KiB on, that holds n bytes. */
function doubled(n: usize): usize {
  if (<u64>n > LIMIT) unreachable();
  let need: usize = 1 << 16;
  while (need < n) need <<= 1;
  return need;
}

/**
 * alloc for frames whose sizes differ much, as with texts. What was lent is never
 * taken back, so the room grows by doubling: all of it together is less than four
 * times the largest frame.
 */
export function allocText(n: i32): i32 {
  return alloc(<i32>doubled(<usize>n));
}

/** open for a program that returns bytes. */
export function openBytes(ptr: usize, len: usize): void {
  openInPlace(ptr, len);
  const lengths = (<usize>items() << 2) + 7 & ~7;
  piecesEnd = 0;
  fit(lengths);
  memory.fill(out, 0, lengths);
  pieces = 0;
  piecesEnd = lengths;
}

/** Sees to it that the results have room for n bytes, and keeps those that are there. */
function fit(n: usize): void {
  if (n <= outRoom) return;
  const before = out;
  outRoom = doubled(n);
  out = heap.alloc(outRoom);
  memory.copy(out, before, piecesEnd);
}

/**
 * Makes room for the n bytes of the next item and returns where they go. The place
 * is good until the next piece. Traps if all items have theirs.
 */
export function piece(n: usize): usize {
  if (pieces >= <usize>items() || <u64>piecesEnd + <u64>n > LIMIT) unreachable();
  fit(piecesEnd + n);
  store<u32>(out + (pieces++ << 2), <u32>n);
  const at = out + piecesEnd;
  piecesEnd += n;
  return at;
}

/** Ends a call that returns bytes: what run returns. Items that got none have none. */
export function doneBytes(): u64 {
  return pack(out, piecesEnd);
}

// Draws. Each item owns its own numbers in each stream, so that neither the
// grain nor the order of the items can show in any of them.

let k0: u32 = 0;
let k1: u32 = 0;
let drawItem: u64 = 0;
let nextBlock: u64 = 0;
let held: bool = false; // `odd` is the next draw

/** The two draws of the block that was computed last. */
export let even: u64 = 0;
export let odd: u64 = 0;

/** Continues with the first draw of a row in a stream. Traps if there is no such stream. */
export function seek(stream: u32, row: u32): void {
  seekDraw(stream, row, 0);
}

/** Continues with a given draw of a row in a stream. */
export function seekDraw(stream: u32, row: u32, draw: u64): void {
  k0 = key0(stream);
  k1 = key1(stream);
  drawItem = first() + <u64>row;
  nextBlock = draw >> 1;
  held = false;
  if (draw & 1) next();
}

/** The next draw: 64 random bits. */
export function next(): u64 {
  held = !held;
  if (!held) return odd;
  block(k0, k1, nextBlock++, drawItem);
  return even;
}

/** The next draw as a number in [0, 1), a multiple of 2^-53. */
export function unit(): f64 {
  return toUnit(next());
}

/** The next draw as a number in (0, 1), fit for a logarithm. */
export function openUnit(): f64 {
  return (<f64>(<i64>(next() >> 12)) + 0.5) * 2.220446049250313e-16;
}

/** A draw as a number in [0, 1). */
export function toUnit(draw: u64): f64 {
  return <f64>(<i64>(draw >> 11)) * 1.1102230246251565e-16;
}

/**
 * A whole number in [0, n), every one equally likely (Lemire 2019). Takes one
 * draw, and seldom more. Traps if n is 0.
 */
export function below(n: u64): u64 {
  let draw = next();
  if (draw * n < n) {
    const bar = (0 - n) % n;
    while (draw * n < bar) draw = next();
  } else if (n == 0) {
    unreachable();
  }
  return mulHigh(draw, n);
}

/** The upper 64 bits of a product. */
function mulHigh(x: u64, y: u64): u64 {
  const x0 = x & 0xffffffff, x1 = x >> 32;
  const y0 = y & 0xffffffff, y1 = y >> 32;
  const mid = x1 * y0 + (x0 * y0 >> 32);
  return x1 * y1 + (mid >> 32) + ((mid & 0xffffffff) + x0 * y1 >> 32);
}

/** The first half of a stream's key. Traps if there is no such stream. */
export function key0(stream: u32): u32 {
  return load<u32>(keyPtr(stream));
}

/** The second half of a stream's key. */
export function key1(stream: u32): u32 {
  return load<u32>(keyPtr(stream), 4);
}

function keyPtr(stream: u32): usize {
  if (stream >= streams) unreachable();
  return frame + HEADER + (<usize>stream << 3);
}

/** The multipliers and key steps of Philox4x32. */
const M0: u64 = 0xd2511f53;
const M1: u64 = 0xcd9e8d57;
const W0: u32 = 0x9e3779b9;
const W1: u32 = 0xbb67ae85;

/**
 * Philox4x32-10 of one block of an item; leaves its draws in even and odd. The
 * rounds are written out because a loop would cost more than the rounds.
 */
// @ts-ignore: decorator
@inline
export function block(x: u32, y: u32, block: u64, item: u64): void {
  let a = <u32>block, b = <u32>(block >> 32), c = <u32>item, d = <u32>(item >> 32), p: u64, q: u64;
  p = M0 * a; q = M1 * c; a = <u32>(q >> 32) ^ b ^ x; b = <u32>q; c = <u32>(p >> 32) ^ d ^ y; d = <u32>p;
  p = M0 * a; q = M1 * c; a = <u32>(q >> 32) ^ b ^ (x + 1 * W0); b = <u32>q; c = <u32>(p >> 32) ^ d ^ (y + 1 * W1); d = <u32>p;
  p = M0 * a; q = M1 * c; a = <u32>(q >> 32) ^ b ^ (x + 2 * W0); b = <u32>q; c = <u32>(p >> 32) ^ d ^ (y + 2 * W1); d = <u32>p;
  p = M0 * a; q = M1 * c; a = <u32>(q >> 32) ^ b ^ (x + 3 * W0); b = <u32>q; c = <u32>(p >> 32) ^ d ^ (y + 3 * W1); d = <u32>p;
  p = M0 * a; q = M1 * c; a = <u32>(q >> 32) ^ b ^ (x + 4 * W0); b = <u32>q; c = <u32>(p >> 32) ^ d ^ (y + 4 * W1); d = <u32>p;
  p = M0 * a; q = M1 * c; a = <u32>(q >> 32) ^ b ^ (x + 5 * W0); b = <u32>q; c = <u32>(p >> 32) ^ d ^ (y + 5 * W1); d = <u32>p;
  p = M0 * a; q = M1 * c; a = <u32>(q >> 32) ^ b ^ (x + 6 * W0); b = <u32>q; c = <u32>(p >> 32) ^ d ^ (y + 6 * W1); d = <u32>p;
  p = M0 * a; q = M1 * c; a = <u32>(q >> 32) ^ b ^ (x + 7 * W0); b = <u32>q; c = <u32>(p >> 32) ^ d ^ (y + 7 * W1); d = <u32>p;
  p = M0 * a; q = M1 * c; a = <u32>(q >> 32) ^ b ^ (x + 8 * W0); b = <u32>q; c = <u32>(p >> 32) ^ d ^ (y + 8 * W1); d = <u32>p;
  p = M0 * a; q = M1 * c; a = <u32>(q >> 32) ^ b ^ (x + 9 * W0); b = <u32>q; c = <u32>(p >> 32) ^ d ^ (y + 9 * W1); d = <u32>p;
  even = <u64>b << 32 | <u64>a;
  odd = <u64>d << 32 | <u64>c;
}
