// stats/columns: an item is one record, and its results are the chosen columns
// as they are. The results are the columns section of the frame, so nothing is
// copied: run returns where it lies.

import * as shoal from "../abi/shoal";
export { alloc } from "../abi/shoal";

/** As many numbers per item as the split has columns. */
export function run(ptr: usize, len: usize): u64 {
  shoal.openInPlace(ptr, len);
  return shoal.pack(shoal.columnsPtr(), <usize>shoal.items() * <usize>shoal.columns() << 3);
}
