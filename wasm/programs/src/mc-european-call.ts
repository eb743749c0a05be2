// mc/european-call: an item is one path of a stock that follows a geometric
// Brownian motion at the riskless rate, and its result is what a European call
// pays at the end, discounted to today. The mean is the price of Black and
// Scholes (1973).
//
// Only the end of a path matters, so a path is one normal draw z, draw 0 of
// stream 0:
//
//   end = spot · exp((rate − volatility²/2)·years + volatility·√years·z)
//
// The antithetic variant gives the mean of the payoffs of z and −z. The items
// stay independent of each other, so the standard error is an honest one.

import * as shoal from "../abi/shoal";
import { exp, normal } from "../abi/math";
export { alloc } from "../abi/shoal";

// The params, in the order of the catalog entry.
const SPOT: u32 = 0;
const STRIKE: u32 = 1;
const RATE: u32 = 2;
const VOLATILITY: u32 = 3;
const YEARS: u32 = 4;
const ANTITHETIC: u32 = 5;

/** One number per item: the discounted payoff. */
export function run(ptr: usize, len: usize): u64 {
  shoal.open(ptr, len, 1);
  const spot = within(SPOT, 0.0, 1e12);
  const strike = within(STRIKE, 0.0, 1e12);
  const rate = within(RATE, -1.0, 1.0);
  const volatility = within(VOLATILITY, 0.0, 10.0);
  const years = within(YEARS, 0.0, 100.0);
  const pair = within(ANTITHETIC, 0.0, 1.0);

  const drift = (rate - 0.5 * volatility * volatility) * years;
  const width = volatility * sqrt(years);
  const discount = exp(-rate * years);
  const rows = shoal.items();
  for (let row: u32 = 0; row < rows; ++row) {
    shoal.seek(0, row);
    const z = normal(shoal.openUnit());
    let paid = payoff(spot * exp(drift + width * z), strike);
    if (pair != 0.0) paid = 0.5 * (paid + payoff(spot * exp(drift - width * z), strike));
    shoal.put(row, 0, discount * paid);
  }
  return shoal.done();
}

function payoff(end: f64, strike: f64): f64 {
  return end > strike ? end - strike : 0.0;
}

/** A param that must lie in a range; NaN does not. */
function within(index: u32, least: f64, most: f64): f64 {
  const x = shoal.param(index);
  if (!(x >= least && x <= most)) unreachable();
  return x;
}
