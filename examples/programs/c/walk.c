// Random walk: an item is one walker on a line, who goes one up or one down with
// equal chance. Results: where the walker ends, and the highest place on the way.
//
// Param: steps.

#include "shoal.h"

// The most steps that a walker takes, so that every place is exact in a double.
static const double most = 1e9;

SHOAL_RUN(frame, len) {
  shoal_call c = shoal_open(frame, len, 2);
  if (c.params != 1 || !(c.param[0] >= 0 && c.param[0] <= most)) __builtin_trap();
  uint32_t steps = (uint32_t)c.param[0];
  for (uint32_t row = 0; row < c.items; row++) {
    shoal_draws d = shoal_seek(&c, 0, row);
    uint64_t bits = 0;
    int32_t place = 0, highest = 0;
    for (uint32_t step = 0; step < steps; step++) {
      if (step % 64 == 0) bits = shoal_next(&d);
      place += bits & 1 ? 1 : -1;
      bits >>= 1;
      if (place > highest) highest = place;
    }
    c.out[2 * row] = place;
    c.out[2 * row + 1] = highest;
  }
  return shoal_done(&c);
}
