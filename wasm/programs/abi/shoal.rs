// Helper for Shoal programs written in Rust. docs/program-abi.md describes every
// byte that is read and written here.
//
//   #[path = "…/abi/shoal.rs"]
//   mod shoal;
//
//   #[no_mangle]
//   pub extern "C" fn run(frame: *const u8, len: u32) -> u64 {
//       let mut call = shoal::Call::open(frame, len, 1); // one number per item
//       for row in 0..call.items {
//           let mut draws = call.draws(0, row); // stream 0, from its first draw
//           call.put(row, 0, draws.unit());
//       }
//       call.done()
//   }
//
// Compile without imports, with the target's standard library but no cargo:
//
//   rustc --edition 2021 --crate-type cdylib --target wasm32-unknown-unknown \
//     -C opt-level=3 -C panic=abort -C lto -C strip=symbols \
//     -C linker=wasm-ld -C link-arg=-zstack-size=65536 program.rs -o program.wasm
//
// Rust never fuses a*b+c and never reorders. f64::sqrt, floor, ceil, trunc and abs
// are instructions; exp, sin and the like need the C library of the target, which
// this one does not have: ln and normal are here.
//
// Rows count from 0 within a call; the item of a row is first + row.
#![allow(dead_code)]

use core::arch::wasm32::{memory_grow, memory_size, unreachable};
use core::slice::from_raw_parts;

/// "SHL1" read as a little-endian number.
const MAGIC: u32 = 0x314c_4853;
const VERSION: u32 = 1;
const HEADER: usize = 40;
const PAGE: usize = 65536;

/// Ends the program: there is no other way to report an error.
pub fn trap() -> ! {
    unreachable()
}

/// A buffer that lives as long as the instance. It takes whole pages, so that it
/// gets along with any allocator.
struct Room {
    at: *mut u8,
    len: usize,
}

impl Room {
    const fn new() -> Room {
        Room { at: core::ptr::null_mut(), len: 0 }
    }

    fn of(&mut self, n: usize) -> *mut u8 {
        if n > self.len || self.len == 0 {
            let pages = n / PAGE + 1;
            let before = memory_grow(0, pages);
            if before == usize::MAX {
                trap();
            }
            self.at = (before * PAGE) as *mut u8;
            self.len = pages * PAGE;
        }
        self.at
    }
}

static mut FRAME: Room = Room::new();
static mut OUT: Room = Room::new();

/// Returns room for a frame of n bytes, the same as long as it is big enough.
#[no_mangle]
pub extern "C" fn alloc(n: u32) -> *mut u8 {
    unsafe { FRAME.of(n as usize) }
}

fn in_memory(at: usize, len: usize) -> bool {
    at as u64 + len as u64 <= memory_size(0) as u64 * PAGE as u64
}

/// What one call of run gets, and where its results go.
pub struct Call {
    /// Number of the first item, counted over the whole job.
    pub first: u64,
    /// How many items this call computes.
    pub items: u32,
    /// How many columns the split gives each item.
    pub columns: u32,
    /// Params, in the order that the ABI states.
    pub params: &'static [f64],
    cells: &'static [f64],
    keys: &'static [[u32; 2]],
    inputs: &'static [[u32; 2]],
    frame: *const u8,
    outputs: u32,
    out: &'static mut [f64],
}

impl Call {
    /// Reads a frame and makes room for so many numbers per item. Traps if the
    /// frame is not one, or if its sections do not fit in len bytes.
    pub fn open(frame: *const u8, len: u32, outputs: u32) -> Call {
        let len = len as usize;
        if len < HEADER || frame as usize % 8 != 0 || !in_memory(frame as usize, len) {
            trap();
        }
        // The frame is aligned, lies in memory, and only the host writes to it.
        let word = |at: usize| unsafe { *(frame.add(at) as *const u32) };
        if word(0) != MAGIC || word(4) != VERSION {
            trap();
        }
        let (items, params, streams) = (word(16), word(20), word(24));
        let (columns, inputs) = (word(28), word(32));
        let cells = items as u64 * columns as u64;
        let numbers = items as u64 * outputs as u64;
        let limit = len as u64 / 8;
        if cells > limit || numbers > 1 << 28 {
            trap();
        }
        if HEADER as u64 / 8 + streams as u64 + params as u64 + cells + inputs as u64 > limit {
            trap();
        }
        unsafe {
            let keys = frame.add(HEADER) as *const [u32; 2];
            let param = keys.add(streams as usize) as *const f64;
            let cell = param.add(params as usize);
            let input = cell.add(cells as usize) as *const [u32; 2];
            let out = OUT.of(8 * numbers as usize) as *mut f64;
            Call {
                first: *(frame.add(8) as *const u64),
                items,
                columns,
                params: from_raw_parts(param, params as usize),
                cells: from_raw_parts(cell, cells as usize),
                keys: from_raw_parts(keys, streams as usize),
                inputs: from_raw_parts(input, inputs as usize),
                frame,
                outputs,
                out: core::slice::from_raw_parts_mut(out, numbers as usize),
            }
        }
    }

    /// The columns of a row: a grid's coordinates, or the numbers of a record.
    pub fn row(&self, row: u32) -> &'static [f64] {
        let c = self.columns as usize;
        match self.cells.get(row as usize * c..row as usize * c + c) {
            Some(r) => r,
            None => trap(),
        }
    }

    /// How many inputs there are.
    pub fn inputs(&self) -> u32 {
        self.inputs.len() as u32
    }

    /// The bytes of an input. Traps if there is none, or if they do not lie in memory.
    pub fn input(&self, index: u32) -> &'static [u8] {
        let [offset, len] = match self.inputs.get(index as usize) {
            Some(i) => *i,
            None => trap(),
        };
        let at = self.frame as u64 + offset as u64;
        if at + len as u64 > memory_size(0) as u64 * PAGE as u64 {
            trap();
        }
        unsafe { from_raw_parts(at as usize as *const u8, len as usize) }
    }

    /// Writes a result of a row.
    pub fn put(&mut self, row: u32, index: u32, value: f64) {
        match self.out.get_mut((row * self.outputs + index) as usize) {
            Some(o) => *o = value,
            None => trap(),
        }
    }

    /// Ends the call: what run returns.
    pub fn done(&self) -> u64 {
        pack(self.out.as_ptr() as *const u8, 8 * self.out.len() as u32)
    }

    /// The draws of a row in a stream, from the first. Traps if there is no such stream.
    pub fn draws(&self, stream: u32, row: u32) -> Draws {
        match self.keys.get(stream as usize) {
            Some(key) => Draws { key: *key, item: self.first + row as u64, draw: 0, odd: 0 },
            None => trap(),
        }
    }
}

/// What run returns for n bytes of results at a place of the program's choice.
pub fn pack(at: *const u8, n: u32) -> u64 {
    (at as usize as u64) << 32 | n as u64
}

/// A cursor over the draws of an item. Each item owns its own numbers in each
/// stream, so that neither the grain nor the order of the items can show in them.
#[derive(Clone, Copy)]
pub struct Draws {
    key: [u32; 2],
    item: u64,
    draw: u64, // the number of the next draw
    odd: u64,  // that draw, if its number is odd
}

impl Draws {
    /// The next draw: 64 random bits.
    pub fn next(&mut self) -> u64 {
        let n = self.draw;
        self.draw += 1;
        if n & 1 == 1 {
            return self.odd;
        }
        let (even, odd) = philox(self.key, n >> 1, self.item);
        self.odd = odd;
        even
    }

    /// The next draw as a number in [0, 1), a multiple of 2^-53.
    pub fn unit(&mut self) -> f64 {
        (self.next() >> 11) as i64 as f64 * 1.1102230246251565e-16
    }

    /// The next draw as a number in (0, 1), fit for a logarithm.
    pub fn open_unit(&mut self) -> f64 {
        ((self.next() >> 12) as i64 as f64 + 0.5) * 2.220446049250313e-16
    }

    /// The next draw as one from the standard normal distribution.
    pub fn normal(&mut self) -> f64 {
        normal(self.open_unit())
    }

    /// A whole number in [0, n), every one equally likely (Lemire 2019). Takes one
    /// draw, and seldom more. Traps if n is 0.
    pub fn below(&mut self, n: u64) -> u64 {
        if n == 0 {
            trap();
        }
        let mut x = self.next();
        if x.wrapping_mul(n) < n {
            let bar = n.wrapping_neg() % n;
            while x.wrapping_mul(n) < bar {
                x = self.next();
            }
        }
        (x as u128 * n as u128 >> 64) as u64
    }
}

/// Philox4x32-10 of one block of an item: its even and its odd draw.
fn philox(key: [u32; 2], block: u64, item: u64) -> (u64, u64) {
    let [mut k0, mut k1] = key;
    let (mut a, mut b) = (block as u32, (block >> 32) as u32);
    let (mut c, mut d) = (item as u32, (item >> 32) as u32);
    for _ in 0..10 {
        let p = 0xd251_1f53u64 * a as u64;
        let q = 0xcd9e_8d57u64 * c as u64;
        (a, b, c, d) = ((q >> 32) as u32 ^ b ^ k0, q as u32, (p >> 32) as u32 ^ d ^ k1, p as u32);
        k0 = k0.wrapping_add(0x9e37_79b9);
        k1 = k1.wrapping_add(0xbb67_ae85);
    }
    ((b as u64) << 32 | a as u64, (d as u64) << 32 | c as u64)
}

/// The natural logarithm, off by less than one unit in the last place, the same
/// to the bit as in the other helpers. Of ±0 it is −∞, below zero NaN.
///
/// x = 2^k·(1+f) with 1+f in [√2/2, √2), s = f/(2+f), and log(1+f) by the minimax
/// polynomial of fdlibm (e_log.c, Sun Microsystems 1993).
pub fn ln(x: f64) -> f64 {
    if x.is_nan() || x < 0.0 {
        return f64::NAN;
    }
    if x == 0.0 {
        return f64::NEG_INFINITY;
    }
    if x > f64::MAX {
        return x;
    }
    let (x, mut k) = if x < f64::MIN_POSITIVE { (x * 18014398509481984.0, -54) } else { (x, 0) };
    let bits = x.to_bits();
    k += (bits >> 52) as i32 - 1022;
    let mut m = f64::from_bits(bits & 0x000f_ffff_ffff_ffff | 0x3fe0_0000_0000_0000); // in [1/2, 1)
    if m < core::f64::consts::FRAC_1_SQRT_2 {
        m *= 2.0;
        k -= 1;
    }
    let f = m - 1.0;

    let s = f / (2.0 + f);
    let z = s * s;
    let w = z * z;
    let odd = z * (6.666666666666735130e-01
        + w * (2.857142874366239149e-01 + w * (1.818357216161805012e-01 + w * 1.479819860511658591e-01)));
    let even = w * (3.999999999940941908e-01 + w * (2.222219843214978396e-01 + w * 1.531383769920937332e-01));
    let r = odd + even;
    let half = 0.5 * f * f;
    let e = k as f64;
    e * 6.93147180369123816490e-01 - ((half - (s * (half + r) + e * 1.90821492927058770002e-10)) - f)
}

/// The quantile of the standard normal distribution at p: M. J. Wichura,
/// Algorithm AS 241, Applied Statistics 37 (1988). It is ±∞ at 1 and 0, and NaN
/// outside them.
pub fn normal(p: f64) -> f64 {
    let q = p - 0.5;
    if q.abs() <= 0.425 {
        let r = 0.180625 - q * q;
        return q * poly(&CENTRE[0], r) / poly(&CENTRE[1], r);
    }
    let tail = if q > 0.0 { 1.0 - p } else { p };
    if p.is_nan() || tail < 0.0 {
        return f64::NAN;
    }
    let x = if tail == 0.0 {
        f64::INFINITY
    } else {
        let r = (-ln(tail)).sqrt();
        if r <= 5.0 {
            poly(&NEAR[0], r - 1.6) / poly(&NEAR[1], r - 1.6)
        } else {
            poly(&FAR[0], r - 5.0) / poly(&FAR[1], r - 5.0)
        }
    };
    if q < 0.0 {
        -x
    } else {
        x
    }
}

fn poly(c: &[f64; 8], r: f64) -> f64 {
    let mut y = 0.0;
    for v in c.iter().rev() {
        y = y * r + v;
    }
    y
}

// Numerators and denominators, from the constant term upwards.
#[rustfmt::skip]
const CENTRE: [[f64; 8]; 2] = [
    [3.3871328727963666080e0, 1.3314166789178437745e+2, 1.9715909503065514427e+3, 1.3731693765509461125e+4,
     4.5921953931549871457e+4, 6.7265770927008700853e+4, 3.3430575583588128105e+4, 2.5090809287301226727e+3],
    [1.0, 4.2313330701600911252e+1, 6.8718700749205790830e+2, 5.3941960214247511077e+3,
     2.1213794301586595867e+4, 3.9307895800092710610e+4, 2.8729085735721942674e+4, 5.2264952788528545610e+3],
];
#[rustfmt::skip]
const NEAR: [[f64; 8]; 2] = [
    [1.42343711074968357734e0, 4.63033784615654529590e0, 5.76949722146069140550e0, 3.64784832476320460504e0,
     1.27045825245236838258e0, 2.41780725177450611770e-1, 2.27238449892691845833e-2, 7.74545014278341407640e-4],
    [1.0, 2.05319162663775882187e0, 1.67638483018380384940e0, 6.89767334985100004550e-1,
     1.48103976427480074590e-1, 1.51986665636164571966e-2, 5.47593808499534494600e-4, 1.05075007164441684324e-9],
];
#[rustfmt::skip]
const FAR: [[f64; 8]; 2] = [
    [6.65790464350110377720e0, 5.46378491116411436990e0, 1.78482653991729133580e0, 2.96560571828504891230e-1,
     2.65321895265761230930e-2, 1.24266094738807843860e-3, 2.71155556874348757815e-5, 2.01033439929228813265e-7],
    [1.0, 5.99832206555887937690e-1, 1.36929880922735805310e-1, 1.48753612908506148525e-2,
     7.86869131145613259100e-4, 1.84631831751005468180e-5, 1.42151175831644588870e-7, 2.04426310338993978564e-15],
];
