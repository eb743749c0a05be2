// sweep/sir: an item is one pair of rates of the SIR model of an epidemic
// (Kermack and McKendrick 1927), in shares of the population:
//
//   ds/dt = -beta·s·i    di/dt = beta·s·i - gamma·i
//
// It is integrated by the classical fourth-order Runge-Kutta method with a fixed
// step, in + - × ÷ only, so that every engine computes the same bits.

import * as shoal from "../abi/shoal";
export { alloc } from "../abi/shoal";

// The params, in the order of the catalog entry.
const POPULATION: u32 = 0;
const INFECTED: u32 = 1;
const DAYS: u32 = 2;
const STEPS: u32 = 3;

/** Two numbers per item: the largest share infected at once, the share ever infected. */
export function run(ptr: usize, len: usize): u64 {
  shoal.open(ptr, len, 2);
  const i0 = shoal.param(INFECTED) / shoal.param(POPULATION);
  const h = 1.0 / shoal.param(STEPS);
  const total = shoal.param(DAYS) * shoal.param(STEPS);
  // Negated comparisons, so that NaN does not pass.
  if (!(i0 >= 0.0 && i0 <= 1.0)) unreachable();
  if (!(total >= 0.0 && total < 4294967296.0)) unreachable();
  const steps = <u32>total;

  const half = 0.5 * h;
  const sixth = h / 6.0;
  const rows = shoal.items();
  for (let row: u32 = 0; row < rows; ++row) {
    const beta = shoal.column(row, 0);
    const gamma = shoal.column(row, 1);
    let s = 1.0 - i0;
    let i = i0;
    let peak = i0;
    for (let step: u32 = 0; step < steps; ++step) {
      const f1 = beta * s * i;
      const g1 = f1 - gamma * i;
      const s2 = s - half * f1;
      const i2 = i + half * g1;
      const f2 = beta * s2 * i2;
      const g2 = f2 - gamma * i2;
      const s3 = s - half * f2;
      const i3 = i + half * g2;
      const f3 = beta * s3 * i3;
      const g3 = f3 - gamma * i3;
      const s4 = s - h * f3;
      const i4 = i + h * g3;
      const f4 = beta * s4 * i4;
      const g4 = f4 - gamma * i4;
      s = s - sixth * (f1 + 2.0 * (f2 + f3) + f4);
      i = i + sixth * (g1 + 2.0 * (g2 + g3) + g4);
      if (i > peak) peak = i;
    }
    shoal.put(row, 0, peak);
    shoal.put(row, 1, 1.0 - s);
  }
  return shoal.done();
}
