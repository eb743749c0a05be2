// Collatz: item i starts at the number i+1 and counts the steps to 1, where an
// even number is halved and an odd one becomes three times itself and one.

#include "shoal.h"

// Above this, 3n+1 would not fit in 64 bits.
static const uint64_t largest = (UINT64_MAX - 1) / 3;

static uint32_t steps_to_one(uint64_t n) {
  uint32_t steps = 0;
  while (n != 1) {
    if (n & 1) {
      if (n > largest) __builtin_trap();
      n = 3 * n + 1;
      steps++;
    }
    int halvings = __builtin_ctzll(n);
    n >>= halvings;
    steps += halvings;
  }
  return steps;
}

SHOAL_RUN(frame, len) {
  shoal_call c = shoal_open(frame, len, 1);
  for (uint32_t row = 0; row < c.items; row++) c.out[row] = steps_to_one(c.first + row + 1);
  return shoal_done(&c);
}
