// Darts: an item is a dart whose place is off the middle by normal draws, alike in
// both directions. Results: 1 if it is inside the circle of radius 1, else 0, and
// how far it is from the middle.
//
// Param: spread, the standard deviation in each direction.

import { normal } from "../../../wasm/programs/abi/math";
import * as shoal from "../../../wasm/programs/abi/shoal";

export { alloc } from "../../../wasm/programs/abi/shoal";

export function run(ptr: usize, len: usize): u64 {
  shoal.open(ptr, len, 2);
  if (!(shoal.param(0) >= 0)) unreachable();
  const spread = shoal.param(0);
  const rows = shoal.items();
  for (let row: u32 = 0; row < rows; ++row) {
    shoal.seek(0, row);
    const x = spread * normal(shoal.openUnit());
    const y = spread * normal(shoal.openUnit());
    const distance = sqrt(x * x + y * y);
    shoal.put(row, 0, distance <= 1 ? 1 : 0);
    shoal.put(row, 1, distance);
  }
  return shoal.done();
}
