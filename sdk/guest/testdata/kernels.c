// Small loops of the kinds that programs are made of. run(_, n) chooses one and
// returns where its 8 bytes are.
#include <stdint.h>
#include <wasm_simd128.h>

#define EXPORT(name) __attribute__((export_name(name)))

static uint8_t heap[1 << 16];
static uint32_t used;
static float fa[64 * 64], fb[64 * 64], fc[64 * 64];
static double da[64 * 64], db[64 * 64], dc[64 * 64];
static uint8_t composite[1 << 16];
static uint64_t out[2];

EXPORT("alloc") void *alloc_bytes(uint32_t n) {
  void *p = heap + used;
  used += (n + 15) & ~15u;
  return p;
}

static uint64_t fib(uint32_t n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }

static uint64_t next(uint64_t x) { return x * 6364136223846793005u + 1442695040888963407u; }

static uint64_t branchy(uint32_t n) {
  uint64_t x = 88172645463325252u, c = 0;
  for (uint32_t i = 0; i < n; i++) {
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    if (x & 1) c++;
    else if (x & 2) c += 3;
    else if (x & 4) c ^= x;
  }
  return c;
}

static uint64_t sieve(uint32_t n) {
  uint64_t c = 0;
  for (uint32_t i = 0; i < n; i++) composite[i] = 0;
  for (uint32_t i = 2; i < n; i++) {
    if (composite[i]) continue;
    c++;
    for (uint32_t j = i + i; j < n; j += i) composite[j] = 1;
  }
  return c;
}

static uint64_t matmul(void) {
  double sum = 0;
  for (int i = 0; i < 64 * 64; i++) {
    da[i] = i % 17;
    db[i] = i % 13;
    dc[i] = 0;
  }
  for (int i = 0; i < 64; i++)
    for (int k = 0; k < 64; k++) {
      double x = da[i * 64 + k];
      for (int j = 0; j < 64; j++) dc[i * 64 + j] += x * db[k * 64 + j];
    }
  for (int i = 0; i < 64 * 64; i++) sum += dc[i];
  return (uint64_t)sum;
}

static uint64_t welford(uint32_t n) {
  uint64_t x = 1;
  double mean = 0, m2 = 0;
  for (uint32_t i = 1; i <= n; i++) {
    x = next(x);
    double v = (double)(x >> 11) * 0x1p-53, d = v - mean;
    mean += d / (double)i;
    m2 += d * (v - mean);
  }
  return (uint64_t)(m2 * 1e9);
}

static uint64_t matmul_simd(void) {
  float sum = 0;
  for (int i = 0; i < 64 * 64; i++) {
    fa[i] = i % 17;
    fb[i] = i % 13;
  }
  for (int i = 0; i < 64; i += 4)
    for (int j = 0; j < 64; j += 8) {
      v128_t c[8];
      for (int q = 0; q < 8; q++) c[q] = wasm_f32x4_splat(0);
      for (int k = 0; k < 64; k++) {
        v128_t b0 = wasm_v128_load(&fb[k * 64 + j]), b1 = wasm_v128_load(&fb[k * 64 + j + 4]);
        for (int q = 0; q < 4; q++) {
          v128_t a = wasm_v128_load32_splat(&fa[(i + q) * 64 + k]);
          c[2 * q] = wasm_f32x4_add(c[2 * q], wasm_f32x4_mul(a, b0));
          c[2 * q + 1] = wasm_f32x4_add(c[2 * q + 1], wasm_f32x4_mul(a, b1));
        }
      }
      for (int q = 0; q < 4; q++) {
        wasm_v128_store(&fc[(i + q) * 64 + j], c[2 * q]);
        wasm_v128_store(&fc[(i + q) * 64 + j + 4], c[2 * q + 1]);
      }
    }
  for (int i = 0; i < 64 * 64; i++) sum += fc[i];
  return (uint64_t)sum;
}

EXPORT("run") uint64_t run(uint32_t ptr, uint32_t n) {
  switch (n) {
  case 0: out[0] = fib(15); break;
  case 1: out[0] = branchy(10000); break;
  case 2: out[0] = sieve(1 << 16); break;
  case 3: out[0] = matmul(); break;
  case 4: out[0] = welford(10000); break;
  case 5: out[0] = matmul_simd(); break;
  }
  return ((uint64_t)(uintptr_t)out << 32) | 8;
}
