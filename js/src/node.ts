/**
 * What Node has in place of a page: threads and files. Its modules are imported
 * by a name that bundlers cannot follow, so that pages never carry them.
 */

import type { FromWorker, ToWorker } from './protocol.js';
import type { WorkerLike } from './spawn.js';
import { textOf } from './text.js';

interface NodeProcess {
  readonly versions?: { readonly node?: string };
}

/** Reports whether this is Node, and not a page or another engine that has workers. */
export const inNode = (): boolean =>
  typeof Worker === 'undefined' &&
  typeof (globalThis as { process?: NodeProcess }).process?.versions?.node === 'string';

const load = <T>(name: string): Promise<T> =>
  import(/* webpackIgnore: true */ /* turbopackIgnore: true */ /* @vite-ignore */ `node:${name}`) as Promise<T>;

/**
 * Gives the worker script the two names of a worker's scope that it uses, before
 * the script itself. Messages wait in the port until it listens. The text is
 * valid as a script and as a module, because flags of the process decide which.
 */
const ADAPTER = `import('node:worker_threads').then(async ({ parentPort, workerData }) => {
  globalThis.postMessage = (m) => parentPort.postMessage(m);
  await import(workerData);
  parentPort.on('message', (data) => globalThis.onmessage({ data }));
});
`;

interface Thread {
  postMessage(m: unknown, transfer?: readonly unknown[]): void;
  terminate(): Promise<number>;
  on(type: string, f: (x: unknown) => void): void;
  ref(): void;
  unref(): void;
}

interface Threads {
  readonly Worker: new (source: string, options: { eval: true; workerData: string; name: string }) => Thread;
}

interface Files {
  readonly readFile: (path: URL) => Promise<Uint8Array<ArrayBuffer>>;
}

/** Starts a thread that runs the worker script. */
export async function thread(url: URL): Promise<WorkerLike> {
  const { Worker } = await load<Threads>('worker_threads');
  const t = new Worker(ADAPTER, { eval: true, workerData: url.href, name: 'shoal' });
  const like: WorkerLike = {
    onmessage: null,
    onerror: null,
    postMessage: (m: ToWorker, transfer: Transferable[] = []) => t.postMessage(m, transfer),
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

/** Returns the working directory as a URL, for paths that are relative to it. */
export const workingDirectory = (): string => {
  const cwd = (globalThis as { process?: { cwd?: () => string } }).process?.cwd?.() ?? '/';
  return new URL(`file://${encodeURI(cwd)}/`).href;
};

/** Returns how many threads this machine runs at once. */
export const cores = async (): Promise<number> =>
  (await load<{ availableParallelism: () => number }>('os')).availableParallelism();
