/**
 * Runs that outlive their page: the job, its files and its last checkpoint, in
 * IndexedDB. Pages fetch this part when a run is to be kept or resumed, so it
 * shares no class with the rest.
 */

import type { EngineInfo } from './engine.js';
import type { Packed, PackedFile } from './pack.js';
import { change, DATABASE, open, settled, TABLE } from './worker/database.js';

/** A run as it is kept. */
export interface Kept {
  readonly job: Uint8Array<ArrayBuffer>;
  readonly files: readonly PackedFile[];
  readonly grain: number;
  readonly pooled: boolean;
  /** The engine that the run began with; another may give other bytes. */
  readonly engine: string;
}

/** A refusal, as plain data. */
export interface No {
  readonly code: string;
  readonly title: string;
  readonly why: string;
  readonly fix: string;
}

/** The two refusals of this part. The core's table holds the same rows. */
export const nothing = (why: string): No => ({
  code: 'job/nothing-to-resume',
  title: 'this device keeps nothing of such a run',
  why,
  fix: 'start the job again; a run that is to be resumed is started with the option keep',
});
export const cannot = (why: string): No => ({
  code: 'job/cannot-keep',
  title: 'this place cannot keep a run',
  why,
  fix: 'serve the page over https and outside private windows, or leave out the option keep',
});

const RECORD = 'run/';
/** Where the control worker keeps the module's checkpoints. */
const CHECKPOINT = 'peer.job/';

/** Also forgets the checkpoint, for when the core never saw the run. */
const forgets = (job: string) => (table: IDBObjectStore) => {
  table.delete(RECORD + job);
  table.delete(CHECKPOINT + job);
};

/** What a run needs in order to be kept. */
export interface Keeper {
  /** What stands in the way. Then nothing else is to be used. */
  readonly no?: No;
  /** The run to go on with, and its checkpoint, which is empty if it has none yet. */
  readonly run?: Kept;
  readonly resume: Uint8Array<ArrayBuffer>;
  /**
   * Takes what is to be kept, and says what about the engine stands in the way.
   * told is called when the run is kept.
   */
  readonly begin: (packed: Packed, engine: EngineInfo, told: (kept: boolean) => void) => No | undefined;
  /** Keeps the run from now on. */
  readonly planned: (job: string, grain: number) => void;
  /** Lets go of the run, and forgets it if it has ended here. */
  readonly over: (forget: boolean) => void;
}

/**
 * Prepares to keep a run, or to go on with a kept one. While it has the run, no
 * other tab of the site gets it.
 *
 * @param wanted the job to go on with
 */
export async function keeper(wanted: string | undefined, pooled: boolean): Promise<Keeper> {
  let name = '';
  let release = (): void => {};
  let free = false;
  let final = false;
  let old: Kept | undefined;
  const take = async (job: string): Promise<boolean> => {
    const got = await claim(job);
    if (got) {
      name = job;
      release = got;
      if (free) over(final);
    }
    return got !== undefined;
  };
  const save = async (job: string, run: Kept): Promise<boolean> => {
    if (name) return name === job;
    // Of two tabs that compute the same job, the first keeps it.
    if (!(await take(job)) || free) return false;
    await change((table) => void table.put(run, RECORD + job));
    if (free) over(final);
    return !free;
  };
  let planned: Keeper['planned'] = () => {};
  const begin: Keeper['begin'] = (packed, { engine, persistent }, told) => {
    if (!persistent) return cannot('it has no storage that lasts, or too many tabs of this site are open');
    if (old && old.engine !== engine) return nothing('it began with another release of the engine');
    planned = (job, grain) =>
      void save(job, { ...packed, grain, pooled, engine }).then(told, (e) => {
        console.error('shoal: the run is not kept:', e);
      });
    return undefined;
  };
  const over = (forget: boolean): void => {
    free = true;
    final = forget;
    const done = forget && name ? change(forgets(name)).catch(() => {}) : undefined;
    void Promise.resolve(done).then(release);
  };
  const none = new Uint8Array();
  const bare: Keeper = { resume: none, begin, planned: (job, grain) => planned(job, grain), over };

  if (!globalThis.isSecureContext || typeof indexedDB === 'undefined' || !navigator.locks) {
    return { ...bare, no: cannot('it has no storage that lasts') };
  }
  let db: IDBDatabase | undefined;
  try {
    db = await open();
    if (wanted === undefined) return bare;
    const table = db.transaction(TABLE).objectStore(TABLE);
    const [run, resume] = (await Promise.all([
      settled(table.get(RECORD + wanted)),
      settled(table.get(CHECKPOINT + wanted)),
    ])) as [Kept | undefined, Uint8Array<ArrayBuffer> | undefined];
    if (!run) return { ...bare, no: nothing(`the job is ${wanted.slice(0, 80)}`) };
    if (run.pooled !== pooled) {
      const how = run.pooled ? "it runs in a pool: call the pool's resume" : 'it runs alone: call resume';
      return { ...bare, no: nothing(how) };
    }
    if (!(await take(wanted)))
      return { ...bare, no: nothing('this page or another tab of this site has it and goes on with it') };
    old = run;
    return { ...bare, run, resume: resume ?? none };
  } catch (e) {
    return { ...bare, no: cannot(String((e as { message?: unknown } | null)?.message ?? e)) };
  } finally {
    db?.close();
  }
}

/** Takes a run for this tab, until the function that it resolves to is called. */
const claim = (job: string): Promise<(() => void) | undefined> =>
  new Promise((resolve) => {
    const held = navigator.locks.request(`${DATABASE}:${RECORD}${job}`, { ifAvailable: true }, (lock) => {
      if (!lock) return resolve(undefined);
      return new Promise<void>((release) => resolve(release));
    });
    held.catch(() => resolve(undefined));
  });
