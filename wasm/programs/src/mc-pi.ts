// mc/pi: an item is one random point of the unit square. Four times the share
// of points inside the quarter circle estimates pi.
//
// The coordinates are draws 0 and 1 of stream 0. They are one Philox block, so
// the loop computes one block per item and calls nothing.

import * as shoal from "../abi/shoal";
export { alloc } from "../abi/shoal";

/** One number per item: 4 inside the circle, else 0. Their mean is the estimate. */
export function run(ptr: usize, len: usize): u64 {
  shoal.open(ptr, len, 1);
  const x0 = shoal.key0(0), x1 = shoal.key1(0);
  const end = shoal.first() + <u64>shoal.items();
  let at = shoal.outPtr();
  for (let item = shoal.first(); item != end; ++item) {
    shoal.block(x0, x1, 0, item);
    const x = shoal.toUnit(shoal.even);
    const y = shoal.toUnit(shoal.odd);
    store<f64>(at, x * x + y * y < 1.0 ? 4.0 : 0.0);
    at += 8;
  }
  return shoal.done();
}
