/** Turns a job into what the core reads: a job file's JSON, and files by name. */

import type { Job } from './job.js';
import { refuse } from './refusal.js';
import { textOf } from './text.js';
import type { File as WireFile } from './wire.gen.js';

/** Levels after which nothing is written any more; the core refuses fewer. */
const MAX_DEPTH = 32;
const MAX_NAME = 200; // characters, of a file's name

/** A job file and the files that it names. */
export interface Packed {
  readonly job: Uint8Array<ArrayBuffer>;
  readonly files: readonly WireFile[];
}

/** Sources that can be read once only give the same bytes to a second run. */
const read = new WeakMap<object, Promise<Uint8Array<ArrayBuffer>>>();

const fetched = async (r: Response): Promise<ArrayBuffer> => {
  if (!r.ok) throw new Error(`the server answered ${r.status} for ${r.url || 'the response'}`);
  return r.arrayBuffer();
};

const bytesOf = async (v: object): Promise<Uint8Array<ArrayBuffer>> => {
  if (ArrayBuffer.isView(v)) return new Uint8Array(v.buffer as ArrayBuffer, v.byteOffset, v.byteLength);
  if (v instanceof ArrayBuffer) return new Uint8Array(v);
  const known = read.get(v);
  if (known) return known;
  const bytes = (async () => {
    if (v instanceof Blob) return v.arrayBuffer();
    if (v instanceof Response) return fetched(v);
    if (v instanceof URL) return fetched(await fetch(v));
    return new Response(v as ReadableStream<Uint8Array>).arrayBuffer();
  })().then((b) => new Uint8Array(b));
  // What is read over the network or chosen anew may differ next time.
  if (!(v instanceof URL || v instanceof Blob)) read.set(v, bytes);
  return bytes;
};

const readable = (v: unknown): v is object =>
  typeof v === 'object' &&
  v !== null &&
  (ArrayBuffer.isView(v) ||
    [ArrayBuffer, globalThis.Blob, globalThis.Response, URL, globalThis.ReadableStream].some(
      (c) => typeof c === 'function' && v instanceof c,
    ));

const nameOf = (v: unknown, usual: string): string => {
  const name = (v as { name?: unknown } | null)?.name;
  return typeof name === 'string' && name !== '' && name.length <= MAX_NAME ? name : usual;
};

/**
 * Reads the job's files and writes its job file. Nothing of the job is judged
 * here; what JSON cannot say becomes null, which the core refuses at its place.
 */
export async function pack(j: Job): Promise<Packed> {
  const files: WireFile[] = [];

  const file = async (v: unknown, at: string, usual: string): Promise<unknown> => {
    let name = nameOf(v, usual);
    while (files.some((f) => f.name === name)) name = `2-${name}`;
    if (typeof v === 'string' && usual.endsWith('.csv') && /[\n\r]/.test(v)) {
      files.push({ name, data: new TextEncoder().encode(v) });
      return name;
    }
    if (typeof v === 'string') {
      throw refuse('env/file-name', `${at} is the text ${JSON.stringify(v.slice(0, 80))}`, { details: { field: at } });
    }
    if (!readable(v)) return v;
    try {
      files.push({ name, data: await bytesOf(v) });
    } catch (e) {
      throw refuse('env/input', `${at}: ${textOf(e)}`, { details: { field: at }, cause: e });
    }
    return name;
  };

  const replaced = async (o: unknown, key: string, at: string, usual: string): Promise<unknown> =>
    typeof o === 'object' && o !== null && !Array.isArray(o) && key in o
      ? { ...o, [key]: await file((o as Record<string, unknown>)[key], at, usual) }
      : o;

  const { program, split, ...rest } = j.spec as unknown as Record<string, unknown>;
  const spec: Record<string, unknown> = { ...rest };
  if (program !== undefined) spec['program'] = await replaced(program, 'module', 'program.module', 'program.wasm');
  if (split !== undefined) {
    const records = (split as { records?: unknown } | null)?.records;
    spec['split'] =
      typeof records === 'object' && records !== null
        ? { ...(split as object), records: await replaced(records, 'file', 'split.records.file', 'records.csv') }
        : split;
  }
  return { job: new TextEncoder().encode(json(spec, 0)), files };
}

/** JSON with what JSON.stringify lacks: big integers, −0, and typed arrays. */
function json(v: unknown, depth: number): string {
  switch (typeof v) {
    case 'bigint':
      return String(v);
    case 'number':
      return Object.is(v, -0) ? '-0' : (JSON.stringify(v) ?? 'null');
    case 'string':
    case 'boolean':
      return JSON.stringify(v);
    case 'object': {
      if (v === null || depth > MAX_DEPTH) return 'null';
      const list: readonly unknown[] | undefined = Array.isArray(v)
        ? v
        : ArrayBuffer.isView(v)
          ? [...(v as Float64Array)]
          : undefined;
      if (list) return `[${list.map((x) => json(x, depth + 1)).join()}]`;
      const fields = Object.entries(v).filter(([, x]) => x !== undefined);
      return `{${fields.map(([k, x]) => `${JSON.stringify(k)}:${json(x, depth + 1)}`).join()}}`;
    }
    default:
      return 'null';
  }
}

/** Refuses what is no job: it was not made by job(). */
export function isJob(j: unknown): asserts j is Job {
  if (typeof j !== 'object' || j === null || typeof (j as Partial<Job>).spec !== 'object') {
    throw refuse('env/option', 'the first argument is not a job', { fix: 'make it with job({ … })' });
  }
}
