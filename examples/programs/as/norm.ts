// Norm: an item is a record. Results: how far its columns are from the centre, as
// the crow flies, and the column that is farthest from it, counted from 0.
//
// Param: centre, the same for all columns.

import * as shoal from "../../../wasm/programs/abi/shoal";

export { alloc } from "../../../wasm/programs/abi/shoal";

export function run(ptr: usize, len: usize): u64 {
  shoal.open(ptr, len, 2);
  const centre = shoal.param(0);
  const rows = shoal.items(), columns = shoal.columns();
  for (let row: u32 = 0; row < rows; ++row) {
    let sum = 0.0, most = -1.0;
    let farthest: u32 = 0;
    for (let i: u32 = 0; i < columns; ++i) {
      const off = abs(shoal.column(row, i) - centre);
      sum += off * off;
      if (off > most) {
        most = off;
        farthest = i;
      }
    }
    shoal.put(row, 0, sqrt(sum));
    shoal.put(row, 1, farthest);
  }
  return shoal.done();
}
