// Calls the functions of abi/math on the columns of each item; math_test.go has
// the same in Go.

import * as shoal from "../abi/shoal";
import { exp, log, normal } from "../abi/math";
export { alloc } from "../abi/shoal";

export function run(ptr: usize, len: usize): u64 {
  shoal.open(ptr, len, 3);
  const rows = shoal.items();
  for (let row: u32 = 0; row < rows; ++row) {
    const x = shoal.column(row, 0);
    shoal.put(row, 0, log(x));
    shoal.put(row, 1, exp(x));
    shoal.put(row, 2, normal(x));
  }
  return shoal.done();
}
