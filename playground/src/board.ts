/** Where the shards of one run stand, counted as the page shows them. */

import type { Shard } from './shoal.js';

/** The states of a shard, in the order of its life; the number is what is stored. */
export const states = ['queued', 'leased', 'held', 'accepted', 'disputed'] as const;
export type StateName = (typeof states)[number];

export const QUEUED = 0;
export const LEASED = 1;
export const HELD = 2;
export const ACCEPTED = 3;
export const DISPUTED = 4;

const numbers: Readonly<Record<Shard['state'], number>> = {
  queued: QUEUED,
  leased: LEASED,
  held: HELD,
  settled: ACCEPTED,
  disputed: DISPUTED,
};

/** A device that computed something, and how many of its shards were verified. */
export interface Worker {
  readonly peer: string;
  shards: number;
}

/** The shards of one run. */
export interface Board {
  readonly items: number;
  readonly grain: number;
  readonly shards: number;
  readonly states: Uint8Array;
  /** By shard, the position in workers. */
  readonly by: Uint16Array;
  readonly workers: readonly Worker[];
  /** How many shards are in each state. */
  readonly counts: readonly number[];
  readonly apply: (shard: Shard) => void;
}

/** Makes a board on which all shards are queued. */
export function board(items: number, grain: number, shards: number): Board {
  const now = new Uint8Array(shards);
  const by = new Uint16Array(shards);
  const workers: Worker[] = [];
  const found = new Map<string, number>();
  const counts = states.map((_, i) => (i === QUEUED ? shards : 0));

  const position = (peer: string): number => {
    const known = found.get(peer);
    if (known !== undefined) return known;
    const n = workers.push({ peer, shards: 0 }) - 1;
    found.set(peer, n);
    return n;
  };
  const add = (state: number, n: number): void => {
    counts[state] = (counts[state] ?? 0) + n;
  };

  return {
    items,
    grain,
    shards,
    states: now,
    by,
    workers,
    counts,
    apply: ({ shard, state, peer }) => {
      if (shard >= shards) return;
      const next = numbers[state];
      const before = now[shard] ?? QUEUED;
      add(before, -1);
      add(next, 1);
      now[shard] = next;
      if (peer === '') return;
      const n = position(peer);
      by[shard] = n;
      const worker = workers[n];
      if (worker && next === ACCEPTED && before !== ACCEPTED) worker.shards++;
    },
  };
}
