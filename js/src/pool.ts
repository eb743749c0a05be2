/** Pools of own devices: founding one, joining one, computing in one. */

import type { EngineOptions } from './engine.js';
import type { Emitter } from './events.js';
import type { Job, JobSpec } from './job.js';
import { type Entry, PoolHandle } from './pool-handle.js';
import { type Refusal, refuse } from './refusal.js';
import type { Run, SubmitOptions, Value } from './run.js';
import { clip } from './text.js';
import type { AnyValue } from './value.js';

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

/** The wire's limit, in bytes. */
const MAX_LABEL = 64;

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
