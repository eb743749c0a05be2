// Norm: an item is a record. Results: how far its columns are from the centre, as
// the crow flies, and the column that is farthest from it, counted from 0.
//
// Param: centre, the same for all columns.

#include "shoal.h"

SHOAL_RUN(frame, len) {
  shoal_call c = shoal_open(frame, len, 2);
  if (c.params != 1) __builtin_trap();
  double centre = c.param[0];
  for (uint32_t row = 0; row < c.items; row++) {
    const double *column = c.column + (uint64_t)row * c.columns;
    double sum = 0, most = -1;
    uint32_t farthest = 0;
    for (uint32_t i = 0; i < c.columns; i++) {
      double off = __builtin_fabs(column[i] - centre);
      sum += off * off;
      if (off > most) {
        most = off;
        farthest = i;
      }
    }
    c.out[2 * row] = __builtin_sqrt(sum);
    c.out[2 * row + 1] = farthest;
  }
  return shoal_done(&c);
}
