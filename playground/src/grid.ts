/** The grid of a sweep: which item is which pair of rates, and what it yielded. */

import { ACCEPTED, type Board, QUEUED } from './board.js';
import type { Shard } from './shoal.js';

/** The values of an axis: so many from … to, both ends included. */
export interface Span {
  readonly from: number;
  readonly to: number;
  readonly count: number;
}

/** Returns value i of an axis, by the same operations as the core. */
export const axisValue = ({ from, to, count }: Span, i: number): number =>
  i === 0 || count < 2 ? from : i === count - 1 ? to : (from * (count - 1 - i) + to * i) / (count - 1);

/** What an item yields: the outputs of sweep/sir. */
export const outputs = ['peak', 'final'] as const;
export type OutputName = (typeof outputs)[number];

/** A sweep's cells. The last axis, gamma, runs fastest. */
export interface Grid {
  readonly beta: Span;
  readonly gamma: Span;
  readonly items: number;
  /** The outputs, item by item; NaN while not verified. */
  readonly cells: Float64Array;
  board: Board | undefined;
  readonly put: (shard: Shard) => void;
  readonly state: (item: number) => number;
  readonly value: (item: number, output: OutputName) => number;
}

/** Makes an empty grid. */
export function grid(beta: Span, gamma: Span): Grid {
  const items = beta.count * gamma.count;
  const cells = new Float64Array(items * outputs.length).fill(Number.NaN);
  const g: Grid = {
    beta,
    gamma,
    items,
    cells,
    board: undefined,
    put: (shard) => {
      if (shard.cells) cells.set(shard.cells, shard.first * outputs.length);
    },
    state: (item) => g.board?.states[Math.floor(item / g.board.grain)] ?? QUEUED,
    value: (item, output) =>
      g.state(item) === ACCEPTED ? (cells[item * outputs.length + outputs.indexOf(output)] ?? Number.NaN) : Number.NaN,
  };
  return g;
}

/** The least and the greatest verified value of an output, and where they are. */
export interface Extremes {
  readonly least: number;
  readonly greatest: number;
  readonly done: number;
}

/** Finds the items with the extreme values; done counts verified items. */
export function extremes({ cells }: Grid, output: OutputName): Extremes | undefined {
  let least = -1;
  let greatest = -1;
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  let done = 0;
  for (let item = 0, i = outputs.indexOf(output); i < cells.length; item++, i += outputs.length) {
    const v = cells[i] ?? Number.NaN;
    if (Number.isNaN(v)) continue;
    done++;
    if (v < low) {
      low = v;
      least = item;
    }
    if (v > high) {
      high = v;
      greatest = item;
    }
  }
  return done > 0 ? { least, greatest, done } : undefined;
}

/** Writes the verified cells as CSV, in the order of the items. */
export function toCsv(g: Grid): string {
  const lines = ['beta,gamma,peak,final'];
  for (let item = 0; item < g.items; item++) {
    if (g.state(item) !== ACCEPTED) continue;
    const row = [axisValue(g.beta, Math.floor(item / g.gamma.count)), axisValue(g.gamma, item % g.gamma.count)];
    for (const o of outputs) row.push(g.value(item, o));
    lines.push(row.join(','));
  }
  return `${lines.join('\n')}\n`;
}
