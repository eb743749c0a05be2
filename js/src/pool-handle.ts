/** A device's place in a pool, as the engine reports it. */

import { acquire, type Engine } from './engine.js';
import { carrying } from './events.js';
import { Feed } from './feed.js';
import type { Job } from './job.js';
import { lender } from './lender.js';
import { isGesture, isHidden, watchPage } from './page.js';
import type {
  Invite,
  InviteOptions,
  Lending,
  PoolOptions,
  PoolPeer,
  PoolState,
  PoolStatus,
  StopOptions,
} from './pool.js';
import { aborted, asRefusal, fromWire, isAbort, type Refusal, refuse } from './refusal.js';
import { RunHandle, type SubmitOptions } from './run.js';
import { hex } from './text.js';
import type { Effect, Event as PeerEvent } from './wire.gen.js';

const DEFAULT_TTL = '10m';
const SPANS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const MAX_USES = 1_000_000;

const millis = (ttl: number | string): number => {
  const [, n, unit = ''] = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(typeof ttl === 'number' ? `${ttl}ms` : ttl) ?? [];
  const ms = Math.round(Number(n) * (SPANS[unit] ?? Number.NaN));
  if (Number.isSafeInteger(ms) && ms > 0) return ms;
  throw refuse('env/option', `ttl is ${String(ttl)}`, { fix: "give milliseconds, or a text such as '10m' or '2h'" });
};

/** How this device comes into the pool. */
export type Entry = Extract<PeerEvent, { type: 'openPool' | 'joinPool' }>;

/** The one implementation of {@link Pool}. */
export class PoolHandle extends EventTarget {
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
