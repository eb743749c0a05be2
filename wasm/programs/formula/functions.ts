// The functions that a formula can call, beyond those that are one instruction.
// Like abi/math.ts they use + − × ÷ √ and integer code in a written order, so
// their bits are the same everywhere. Errors are below four units in the last
// place, and below one for most.

import { exp, log } from "../abi/math";
export { exp, log, normal as invPhi } from "../abi/math";

const PI: f64 = 3.141592653589793;
const HALF_PI: f64 = 1.5707963267948966;
const HALF_PI_LO: f64 = 6.123233995736766e-17; // π/2 − HALF_PI

/** What a function that computes in two parts has besides its result. */
let low: f64 = 0;

/** a·b − p for p = a·b rounded, exactly, where nothing overflows (Dekker 1971). */
function tail(a: f64, b: f64, p: f64): f64 {
  let t = 134217729.0 * a;
  const a1 = t - (t - a), a2 = a - a1;
  t = 134217729.0 * b;
  const b1 = t - (t - b), b2 = b - b1;
  return ((a1 * b1 - p) + a1 * b2 + a2 * b1) + a2 * b2;
}

/** The nearest whole number, halves away from zero. */
export function round(x: f64): f64 {
  const t = trunc(x);
  return abs(x - t) >= 0.5 ? t + copysign<f64>(1.0, x) : t;
}

/** −1, 0 or 1; zeros and NaN as they are. */
export function sign(x: f64): f64 {
  return x > 0.0 ? 1.0 : x < 0.0 ? -1.0 : x;
}

/** The remainder of x ÷ y, exact, with the sign of x. */
export function mod(x: f64, y: f64): f64 {
  const a = abs(x), b = abs(y);
  if (!(a < Infinity) || !(b > 0.0)) return NaN;
  if (a < b) return x;
  // a = m·2^e and b = n·2^f with whole m, n < 2^53 and e ≥ f.
  const u = reinterpret<u64>(a), v = reinterpret<u64>(b);
  let e = max(<i32>(u >> 52), 1);
  const f = max(<i32>(v >> 52), 1);
  let m = u - (<u64>(e - 1) << 52);
  const n = v - (<u64>(f - 1) << 52);
  m %= n;
  for (; e > f; e -= 11) m = (m << <u64>min(e - f, 11)) % n;
  const r = <f64>(<i64>m);
  // Exact in each step: the result is a multiple of 2^(f−1075), below b.
  return copysign<f64>(f < 75 ? r * pow2(-1000) * pow2(f - 75) : r * pow2(f - 1075), x);
}

/** 2^k for −1022 ≤ k ≤ 1023. */
function pow2(k: i32): f64 {
  return reinterpret<f64>(<u64>(k + 1023) << 52);
}

/**
 * log x for finite x > 0: the result and low are its parts, off by 2^-65 of it.
 *
 * x = 2^k·m with m in [√½, √2), s = (m−1)/(m+1) in two parts, and
 * log m = 2s·(1 + s²/3 + s⁴·P(s²)). P interpolates the rest of the series at
 * Chebyshev's points of its range.
 */
function logParts(x: f64): f64 {
  let k: i32 = -1022;
  if (x < 2.2250738585072014e-308) {
    x *= 18014398509481984.0;
    k -= 54;
  }
  const bits = reinterpret<u64>(x);
  k += <i32>(bits >> 52);
  let m = reinterpret<f64>(bits & 0x000fffffffffffff | 0x3fe0000000000000);
  if (m < 0.7071067811865476) {
    m *= 2.0;
    k--;
  }
  const f = m - 1.0, d = m + 1.0;
  const s = f / d;
  let p = s * d;
  const t = ((f - p) - tail(s, d, p) - s * (m - (d - 1.0))) / d; // s + t is the quotient
  const z = s * s;
  const y = tail(s, s, z) + 2.0 * s * t;
  const third = 0.3333333333333333;
  let q = z * third;
  let r = tail(z, third, q) + z * 1.850371707708594e-17 + y * third + z * z *
    (0.2 + z * (0.14285714285714682 + z * (0.11111111110827943 + z * (0.09090909167696401 + z * (0.07692297481259215 +
    z * (0.06667402346923655 + z * (0.05853118169745603 + z * 0.05861589311938259)))))));
  p = q + r;
  r = (q - p) + r;
  q = p;
  p = s * q;
  const h = s + p;
  const l = (s - h) + p + (tail(s, q, p) + s * r + t * q + t);
  const e = <f64>k;
  const a = e * 0.6931471805598903; // exact: the constant ends in 11 zero bits
  const sum = a + 2.0 * h;
  low = (a - sum) + 2.0 * h + (2.0 * l + e * 5.497923018708371e-14);
  return sum;
}

/** log x divided by the logarithm of a base, of which 1/log is c + d. */
function logBase(x: f64, c: f64, d: f64): f64 {
  if (!(x > 0.0 && x < Infinity)) return log(x);
  const h = logParts(x);
  const p = h * c;
  return p + (tail(h, c, p) + h * d + low * c);
}

export function log2(x: f64): f64 {
  return logBase(x, 1.4426950408889634, 2.0355273740931033e-17);
}

export function log10(x: f64): f64 {
  return logBase(x, 0.4342944819032518, 1.098319650216765e-17);
}

/** x to the power of y, with the special cases of IEEE 754. */
export function pow(x: f64, y: f64): f64 {
  if (y == 0.0 || x == 1.0) return 1.0;
  if (x != x || y != y) return NaN;
  if (y == 2.0) return x * x;
  if (y == 3.0) return x * x * x;
  const a = abs(x);
  const whole = y == trunc(y);
  // Beyond 2^53 all are even. The remainder of 2 is ±1 if y is odd.
  const odd = whole && abs(y) < 9007199254740992.0 && (<i64>y & 1) != 0;
  let r: f64;
  if (a == 0.0 || a == Infinity) {
    r = (a == 0.0) == (y > 0.0) ? 0.0 : Infinity;
  } else if (a == 1.0) {
    r = 1.0;
  } else if (abs(y) > 1e20) {
    r = (a > 1.0) == (y > 0.0) ? Infinity : 0.0;
  } else {
    const h = logParts(a);
    const p = y * h;
    r = exp(p);
    if (abs(p) < 800.0 && r < Infinity) r += r * (tail(y, h, p) + y * low);
  }
  if (copysign<f64>(1.0, x) > 0.0) return r;
  if (!whole && a != 0.0 && a != Infinity) return NaN;
  return odd ? -r : r;
}

/** e^x − 1: Kahan's quotient makes up for what was lost when 1 went away. */
export function expm1(x: f64): f64 {
  const u = exp(x);
  const v = u - 1.0;
  if (u == 1.0) return x;
  if (v == -1.0 || !(u < Infinity)) return v;
  return v * (x / log(u));
}

/** log(1 + x), in the same way. */
export function log1p(x: f64): f64 {
  const u = 1.0 + x;
  if (u == 1.0) return x;
  const v = log(u);
  return u > 0.0 && u < Infinity ? v * (x / (u - 1.0)) : v;
}

export function sinh(x: f64): f64 {
  const a = abs(x);
  let r: f64;
  if (a < 22.0) {
    const t = expm1(a);
    r = 0.5 * (t + t / (t + 1.0));
  } else {
    const t = exp(0.5 * a);
    r = 0.5 * t * t;
  }
  return copysign<f64>(r, x);
}

export function cosh(x: f64): f64 {
  const a = abs(x);
  if (a < 22.0) {
    const t = exp(a);
    return 0.5 * t + 0.5 / t;
  }
  const t = exp(0.5 * a);
  return 0.5 * t * t;
}

export function tanh(x: f64): f64 {
  const a = abs(x);
  const t = expm1(2.0 * a);
  return copysign<f64>(a > 22.0 ? 1.0 : t / (t + 2.0), x);
}

/** The square root of x² + y², without overflow on the way. */
export function hypot(x: f64, y: f64): f64 {
  const a = max(abs(x), abs(y)), b = min(abs(x), abs(y));
  if (abs(x) == Infinity || abs(y) == Infinity) return Infinity;
  let up = 1.0, down = 1.0;
  if (a > 1e150) {
    up = 2.409919865102884e-181; // 2^-600
    down = 4.149515568880993e+180;
  } else if (a < 1e-140) {
    up = 5.260135901548374e+210; // 2^700
    down = 1.90109156629516e-211;
  }
  const c = a * up, d = b * up;
  const p = c * c;
  return sqrt(p + (d * d + tail(c, c, p))) * down;
}

// sin, cos, tan: x = n·π/2 + y with |y| ≤ π/4 in two parts, of which the larger is
// reduced and the smaller is low.

let quadrant: i32 = 0;

/** 64 zero bits, then the first 1216 bits of 2/π. */
// prettier-ignore
const TWO_OVER_PI = memory.data<u64>([
  0,
  0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041, 0xfe5163abdebbc561, 0xb7246e3a424dd2e0,
  0x06492eea09d1921c, 0xfe1deb1cb129a73e, 0xe88235f52ebb4484, 0xe99c7026b45f7e41, 0x3991d639835339f4,
  0x9c845f8bbdf9283b, 0x1ff897ffde05980f, 0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7, 0x4f463f669e5fea2d,
  0x7527bac7ebe5f17b, 0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08, 0x56033046fc7b6bab,
]);

function reduce(x: f64): f64 {
  if (abs(x) < 0.5) {
    quadrant = 0;
    low = 0.0;
    return x;
  }
  if (abs(x) < 3000.0) {
    // π/2 in parts of 42, 42 and 53 bits: the first two products are exact.
    const n = nearest(x * 0.6366197723675814);
    quadrant = <i32>n;
    const a = x - n * 1.570796326794607;
    const b = n * 2.8960739716218175e-13;
    const h = a - b;
    const l = ((a - h) - b) - n * 1.6446256936324258e-26;
    const y = h + l;
    low = (h - y) + l;
    return y;
  }
  return reduceFar(x);
}

/**
 * reduce by Payne and Hanek's method: the product of x's 53 bits with those 192
 * bits of 2/π that make its last two whole bits and its fraction.
 */
function reduceFar(x: f64): f64 {
  const bits = reinterpret<u64>(abs(x));
  if (bits >= 0x7ff0000000000000) return (low = NaN);
  const m = bits & 0x000fffffffffffff | 0x0010000000000000;
  const at = <i32>(bits >> 52) - 1013; // 1075 to the last bit of m, 62 to the first that counts
  const p = TWO_OVER_PI + (<usize>at >> 6 << 3);
  const s = <u64>(at & 63);
  const c = m * word(p + 8, s);
  let mid = c + mulHigh(m, word(p + 16, s));
  let hi = m * word(p, s) + mulHigh(m, word(p + 8, s)) + <u64>(mid < c);
  let n = <i32>(hi + 0x2000000000000000 >> 62);
  hi -= <u64>n << 62;
  // hi and mid are now a signed fraction of a quarter turn, times 2^126.
  const negative = <i64>hi < 0;
  if (negative) {
    mid = ~mid;
    hi = ~hi; // off by one unit of 2^-126
  }
  const z = clz(hi);
  hi = hi << z | mid >> 1 >> (63 - z);
  mid <<= z;
  const scale = pow2(-62 - <i32>z);
  const a = <f64>(<i64>(hi >> 11)) * 2048.0 * scale;
  const b = <f64>(<i64>((hi & 2047) << 52 | mid >> 12)) * 2.220446049250313e-16 * scale;
  const t = a * HALF_PI;
  let l = tail(a, HALF_PI, t) + a * HALF_PI_LO + b * HALF_PI;
  let y = t + l;
  l = (t - y) + l;
  if (negative != (x < 0.0)) {
    y = -y;
    l = -l;
  }
  quadrant = x < 0.0 ? -n : n;
  low = l;
  return y;
}

/** The 64 bits that begin s bits after p. */
function word(p: usize, s: u64): u64 {
  return load<u64>(p) << s | load<u64>(p, 8) >> 1 >> (63 - s);
}

/** The upper 64 bits of a product. */
function mulHigh(x: u64, y: u64): u64 {
  const x0 = x & 0xffffffff, x1 = x >> 32;
  const y0 = y & 0xffffffff, y1 = y >> 32;
  const mid = x1 * y0 + (x0 * y0 >> 32);
  return x1 * y1 + (mid >> 32) + ((mid & 0xffffffff) + x0 * y1 >> 32);
}

/** The sine of x + l for |x| ≤ π/4 (fdlibm, k_sin.c, Sun Microsystems 1993). */
function kernelSin(x: f64, l: f64): f64 {
  const z = x * x;
  const v = z * x;
  const r = 8.33333333332248946124e-03 + z * (-1.98412698298579493134e-04 + z * (2.75573137070700676789e-06 +
    z * (-2.50507602534068634195e-08 + z * 1.58969099521155010221e-10)));
  return x - ((z * (0.5 * l - v * r) - l) - v * -1.66666666666666324348e-01);
}

/** The cosine of x + l for |x| ≤ π/4 (fdlibm, k_cos.c). */
function kernelCos(x: f64, l: f64): f64 {
  const z = x * x;
  const r = z * (4.16666666666666019037e-02 + z * (-1.38888888888741095749e-03 + z * (2.48015872894767294178e-05 +
    z * (-2.75573143513906633035e-07 + z * (2.08757232129817482790e-09 + z * -1.13596475577881948265e-11)))));
  const h = 0.5 * z;
  const w = 1.0 - h;
  return w + (((1.0 - w) - h) + (z * r - x * l));
}

/** The sine of n quarter turns and x + l. */
function quarter(n: i32, x: f64, l: f64): f64 {
  const y = n & 1 ? kernelCos(x, l) : kernelSin(x, l);
  return n & 2 ? -y : y;
}

export function sin(x: f64): f64 {
  const y = reduce(x);
  return quarter(quadrant, y, low);
}

export function cos(x: f64): f64 {
  const y = reduce(x);
  return quarter(quadrant + 1, y, low);
}

export function tan(x: f64): f64 {
  const y = reduce(x);
  return quarter(quadrant, y, low) / quarter(quadrant + 1, y, low);
}

/** By the minimax polynomial of fdlibm (s_atan.c) around five points. */
export function atan(x: f64): f64 {
  const a = abs(x);
  let t = a, h = 0.0, l = 0.0;
  if (a >= 2.4375) {
    t = -1.0 / a;
    h = HALF_PI;
    l = HALF_PI_LO;
  } else if (a >= 1.1875) {
    t = (a - 1.5) / (1.0 + 1.5 * a);
    h = 9.82793723247329054082e-01;
    l = 1.39033110312309984516e-17;
  } else if (a >= 0.6875) {
    t = (a - 1.0) / (a + 1.0);
    h = 0.5 * HALF_PI;
    l = 0.5 * HALF_PI_LO;
  } else if (a >= 0.4375) {
    t = (2.0 * a - 1.0) / (2.0 + a);
    h = 4.63647609000806093515e-01;
    l = 2.26987774529616870924e-17;
  }
  const z = t * t;
  const w = z * z;
  const odd = z * (3.33333333333329318027e-01 + w * (1.42857142725034663711e-01 + w * (9.09088713343650656196e-02 +
    w * (6.66107313738753120669e-02 + w * (4.97687799461593236017e-02 + w * 1.62858201153657823623e-02)))));
  const even = w * (-1.99999999998764832476e-01 + w * (-1.11111104054623557880e-01 + w * (-7.69187620504482999495e-02 +
    w * (-5.83357013379057348645e-02 + w * -3.65315727442169155270e-02))));
  return copysign<f64>(h - ((t * (odd + even) - l) - t), x);
}

/** The angle of the point (x, y), from −π to π. */
export function atan2(y: f64, x: f64): f64 {
  if (x != x || y != y) return NaN;
  const a = abs(x), b = abs(y);
  let r: f64;
  if (b == 0.0) r = 0.0; // and the angle of the x axis if x is 0 too
  else if (a == Infinity && b == Infinity) r = 0.5 * HALF_PI;
  else r = atan(b / a);
  if (copysign<f64>(1.0, x) < 0.0) r = PI - (r - 2.0 * HALF_PI_LO);
  return copysign<f64>(r, y);
}

export function asin(x: f64): f64 {
  return atan2(x, sqrt((1.0 - x) * (1.0 + x)));
}

export function acos(x: f64): f64 {
  return atan2(sqrt((1.0 - x) * (1.0 + x)), x);
}

/**
 * The distribution function of the standard normal distribution.
 *
 * Below zero it is exp(−a²/2)·M(a) with a = −x, and (a+5)·M(a) is smooth in
 * t = (a−5)/(a+5): a polynomial through Chebyshev's points of 0 ≤ a ≤ 39.
 */
export function Phi(x: f64): f64 {
  const a = abs(x);
  const t = 2.0 * (a / (a + 5.0)) - 1.0; // loses nothing near zero
  let m = -1.5877468827473365e-10;
  m = m * t + 1.753048401408232e-09;
  m = m * t + 7.66307180076004e-09;
  m = m * t - 9.31356099432606e-09;
  m = m * t - 6.594221662477223e-08;
  m = m * t + 4.2274993740065346e-08;
  m = m * t + 4.331410356862585e-07;
  m = m * t - 3.366153681012471e-07;
  m = m * t - 2.76926709599743e-06;
  m = m * t + 3.9809021578680414e-06;
  m = m * t + 1.6681213742042063e-05;
  m = m * t - 4.97628142705858e-05;
  m = m * t - 5.937572800991586e-05;
  m = m * t + 0.0005448990647731298;
  m = m * t - 0.0007978693984660701;
  m = m * t - 0.0029933767705085422;
  m = m * t + 0.020795066799883178;
  m = m * t - 0.06911863870631016;
  m = m * t + 0.1650203661703847;
  m = m * t - 0.31353315667130455;
  m = m * t + 0.4953056159699764;
  m = m * t - 0.6653825028900567;
  m = m * t + 0.769193049750063;
  let r = 0.0;
  if (!(a > 39.0)) {
    const p = a * a;
    const e = exp(-0.5 * p);
    r = (e - e * (0.5 * tail(a, a, p))) * (m / (a + 5.0));
  }
  return x > 0.0 ? 1.0 - r : r;
}
