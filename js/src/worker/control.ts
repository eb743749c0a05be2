/**
 * The control role: one instance of the peer module, its connections, its
 * storage and its clock. It feeds events one at a time and performs what the
 * module asks for; what only the page can do, it passes on.
 */

import { decode, encode, WireError } from '../cbor.js';
import type { Assignment, FromWorker, Outcome, ToWorker } from '../protocol.js';
import { clip, hex, textOf } from '../text.js';
import { type Effect, effectSchema, eventSchema, type Event as PeerEvent, refusalSchema } from '../wire.gen.js';
import { instance } from './instance.js';
import { type Sockets, sockets } from './sockets.js';
import { openStore, type Store } from './store.js';

const SEED_KEY = 'device.seed';
/** Precedes the keys of the module, so that they never meet the host's own. */
const PEER_PREFIX = 'peer.';
const ENTROPY_BYTES = 64;
const MAX_ENTROPY = 4096;
const MAX_WHY = 1024;
/** The longest span of setTimeout. A wake-up that comes early does no harm. */
const MAX_TIMEOUT = 2 ** 31 - 1;

type Start = Extract<ToWorker, { t: 'control' }>;

/** One compute worker as the control role sees it. */
interface Slot {
  port?: MessagePort;
  wanted: boolean;
  next?: Assignment;
}

/** The control role, ready for the page's messages. */
export interface Control {
  readonly receive: (message: ToWorker) => void;
}

const randomBytes = (n: number): Uint8Array<ArrayBuffer> => crypto.getRandomValues(new Uint8Array(n));

/** Starts the control role. It rejects if the module cannot run here. */
export async function startControl(start: Start, post: (m: FromWorker) => void): Promise<Control> {
  const random = (into: Uint8Array<ArrayBuffer>): void => {
    for (let at = 0; at < into.length; at += 65536) crypto.getRandomValues(into.subarray(at, at + 65536));
  };
  const peer = instance(start.module, random);
  const store: Store = await openStore(start.keep);
  const slots: Slot[] = Array.from({ length: start.workers }, () => ({ wanted: false }));
  const queue: { readonly id: number; readonly event: PeerEvent }[] = [];
  /** The files that the module reads piece by piece. */
  const blobs = new Map<number, Blob & { readonly close?: () => void }>();
  let poolKey = '';
  let busy = false;
  let dead = false;
  let wake: ReturnType<typeof setTimeout> | undefined;
  let writes: Promise<void> = Promise.resolve();
  /** The page's events, in their order: some wait for the store. */
  let inbox: Promise<void> = Promise.resolve();

  const now = (): bigint => BigInt(Math.floor(performance.now() * 1e6));

  /** Feeds what is queued, one event after the other, each with its effects. */
  const run = (): void => {
    if (busy) return;
    busy = true;
    for (let next = queue.shift(); next && !dead; next = queue.shift()) {
      try {
        step(next.id, next.event);
      } catch (e) {
        dead = true;
        clearTimeout(wake);
        post({ t: 'failed', kind: 'died', why: textOf(e) });
      }
    }
    busy = false;
  };
  const feed = (event: PeerEvent, id = 0): void => {
    queue.push({ id, event });
    run();
  };
  const net: Sockets = sockets(feed);

  const step = (id: number, event: PeerEvent): void => {
    let encoded: Uint8Array;
    try {
      encoded = encode(eventSchema, event);
    } catch (e) {
      // Only what the application gave can be over a limit.
      if (!(e instanceof WireError) || !id) throw e;
      post({ t: 'step', id, effects: [], unsaid: `${event.type}: ${e.message}` });
      return;
    }
    const refusal = peer.handle(now(), encoded);
    const refused = refusal && decode(refusalSchema, refusal);
    const effects: Effect[] = [];
    for (let bytes = peer.poll(); bytes; bytes = peer.poll()) {
      const effect = decode(effectSchema, bytes);
      if (!perform(effect)) effects.push(effect);
    }
    if (id || effects.length) post({ t: 'step', id, effects, ...(refused && { refused }) });
  };

  const assign = (n: number, job: Assignment): void => {
    const slot = slots[n];
    if (!slot) throw new Error(`the module has no worker ${n}`);
    if (slot.port) {
      slot.port.postMessage(job, [job.task.buffer]);
      return;
    }
    slot.next = job;
    want(n);
  };
  const want = (n: number): void => {
    const slot = slots[n];
    if (!slot || slot.wanted || slot.port) return;
    slot.wanted = true;
    post({ t: 'want', worker: n });
  };
  const abort = (n: number): void => {
    const slot = slots[n];
    if (!slot) throw new Error(`the module has no worker ${n}`);
    delete slot.next;
    if (!slot.port) return;
    slot.port.close();
    delete slot.port;
    post({ t: 'abort', worker: n });
  };
  const connect = (n: number, port: MessagePort): void => {
    const slot = slots[n];
    if (!slot) return;
    slot.wanted = false;
    slot.port = port;
    port.onmessage = ({ data }: MessageEvent<Outcome>) => {
      if (slot.port !== port) return;
      if ('answer' in data) feed({ type: 'computed', worker: n, answer: data.answer });
      else feed({ type: 'workerLost', worker: n, why: clip(data.lost, MAX_WHY) });
    };
    const next = slot.next;
    delete slot.next;
    if (next) assign(n, next);
  };
  const lost = (n: number, why: string): void => {
    const slot = slots[n];
    if (!slot) return;
    slot.port?.close();
    delete slot.port;
    delete slot.next;
    slot.wanted = false;
    feed({ type: 'workerLost', worker: n, why: clip(why, MAX_WHY) });
  };

  const keep = (key: string, data: Uint8Array<ArrayBuffer>, done?: () => void): void => {
    // Without a Stored, nothing that depends on the bytes goes on.
    writes = writes.then(() => store.put(key, data)).then(done, (e) => console.error('shoal: not stored:', key, e));
  };

  const read = async (held: number, from: number, bytes: number): Promise<Uint8Array<ArrayBuffer>> => {
    const piece = await blobs
      .get(held)
      ?.slice(from, from + bytes)
      .arrayBuffer();
    if (piece?.byteLength !== bytes) throw new Error('the file is not what it was');
    return new Uint8Array(piece);
  };

  /** Performs an effect; returns false if it is the page's. */
  const perform = (e: Effect): boolean => {
    switch (e.type) {
      case 'assign':
        assign(e.worker, { programs: [e.program, ...e.also].map(hex), task: e.task });
        return true;
      case 'abort':
        abort(e.worker);
        return true;
      case 'dial':
        net.dial(e.conn, e.url);
        return true;
      case 'transmit':
        net.transmit(e.conn, e.data);
        return true;
      case 'hangup':
        net.hangup(e.conn);
        return true;
      case 'wake': {
        clearTimeout(wake);
        const span = Number(e.at - now()) / 1e6;
        if (e.at < 2n ** 63n - 1n) {
          wake = setTimeout(() => feed({ type: 'woken' }), Math.min(MAX_TIMEOUT, Math.max(0, Math.ceil(span))));
        }
        return true;
      }
      case 'store':
        keep(PEER_PREFIX + e.key, e.data, e.data.length > 0 ? () => feed({ type: 'stored', key: e.key }) : undefined);
        return true;
      case 'wantEntropy':
        queue.push({ id: 0, event: { type: 'entropy', bytes: randomBytes(Math.min(e.bytes, MAX_ENTROPY)) } });
        return true;
      case 'read': {
        const { ticket } = e;
        read(e.held, e.from, e.bytes).then(
          (data) => feed({ type: 'readDone', ticket, data, why: '' }),
          (no) => feed({ type: 'readDone', ticket, data: new Uint8Array(), why: clip(textOf(no), MAX_WHY) }),
        );
        return true;
      }
      case 'release':
        blobs.get(e.held)?.close?.();
        blobs.delete(e.held);
        return true;
      case 'storePool':
        keep(poolKey, e.state);
        return true;
      case 'booted':
        // The key stays where only this site's worker reads it.
        keep(SEED_KEY, e.seed);
        post({ t: 'ready', persistent: store.persistent, peer: hex(e.peer), engine: hex(e.engine) });
        return true;
      default:
        return false;
    }
  };

  /** Feeds an event of the page, with what only this worker has. */
  const take = async (id: number, event: PeerEvent): Promise<void> => {
    if (event.type !== 'openPool' && event.type !== 'joinPool') {
      feed(event, id);
      return;
    }
    const role = event.type === 'joinPool' ? 'guest' : 'keeper';
    poolKey = `pool.${role}.${event.url.split('#', 1)[0]}`;
    const state = await store.get(poolKey).catch(() => undefined);
    feed({ ...event, state: state ?? new Uint8Array() }, id);
  };

  const receive = (m: ToWorker): void => {
    switch (m.t) {
      case 'event':
        for (const [held, blob] of m.blobs) blobs.set(held, blob);
        inbox = inbox.then(() => take(m.id, m.event));
        return;
      case 'port':
        connect(m.worker, m.port);
        return;
      case 'lost':
        lost(m.worker, m.why);
        return;
      case 'sleep':
        net.sleep(m.asleep);
        return;
      default:
        return; // for the other role
    }
  };

  feed({
    type: 'boot',
    entropy: randomBytes(ENTROPY_BYTES),
    seed: (await store.get(SEED_KEY)) ?? new Uint8Array(),
    workers: start.workers,
    label: '',
    kind: start.kind,
  });
  want(0); // a run begins with one probe
  return { receive };
}
