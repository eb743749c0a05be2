/**
 * The engine of a page: one control worker, its compute workers, and the hub
 * between them and the handles. Engines are shared, and end a moment after
 * their last user.
 */

import { type AssetOptions, type Loaded, loadModule } from './assets.js';
import { inNode } from './node.js';
import type { PackedFile } from './pack.js';
import type { Failure, FromWorker } from './protocol.js';
import { asRefusal, fromWire, type Refusal, refuse } from './refusal.js';
import { type Spawner, type Strategy, spawner, type WorkerLike } from './spawn.js';
import { clip, hex, textOf } from './text.js';
import type { Effect, Event as PeerEvent, File as WireFile } from './wire.gen.js';

/** How long an engine without a user stays warm for the next. */
const IDLE_MS = 1000;
const MAX_WORKERS = 256;
/** The default never starts more: each takes some megabytes. */
const USUAL_MOST = 32;
/** The wire's limit, in bytes. */
const MAX_WHY = 1024;

/** Options of everything that starts an engine. */
export interface EngineOptions extends AssetOptions {
  /**
   * How many compute workers there are; one for each core unless given. Pools and
   * runs that are kept share one engine, with as many as the first of them asked for.
   */
  readonly workers?: number;
}

/** Takes what the engine says. */
export interface Listener {
  readonly effect: (e: Effect) => void;
  /** The engine has ended under its user. */
  readonly lost: (no: Refusal) => void;
}

/** What an engine says of itself once it runs. */
export interface EngineInfo {
  readonly persistent: boolean;
  readonly peer: string;
  readonly engine: string;
  readonly strategy: Strategy | undefined;
  readonly wasm: Loaded['how'];
}

const FAILURES = {
  wasm: 'env/csp-wasm',
  release: 'env/module-mismatch',
  entropy: 'env/no-entropy',
  died: 'env/engine-lost',
} as const satisfies Record<Failure, string>;

/** Returns the kind of engine this is, for people. It decides nothing. */
export const kindOf = (): string => {
  if (inNode()) return 'node';
  const agent = globalThis.navigator?.userAgent ?? '';
  if (/Firefox\//.test(agent)) return 'firefox';
  if (/Chrom(e|ium)\//.test(agent)) return 'chromium';
  return /AppleWebKit\//.test(agent) ? 'webkit' : 'other';
};

/** Returns how many things this device does at once. */
export const coresOf = async (): Promise<number> =>
  globalThis.navigator?.hardwareConcurrency || (inNode() ? await (await import('./threads.js')).cores() : 1);

const countOf = async (workers: number | undefined): Promise<number> => {
  if (workers === undefined) return Math.min(USUAL_MOST, Math.max(1, await coresOf()));
  if (Number.isInteger(workers) && workers >= 1 && workers <= MAX_WORKERS) return workers;
  throw refuse('env/option', `workers is ${String(workers)}`, { fix: `give a whole number from 1 to ${MAX_WORKERS}` });
};

const engines = new Set<Engine>();

/** Returns a started engine, a warm one where it fits. Its user must release it. */
export async function acquire(options: EngineOptions, keep: boolean): Promise<Engine> {
  const workers = await countOf(options.workers);
  const assets = String(options.assets ?? '');
  const fits = (e: Engine): boolean =>
    e.assets === assets && (keep ? e.keep : options.workers === undefined || e.workers === workers);
  let engine = [...engines].find(fits);
  if (!engine) {
    // Browsers give a page few dozen workers. One that keeps a device's key
    // stays, since its successor might come up as another device.
    for (const e of engines) if (!e.keep) e.retire();
    engine = new Engine(options, workers, keep);
    engines.add(engine);
  }
  engine.use();
  try {
    await engine.ready;
  } catch (e) {
    engine.release();
    throw e;
  }
  return engine;
}

/** One control worker and its compute workers. */
export class Engine {
  readonly workers: number;
  readonly keep: boolean;
  readonly assets: string;
  readonly ready: Promise<EngineInfo>;

  readonly #spawner: Spawner;
  readonly #loading: Promise<Loaded>;
  readonly #slots: (WorkerLike | undefined)[];
  readonly #programs = new Map<string, WebAssembly.Module>();
  readonly #asks = new Map<number, { resolve: (e: readonly Effect[]) => void; reject: (no: Refusal) => void }>();
  readonly #listeners = new Set<Listener>();
  #control: WorkerLike | undefined;
  /** A compute worker that starts while the control worker does. */
  #spare: Promise<WorkerLike> | undefined;
  #users = 0;
  #lastAsk = 0;
  #lastRun = 0;
  #lastHeld = 0;
  #ended: Refusal | undefined;
  #idle: ReturnType<typeof setTimeout> | undefined;

  constructor(options: EngineOptions, workers: number, keep: boolean) {
    this.workers = workers;
    this.keep = keep;
    this.assets = String(options.assets ?? '');
    this.#spawner = spawner(options);
    this.#loading = loadModule(options);
    this.#loading.catch(() => {}); // ready tells, unless something else fails first
    this.#slots = Array.from({ length: workers });
    this.ready = this.#start();
    this.ready.catch((e) => this.#end(asRefusal(e)));
    globalThis.addEventListener?.('pagehide', this.#onPageHide);
  }

  use(): void {
    this.#users++;
    clearTimeout(this.#idle);
    this.#hold(true);
  }

  release(): void {
    if (--this.#users > 0 || this.#ended) return;
    this.#hold(false);
    this.#idle = setTimeout(() => this.retire(), IDLE_MS);
    (this.#idle as { unref?: () => void }).unref?.();
  }

  /** Ends now if it has no user. */
  retire(): void {
    if (this.#users === 0) this.#end(refuse('env/engine-lost', 'it had no user'));
  }

  /** Takes effects from now on. The function that it returns ends that. */
  listen(l: Listener): () => void {
    this.#listeners.add(l);
    if (this.#ended) l.lost(this.#ended);
    return () => this.#listeners.delete(l);
  }

  /** Returns a number for a new run. */
  nextRun(): number {
    return ++this.#lastRun;
  }

  /** Returns a file for the wire; what is large is added to blobs, which go along with the event. */
  file({ name, content }: PackedFile, blobs: [number, Blob][]): WireFile {
    if (content instanceof Uint8Array) return { name, data: content, held: 0, size: 0 };
    blobs.push([++this.#lastHeld, content]);
    return { name, data: new Uint8Array(), held: this.#lastHeld, size: content.size };
  }

  /** Feeds an event; resolves to the effects of that very event. */
  ask(event: PeerEvent, blobs: readonly [number, Blob][] = []): Promise<readonly Effect[]> {
    return new Promise((resolve, reject) => {
      if (this.#ended || !this.#control) {
        reject(this.#ended ?? refuse('env/engine-lost', 'it has not started'));
        return;
      }
      const id = ++this.#lastAsk;
      this.#asks.set(id, { resolve, reject });
      this.#control.postMessage({ t: 'event', id, event, blobs });
    });
  }

  /** Feeds an event whose effects reach the listeners anyway. */
  tell(event: PeerEvent): void {
    this.ask(event).catch(() => {}); // who listens is told that the engine ended
  }

  /** Closes connections while the page is put aside, and dials again after. */
  sleep(asleep: boolean): void {
    this.#control?.postMessage({ t: 'sleep', asleep });
  }

  async #start(): Promise<EngineInfo> {
    const control = await this.#spawner.spawn();
    if (this.#ended) {
      control.terminate();
      throw this.#ended;
    }
    this.#control = control;
    this.#hold(this.#users > 0);
    this.#spare = this.#spawner.spawn();
    this.#spare.catch(() => {}); // asked for again when it is needed
    const { module, how } = await this.#loading;
    return new Promise((resolve, reject) => {
      control.onerror = (e) => {
        const no = refuse('env/engine-lost', `the control worker failed: ${e.message || 'without a message'}`);
        reject(no);
        this.#end(no);
      };
      control.onmessage = ({ data }) => {
        if (data.t === 'ready') {
          const { persistent, peer, engine } = data;
          resolve({ persistent, peer, engine, strategy: this.#spawner.strategy, wasm: how });
        } else if (data.t === 'failed') {
          const no = failure(data.kind, data.why);
          reject(no);
          this.#end(no);
        } else {
          this.#receive(data);
        }
      };
      control.postMessage({
        t: 'control',
        module,
        workers: this.workers,
        kind: kindOf(),
        keep: this.keep,
      });
    });
  }

  #receive(m: FromWorker): void {
    switch (m.t) {
      case 'step': {
        const ask = this.#asks.get(m.id);
        this.#asks.delete(m.id);
        for (const e of m.effects) {
          if (e.type === 'compile') void this.#compile(e.program, e.module);
          else if (e.type === 'forget') this.#forget(hex(e.program));
          else for (const l of [...this.#listeners]) l.effect(e);
        }
        if (m.unsaid) ask?.reject(refuse('env/option', m.unsaid));
        else if (m.refused) ask?.reject(fromWire(m.refused));
        else ask?.resolve(m.effects);
        return;
      }
      case 'want':
        void this.#provide(m.worker);
        return;
      case 'abort':
        this.#slots[m.worker]?.terminate();
        this.#slots[m.worker] = undefined;
        return;
      default:
        return;
    }
  }

  async #compile(program: Uint8Array<ArrayBuffer>, bytes: Uint8Array<ArrayBuffer>): Promise<void> {
    let why = '';
    try {
      const module = await WebAssembly.compile(bytes);
      const name = hex(program);
      this.#programs.set(name, module);
      for (const w of this.#slots) w?.postMessage({ t: 'program', name, module });
    } catch (e) {
      why = clip(textOf(e), MAX_WHY) || 'without a reason';
    }
    this.tell({ type: 'compiled', program, why });
  }

  #forget(name: string): void {
    this.#programs.delete(name);
    for (const w of this.#slots) w?.postMessage({ t: 'forget', name });
  }

  /** Starts a compute worker and connects it to the control worker. */
  async #provide(n: number): Promise<void> {
    try {
      const spare = this.#spare;
      this.#spare = undefined;
      const { module } = await this.#loading;
      const w = await (spare?.catch(() => this.#spawner.spawn()) ?? this.#spawner.spawn());
      if (this.#ended) {
        w.terminate();
        return;
      }
      this.#slots[n] = w;
      w.hold?.(this.#users > 0);
      const { port1, port2 } = new MessageChannel();
      const lost = (why: string): void => {
        if (this.#slots[n] !== w) return;
        w.terminate();
        this.#slots[n] = undefined;
        this.#control?.postMessage({ t: 'lost', worker: n, why });
      };
      w.onerror = (e) => lost(e.message || 'an error without a message');
      w.onmessage = ({ data }) => {
        if (data.t === 'failed') this.#end(failure(data.kind, data.why));
        else if (data.t === 'ready') this.#control?.postMessage({ t: 'port', worker: n, port: port2 }, [port2]);
      };
      w.postMessage({ t: 'compute', module, programs: [...this.#programs], port: port1 }, [port1]);
    } catch (e) {
      this.#end(asRefusal(e));
    }
  }

  #hold(on: boolean): void {
    this.#control?.hold?.(on);
    for (const w of this.#slots) w?.hold?.(on);
  }

  readonly #onPageHide = (e: PageTransitionEvent): void => {
    // Some phones keep a closed page's workers until memory is short.
    if (!e.persisted) this.#end(refuse('env/engine-lost', 'the page was closed'));
  };

  #end(no: Refusal): void {
    if (this.#ended) return;
    this.#ended = no;
    engines.delete(this);
    clearTimeout(this.#idle);
    globalThis.removeEventListener?.('pagehide', this.#onPageHide);
    this.#control?.terminate();
    for (const w of this.#slots) w?.terminate();
    this.#slots.fill(undefined);
    this.#spare?.then(
      (w) => w.terminate(),
      () => {},
    );
    for (const { reject } of this.#asks.values()) reject(no);
    this.#asks.clear();
    for (const l of [...this.#listeners]) l.lost(no);
    this.#listeners.clear();
  }
}

const failure = (kind: Failure, why: string): Refusal => refuse(FAILURES[kind], why);
