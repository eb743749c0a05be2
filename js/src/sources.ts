/**
 * Sources that are not bytes yet: files, responses, addresses, streams, and what
 * is packed with gzip. Pages fetch this part when a job has one, so it shares no
 * class with the rest. A large source never lies in the page's memory.
 */

import { BLOCK_HEAD, explained, isGzip, unpacked } from './gzip.js';
import { tagOf } from './job.js';
import { inNode, load } from './node.js';
import { IN_MEMORY } from './pack.js';
import { concat, isBytes, joined, next, type Reader, type Stream } from './streams.js';

/** The bytes of a source: in memory, or where pieces of them can be read. */
export type Content = Uint8Array<ArrayBuffer> | Blob;

const isStream = (v: object): v is Stream => tagOf(v) === 'ReadableStream';
const isAddress = (v: object): v is URL => tagOf(v) === 'URL';

/** A piece of a spooled stream; some engines hold one whole in the page. */
const PIECE = 32 << 20;

/** A source that can be read once only, and who waits for it. */
interface Shared {
  readonly content: Promise<Content>;
  readonly stop: AbortController;
  users: number;
}

/** Such sources give the same bytes to a second run. */
const known = new WeakMap<object, Shared>();

/**
 * Returns what a source holds, unpacked. Errors say why it cannot be read.
 *
 * @param signal is aborted when the caller needs it no more. When nobody does,
 * reading ends, and a source that can be read once only is lost.
 */
export function contentOf(source: object, signal?: AbortSignal): Promise<Content> {
  let shared = known.get(source);
  if (!shared) {
    const stop = new AbortController();
    shared = { content: read(source, stop.signal), stop, users: 0 };
    // What is fetched or chosen anew may differ next time.
    if (tagOf(source) === 'Response' || isStream(source)) known.set(source, shared);
  }
  const { content, stop } = shared;
  const leave = (): void => {
    if (--shared.users === 0) stop.abort(new Error('a run that was cancelled has given up reading it'));
  };
  shared.users++;
  if (signal?.aborted) leave();
  signal?.addEventListener('abort', leave, { once: true });
  const settled = (): void => signal?.removeEventListener('abort', leave);
  content.then(settled, settled);
  return content;
}

async function read(source: object, signal: AbortSignal): Promise<Content> {
  const file = await fileOf(source);
  if (file && !isGzip(new Uint8Array(await file.slice(0, 2).arrayBuffer()))) {
    return file.size > IN_MEMORY ? file : new Uint8Array(await file.arrayBuffer());
  }
  const rest = (file?.stream() ?? (await streamOf(source, signal))).getReader() as Reader;
  const cancel = (why: unknown): void => void rest.cancel(why).catch(() => {});
  const stop = (): void => cancel(signal.reason);
  signal.addEventListener('abort', stop);
  if (signal.aborted) stop();
  let gzip = false;
  try {
    const chunks = await begin(rest);
    const stream = joined(chunks, rest);
    const head = concat(chunks);
    gzip = isGzip(head);
    const content = await gather(gzip ? unpacked(head, stream) : stream);
    signal.throwIfAborted(); // what was cancelled looks like what has ended
    return content;
  } catch (e) {
    cancel(e);
    signal.throwIfAborted();
    throw gzip ? explained(e) : e;
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/** Returns a source that can be read in pieces as it is, if it is one. */
async function fileOf(source: object): Promise<Blob | undefined> {
  if (/^(Blob|File)$/.test(String(tagOf(source)))) return source as Blob;
  if (isAddress(source) && source.protocol === 'file:' && inNode()) {
    return (await load<{ openAsBlob: (path: URL) => Promise<Blob> }>('fs')).openAsBlob(source);
  }
  return isBytes(source) ? new Blob([source]) : undefined;
}

async function streamOf(source: object, signal: AbortSignal): Promise<Stream> {
  if (isStream(source)) return source;
  const r = isAddress(source) ? await fetched(source, signal) : (source as Response);
  if (r.type === 'opaque') throw new Error('the response is opaque: its server does not let this page read it');
  if (!r.ok) throw new Error(`the server answered ${r.status} for ${r.url || 'the response'}`);
  if (r.bodyUsed) throw new Error('the response was read before');
  return (r.body ?? new Blob([]).stream()) as Stream;
}

/** Fetches an address. Engines hardly say why they could not, and not which address it was. */
const fetched = (url: URL, signal: AbortSignal): Promise<Response> =>
  fetch(url, { signal }).catch((e: { message?: unknown; cause?: unknown }) => {
    const { message: deeper } = (e.cause ?? {}) as { message?: unknown };
    throw new Error(`${url.href}: ${deeper || e.message || e}`, { cause: e });
  });

/** Reads until there are the bytes that tell what is packed, or no more. */
async function begin(rest: Reader): Promise<Uint8Array<ArrayBuffer>[]> {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  for (let size = 0; size < BLOCK_HEAD; ) {
    const chunk = await next(rest);
    if (!chunk) break;
    chunks.push(chunk);
    size += chunk.length;
  }
  return chunks;
}

/** Reads a stream to its end: into memory, or past that size to where files lie. */
async function gather(stream: Stream): Promise<Content> {
  const rest = stream.getReader();
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  for (let size = 0; size <= IN_MEMORY; ) {
    const chunk = await next(rest);
    if (!chunk) return concat(chunks);
    chunks.push(chunk);
    size += chunk.length;
  }
  return inNode() ? spooled(chunks, rest) : pieces(chunks, rest);
}

/**
 * Lets the browser keep a stream. It stores blobs outside the page, on disk when
 * they are large, and forgets them with the last reference, also when the page
 * dies.
 */
async function pieces(chunks: Uint8Array<ArrayBuffer>[], rest: Reader): Promise<Blob> {
  const parts: Blob[] = [];
  let broken: unknown;
  const source = {
    read: () =>
      rest.read().catch((e: unknown) => {
        broken = e ?? new Error('the stream broke');
        throw broken;
      }),
    cancel: (why) => rest.cancel(why),
  } as Reader;
  for (;;) {
    const part = await new Response(joined(chunks, source, PIECE)).blob().catch((e: unknown) => {
      void rest.cancel(e).catch(() => {});
      // Browsers do not say which of the two it was.
      throw broken ?? new Error('the browser has no room for it; a private window keeps files in memory only');
    });
    if (part.size === 0) return new Blob(parts);
    parts.push(part);
  }
}

interface NodeFiles {
  readonly mkdtempSync: (prefix: string) => string;
  readonly rmSync: (path: string, options: { recursive?: true; force: true }) => void;
  readonly openAsBlob: (path: string) => Promise<Blob>;
  readonly promises: {
    readonly open: (
      path: string,
      flags: 'wx',
    ) => Promise<{
      write: (b: Uint8Array) => Promise<unknown>;
      close: () => Promise<void>;
    }>;
  };
}

let folder = '';
let spools = 0;
const dropped = new FinalizationRegistry<() => void>((remove) => remove());

/** Keeps a stream in a temporary file of Node, until nobody holds it any more. */
async function spooled(chunks: Uint8Array<ArrayBuffer>[], rest: Reader): Promise<Blob> {
  const fs = await load<NodeFiles>('fs');
  if (!folder) {
    folder = fs.mkdtempSync(`${(await load<{ tmpdir: () => string }>('os')).tmpdir()}/shoal-`);
    const { process } = globalThis as unknown as { process: { once: (type: 'exit', f: () => void) => void } };
    process.once('exit', () => fs.rmSync(folder, { recursive: true, force: true }));
  }
  const path = `${folder}/${++spools}`;
  const file = await fs.promises.open(path, 'wx');
  try {
    for (let chunk = chunks.shift(); chunk; chunk = chunks.shift() ?? (await next(rest))) await file.write(chunk);
  } catch (e) {
    fs.rmSync(path, { force: true });
    throw e;
  } finally {
    await file.close();
  }
  const blob = await fs.openAsBlob(path);
  dropped.register(blob, () => fs.rmSync(path, { force: true }));
  return blob;
}
