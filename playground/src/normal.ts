/** What the page knows without computing items: the price of Black and Scholes. */

/**
 * Returns the probability that a standard normal number is below x: by its
 * Taylor series around 0, and by the continued fraction of the tail beyond.
 */
export function below(x: number): number {
  const z = Math.abs(x);
  const density = Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI);
  if (z < 3) {
    let term = z;
    let sum = z;
    for (let k = 3; term > sum * 1e-17; k += 2) {
      term *= (z * z) / k;
      sum += term;
    }
    return x < 0 ? 0.5 - density * sum : 0.5 + density * sum;
  }
  let tail = z;
  for (let k = 60; k >= 1; k--) tail = z + k / tail;
  return x < 0 ? density / tail : 1 - density / tail;
}

/** The terms of a call option. Rates are per year, compounded continuously. */
export interface Call {
  readonly spot: number;
  readonly strike: number;
  readonly rate: number;
  readonly volatility: number;
  readonly years: number;
}

/** Returns the price of Black and Scholes (1973) for a call without dividends. */
export function callPrice({ spot, strike, rate, volatility, years }: Call): number {
  const owed = strike * Math.exp(-rate * years);
  const width = volatility * Math.sqrt(years);
  if (!(width > 0) || !(spot > 0) || !(strike > 0)) return Math.max(0, spot - owed);
  const d = (Math.log(spot / strike) + rate * years) / width + width / 2;
  return spot * below(d) - owed * below(d - width);
}

/** Returns the edges of a histogram of what a call pays: a bin for nothing, then equal ones. */
export function callEdges(call: Call, bins: number): number[] {
  const { spot, strike, rate, volatility, years } = call;
  const far = spot * Math.exp(3 * volatility * Math.sqrt(years)) - strike * Math.exp(-rate * years);
  const width = roundUp((Number.isFinite(far) && far > 0 ? far : spot || 1) / bins);
  return [0, NOTHING, ...Array.from({ length: bins }, (_, i) => (i + 1) * width)];
}

/** Whatever a call pays below this is nothing. */
export const NOTHING = 1e-9;

/** Returns the next number that is 1, 2, 2.5 or 5 times a power of ten. */
export function roundUp(x: number): number {
  if (!(x > 0) || !Number.isFinite(x)) return 1;
  const power = 10 ** Math.floor(Math.log10(x));
  const steps = [1, 2, 2.5, 5, 10];
  return (steps.find((m) => m * power >= x * (1 - 1e-12)) ?? 10) * power;
}
