/** Turns a job into what the core reads: a job file's JSON, and files by name. */

import { isSource, type Job, tagOf } from './job.js';
import { refuse } from './refusal.js';
import type { Content } from './sources.js';
import { textOf } from './text.js';

/** Levels after which nothing is written any more; the core refuses fewer. */
const MAX_DEPTH = 32;
const MAX_NAME = 200; // characters, of a file's name
/** Up to this size a file lies in memory, which spares small jobs the detours. */
export const IN_MEMORY = 8 << 20;

/** The fields that hold a file, or in files a list of them, and what a file without a name is called. */
const FIELDS: Readonly<Record<string, string>> = {
  file: 'records.csv',
  files: 'records.csv',
  module: 'program.wasm',
  entry: 'entry.bin',
};

/** A file that a job names. */
export interface PackedFile {
  readonly name: string;
  readonly content: Content;
}

/** Fields whose members have names that people choose: none of these is a file. */
const CHOSEN = /^(grid|params|formula|draws)$/;

/** A job file and the files that it names. */
export interface Packed {
  readonly job: Uint8Array<ArrayBuffer>;
  readonly files: readonly PackedFile[];
}

/** Returns what a source holds. What is large stays where it is. */
const contentOf = async (v: object, signal?: AbortSignal): Promise<Content> => {
  const bytes = ArrayBuffer.isView(v)
    ? new Uint8Array(v.buffer as ArrayBuffer, v.byteOffset, v.byteLength)
    : tagOf(v) === 'ArrayBuffer' && new Uint8Array(v as ArrayBuffer);
  if (bytes && bytes.length <= IN_MEMORY && !(bytes[0] === 0x1f && bytes[1] === 0x8b)) return bytes;
  return (await import('./sources.js')).contentOf(bytes || v, signal);
};

const nameOf = (v: unknown, usual: string): string => {
  const name = (v as { name?: unknown } | null)?.name;
  return typeof name === 'string' && name !== '' && name.length <= MAX_NAME ? name : usual;
};

/**
 * Reads the job's files and writes its job file. Nothing of the job is judged
 * here; what JSON cannot say becomes null, which the core refuses at its place.
 *
 * @param signal ends the reading of files
 */
export async function pack(j: Job, signal?: AbortSignal): Promise<Packed> {
  const files: PackedFile[] = [];
  const names = new Map<object, string>();

  const file = async (v: string | object, key: string, at: string): Promise<string> => {
    const usual = FIELDS[key] ?? '';
    const known = names.get(v as object);
    if (known) return known;
    let name = nameOf(v, usual);
    while (files.some((f) => f.name === name)) name = `${files.length + 1}-${name}`;
    const details = { field: at };
    if (typeof v === 'string' && !(usual.endsWith('.csv') && /[\n\r]/.test(v))) {
      throw refuse('env/file-name', `${at} is the text ${JSON.stringify(v.slice(0, 80))}`, { details });
    }
    try {
      const text = typeof v === 'string';
      const content = text ? new TextEncoder().encode(v) : await contentOf(v, signal);
      files.push({ name, content });
      if (!text) names.set(v, name);
    } catch (e) {
      throw refuse('env/input', `${at}: ${textOf(e)}`, { details, cause: e });
    }
    return name;
  };

  /** Writes JSON with what JSON.stringify lacks: big integers, −0, and typed arrays. */
  const json = async (v: unknown, key: string, at: string, depth: number): Promise<string> => {
    if (Object.hasOwn(FIELDS, key) && (typeof v === 'string' || (typeof v === 'object' && v !== null && isSource(v)))) {
      return JSON.stringify(await file(v, key, at));
    }
    if (typeof v === 'bigint') return String(v);
    if (Object.is(v, -0)) return '-0';
    if (typeof v !== 'object' || v === null) return JSON.stringify(v) ?? 'null';
    if (depth > MAX_DEPTH) return 'null';
    const list = Array.isArray(v) || ArrayBuffer.isView(v);
    const parts: string[] = [];
    const chosen = CHOSEN.test(key);
    for (const [k, x] of Object.entries(v)) {
      if (list) parts.push(await json(x, key === 'files' ? key : '', `${at}[${k}]`, depth + 1));
      else if (x !== undefined)
        parts.push(`${JSON.stringify(k)}:${await json(x, chosen ? '' : k, at ? `${at}.${k}` : k, depth + 1)}`);
    }
    return list ? `[${parts}]` : `{${parts}}`;
  };
  return { job: new TextEncoder().encode(await json(j.spec, '', '', 0)), files };
}

/** Refuses what is no job: it was not made by job(). */
export function isJob(j: unknown): asserts j is Job {
  if (typeof j !== 'object' || j === null || typeof (j as Partial<Job>).spec !== 'object') {
    throw refuse('env/option', 'the first argument is not a job', { fix: 'make it with job({ … })' });
  }
}
