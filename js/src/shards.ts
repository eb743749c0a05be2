/** Where the shards of a run stand, in a few bytes a shard. */

import type { ShardChanged } from './wire.gen.js';

const STATES = ['', 'queued', 'leased', 'held', 'settled', 'disputed'] as const;

/** Where a shard stands. A settled shard counts. */
export type ShardStateName = Exclude<(typeof STATES)[number], ''>;

/** Where one shard stands now. */
export interface Shard {
  readonly shard: number;
  /** The first of its items, counted over the whole job, and how many there are. */
  readonly first: number;
  readonly items: number;
  readonly state: ShardStateName;
  /** Who computes or computed it, in hexadecimal; '' while nobody does. */
  readonly peer: string;
  /** The items' rows, of a settled shard of a table. */
  readonly cells?: Float64Array;
}

const NOBODY = 0;

/** The states of a run's shards. */
export class ShardBoard {
  readonly #total: number;
  readonly #grain: number;
  readonly #shards: number;
  readonly #states: Uint8Array;
  readonly #peers: Uint16Array;
  readonly #names: string[] = [''];
  readonly #numbers = new Map<string, number>([['', NOBODY]]);
  /** The cells of the whole table, once there are any. */
  #cells: Float64Array | undefined;
  #columns = 0;
  readonly #backlogs = new Set<(shard: number) => void>();

  constructor(items: number, grain: number, shards: number) {
    this.#total = items;
    this.#grain = grain;
    this.#shards = shards;
    this.#states = new Uint8Array(shards);
    this.#peers = new Uint16Array(shards);
  }

  /** Notes a change and returns it. */
  change(e: ShardChanged, peer: string): Shard | undefined {
    if (e.shard >= this.#shards) return undefined;
    this.#states[e.shard] = e.state;
    this.#peers[e.shard] = this.#number(peer);
    if (e.cells.length > 0 && e.items > 0) {
      const cells = new Float64Array(e.cells.buffer, 0, e.cells.length / 8);
      this.#columns = cells.length / e.items;
      this.#cells ??= new Float64Array(this.#total * this.#columns);
      this.#cells.set(cells, e.first * this.#columns);
    }
    for (const tell of this.#backlogs) tell(e.shard);
    return this.at(e.shard);
  }

  /** Returns where a shard stands. Its cells are a view of the whole table's. */
  at(shard: number): Shard {
    const first = shard * this.#grain;
    const items = Math.min(this.#grain, this.#total - first);
    const state = STATES[this.#states[shard] || 1] as ShardStateName;
    const peer = this.#names[this.#peers[shard] ?? NOBODY] ?? '';
    const base = { shard, first, items, state, peer };
    if (state !== 'settled' || !this.#cells) return base;
    return { ...base, cells: this.#cells.subarray(first * this.#columns, (first + items) * this.#columns) };
  }

  /**
   * Returns what one consumer has to be told: first every shard that is not
   * queued, then what changes, each shard once however often it changes.
   */
  backlog(): { take: () => Shard | undefined; release: () => void } {
    const waits = new Uint8Array(this.#shards);
    let queue: number[] = [];
    let at = 0;
    const add = (shard: number): void => {
      if (waits[shard]) return;
      waits[shard] = 1;
      queue.push(shard);
    };
    this.#states.forEach((state, shard) => {
      if (state > 1) add(shard);
    });
    this.#backlogs.add(add);
    return {
      take: () => {
        const shard = queue[at];
        if (shard === undefined) return undefined;
        if (++at === queue.length) {
          queue = [];
          at = 0;
        }
        waits[shard] = 0;
        return this.at(shard);
      },
      release: () => this.#backlogs.delete(add),
    };
  }

  #number(peer: string): number {
    let n = this.#numbers.get(peer);
    if (n === undefined) {
      if (this.#names.length > 0xffff) return NOBODY;
      n = this.#names.push(peer) - 1;
      this.#numbers.set(peer, n);
    }
    return n;
  }
}
