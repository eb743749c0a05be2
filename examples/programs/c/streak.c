// Streak: a reducer that needs the order of the items. Of the first number of each
// item it yields the longest streak of rising values: how many items it has, and
// the item that it begins at.
//
// It keeps four numbers, however many rows there are.

#include "shoal.h"

static double last, longest[2];
static uint64_t items, begun, length;

SHOAL_EXPORT("init") void init(const void *frame, uint32_t len) {
  shoal_open(frame, len, 0);
}

SHOAL_EXPORT("fold") void fold(const void *frame, uint32_t len) {
  shoal_call c = shoal_open(frame, len, 0);
  for (uint32_t row = 0; row < c.items; row++) {
    double value = c.column[(uint64_t)row * c.columns];
    uint64_t item = c.first + row;
    if (items == 0 || !(value > last)) {
      begun = item;
      length = 0;
    }
    last = value;
    items++;
    if (++length > longest[0]) {
      longest[0] = length;
      longest[1] = begun;
    }
  }
}

SHOAL_EXPORT("finish") uint64_t finish(void) { return shoal_pack(longest, sizeof longest); }
