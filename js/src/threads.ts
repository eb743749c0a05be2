/**
 * What Node has in place of a page: threads and files. Pages never fetch this
 * part, so it shares no class with the rest.
 */

import { load } from './node.js';
import type { FromWorker, ToWorker } from './protocol.js';
import type { WorkerLike } from './spawn.js';
import { textOf } from './text.js';

/**
 * Gives the worker script the two names of a worker's scope that it uses, before
 * the script itself. Messages wait in the port until it listens. Files come as
 * ports, see below. The text is valid as a script and as a module, because flags
 * of the process decide which.
 */
const ADAPTER = `import('node:worker_threads').then(async ({ parentPort, workerData }) => {
  globalThis.postMessage = (m) => parentPort.postMessage(m);
  await import(workerData);
  const far = (port) => {
    const waiting = [];
    port.on('message', (b) => {
      const [give, fail] = waiting.shift();
      if (typeof b === 'string') fail(new Error(b));
      else give(b);
    });
    port.unref();
    const ask = (...range) => new Promise((give, fail) => {
      waiting.push([give, fail]);
      port.postMessage(range);
    });
    return { slice: (from, to) => ({ arrayBuffer: () => ask(from, to) }), close: () => port.close() };
  };
  parentPort.on('message', (data) => {
    const blobs = data.blobs?.map(([held, port]) => [held, far(port)]);
    globalThis.onmessage({ data: blobs ? { ...data, blobs } : data });
  });
});
`;

interface Port {
  postMessage(m: unknown, transfer?: readonly unknown[]): void;
  on(type: 'message', f: (range: readonly [from: number, to: number]) => void): void;
  unref(): void;
}

/** Reads a file for another thread: Node does not hand over those that lie on disk. */
const serve = (blob: Blob, { MessageChannel }: Threads): Port => {
  const { port1, port2 } = new MessageChannel();
  let turn: Promise<void> = Promise.resolve();
  port1.on('message', ([from, to]) => {
    turn = turn
      .then(() => blob.slice(from, to).arrayBuffer())
      .then(
        (b) => port1.postMessage(b, [b]),
        (e) => port1.postMessage(textOf(e) || 'without a reason'),
      );
  });
  port1.unref();
  return port2;
};

interface Thread {
  postMessage(m: unknown, transfer?: readonly unknown[]): void;
  terminate(): Promise<number>;
  on(type: string, f: (x: unknown) => void): void;
  ref(): void;
  unref(): void;
}

interface Threads {
  readonly MessageChannel: new () => { readonly port1: Port; readonly port2: Port };
  readonly Worker: new (source: string, options: { eval: true; workerData: string; name: string }) => Thread;
}

interface Files {
  readonly readFile: (path: URL) => Promise<Uint8Array<ArrayBuffer>>;
}

/** Starts a thread that runs the worker script. */
export async function thread(url: URL): Promise<WorkerLike> {
  const threads = await load<Threads>('worker_threads');
  const t = new threads.Worker(ADAPTER, { eval: true, workerData: url.href, name: 'shoal' });
  const like: WorkerLike = {
    onmessage: null,
    onerror: null,
    postMessage: (m: ToWorker, transfer: Transferable[] = []) => {
      if (m.t !== 'event') return t.postMessage(m, transfer);
      const blobs = m.blobs.map(([held, blob]) => [held, serve(blob, threads)] as const);
      t.postMessage(
        { ...m, blobs },
        blobs.map(([, port]) => port),
      );
    },
    terminate: () => void t.terminate(),
    hold: (on) => (on ? t.ref() : t.unref()),
  };
  t.on('message', (data) => like.onmessage?.({ data: data as FromWorker }));
  t.on('error', (e) => like.onerror?.({ message: textOf(e) }));
  return like;
}

/** Reads a file of the package. */
export const readFile = async (url: URL): Promise<Uint8Array<ArrayBuffer>> =>
  (await load<Files>('fs/promises')).readFile(url);

/** Returns how many threads this machine runs at once. */
export const cores = async (): Promise<number> =>
  (await load<{ availableParallelism: () => number }>('os')).availableParallelism();
