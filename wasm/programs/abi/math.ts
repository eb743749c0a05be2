// Functions of numbers for Shoal programs written in AssemblyScript, the same to
// the bit on every engine and the same as those of sdk/detmath: + − × ÷ √ and
// integer code in a written order, nothing from a library.
//
//   import { exp, log, normal } from "…/abi/math";
//   const z = normal(shoal.openUnit()); // a standard normal draw

const LN2_HI: f64 = 6.93147180369123816490e-01; // ends in 21 zero bits
const LN2_LO: f64 = 1.90821492927058770002e-10;

/**
 * The natural logarithm, off by less than one unit in the last place. Of ±0 it
 * is −∞, below zero NaN.
 *
 * x = 2^k·(1+f) with 1+f in [√2/2, √2), s = f/(2+f), and log(1+f) by the minimax
 * polynomial of fdlibm (e_log.c, Sun Microsystems 1993).
 */
export function log(x: f64): f64 {
  if (x != x || x < 0.0) return NaN;
  if (x == 0.0) return -Infinity;
  if (x > f64.MAX_VALUE) return x;
  let k: i32 = 0;
  if (x < 2.2250738585072014e-308) {
    x *= 18014398509481984.0; // 2^54
    k = -54;
  }
  const bits = reinterpret<u64>(x);
  k += <i32>(bits >> 52) - 1022;
  let m = reinterpret<f64>(bits & 0x000fffffffffffff | 0x3fe0000000000000); // in [1/2, 1)
  if (m < 0.7071067811865476) {
    m *= 2.0;
    k--;
  }
  const f = m - 1.0;

  const s = f / (2.0 + f);
  const z = s * s;
  const w = z * z;
  const odd = z * (6.666666666666735130e-01 + w * (2.857142874366239149e-01 +
    w * (1.818357216161805012e-01 + w * 1.479819860511658591e-01)));
  const even = w * (3.999999999940941908e-01 + w * (2.222219843214978396e-01 + w * 1.531383769920937332e-01));
  const r = odd + even;
  const half = 0.5 * f * f;
  const e = <f64>k;
  return e * LN2_HI - ((half - (s * (half + r) + e * LN2_LO)) - f);
}

/**
 * e to the power of x, off by less than one unit in the last place.
 *
 * x = k·ln2 + r with |r| ≤ ln2/2, r in two parts, and e^r by the minimax
 * polynomial of fdlibm (e_exp.c, Sun Microsystems 1993).
 */
export function exp(x: f64): f64 {
  if (x != x) return NaN;
  if (x > 7.09782712893383973096e+02) return Infinity;
  if (x < -7.45133219101941108420e+02) return 0.0;
  if (abs(x) < 3.725290298461914e-09) return 1.0 + x; // 2^-28
  const k = <i32>(1.44269504088896338700 * x + (x < 0.0 ? -0.5 : 0.5));
  const hi = x - <f64>k * LN2_HI;
  const lo = <f64>k * LN2_LO;
  const r = hi - lo;
  const t = r * r;
  const p = 1.66666666666666019037e-01 + t * (-2.77777777770155933842e-03 + t * (6.61375632143793436117e-05 +
    t * (-1.65339022054652515390e-06 + t * 4.13813679705723846039e-08)));
  const c = r - t * p;
  const y = 1.0 - ((lo - r * c / (2.0 - c)) - hi);
  if (k > 1023) return y * 8.98846567431158e+307 * pow2(k - 1023);
  if (k < -1021) return y * pow2(k + 600) * 2.409919865102884e-181; // 2^-600; only this product rounds
  return y * pow2(k);
}

/** 2^k for −1022 ≤ k ≤ 1023. */
function pow2(k: i32): f64 {
  return reinterpret<f64>(<u64>(k + 1023) << 52);
}

/**
 * The quantile of the standard normal distribution at p, so that one draw of
 * openUnit gives one normal draw. It is ±∞ at 1 and 0, and NaN outside them.
 *
 * Algorithm AS 241, PPND16 (M. J. Wichura, Applied Statistics 37, 1988, 477–484).
 */
export function normal(p: f64): f64 {
  const q = p - 0.5;
  if (abs(q) <= 0.425) {
    const r = 0.180625 - q * q;
    return q * (((((((2.5090809287301226727e+3 * r + 3.3430575583588128105e+4) * r + 6.7265770927008700853e+4) * r +
      4.5921953931549871457e+4) * r + 1.3731693765509461125e+4) * r + 1.9715909503065514427e+3) * r +
      1.3314166789178437745e+2) * r + 3.3871328727963666080e0) /
      (((((((5.2264952788528545610e+3 * r + 2.8729085735721942674e+4) * r + 3.9307895800092710610e+4) * r +
      2.1213794301586595867e+4) * r + 5.3941960214247511077e+3) * r + 6.8718700749205790830e+2) * r +
      4.2313330701600911252e+1) * r + 1.0);
  }
  const tail = q > 0.0 ? 1.0 - p : p;
  if (!(tail >= 0.0)) return NaN;
  if (tail == 0.0) return q < 0.0 ? -Infinity : Infinity;
  let r = sqrt(-log(tail));
  let x: f64;
  if (r <= 5.0) {
    r -= 1.6;
    x = (((((((7.74545014278341407640e-4 * r + 2.27238449892691845833e-2) * r + 2.41780725177450611770e-1) * r +
      1.27045825245236838258e0) * r + 3.64784832476320460504e0) * r + 5.76949722146069140550e0) * r +
      4.63033784615654529590e0) * r + 1.42343711074968357734e0) /
      (((((((1.05075007164441684324e-9 * r + 5.47593808499534494600e-4) * r + 1.51986665636164571966e-2) * r +
      1.48103976427480074590e-1) * r + 6.89767334985100004550e-1) * r + 1.67638483018380384940e0) * r +
      2.05319162663775882187e0) * r + 1.0);
  } else {
    r -= 5.0;
    x = (((((((2.01033439929228813265e-7 * r + 2.71155556874348757815e-5) * r + 1.24266094738807843860e-3) * r +
      2.65321895265761230930e-2) * r + 2.96560571828504891230e-1) * r + 1.78482653991729133580e0) * r +
      5.46378491116411436990e0) * r + 6.65790464350110377720e0) /
      (((((((2.04426310338993978564e-15 * r + 1.42151175831644588870e-7) * r + 1.84631831751005468180e-5) * r +
      7.86869131145613259100e-4) * r + 1.48753612908506148525e-2) * r + 1.36929880922735805310e-1) * r +
      5.99832206555887937690e-1) * r + 1.0);
  }
  return q < 0.0 ? -x : x;
}
