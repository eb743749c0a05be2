// Birthdays: an item is one room of people with random birthdays. The result is
// 1 if two of them share a birthday, else 0, so that the mean estimates the
// chance of it.
//
// Param: people.

import * as shoal from "../../../wasm/programs/abi/shoal";
export { alloc } from "../../../wasm/programs/abi/shoal";

const DAYS: u64 = 365;

/** One byte for each day: 1 if someone in the room was born on it. */
const taken = memory.data(365);

export function run(ptr: usize, len: usize): u64 {
  shoal.open(ptr, len, 1);
  const people = shoal.param(0);
  if (!(people >= 0.0 && people <= 1e6)) unreachable();
  const rows = shoal.items();
  for (let row: u32 = 0; row < rows; ++row) {
    shoal.put(row, 0, shared(row, <u32>people) ? 1.0 : 0.0);
  }
  return shoal.done();
}

function shared(row: u32, people: u32): bool {
  memory.fill(taken, 0, <usize>DAYS);
  shoal.seek(0, row);
  for (let person: u32 = 0; person < people; ++person) {
    const day = taken + <usize>shoal.below(DAYS);
    if (load<u8>(day)) return true;
    store<u8>(day, 1);
  }
  return false;
}
