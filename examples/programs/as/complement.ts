// Complement: an item is a FASTA record of DNA or RNA. Its result is the record of
// the other strand: the sequence backwards, each letter in exchange for the one that
// pairs with it. Header, line ends and the case of letters stay where they are, so
// the pieces put together are a file of the same shape.

import * as shoal from "../../../wasm/programs/abi/shoal";

export { allocText as alloc } from "../../../wasm/programs/abi/shoal";

/** What pairs with the letters A to Z, those that stand for several bases too. */
const PARTNERS = "TVGHEFCDIJMLKNOPQYSAABWXRZ";

export function run(ptr: usize, len: usize): u64 {
  shoal.openBytes(ptr, len);
  const rows = shoal.items();
  for (let row: u32 = 0; row < rows; ++row) {
    const input = shoal.record(row);
    const size = shoal.inputLen(input);
    turn(shoal.inputPtr(input), shoal.piece(size), size);
  }
  return shoal.doneBytes();
}

/** Writes the other strand of the record at `from` to `to`. */
function turn(from: usize, to: usize, size: usize): void {
  let at: usize = 0;
  while (at < size && load<u8>(from + at) != 0x0a) ++at;
  memory.copy(to, from, at);
  // One place goes forwards through the record, the other backwards; both step over
  // what is no part of the sequence.
  let back = size;
  for (; at < size; ++at) {
    let byte = load<u8>(from + at);
    if (byte > 0x20) {
      do byte = load<u8>(from + --back); while (byte <= 0x20);
      byte = partner(byte);
    }
    store<u8>(to + at, byte);
  }
}

/** What pairs with a letter; anything else, such as a gap, stays as it is. */
function partner(byte: u8): u8 {
  const letter: u32 = (byte | 0x20) - 0x61;
  if (letter >= 26) return byte;
  return <u8>load<u16>(changetype<usize>(PARTNERS) + (letter << 1)) | byte & 0x20;
}
