// Mandelbrot set: an item is one point c = re + im·i of the complex plane. The
// result is the number of steps z → z² + c, from z = 0, until |z| > 2, or the
// limit if that does not happen.
//
// Columns: im, re, which is how a grid orders its axes for a module of your own,
// by name. Param: limit.

import * as shoal from "../../../wasm/programs/abi/shoal";
export { alloc } from "../../../wasm/programs/abi/shoal";

export function run(ptr: usize, len: usize): u64 {
  shoal.open(ptr, len, 1);
  if (shoal.columns() != 2) unreachable();
  const limit = shoal.param(0);
  if (!(limit >= 0.0 && limit <= 1e9)) unreachable();
  const rows = shoal.items();
  for (let row: u32 = 0; row < rows; ++row) {
    shoal.put(row, 0, escape(shoal.column(row, 1), shoal.column(row, 0), <u32>limit));
  }
  return shoal.done();
}

function escape(re: f64, im: f64, limit: u32): f64 {
  let x = 0.0, y = 0.0;
  for (let step: u32 = 0; step < limit; ++step) {
    const xx = x * x, yy = y * y;
    if (xx + yy > 4.0) return step;
    y = 2.0 * x * y + im;
    x = xx - yy + re;
  }
  return limit;
}
