// ensemble/lorenz: an item is one member of an ensemble of the system of Lorenz
// (1963), the model of convection in which deterministic chaos was found:
//
//   dx/dt = sigma·(y − x)    dy/dt = x·(rho − z) − y    dz/dt = x·y − beta·z
//
// A member starts at the params' x0, y0, z0, each shifted by spread times a
// normal draw (draws 0, 1 and 2 of stream 0). The control starts at x0, y0, z0
// itself. All are integrated by the classical fourth-order Runge-Kutta method
// with a fixed step, in + − × ÷ only, so that every engine computes the same bits
// of a system that doubles any difference again and again.

import * as shoal from "../abi/shoal";
import { normal } from "../abi/math";
export { alloc } from "../abi/shoal";

// The params, in the order of the catalog entry.
const SIGMA: u32 = 0;
const RHO: u32 = 1;
const BETA: u32 = 2;
const X0: u32 = 3;
const Y0: u32 = 4;
const Z0: u32 = 5;
const SPREAD: u32 = 6;
const DT: u32 = 7;
const STEPS: u32 = 8;

let x: f64 = 0.0;
let y: f64 = 0.0;
let z: f64 = 0.0;

/** Four numbers per item: x, y and z at the end, and the distance from the control. */
export function run(ptr: usize, len: usize): u64 {
  shoal.open(ptr, len, 4);
  for (let i: u32 = SIGMA; i <= STEPS; ++i) {
    if (!(abs(shoal.param(i)) <= 1e9)) unreachable(); // NaN does not pass
  }
  const h = shoal.param(DT);
  const count = shoal.param(STEPS);
  if (!(h > 0.0 && count >= 0.0)) unreachable();
  const steps = <u32>count;

  const x0 = shoal.param(X0), y0 = shoal.param(Y0), z0 = shoal.param(Z0), spread = shoal.param(SPREAD);
  const rows = shoal.items();
  if (rows == 0) return shoal.done();
  integrate(x0, y0, z0, h, steps);
  const cx = x, cy = y, cz = z;
  for (let row: u32 = 0; row < rows; ++row) {
    shoal.seek(0, row);
    const dx = normal(shoal.openUnit());
    const dy = normal(shoal.openUnit());
    const dz = normal(shoal.openUnit());
    integrate(x0 + spread * dx, y0 + spread * dy, z0 + spread * dz, h, steps);
    shoal.put(row, 0, x);
    shoal.put(row, 1, y);
    shoal.put(row, 2, z);
    shoal.put(row, 3, sqrt((x - cx) * (x - cx) + (y - cy) * (y - cy) + (z - cz) * (z - cz)));
  }
  return shoal.done();
}

/** Leaves in x, y and z where a start comes to. */
function integrate(u: f64, v: f64, w: f64, h: f64, steps: u32): void {
  const sigma = shoal.param(SIGMA), rho = shoal.param(RHO), beta = shoal.param(BETA);
  const half = 0.5 * h;
  const sixth = h / 6.0;
  for (let step: u32 = 0; step < steps; ++step) {
    const u1 = sigma * (v - u);
    const v1 = u * (rho - w) - v;
    const w1 = u * v - beta * w;
    let a = u + half * u1, b = v + half * v1, c = w + half * w1;
    const u2 = sigma * (b - a);
    const v2 = a * (rho - c) - b;
    const w2 = a * b - beta * c;
    a = u + half * u2, b = v + half * v2, c = w + half * w2;
    const u3 = sigma * (b - a);
    const v3 = a * (rho - c) - b;
    const w3 = a * b - beta * c;
    a = u + h * u3, b = v + h * v3, c = w + h * w3;
    const u4 = sigma * (b - a);
    const v4 = a * (rho - c) - b;
    const w4 = a * b - beta * c;
    u += sixth * (u1 + 2.0 * (u2 + u3) + u4);
    v += sixth * (v1 + 2.0 * (v2 + v3) + v4);
    w += sixth * (w1 + 2.0 * (w2 + w3) + w4);
  }
  x = u;
  y = v;
  z = w;
}
