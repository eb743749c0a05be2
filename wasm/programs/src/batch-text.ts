// batch/text: an item is one record of a text file, a line or a FASTA record, and
// its results are counts of what the record holds.
//
// Lines and FASTA records take the same road, because bases are counted after
// the first line of a record only: a line has nothing there, and of a FASTA
// record it is the sequence without its header. Letters, digits and spaces are
// those of ASCII; a byte 10xxxxxx continues a character of UTF-8.

import * as shoal from "../abi/shoal";

/** Where the frame has the number of inputs. */
const INPUTS: usize = 32;
/** The counts of a record. */
const OUTPUTS: u32 = 12;

/**
 * Room for a frame. Records differ in length, and what was lent is never taken
 * back, so room grows by doubling: all of it together is less than four times
 * the largest frame.
 */
export function alloc(n: i32): i32 {
  let need: u32 = 1 << 16;
  while (need < <u32>n && need < 1 << 31) need <<= 1;
  return shoal.alloc(need);
}

/** Twelve numbers per item, in the order of the catalog entry. */
export function run(ptr: usize, len: usize): u64 {
  shoal.open(ptr, len, OUTPUTS);
  const rows = shoal.items();
  if (load<u32>(ptr, INPUTS) != rows) unreachable();
  for (let row: u32 = 0; row < rows; ++row) {
    count(row, shoal.inputPtr(row), shoal.inputLen(row));
  }
  return shoal.done();
}

function count(row: u32, at: usize, len: usize): void {
  const end = at + len;
  let followers: u32 = 0, words: u32 = 0, letters: u32 = 0, digits: u32 = 0, spaces: u32 = 0;
  let a: u32 = 0, c: u32 = 0, g: u32 = 0, t: u32 = 0, n: u32 = 0, other: u32 = 0;
  let start: u32 = 1; // 1 where a word may begin
  let inSequence = false;
  for (; at < end; ++at) {
    const byte: u32 = load<u8>(at);
    const small = byte | 0x20;
    if (small - 0x61 < 26) {
      ++letters;
      words += start;
      start = 0;
      if (!inSequence) continue;
      if (small == 0x61) ++a;
      else if (small == 0x74) ++t;
      else if (small == 0x67) ++g;
      else if (small == 0x63) ++c;
      else if (small == 0x6e) ++n;
      else ++other;
    } else if (byte == 0x20 || byte - 9 < 5) {
      ++spaces;
      start = 1;
      if (byte == 0x0a) inSequence = true;
    } else {
      words += start;
      start = 0;
      if (byte - 0x30 < 10) ++digits;
      else if (byte >> 6 == 2) ++followers;
      if (inSequence) ++other;
    }
  }
  shoal.put(row, 0, <f64>(<u32>len));
  shoal.put(row, 1, <f64>(<u32>len - followers));
  shoal.put(row, 2, <f64>words);
  shoal.put(row, 3, <f64>letters);
  shoal.put(row, 4, <f64>digits);
  shoal.put(row, 5, <f64>spaces);
  shoal.put(row, 6, <f64>a);
  shoal.put(row, 7, <f64>c);
  shoal.put(row, 8, <f64>g);
  shoal.put(row, 9, <f64>t);
  shoal.put(row, 10, <f64>n);
  shoal.put(row, 11, <f64>other);
}
