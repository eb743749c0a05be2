/** Pools of own devices: founding one, joining one, computing in one. */

import { acquire, type Engine, type EngineOptions } from './engine.js';
import { carrying, type Emitter } from './events.js';
import { Feed } from './feed.js';
import type { Job, JobSpec } from './job.js';
import { lender } from './lender.js';
import { isGesture, isHidden, watchPage } from './page.js';
import { aborted, asRefusal, fromWire, isAbort, type Refusal, refuse } from './refusal.js';
import { type Run, RunHandle, type SubmitOptions, type Value } from './run.js';
import { clip, hex } from './text.js';
import type { AnyValue } from './value.js';
import type { Effect, Event as PeerEvent } from './wire.gen.js';

/** Where this device stands in the pool. */
export type PoolState = 'starting' | 'connecting' | 'knocking' | 'joined' | 'reconnecting' | 'left';

/**
 * Whether this device computes for others: parked while the page is hidden, and
 * elsewhere while another tab of this site does it.
 */
export type Lending = 'off' | 'on' | 'parked' | 'elsewhere' | 'finishing';

/** One device of the pool. */
export interface PoolPeer {
  /** The device's key, in hexadecimal. */
  readonly peer: string;
  readonly label: string;
  /** This is the device that asks. */
  readonly self: boolean;
  readonly online: boolean;
  /** How its bytes travel; '' while there is no link. */
  readonly path: '' | 'self' | 'relay' | 'direct' | 'turn';
}

/** How a pool stands. Each report is a new object. */
export interface PoolStatus {
  readonly state: PoolState;
  readonly lending: Lending;
  readonly peers: readonly PoolPeer[];
  /** This device keeps the pool: it invites and admits. */
  readonly keep: boolean;
  /** While knocking: what the keeper's screen must show too. */
  readonly words: string;
}

/** A device that wants to join. Admit it only when both screens show the same words. */
export interface Knock {
  readonly peer: string;
  readonly label: string;
  readonly words: string;
  readonly admit: () => void;
  readonly deny: () => void;
}

/** An invitation. The secret is in the part after #, which no server sees. */
export interface Invite {
  readonly url: string;
}

/** The events of a pool. */
export interface PoolEvents {
  readonly status: { readonly status: PoolStatus };
  readonly knock: Knock;
  /** Something was refused; the pool may go on. */
  readonly refusal: { readonly refusal: Refusal };
  /** The pool is over for this device. The refusal is there if it was not asked for. */
  readonly end: { readonly refusal?: Refusal };
}

/** Options of {@link joinPool}. */
export interface PoolOptions extends EngineOptions {
  /** What people call this device, up to 32 characters. */
  readonly label?: string;
  /** Aborting it leaves the pool. */
  readonly signal?: AbortSignal;
}

/** Options of {@link ownDevices}. */
export interface OwnDevicesOptions extends PoolOptions {
  /** The server's address; the one this page came from unless given. */
  readonly relay?: string | URL;
  /** What the server asks of those who open pools. */
  readonly token?: string;
}

/** Options of an invitation. */
export interface InviteOptions {
  /** How long it is valid: milliseconds, or a text such as '10m'; 10 minutes unless given. */
  readonly ttl?: number | string;
  /** How many devices may come with it; 1 unless given, 0 for any number. */
  readonly uses?: number;
  /** Admits whoever has the link, without anyone comparing words. */
  readonly auto?: boolean;
  readonly signal?: AbortSignal;
}

/** Options of {@link Pool.stop}. */
export interface StopOptions {
  /** Computes what was begun to its end first. */
  readonly finish?: boolean;
  /** Ends the waiting, not the stopping. */
  readonly signal?: AbortSignal;
}

/** This device's place in a pool. Iterating it gives its status, the present one first. */
export interface Pool extends Emitter<PoolEvents>, AsyncIterable<PoolStatus> {
  /** Resolves when this device is in the pool; rejects if it never will be. */
  readonly joined: Promise<void>;
  readonly status: PoolStatus;
  readonly state: PoolState;
  readonly lending: Lending;
  readonly peers: readonly PoolPeer[];
  readonly words: string;
  readonly keep: boolean;
  /** Whether this device's key outlives the page. Unknown until it has started. */
  readonly persistent: boolean | undefined;
  /** Makes an invite link. Only the pool's keeper can. */
  invite(options?: InviteOptions): Promise<Invite>;
  /** Runs a job in the pool. It waits until this device is in it. */
  run<const S extends JobSpec>(job: Job<S>, options?: SubmitOptions): Run<Value<S>>;
  /** Goes on with a run of this pool that was started with `keep`, by its job's name. */
  resume(job: string, options?: { readonly signal?: AbortSignal }): Run<AnyValue>;
  /**
   * Agrees to compute for the pool. Call it from the handler of a press, and hand
   * the event over: browsers without a record of presses need it.
   */
  lend(event?: Event): Promise<void>;
  /** Ends lending, at once or when what is being computed has ended. */
  stop(options?: StopOptions): Promise<void>;
  /** Leaves the pool. Runs in it end without a result. */
  leave(): Promise<void>;
  /** Says for people where this device stands and what it waits for. */
  explain(): string;
}

const DEFAULT_TTL = '10m';
/** The wire's limit, in bytes. */
const MAX_LABEL = 64;
const SPANS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const MAX_USES = 1_000_000;

const millis = (ttl: number | string): number => {
  const [, n, unit = ''] = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(typeof ttl === 'number' ? `${ttl}ms` : ttl) ?? [];
  const ms = Math.round(Number(n) * (SPANS[unit] ?? Number.NaN));
  if (Number.isSafeInteger(ms) && ms > 0) return ms;
  throw refuse('env/option', `ttl is ${String(ttl)}`, { fix: "give milliseconds, or a text such as '10m' or '2h'" });
};

/** How this device comes into the pool. */
type Entry = Extract<PeerEvent, { type: 'openPool' | 'joinPool' }>;

/** The one implementation of {@link Pool}. */
class PoolHandle extends EventTarget {
  readonly joined: Promise<void>;
  persistent: boolean | undefined;

  readonly #feed = new Feed();
  readonly #engine: Promise<Engine>;
  /** Resolves when the core knows of the pool. */
  readonly #entered: Promise<Engine>;
  #status: PoolStatus = { state: 'starting', lending: 'off', peers: [], keep: false, words: '' };
  #settleJoined: { resolve: () => void; reject: (no: unknown) => void } | undefined;
  #refusal: Refusal | undefined;
  /** Why the pool is over for this device. */
  #reason: unknown;
  #over = false;
  #hidden = false;
  /** A person has agreed to lend, and has not taken it back. */
  #lends = false;
  /** What the core says. */
  #lending: Lending = 'off';
  readonly #lender = lender(() => this.#park());
  #cleanUp: (() => void)[] = [() => void this.#lender.want(false)];

  constructor(entry: () => Entry, options: PoolOptions) {
    super();
    this.joined = new Promise((resolve, reject) => {
      this.#settleJoined = { resolve, reject };
    });
    this.#engine = this.#acquire(options);
    this.#entered = this.#enter(entry);
    for (const p of [this.joined, this.#engine]) p.catch(() => {}); // told by what follows
    this.#entered.catch((e) => this.#end(isAbort(e) ? undefined : asRefusal(e)));
    const { signal } = options;
    if (signal) {
      const leave = (): void => void this.leave();
      signal.addEventListener('abort', leave, { once: true });
      this.#cleanUp.push(() => signal.removeEventListener('abort', leave));
      if (signal.aborted) leave();
    }
  }

  get status(): PoolStatus {
    return this.#status;
  }
  get state(): PoolState {
    return this.#status.state;
  }
  get lending(): Lending {
    return this.#status.lending;
  }
  get peers(): readonly PoolPeer[] {
    return this.#status.peers;
  }
  get words(): string {
    return this.#status.words;
  }
  get keep(): boolean {
    return this.#status.keep;
  }

  async invite({ ttl = DEFAULT_TTL, uses = 1, auto = false, signal }: InviteOptions = {}): Promise<Invite> {
    const forMs = millis(ttl);
    if (!Number.isInteger(uses) || uses < 0 || uses > MAX_USES) {
      throw refuse('env/option', `uses is ${String(uses)}`, { fix: 'give a whole number of devices, or 0 for any' });
    }
    await abortable(this.joined, signal);
    const effects = await this.#ask({ type: 'invite', forMs, uses, auto: auto === true });
    const invited = effects.find((e) => e.type === 'invited');
    if (!invited) throw refuse('env/engine-lost', 'the engine made no link');
    return { url: invited.url };
  }

  run(job: Job, options: SubmitOptions = {}): RunHandle<unknown> {
    return new RunHandle(job, options, { pooled: true, engine: this.#use });
  }

  resume(job: string, options: { readonly signal?: AbortSignal } = {}): RunHandle<unknown> {
    return new RunHandle(undefined, options, { pooled: true, engine: this.#use, resume: String(job) });
  }

  async lend(event?: Event): Promise<void> {
    const gesture = isGesture(event); // now, before anything is awaited
    await this.#entered;
    this.#lends = true;
    await this.#lender.want(!this.#hidden);
    this.#park();
    try {
      await this.#ask({ type: 'lend', gesture });
    } catch (e) {
      this.#lendsNoMore();
      throw e;
    }
  }

  async stop({ finish = false, signal }: StopOptions = {}): Promise<void> {
    if (this.#over) return;
    await this.#ask({ type: 'unlend', finish });
    const idle = this.#idle().then(() => this.#lendsNoMore());
    await abortable(idle, signal);
  }

  async leave(): Promise<void> {
    if (this.#over) return;
    try {
      const engine = await this.#entered;
      await engine.ask({ type: 'leavePool' });
    } catch {} // there is nothing to leave
    this.#end();
  }

  explain(): string {
    const { state, lending, peers, keep, words } = this.#status;
    const online = peers.filter((p) => p.online && !p.self).length;
    switch (state) {
      case 'starting':
        return 'Starting. It waits for the engine.';
      case 'connecting':
        return 'Connecting. It waits for the server to answer.';
      case 'knocking':
        return words
          ? `Knocking. It waits for the pool's keeper to admit this device; both screens must show: ${words}.`
          : "Knocking. It waits for a connection to the pool's keeper.";
      case 'reconnecting':
        return 'The connection to the server is lost. It tries again.';
      case 'joined': {
        const role = keep ? 'This device keeps the pool.' : 'This device is in the pool.';
        const lends = {
          off: 'It does not lend.',
          on: 'It lends.',
          parked: 'It lends again when the page is shown.',
          elsewhere: 'Another tab of this site lends; this one takes over when that ends.',
          finishing: 'It finishes what it computes, and then stops lending.',
        };
        return `${role} Other devices: ${peers.length - 1}, of them online: ${online}. ${lends[lending]}`;
      }
      case 'left':
        return this.#refusal ? `Not in the pool: ${this.#refusal.message}` : 'This device has left the pool.';
    }
  }

  [Symbol.asyncIterator](): AsyncIterableIterator<PoolStatus, undefined> {
    return this.#feed.latest(() => this.#status);
  }

  /** Resolves when this device does not lend. */
  async #idle(): Promise<void> {
    for await (const { lending } of this) if (lending === 'off') return;
  }

  async #acquire(options: PoolOptions): Promise<Engine> {
    if (typeof WebSocket === 'undefined') throw refuse('env/no-websocket', 'there is no WebSocket here');
    const engine = await acquire(options, true);
    this.#cleanUp.push(() => engine.release());
    if (this.#over) this.#runCleanUp();
    return engine;
  }

  async #enter(entry: () => Entry): Promise<Engine> {
    const event = entry();
    const engine = await this.#engine;
    this.persistent = (await engine.ready).persistent;
    if (this.#over) throw this.#reason;
    this.#cleanUp.push(
      engine.listen({ effect: (e) => this.#effect(e), lost: (no) => this.#end(no) }),
      watchPage({
        hidden: (hidden) => {
          this.#hidden = hidden;
          if (this.#lends) void this.#lender.want(!hidden);
          this.#park();
        },
        asleep: (asleep) => engine.sleep(asleep),
      }),
    );
    this.#hidden = isHidden();
    if (this.#hidden) engine.tell({ type: 'park', hidden: true });
    thrown(await engine.ask(event));
    return engine;
  }

  /** Feeds an event, and throws what it was refused with. */
  async #ask(event: PeerEvent): Promise<readonly Effect[]> {
    const engine = await this.#entered;
    if (this.#over) throw this.#reason;
    return thrown(await engine.ask(event));
  }

  #effect(e: Effect): void {
    switch (e.type) {
      case 'poolNow': {
        const peers = e.peers.map((p) => ({ ...p, peer: hex(p.peer) }) as PoolPeer);
        const { keep, words } = e;
        this.#lending = e.lending as Lending;
        this.#report({ state: e.state as PoolState, lending: this.#seen(), peers, keep, words });
        if (e.state === 'left') this.#end(this.#refusal);
        else if (e.state === 'joined') this.#settleJoined?.resolve();
        return;
      }
      case 'knocking': {
        const judge = (admit: boolean) => (): void =>
          void this.#ask({ type: 'judge', peer: e.peer, admit }).catch(() => {});
        const { label, words } = e;
        this.dispatchEvent(
          carrying('knock', { peer: hex(e.peer), label, words, admit: judge(true), deny: judge(false) }),
        );
        return;
      }
      case 'poolRefusal':
        this.#refusal = fromWire(e.refusal);
        this.dispatchEvent(carrying('refusal', { refusal: this.#refusal }));
        return;
      default:
        return;
    }
  }

  /** Waits for the pool, and uses its engine for a run. */
  readonly #use = async (): Promise<Engine> => {
    await this.joined;
    const e = await this.#engine;
    if (this.#over) throw this.#reason;
    e.use();
    return e;
  };

  /** To the core, a tab that lends while another one does it is hidden. */
  #park(): void {
    const hidden = this.#hidden || (this.#lends && !this.#lender.held);
    void this.#engine.then((e) => e.tell({ type: 'park', hidden })).catch(() => {});
    const lending = this.#seen();
    if (lending !== this.#status.lending) this.#report({ ...this.#status, lending });
  }

  #lendsNoMore(): void {
    this.#lends = false;
    void this.#lender.want(false);
    this.#park();
  }

  /** Returns what the core says of lending, as it looks from outside this tab. */
  #seen(): Lending {
    return this.#lending === 'parked' && !this.#hidden && !this.#lender.held ? 'elsewhere' : this.#lending;
  }

  #report(status: PoolStatus): void {
    this.#status = status;
    this.dispatchEvent(carrying('status', { status }));
    this.#feed.notify();
  }

  #end(no?: Refusal): void {
    if (this.#over) return;
    this.#over = true;
    this.#refusal = no;
    this.#reason = no ?? aborted('This device has left the pool.');
    this.#report({ ...this.#status, state: 'left', lending: 'off', words: '' });
    this.#settleJoined?.reject(this.#reason);
    this.#feed.end();
    this.#runCleanUp();
    this.dispatchEvent(carrying('end', no ? { refusal: no } : {}));
  }

  #runCleanUp(): void {
    for (const f of this.#cleanUp.splice(0).reverse()) f();
  }
}

/** Waits for a promise, or rejects with the signal's reason. */
const abortable = async (p: Promise<void>, signal: AbortSignal | undefined): Promise<void> => {
  if (!signal) return p;
  signal.throwIfAborted();
  const stop = new AbortController();
  const abort = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { signal: stop.signal });
  });
  return Promise.race([p, abort]).finally(() => stop.abort());
};

/** Throws the refusal among the effects of one event, if there is one. */
const thrown = (effects: readonly Effect[]): readonly Effect[] => {
  const no = effects.find((e) => e.type === 'poolRefusal');
  if (no) throw fromWire(no.refusal);
  return effects;
};

/** Returns a server's address as the page address that invite links begin with. */
const pageAddress = (relay: string | URL | undefined): string => {
  const base = globalThis.location?.href;
  const url = relay ?? base;
  try {
    return new URL(String(url), base).href.split('#', 1)[0]?.replace(/^ws(s?):/, 'http$1:') ?? '';
  } catch (e) {
    throw refuse('env/option', `relay is ${String(url)}`, {
      fix: "give the server's address, such as 'https://relay.example'",
      cause: e,
    });
  }
};

/**
 * Opens a pool of one's own devices on a server, or goes on with the one that
 * this device keeps there.
 *
 * @example
 * const pool = ownDevices({ relay: 'https://relay.example' });
 * const { url } = await pool.invite();
 * pool.addEventListener('knock', (k) => (confirm(k.words) ? k.admit() : k.deny()));
 * const { value } = await pool.run(myJob).result;
 */
export function ownDevices(options: OwnDevicesOptions = {}): Pool {
  const entry = (): Entry => ({
    type: 'openPool',
    url: pageAddress(options.relay),
    token: options.token ?? '',
    state: new Uint8Array(),
    label: clip(options.label ?? '', MAX_LABEL),
  });
  return new PoolHandle(entry, options) as unknown as Pool;
}

/**
 * Joins a pool by its invite link. While the state is knocking, `words` must be
 * the same on the screen of the pool's keeper.
 *
 * @example
 * const pool = joinPool(location.href);
 * button.onclick = (event) => pool.lend(event);
 */
export function joinPool(url: string | URL, options: PoolOptions = {}): Pool {
  const label = clip(options.label ?? '', MAX_LABEL);
  return new PoolHandle(
    () => ({ type: 'joinPool', url: String(url), state: new Uint8Array(), label }),
    options,
  ) as unknown as Pool;
}
