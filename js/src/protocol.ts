/** What the page and its workers tell each other. */

import type { Effect, Event as PeerEvent, Refusal } from './wire.gen.js';

/** Why a worker could not come up. */
export type Failure = 'wasm' | 'release' | 'entropy' | 'died';

/** From the page to a worker. */
export type ToWorker =
  | { readonly t: 'ping' }
  | {
      readonly t: 'control';
      readonly module: WebAssembly.Module;
      readonly workers: number;
      readonly kind: string;
      /** Keeps the device's key and its pools beyond this page. */
      readonly keep: boolean;
    }
  | {
      readonly t: 'compute';
      readonly module: WebAssembly.Module;
      readonly programs: readonly (readonly [name: string, module: WebAssembly.Module])[];
      readonly port: MessagePort;
    }
  | { readonly t: 'program'; readonly name: string; readonly module: WebAssembly.Module }
  | { readonly t: 'forget'; readonly name: string }
  | {
      readonly t: 'event';
      readonly id: number;
      readonly event: PeerEvent;
      /** The files that the event names by number. */
      readonly blobs: readonly (readonly [held: number, blob: Blob])[];
    }
  | { readonly t: 'port'; readonly worker: number; readonly port: MessagePort }
  | { readonly t: 'lost'; readonly worker: number; readonly why: string }
  | { readonly t: 'sleep'; readonly asleep: boolean }
  /** The worker ends itself, whatever it does. */
  | { readonly t: 'end' };

/** From a worker to the page. */
export type FromWorker =
  | { readonly t: 'pong' }
  | { readonly t: 'ready'; readonly persistent: boolean; readonly peer: string; readonly engine: string }
  | { readonly t: 'failed'; readonly kind: Failure; readonly why: string }
  /**
   * The effects of one event. id is the event's, 0 when the page did not send it.
   * unsaid tells that the event has no encoding: a value is over its limit.
   */
  | {
      readonly t: 'step';
      readonly id: number;
      readonly effects: readonly Effect[];
      readonly refused?: Refusal;
      readonly unsaid?: string;
    }
  /** The control worker needs this compute worker, or ends what it does. */
  | { readonly t: 'want'; readonly worker: number }
  | { readonly t: 'abort'; readonly worker: number };

/** From the control worker to a compute worker. */
export interface Assignment {
  /** The names of the modules that the task runs. */
  readonly programs: readonly string[];
  readonly task: Uint8Array<ArrayBuffer>;
}

/** From a compute worker to the control worker. */
export type Outcome = { readonly answer: Uint8Array<ArrayBuffer> } | { readonly lost: string };
