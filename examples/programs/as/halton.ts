// Halton: a split. An item is the next point of the Halton sequence in bases 2 and
// 3, which fills the unit square more evenly than random points do. The sequence
// is shifted by draws of item 0, the same shift for all. Columns: x, y.

import * as shoal from "../../../wasm/programs/abi/shoal";

export { alloc } from "../../../wasm/programs/abi/shoal";

export function run(ptr: usize, len: usize): u64 {
  shoal.open(ptr, len, 2);
  shoal.block(shoal.key0(0), shoal.key1(0), 0, 0);
  const dx = shoal.toUnit(shoal.even), dy = shoal.toUnit(shoal.odd);
  const rows = shoal.items();
  for (let row: u32 = 0; row < rows; ++row) {
    const n = shoal.first() + row + 1;
    shoal.put(row, 0, wrap(mirror(n, 2) + dx));
    shoal.put(row, 1, wrap(mirror(n, 3) + dy));
  }
  return shoal.done();
}

/** The digits of n in a base, mirrored at the point. */
function mirror(n: u64, base: u64): f64 {
  let digits = 0.0, scale = 1.0;
  for (; n > 0; n /= base) {
    digits = digits * <f64>base + <f64>(n % base);
    scale *= <f64>base;
  }
  return digits / scale;
}

function wrap(x: f64): f64 {
  return x < 1 ? x : x - 1;
}
