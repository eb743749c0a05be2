/**
 * Sources that are not bytes yet: files, responses, addresses, streams, and what
 * is packed with gzip. Pages fetch this part when a job has one, so it shares no
 * class with the rest. A large source never lies in the page's memory.
 */

import { inNode, load } from './node.js';
import { IN_MEMORY } from './pack.js';

/** The bytes of a source: in memory, or where pieces of them can be read. */
export type Content = Uint8Array<ArrayBuffer> | Blob;

type Stream = ReadableStream<Uint8Array<ArrayBuffer>>;

/** A piece of a spooled stream; some engines hold one whole in the page. */
const PIECE = 32 << 20;

/** Sources that can be read once only give the same bytes to a second run. */
const known = new WeakMap<object, Promise<Content>>();

/** Returns what a source holds, unpacked. Errors say why it cannot be read. */
export function contentOf(source: object): Promise<Content> {
  const found = known.get(source);
  if (found) return found;
  const content = read(source);
  // What is fetched or chosen anew may differ next time.
  if (source instanceof Response || source instanceof ReadableStream) known.set(source, content);
  return content;
}

async function read(source: object): Promise<Content> {
  const file = await fileOf(source);
  if (file) {
    if (isGzip(new Uint8Array(await file.slice(0, 2).arrayBuffer()))) return gather(unpacked(file.stream()));
    return file.size > IN_MEMORY ? file : new Uint8Array(await file.arrayBuffer());
  }
  const stream = await streamOf(source);
  const { chunks, rest } = await begin(stream);
  const again = joined(chunks, rest);
  return gather(isGzip(concat(chunks)) ? unpacked(again) : again);
}

/** Returns a source that can be read in pieces as it is, if it is one. */
async function fileOf(source: object): Promise<Blob | undefined> {
  if (source instanceof Blob) return source;
  if (source instanceof URL && source.protocol === 'file:' && inNode()) {
    return (await load<{ openAsBlob: (path: URL) => Promise<Blob> }>('fs')).openAsBlob(source);
  }
  return source instanceof Uint8Array ? new Blob([source as Uint8Array<ArrayBuffer>]) : undefined;
}

async function streamOf(source: object): Promise<Stream> {
  if (source instanceof ReadableStream) return source as Stream;
  const r = source instanceof URL ? await fetch(source) : (source as Response);
  if (!r.ok) throw new Error(`the server answered ${r.status} for ${r.url || 'the response'}`);
  if (r.bodyUsed) throw new Error('the response was read before');
  return (r.body ?? new Blob([]).stream()) as Stream;
}

const isGzip = (b: Uint8Array): boolean => b[0] === 0x1f && b[1] === 0x8b;

const unpacked = (stream: Stream): Stream => {
  if (typeof DecompressionStream === 'undefined') throw new Error('this engine cannot unpack gzip');
  return stream.pipeThrough(new DecompressionStream('gzip') as ReadableWritablePair<Uint8Array<ArrayBuffer>>);
};

/** Reads until there are the two bytes that tell gzip, or no more. */
async function begin(stream: Stream): Promise<{ chunks: Uint8Array<ArrayBuffer>[]; rest: Reader }> {
  const rest = stream.getReader();
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  for (let size = 0; size < 2; ) {
    const { value } = await rest.read();
    if (!value) break;
    if (!(value instanceof Uint8Array)) throw new Error('the stream gives something else than bytes');
    chunks.push(value);
    size += value.length;
  }
  return { chunks, rest };
}

type Reader = ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>;

/** Returns a stream of chunks and of what comes after them, up to some bytes. */
const joined = (chunks: Uint8Array<ArrayBuffer>[], rest: Reader, most = Number.POSITIVE_INFINITY): Stream => {
  let given = 0;
  return new ReadableStream({
    async pull(to) {
      const next = given < most ? (chunks.shift() ?? (await rest.read()).value) : undefined;
      if (!next) return to.close();
      given += next.length;
      to.enqueue(next);
    },
    cancel: (why) => rest.cancel(why),
  });
};

const concat = (chunks: readonly Uint8Array<ArrayBuffer>[]): Uint8Array<ArrayBuffer> => {
  const all = new Uint8Array(chunks.reduce((n, c) => n + c.length, 0));
  let at = 0;
  for (const c of chunks) {
    all.set(c, at);
    at += c.length;
  }
  return all;
};

/** Reads a stream to its end: into memory, or past that size to where files lie. */
async function gather(stream: Stream): Promise<Content> {
  const rest = stream.getReader();
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  for (let size = 0; size <= IN_MEMORY; ) {
    const { value } = await rest.read();
    if (!value) return concat(chunks);
    chunks.push(value);
    size += value.length;
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
  readonly rmSync: (path: string, options: { recursive: true; force: true }) => void;
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
    for (let next = chunks.shift(); next; next = chunks.shift() ?? (await rest.read()).value) await file.write(next);
  } finally {
    await file.close();
  }
  const blob = await fs.openAsBlob(path);
  dropped.register(blob, () => fs.rmSync(path, { recursive: true, force: true }));
  return blob;
}
