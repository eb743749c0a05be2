// Calls everything that the helper offers; helper_test.go has the same in Go.

import * as shoal from "../abi/shoal";
export { alloc } from "../abi/shoal";

const OUTPUTS: u32 = 9;

export function run(ptr: usize, len: usize): u64 {
  shoal.open(ptr, len, OUTPUTS);
  const rows = shoal.items();
  for (let row: u32 = 0; row < rows; ++row) {
    shoal.put(row, 0, <f64>(<u32>(shoal.first() + row)));
    shoal.seek(0, row);
    shoal.put(row, 1, shoal.unit());
    shoal.put(row, 2, shoal.unit());
    shoal.put(row, 3, shoal.openUnit());
    shoal.seekDraw(1, row, 5);
    shoal.put(row, 4, <f64>(shoal.next() >> 32));
    shoal.put(row, 5, <f64>shoal.below(<u64>shoal.param(0)));
    shoal.put(row, 6, <f64>(shoal.next() >> 32));
    let sum = 0.0;
    for (let i: u32 = 0; i < shoal.columns(); ++i) sum += shoal.column(row, i);
    shoal.put(row, 7, sum);
    let bytes: u64 = 0;
    for (let i: u32 = 0; i < 2; ++i) {
      const at = shoal.inputPtr(i), n = shoal.inputLen(i);
      for (let j: usize = 0; j < n; ++j) bytes = bytes * 31 + load<u8>(at + j) & 0xffffffff;
    }
    shoal.put(row, 8, <f64>bytes);
  }
  return shoal.done();
}
