// The frame around a formula: everything of its program but the formula itself.
//
// build.mjs takes the built module apart into sdk/formula/template_gen.go, and
// the core puts it together again with the two functions that are imported here
// and with those of the functions below that the formula calls.

import * as shoal from "../abi/shoal";
import { normal } from "../abi/math";
export { alloc } from "../abi/shoal";
export * from "./functions";

/** Computes one item: reads params and columns, writes outputs. */
@external("formula", "row")
declare function row(params: usize, columns: usize, out: usize, item: u64): void;

/** What the formula expects: outputs · 2³² + columns · 2¹⁶ + params. */
@external("formula", "shape")
declare function shape(): f64;

export function run(ptr: usize, len: usize): u64 {
  const want = <u64>shape();
  const width = <u32>(want >> 32);
  shoal.open(ptr, len, width);
  const params = load<u32>(ptr, 20);
  const columns = shoal.columns();
  if ((<u64>columns << 16 | <u64>params) != (want & 0xffffffff)) unreachable();
  let at = shoal.columnsPtr();
  const paramsAt = at - (<usize>params << 3);
  let out = shoal.outPtr();
  const first = shoal.first();
  const end = first + <u64>shoal.items();
  for (let item = first; item != end; ++item) {
    row(paramsAt, at, out, item);
    at += <usize>columns << 3;
    out += <usize>width << 3;
  }
  return shoal.done();
}

/** Draw 2·block of an item in stream 0. Draw 2·block + 1 is odd(). */
export function even(block: f64, item: u64): u64 {
  shoal.block(shoal.key0(0), shoal.key1(0), <u64>block, item);
  return shoal.even;
}

export function odd(): u64 {
  return shoal.odd;
}

/** A draw as a number in [0, 1). */
export function uniform(draw: u64): f64 {
  return shoal.toUnit(draw);
}

/** A draw as a standard normal number. */
export function gauss(draw: u64): f64 {
  return normal((<f64>(<i64>(draw >> 12)) + 0.5) * 2.220446049250313e-16);
}
