// Darts: an item is a dart whose place is off the middle by normal draws, alike in
// both directions. Results: 1 if it is inside the circle of radius 1, else 0, and
// how far it is from the middle.
//
// Param: spread, the standard deviation in each direction.

#include "shoal.h"

SHOAL_RUN(frame, len) {
  shoal_call c = shoal_open(frame, len, 2);
  if (c.params != 1 || !(c.param[0] >= 0)) __builtin_trap();
  double spread = c.param[0];
  for (uint32_t row = 0; row < c.items; row++) {
    shoal_draws d = shoal_seek(&c, 0, row);
    double x = spread * shoal_next_normal(&d);
    double y = spread * shoal_next_normal(&d);
    double distance = __builtin_sqrt(x * x + y * y);
    c.out[2 * row] = distance <= 1;
    c.out[2 * row + 1] = distance;
  }
  return shoal_done(&c);
}
