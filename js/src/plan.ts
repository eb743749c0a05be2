/** Dry runs: what a job would cost, measured on its first and last items. */

import { acquire } from './engine.js';
import type { Job } from './job.js';
import { isJob, pack } from './pack.js';
import { fromWire, refuse } from './refusal.js';
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
export async function plan(job: Job, options: RunOptions = {}): Promise<Plan> {
  isJob(job);
  const { grain = 0, signal } = options;
  if (!Number.isSafeInteger(grain) || grain < 0) {
    throw refuse('env/option', `grain is ${String(grain)}`, { fix: 'give a whole number of items' });
  }
  signal?.throwIfAborted();
  const over = new AbortController();
  return new Promise<Plan>((resolve, reject) => {
    const onAbort = (): void => reject(signal?.reason);
    signal?.addEventListener('abort', onAbort, { once: true });
    over.signal.addEventListener('abort', () => signal?.removeEventListener('abort', onAbort));
    dry(job, options, over.signal).then(resolve, reject);
  }).finally(() => over.abort());
}

/** Asks the core for a plan. It gives up everything when nobody waits any more. */
async function dry(job: Job, options: RunOptions, over: AbortSignal): Promise<Plan> {
  const starting = acquire(options, false);
  over.addEventListener('abort', () => void starting.then((e) => e.release()).catch(() => {}));
  const [packed, engine] = await Promise.all([pack(job, over), starting]);
  over.throwIfAborted();
  const run = engine.nextRun();
  return new Promise((resolve, reject) => {
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
    over.addEventListener('abort', () => {
      stop();
      engine.tell({ type: 'cancel', run }); // of a run that has ended it changes nothing
    });
    const blobs: [number, Blob][] = [];
    const files = packed.files.map((f) => engine.file(f, blobs));
    const { grain = 0 } = options;
    const submit = { run, job: packed.job, files, pooled: false, grain, dry: true, keep: false } as const;
    engine.ask({ type: 'submit', ...submit, resume: new Uint8Array() }, blobs).catch(reject);
  });
}
