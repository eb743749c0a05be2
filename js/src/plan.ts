/** Dry runs: what a job would cost, measured on its first and last items. */

import { acquire } from './engine.js';
import type { Job, JobSpec } from './job.js';
import { isJob, pack } from './pack.js';
import { aborted, fromWire, refuse } from './refusal.js';
import type { RunOptions } from './run.js';
import { hex } from './text.js';

/** What a job would cost, and where it could run. Units are metered work, sizes are in bytes. */
export interface Plan {
  /** Names what would be computed, and the job that asks for it. */
  readonly work: string;
  readonly job: string;
  /** The names of the numbers that each item yields. */
  readonly outputs: readonly string[];
  readonly items: number;
  readonly shards: number;
  readonly grain: number;
  /** Why a shard has that many items. */
  readonly why: string;
  /** Whether items were tried out; the units are 0 otherwise. */
  readonly measured: boolean;
  readonly shardUnits: number;
  readonly units: number;
  readonly moduleBytes: number;
  readonly shardInputBytes: number;
  readonly shardResultBytes: number;
  readonly movedBytes: number;
  /** What a device needs of memory, and whether that much can be had. */
  readonly deviceMemory: number;
  readonly fits: boolean;
  /** What takes that memory, in words. */
  readonly memory: string;
  /** Each kind of pool, and whether the job may run there. */
  readonly regimes: readonly { readonly name: string; readonly allowed: boolean; readonly why: string }[];
  /** What the job would have to wait for. */
  readonly waits: readonly string[];
  /** All of it in words, line by line. */
  readonly lines: readonly string[];
}

/**
 * Checks a job and its program as a run does, tries out a few items, and says
 * what the whole would cost. It computes nothing else. What a run would refuse
 * is refused here.
 *
 * @example
 * const { items, units, lines } = await plan(job({ program: 'mc/pi', split: split.range(1e9), combine: 'moments' }));
 */
export async function plan<const S extends JobSpec>(job: Job<S>, options: RunOptions = {}): Promise<Plan> {
  isJob(job);
  const { grain = 0, signal } = options;
  if (!Number.isSafeInteger(grain) || grain < 0) {
    throw refuse('env/option', `grain is ${String(grain)}`, { fix: 'give a whole number of items' });
  }
  signal?.throwIfAborted();
  const [packed, engine] = await Promise.all([pack(job), acquire(options, false)]);
  const run = engine.nextRun();
  const { promise, resolve, reject } = settler<Plan>();
  let names: Pick<Plan, 'work' | 'job' | 'outputs'> | undefined;
  const stop = engine.listen({
    effect: (e) => {
      if (!('run' in e) || e.run !== run) return;
      if (e.type === 'runPlanned') names = { work: hex(e.work), job: hex(e.job), outputs: e.outputs };
      else if (e.type === 'runRefused') reject(fromWire(e.refusal));
      else if (e.type === 'runReport') {
        resolve(Object.freeze({ ...names, ...(JSON.parse(new TextDecoder().decode(e.report)) as Plan) }));
      }
    },
    lost: reject,
  });
  const onAbort = (): void => {
    engine.tell({ type: 'cancel', run });
    reject(signal?.reason ?? aborted('The plan was cancelled.'));
  };
  signal?.addEventListener('abort', onAbort, { once: true });
  try {
    if (signal?.aborted) onAbort();
    const blobs: [number, Blob][] = [];
    const files = packed.files.map((f) => engine.file(f, blobs));
    const none = new Uint8Array();
    await engine.ask(
      { type: 'submit', run, job: packed.job, files, pooled: false, grain, dry: true, keep: false, resume: none },
      blobs,
    );
    return await promise;
  } finally {
    stop();
    signal?.removeEventListener('abort', onAbort);
    engine.release();
  }
}

/** A promise with its two ends. */
function settler<T>() {
  let resolve: (v: T) => void = () => {};
  let reject: (no: unknown) => void = () => {};
  const promise = new Promise<T>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  promise.catch(() => {}); // the one who asked is told
  return { promise, resolve, reject };
}
