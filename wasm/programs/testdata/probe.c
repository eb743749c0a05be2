// Calls everything that the helper offers; helper_test.go has the same in Go.

#include "shoal.h"

enum { outputs = 9 };

SHOAL_RUN(frame, len) {
  shoal_call c = shoal_open(frame, len, outputs);
  for (uint32_t row = 0; row < c.items; row++) {
    double *out = c.out + row * outputs;
    out[0] = (uint32_t)(c.first + row);
    shoal_draws d = shoal_seek(&c, 0, row);
    out[1] = shoal_unit(&d);
    out[2] = shoal_unit(&d);
    out[3] = shoal_open_unit(&d);
    d = shoal_seek_draw(&c, 1, row, 5);
    out[4] = (double)(shoal_next(&d) >> 32);
    out[5] = (double)shoal_below(&d, (uint64_t)c.param[0]);
    out[6] = (double)(shoal_next(&d) >> 32);
    double sum = 0;
    for (uint32_t i = 0; i < c.columns; i++) sum += c.column[row * c.columns + i];
    out[7] = sum;
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < 2; i++) {
      const uint8_t *in = shoal_input_bytes(&c, i);
      for (uint32_t j = 0; j < c.input[i].len; j++) bytes = (bytes * 31 + in[j]) & 0xffffffff;
    }
    out[8] = (double)bytes;
  }
  return shoal_done(&c);
}
