// Helper for Shoal programs written in C. docs/program-abi.md describes every
// byte that is read and written here.
//
//   #include "shoal.h"
//
//   SHOAL_RUN(frame, len) {
//     shoal_call c = shoal_open(frame, len, 1);     // one number per item
//     for (uint32_t row = 0; row < c.items; row++) {
//       shoal_draws d = shoal_seek(&c, 0, row);     // stream 0, from its first draw
//       c.out[row] = shoal_unit(&d);
//     }
//     return shoal_done(&c);
//   }
//
// Compile without imports. The linker is called directly, because the driver may
// run an optimiser that does not know all instructions. -ffp-contract=off keeps
// the compiler from rounding a*b+c once instead of twice.
//
//   clang-19 --target=wasm32 -O2 -ffreestanding -nostdlib -mbulk-memory \
//     -ffp-contract=off -c program.c -o program.o
//   wasm-ld-19 --no-entry --stack-first -z stack-size=16384 --gc-sections \
//     --strip-all program.o -o program.wasm
//
// Include this file once: it defines alloc. Rows count from 0 within a call; the
// item of a row is first + row.

#ifndef SHOAL_H
#define SHOAL_H

#include <stdbool.h>
#include <stdint.h>

#define SHOAL_EXPORT(name) __attribute__((export_name(name)))

// Begins the definition of run.
#define SHOAL_RUN(frame, len) \
  SHOAL_EXPORT("run") uint64_t run(const void *frame, uint32_t len)

enum {
  SHOAL_MAGIC = 0x314c4853, // "SHL1" read as a little-endian number
  SHOAL_VERSION = 1,
  SHOAL_PAGE = 65536,
};

// The fixed part of a frame.
typedef struct {
  uint32_t magic, version;
  uint64_t first;
  uint32_t items, params, streams, columns, inputs, reserved;
} shoal_header;

_Static_assert(sizeof(shoal_header) == 40, "the fixed part of a frame has 40 bytes");

typedef struct {
  uint32_t key0, key1;
} shoal_key;

typedef struct {
  uint32_t offset, len;
} shoal_input;

// What one call of run gets, and where its results go.
typedef struct {
  uint64_t first;      // number of the first item, counted over the whole job
  uint32_t items;      // how many items this call computes
  uint32_t params;     // how many params there are
  uint32_t streams;    // how many streams have a key
  uint32_t columns;    // how many columns the split gives each item
  uint32_t inputs;     // how many inputs there are
  uint32_t outputs;    // how many results each item has
  const double *param; // params, in the order that the ABI states
  const double *column; // items × columns, row by row
  double *out;         // items × outputs, row by row
  const shoal_key *key;
  const shoal_input *input;
  const uint8_t *frame;
} shoal_call;

// Memory. What was given out is never taken back.

extern unsigned char __heap_base;
static uintptr_t shoal_top;

// Returns n bytes, aligned to 16. Traps if there are none.
static void *shoal_room(uint32_t n) {
  if (shoal_top == 0) shoal_top = ((uintptr_t)&__heap_base + 15) & ~(uintptr_t)15;
  uint64_t end = ((uint64_t)shoal_top + n + 15) & ~(uint64_t)15;
  uint64_t have = (uint64_t)__builtin_wasm_memory_size(0) * SHOAL_PAGE;
  if (end > 0x7fffffff) __builtin_trap();
  if (end > have) {
    uint32_t pages = (uint32_t)((end - have + SHOAL_PAGE - 1) / SHOAL_PAGE);
    if (__builtin_wasm_memory_grow(0, pages) == (uintptr_t)-1) __builtin_trap();
  }
  void *room = (void *)shoal_top;
  shoal_top = (uintptr_t)end;
  return room;
}

// Returns room for a frame of n bytes. The same room is returned as long as it
// is big enough.
SHOAL_EXPORT("alloc") void *alloc(uint32_t n) {
  static void *lent;
  static uint32_t room;
  if (n > room || lent == 0) {
    lent = shoal_room(n);
    room = n;
  }
  return lent;
}

static inline bool shoal_in_memory(uint64_t at, uint64_t len) {
  return at + len <= (uint64_t)__builtin_wasm_memory_size(0) * SHOAL_PAGE;
}

// Starts a call: reads the frame and makes room for outputs numbers per item.
// Traps if the frame is not one, or if its sections do not fit in len bytes.
static shoal_call shoal_open(const void *frame, uint32_t len, uint32_t outputs) {
  static double *out;
  static uint64_t room;
  const shoal_header *h = frame;
  if (len < sizeof *h || !shoal_in_memory((uintptr_t)frame, len)) __builtin_trap();
  if (h->magic != SHOAL_MAGIC || h->version != SHOAL_VERSION) __builtin_trap();
  uint64_t cells = (uint64_t)h->items * h->columns;
  uint64_t need = (uint64_t)h->items * outputs * 8;
  if (cells > 0x7fffffff || need > 0x7fffffff) __builtin_trap();
  uint64_t words = (uint64_t)h->streams + h->params + cells + h->inputs;
  if (sizeof *h + 8 * words > len) __builtin_trap();
  if (need > room) {
    out = shoal_room((uint32_t)need);
    room = need;
  }
  shoal_call c = {
      .first = h->first, .items = h->items, .params = h->params, .streams = h->streams,
      .columns = h->columns, .inputs = h->inputs, .outputs = outputs, .out = out, .frame = frame,
  };
  c.key = (const shoal_key *)(h + 1);
  c.param = (const double *)(c.key + c.streams);
  c.column = c.param + c.params;
  c.input = (const shoal_input *)(c.column + cells);
  return c;
}

// What run returns for n bytes of results at a place of the program's choice.
static inline uint64_t shoal_pack(const void *at, uint32_t n) {
  return (uint64_t)(uintptr_t)at << 32 | n;
}

// Ends a call: what run returns.
static inline uint64_t shoal_done(const shoal_call *c) {
  return shoal_pack(c->out, c->items * c->outputs * 8);
}

// Returns the bytes of an input. Traps if they do not lie in memory.
static inline const uint8_t *shoal_input_bytes(const shoal_call *c, uint32_t index) {
  shoal_input in = c->input[index];
  if (!shoal_in_memory((uint64_t)(uintptr_t)c->frame + in.offset, in.len)) __builtin_trap();
  return c->frame + in.offset;
}

// Draws. Each item owns its own numbers in each stream, so that neither the
// grain nor the order of the items can show in any of them.

// The two draws of a block.
typedef struct {
  uint64_t even, odd;
} shoal_block;

// Philox4x32-10 of one block of an item.
static inline shoal_block shoal_philox(shoal_key k, uint64_t block, uint64_t item) {
  uint32_t a = (uint32_t)block, b = (uint32_t)(block >> 32);
  uint32_t c = (uint32_t)item, d = (uint32_t)(item >> 32);
#pragma clang loop unroll(full)
  for (int round = 0; round < 10; round++) {
    uint64_t p = (uint64_t)0xd2511f53 * a, q = (uint64_t)0xcd9e8d57 * c;
    a = (uint32_t)(q >> 32) ^ b ^ k.key0;
    b = (uint32_t)q;
    c = (uint32_t)(p >> 32) ^ d ^ k.key1;
    d = (uint32_t)p;
    k.key0 += 0x9e3779b9;
    k.key1 += 0xbb67ae85;
  }
  return (shoal_block){(uint64_t)b << 32 | a, (uint64_t)d << 32 | c};
}

// A cursor over the draws of an item. It is a value: a copy goes on by itself.
typedef struct {
  shoal_key key;
  uint64_t item;
  uint64_t draw; // the number of the next draw
  uint64_t odd;  // that draw, if its number is odd
} shoal_draws;

// Returns a cursor at a given draw of a row. Traps if there is no such stream.
static inline shoal_draws shoal_seek_draw(const shoal_call *c, uint32_t stream, uint32_t row, uint64_t draw) {
  if (stream >= c->streams) __builtin_trap();
  shoal_draws d = {c->key[stream], c->first + row, draw, 0};
  if (draw & 1) d.odd = shoal_philox(d.key, draw >> 1, d.item).odd;
  return d;
}

// Returns a cursor at the first draw of a row. Traps if there is no such stream.
static inline shoal_draws shoal_seek(const shoal_call *c, uint32_t stream, uint32_t row) {
  return shoal_seek_draw(c, stream, row, 0);
}

// The next draw: 64 random bits.
static inline uint64_t shoal_next(shoal_draws *d) {
  uint64_t n = d->draw++;
  if (n & 1) return d->odd;
  shoal_block b = shoal_philox(d->key, n >> 1, d->item);
  d->odd = b.odd;
  return b.even;
}

// The next draw as a number in [0, 1), a multiple of 2^-53.
static inline double shoal_unit(shoal_draws *d) {
  return (double)(int64_t)(shoal_next(d) >> 11) * 0x1p-53;
}

// The next draw as a number in (0, 1), fit for a logarithm.
static inline double shoal_open_unit(shoal_draws *d) {
  return ((double)(int64_t)(shoal_next(d) >> 12) + 0.5) * 0x1p-52;
}

// The upper 64 bits of a product.
static inline uint64_t shoal_mul_high(uint64_t x, uint64_t y) {
  uint64_t x0 = (uint32_t)x, x1 = x >> 32, y0 = (uint32_t)y, y1 = y >> 32;
  uint64_t mid = x1 * y0 + (x0 * y0 >> 32);
  return x1 * y1 + (mid >> 32) + (((uint64_t)(uint32_t)mid + x0 * y1) >> 32);
}

// A whole number in [0, n), every one equally likely (Lemire 2019). Takes one
// draw, and seldom more. Traps if n is 0.
static inline uint64_t shoal_below(shoal_draws *d, uint64_t n) {
  if (n == 0) __builtin_trap();
  uint64_t x = shoal_next(d);
  if (x * n < n) {
    uint64_t bar = -n % n;
    while (x * n < bar) x = shoal_next(d);
  }
  return shoal_mul_high(x, n);
}

// Functions of numbers, the same to the bit as in the other helpers: + - * /, the
// square root and integer code in a written order. A program that does not use
// them does not contain them.

static inline uint64_t shoal_bits(double x) {
  uint64_t b;
  __builtin_memcpy(&b, &x, 8);
  return b;
}

static inline double shoal_from_bits(uint64_t b) {
  double x;
  __builtin_memcpy(&x, &b, 8);
  return x;
}

// The natural logarithm, off by less than one unit in the last place. Of +-0 it is
// -infinity, below zero NaN.
//
// x = 2^k (1+f) with 1+f in [sqrt(2)/2, sqrt(2)), s = f/(2+f), and log(1+f) by the
// minimax polynomial of fdlibm (e_log.c, Sun Microsystems 1993).
__attribute__((unused)) static double shoal_log(double x) {
  if (x != x || x < 0) return __builtin_nan("");
  if (x == 0) return -__builtin_inf();
  if (x > 0x1.fffffffffffffp1023) return x;
  int k = 0;
  if (x < 0x1p-1022) {
    x *= 0x1p54;
    k = -54;
  }
  uint64_t bits = shoal_bits(x);
  k += (int)(bits >> 52) - 1022;
  double m = shoal_from_bits((bits & 0xfffffffffffff) | 0x3fe0000000000000); // in [1/2, 1)
  if (m < 0.7071067811865476) {
    m *= 2;
    k--;
  }
  double f = m - 1;

  double s = f / (2 + f);
  double z = s * s;
  double w = z * z;
  double odd = z * (6.666666666666735130e-01 +
      w * (2.857142874366239149e-01 + w * (1.818357216161805012e-01 + w * 1.479819860511658591e-01)));
  double even = w * (3.999999999940941908e-01 + w * (2.222219843214978396e-01 + w * 1.531383769920937332e-01));
  double r = odd + even;
  double half = 0.5 * f * f;
  double e = k;
  return e * 6.93147180369123816490e-01 - ((half - (s * (half + r) + e * 1.90821492927058770002e-10)) - f);
}

static inline double shoal_poly(const double c[8], double r) {
  double y = c[7];
  for (int i = 6; i >= 0; i--) y = y * r + c[i];
  return y;
}

// The quantile of the standard normal distribution at p: M. J. Wichura, Algorithm
// AS 241, Applied Statistics 37 (1988). It is +-infinity at 1 and 0, and NaN
// outside them.
__attribute__((unused)) static double shoal_normal(double p) {
  // Numerators and denominators, from the constant term upwards.
  static const double centre[2][8] = {
      {3.3871328727963666080e0, 1.3314166789178437745e+2, 1.9715909503065514427e+3, 1.3731693765509461125e+4,
       4.5921953931549871457e+4, 6.7265770927008700853e+4, 3.3430575583588128105e+4, 2.5090809287301226727e+3},
      {1, 4.2313330701600911252e+1, 6.8718700749205790830e+2, 5.3941960214247511077e+3,
       2.1213794301586595867e+4, 3.9307895800092710610e+4, 2.8729085735721942674e+4, 5.2264952788528545610e+3},
  };
  static const double near[2][8] = {
      {1.42343711074968357734e0, 4.63033784615654529590e0, 5.76949722146069140550e0, 3.64784832476320460504e0,
       1.27045825245236838258e0, 2.41780725177450611770e-1, 2.27238449892691845833e-2, 7.74545014278341407640e-4},
      {1, 2.05319162663775882187e0, 1.67638483018380384940e0, 6.89767334985100004550e-1,
       1.48103976427480074590e-1, 1.51986665636164571966e-2, 5.47593808499534494600e-4, 1.05075007164441684324e-9},
  };
  static const double far[2][8] = {
      {6.65790464350110377720e0, 5.46378491116411436990e0, 1.78482653991729133580e0, 2.96560571828504891230e-1,
       2.65321895265761230930e-2, 1.24266094738807843860e-3, 2.71155556874348757815e-5, 2.01033439929228813265e-7},
      {1, 5.99832206555887937690e-1, 1.36929880922735805310e-1, 1.48753612908506148525e-2,
       7.86869131145613259100e-4, 1.84631831751005468180e-5, 1.42151175831644588870e-7, 2.04426310338993978564e-15},
  };
  double q = p - 0.5;
  if (__builtin_fabs(q) <= 0.425) {
    double r = 0.180625 - q * q;
    return q * shoal_poly(centre[0], r) / shoal_poly(centre[1], r);
  }
  double tail = q > 0 ? 1 - p : p;
  if (p != p || tail < 0) return __builtin_nan("");
  double x = __builtin_inf();
  if (tail > 0) {
    double r = __builtin_sqrt(-shoal_log(tail));
    if (r <= 5) {
      x = shoal_poly(near[0], r - 1.6) / shoal_poly(near[1], r - 1.6);
    } else {
      x = shoal_poly(far[0], r - 5) / shoal_poly(far[1], r - 5);
    }
  }
  return q < 0 ? -x : x;
}

// The next draw as one from the standard normal distribution.
__attribute__((unused)) static double shoal_next_normal(shoal_draws *d) {
  return shoal_normal(shoal_open_unit(d));
}

#endif
