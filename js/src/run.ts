/** Runs: a job being computed, here alone or in a pool. */

import { acquire, type Engine, type EngineOptions } from './engine.js';
import { carrying, type Emitter } from './events.js';
import { Feed } from './feed.js';
import type { CombineSpec, Job, JobSpec, ModuleSpec } from './job.js';
import type { Keeper } from './kept.js';
import { isJob, pack } from './pack.js';
import { aborted, asRefusal, fromWire, isAbort, Refusal, refuse } from './refusal.js';
import { type Shard, ShardBoard } from './shards.js';
import { hex, textOf } from './text.js';
import { type AnyValue, type Columns, type ColumnValueOf, parseValue, type ValueOf } from './value.js';
import type { Effect } from './wire.gen.js';

/** Where a run stands. */
export type RunState = 'starting' | 'planning' | 'running' | 'done' | 'cancelled' | 'refused';

/** The kind of a combine. */
type KindOf<C extends CombineSpec> = C extends keyof ValueOf ? C : C extends string ? never : keyof C & keyof ValueOf;

/** Whether a program is known to yield one number an item. */
type YieldsOne<P> = P extends 'mc/pi' | { readonly formula: string }
  ? true
  : P extends ModuleSpec
    ? P extends { readonly outputs: infer O }
      ? O extends 1 | readonly [unknown]
        ? true
        : boolean
      : true
    : boolean;

type OneOrMany<P, T> = YieldsOne<P> extends true ? T : T | Columns<T>;

/** What a job's combine yields. */
export type Value<S extends JobSpec> =
  KindOf<S['combine']> extends infer K extends keyof ValueOf
    ? K extends keyof ColumnValueOf
      ? OneOrMany<S['program'], ValueOf[K]>
      : ValueOf[K]
    : never;

/** How far a run is. Each report is a new object. */
export interface Progress<V> {
  readonly state: RunState;
  readonly items: number;
  /** How many shards there are; 0 until the run is planned. */
  readonly shards: number;
  readonly grain: number;
  /** Shards that count, that wait for another answer, and that are computed now. */
  readonly settled: number;
  readonly held: number;
  readonly leased: number;
  /** The work done so far, metered: the same on every device. */
  readonly units: bigint;
  /** The combine's present value. A table's cells come with the shards. */
  readonly value: V | undefined;
  /** What the run waits for; '' while it moves. */
  readonly waiting: string;
  /** Names the job, once it is planned. */
  readonly job: string;
  /** Whether {@link resume} can go on with it, should the page close now. */
  readonly kept: boolean;
}

/** What a run yields. */
export interface Result<V> {
  /** Names the result's bytes; equal for equal work, wherever it was computed. */
  readonly digest: string;
  /** Names what was computed, and the job that asked for it. */
  readonly work: string;
  readonly job: string;
  readonly items: number;
  readonly shards: number;
  readonly units: bigint;
  /** The names of the numbers that each item yields. */
  readonly outputs: readonly string[];
  readonly value: V;
}

/** The events of a run. */
export interface RunEvents<V> {
  readonly progress: { readonly progress: Progress<V> };
  readonly shard: Shard;
  /** The run is over. One of the two is there. */
  readonly end: { readonly result?: Result<V>; readonly reason?: unknown };
}

/** Options of every call that starts a run. */
export interface SubmitOptions {
  /** Replaces the job's number of items in a shard. It never changes a result. */
  readonly grain?: number;
  /** Aborting it cancels the run, whose result rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  /**
   * Keeps the job, its files and its state in this browser until the run is over,
   * so that {@link resume} can go on with it after the page was closed.
   */
  readonly keep?: boolean;
}

/** Options of {@link run}. */
export interface RunOptions extends SubmitOptions, EngineOptions {}

/** Options of {@link resume}. */
export interface ResumeOptions extends EngineOptions {
  /** Aborting it cancels the run, which is forgotten then. */
  readonly signal?: AbortSignal;
}

/** The coordinator's words for what shards wait for, in words for people. */
const WAITS: Readonly<Record<string, string>> = {
  'no-peer': 'a device that lends',
  'second-peer': 'another independent peer',
  oracle: 'the oracle',
  host: 'a device that can compute it',
  reducer: 'the reducer, which gets all rows now',
};

/** What a run needs of where it runs. */
interface Place {
  readonly pooled: boolean;
  readonly engine: () => Promise<Engine>;
  /** The kept job to go on with, in place of a new one. */
  readonly resume?: string;
}

/** A job being computed. Iterating it gives its progress, the present one first. */
export interface Run<V> extends Emitter<RunEvents<V>>, AsyncIterable<Progress<V>> {
  /** The result, or a {@link Refusal}, or the reason of a cancellation. */
  readonly result: Promise<Result<V>>;
  readonly progress: Progress<V>;
  /** Ends the run without a result: what it computes stops at once. */
  cancel(reason?: unknown): void;
  /** Says for people where the run stands and what it waits for. */
  explain(): string;
  /**
   * Gives every shard that is not queued, then every change, each shard in its
   * latest state. It ends with the run.
   */
  shards(): AsyncIterableIterator<Shard, undefined>;
}

/** The one implementation of {@link Run}. */
export class RunHandle<V> extends EventTarget {
  readonly result: Promise<Result<V>>;

  readonly #feed = new Feed();
  readonly #shardFeed = new Feed();
  #board: ShardBoard | undefined;
  #progress: Progress<V> = {
    state: 'starting',
    items: 0,
    shards: 0,
    grain: 0,
    settled: 0,
    held: 0,
    leased: 0,
    units: 0n,
    value: undefined,
    waiting: 'the engine',
    job: '',
    kept: false,
  };
  #outputs: readonly string[] = [];
  #why = '';
  #reason: unknown;
  #resolve: (r: Result<V>) => void = () => {};
  #reject: (reason: unknown) => void = () => {};
  #over = false;
  /** Whether the core or the caller ended it, not the page or a fault. */
  #final = false;
  #keeper: Keeper | undefined;
  #cleanUp: (() => void)[] = [];

  constructor(job: Job | undefined, options: SubmitOptions, place: Place) {
    super();
    this.result = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    this.result.catch(() => {}); // who only iterates is told there
    const { signal } = options;
    if (signal?.aborted) {
      this.cancel(signal.reason);
      return;
    }
    if (signal) {
      const onAbort = (): void => this.cancel(signal.reason);
      signal.addEventListener('abort', onAbort, { once: true });
      this.#cleanUp.push(() => signal.removeEventListener('abort', onAbort));
    }
    this.#start(job, options, place).catch((e) => this.#refused(isAbort(e) ? e : asRefusal(e)));
  }

  get progress(): Progress<V> {
    return this.#progress;
  }

  cancel(reason?: unknown): void {
    const why = reason === undefined ? aborted('The run was cancelled.') : reason;
    this.#final = true;
    this.#end('cancelled', { reason: why }, () => this.#reject(why));
  }

  explain(): string {
    const p = this.#progress;
    switch (p.state) {
      case 'starting':
        return `Starting. It waits for ${p.waiting}.`;
      case 'planning':
        return `Planning. It waits for ${p.waiting}.`;
      case 'running': {
        const queued = p.shards - p.settled - p.held - p.leased;
        const lines = [
          `Running: ${p.settled} of ${p.shards} shards count, ${p.leased} are computed now, ${queued} are queued.`,
          `A shard has ${p.grain} of the ${p.items} items (${this.#why}).`,
        ];
        if (p.held > 0) lines.push(`${p.held} shards have an answer and wait for another one that confirms it.`);
        if (p.waiting) lines.push(`It waits for ${WAITS[p.waiting] ?? p.waiting}.`);
        return lines.join('\n');
      }
      case 'done':
        return `Done: ${p.shards} shards, ${p.items} items, ${p.units} units.`;
      case 'cancelled':
        return 'Cancelled.';
      case 'refused':
        return `Refused: ${textOf(this.#reason)}`;
    }
  }

  shards(): AsyncIterableIterator<Shard, undefined> {
    let backlog: ReturnType<ShardBoard['backlog']> | undefined;
    return this.#shardFeed.iterate(
      {
        take: () => {
          backlog ??= this.#board?.backlog();
          return backlog?.take();
        },
      },
      () => backlog?.release(),
    );
  }

  [Symbol.asyncIterator](): AsyncIterableIterator<Progress<V>, undefined> {
    return this.#feed.latest(() => this.#progress);
  }

  async #start(job: Job | undefined, options: SubmitOptions, { pooled, engine: start, resume }: Place): Promise<void> {
    const wanted = resume !== undefined;
    if (!wanted) isJob(job);
    const { grain = 0, keep = wanted } = options;
    if (!Number.isSafeInteger(grain) || grain < 0) {
      throw refuse('env/option', `grain is ${String(grain)}`, { fix: 'give a whole number of items' });
    }
    const keeper = keep ? await (await import('./kept.js')).keeper(resume, pooled) : undefined;
    if (this.#over) return keeper?.over(this.#final);
    const stop = new AbortController();
    this.#keeper = keeper;
    this.#cleanUp.push(() => {
      keeper?.over(this.#final);
      stop.abort();
    });
    if (keeper?.no) throw new Refusal(keeper.no);
    const old = keeper?.run;
    const [packed, engine] = await Promise.all([
      old ?? pack(job as Job, stop.signal),
      start().then((e) => {
        if (this.#over) e.release();
        else this.#cleanUp.push(() => e.release());
        return e;
      }),
    ]);
    if (this.#over) return;
    const no = keeper?.begin(packed, await engine.ready, (kept) => this.#over || this.#report({ kept }));
    if (no) throw new Refusal(no);
    const run = engine.nextRun();
    this.#cleanUp.push(
      engine.listen({
        effect: (e) => 'run' in e && e.run === run && this.#effect(e),
        lost: (no) => this.#refused(no),
      }),
      // The core answers a cancellation of a run that has ended with nothing.
      () => this.#progress.state === 'cancelled' && engine.tell({ type: 'cancel', run }),
    );
    this.#report({ state: 'planning', waiting: 'a few items that are tried out' });
    const blobs: [number, Blob][] = [];
    const files = packed.files.map((f) => engine.file(f, blobs));
    const submit = { run, job: packed.job, files, pooled, dry: false } as const;
    await engine.ask(
      { type: 'submit', ...submit, grain: old?.grain ?? grain, keep, resume: keeper?.resume ?? new Uint8Array() },
      blobs,
    );
  }

  #effect(e: Extract<Effect, { readonly run: number }>): void {
    switch (e.type) {
      case 'runPlanned': {
        const { items, shards, grain, outputs, why } = e;
        this.#board = new ShardBoard(items, grain, shards);
        this.#outputs = outputs;
        this.#why = why;
        const job = hex(e.job);
        this.#report({ state: 'running', items, shards, grain, waiting: '', job });
        this.#keeper?.planned(job, grain);
        this.#shardFeed.notify();
        return;
      }
      case 'shardChanged': {
        const shard = this.#board?.change(e, e.peer.some((x) => x !== 0) ? hex(e.peer) : '');
        if (!shard) return;
        this.dispatchEvent(carrying('shard', shard));
        this.#shardFeed.notify();
        return;
      }
      case 'runProgress': {
        const { settled, held, leased, shards, units, waiting } = e;
        const value = e.value.length > 0 ? (parseValue(e.value) as V) : undefined;
        this.#report({ settled, held, leased, shards, units, waiting, value });
        return;
      }
      case 'runEnded': {
        this.#final = true;
        const { items, shards, units } = e;
        const value = parseValue(e.value) as V;
        const result: Result<V> = Object.freeze({
          digest: hex(e.digest),
          work: hex(e.work),
          job: hex(e.job),
          items,
          shards,
          units,
          outputs: this.#outputs,
          value,
        });
        const last = { items, shards, units, value, settled: shards, held: 0, leased: 0 };
        this.#end('done', { result }, () => this.#resolve(result), last);
        return;
      }
      case 'runRefused':
        // Who finds the file again may go on.
        this.#final = e.refusal.code !== 'records/read-failed';
        this.#refused(fromWire(e.refusal));
        return;
    }
  }

  #refused(no: unknown): void {
    this.#end('refused', { reason: no }, () => this.#reject(no));
  }

  #report(change: Partial<Progress<V>>): void {
    this.#progress = { ...this.#progress, ...change };
    this.dispatchEvent(carrying('progress', { progress: this.#progress }));
    this.#feed.notify();
  }

  #end(
    state: 'done' | 'cancelled' | 'refused',
    end: RunEvents<V>['end'],
    settle: () => void,
    last: Partial<Progress<V>> = {},
  ): void {
    if (this.#over) return;
    this.#over = true;
    this.#reason = end.reason;
    this.#report({ ...last, state, waiting: '' });
    settle();
    const how = 'reason' in end ? { reason: end.reason } : {};
    this.#feed.end(how);
    this.#shardFeed.end(how);
    for (const f of this.#cleanUp.splice(0).reverse()) f();
    this.dispatchEvent(carrying('end', end));
  }
}

/**
 * Runs a job on this device alone. Once the engine is loaded, nothing touches
 * the network.
 *
 * @example
 * const r = run(job({ program: 'mc/pi', split: split.range(1e7), combine: combine.moments(), seed: 42 }));
 * r.addEventListener('progress', () => { bar.value = r.progress.settled / r.progress.shards; });
 * const { value, digest } = await r.result;
 */
export function run<const S extends JobSpec>(job: Job<S>, options: RunOptions = {}): Run<Value<S>> {
  const engine = (): Promise<Engine> => acquire(options, options.keep === true);
  return new RunHandle<Value<S>>(job, options, { pooled: false, engine }) as Run<Value<S>>;
}

/**
 * Goes on with a run that was started with `keep`, from its last checkpoint: the
 * result is the one that it would have had.
 *
 * @param job the name of the job, as the run's progress gave it
 * @example
 * const r = resume(localStorage.getItem('job'));
 * const { digest } = await r.result;
 */
export function resume(job: string, options: ResumeOptions = {}): Run<AnyValue> {
  const engine = (): Promise<Engine> => acquire(options, true);
  return new RunHandle<AnyValue>(undefined, options, { pooled: false, engine, resume: String(job) }) as Run<AnyValue>;
}
