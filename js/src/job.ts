/** Jobs: what is computed, as frozen plain data. The core validates it. */

import type { ValueOf } from './value.js';

/** Where the bytes of a file come from. Nothing is read before the run starts. */
export type Source = Blob | Uint8Array | ArrayBuffer | URL | Response | ReadableStream<Uint8Array>;

/** A module of the user's own. docs/program-abi.md says what it exports. */
export interface ModuleSpec {
  readonly module: Source;
  /** How many numbers an item yields, or their names. */
  readonly outputs?: number | readonly string[];
  /** How many items one call of the module gets at most. */
  readonly runItems?: number;
}

/** A program of the catalog, or a module. */
export type ProgramSpec = 'mc/pi' | 'stats/columns' | 'sweep/sir' | (string & {}) | ModuleSpec;

/** The values of one axis of a grid. */
export type Axis =
  | readonly [from: number, to: number, count: number]
  | { readonly from: number; readonly to: number; readonly count: number }
  | { readonly values: readonly number[] };

/** A column of a file, by its name or its position from 0. */
export type Column = string | number;

/** Which numbers of which file the items get. */
export type RecordsSpec = {
  /** A string is the text of the file itself, not a name. */
  readonly file: Source | string;
  readonly format?: 'csv';
  readonly header?: boolean;
  readonly delimiter?: string;
} & ({ readonly column: Column } | { readonly columns: readonly Column[] });

/** How the work falls into items. */
export type SplitSpec =
  | { readonly range: number }
  | { readonly grid: Readonly<Record<string, Axis>> }
  | { readonly records: RecordsSpec };

/** How results are reduced. */
export type CombineSpec =
  | keyof ValueOf
  | { readonly moments: Readonly<Record<never, never>> }
  | { readonly counts: Readonly<Record<never, never>> }
  | { readonly table: Readonly<Record<never, never>> }
  | { readonly histogram: { readonly edges: readonly number[] } };

/** A job as it is written down: the shape of a job file. */
export interface JobSpec {
  readonly program: ProgramSpec;
  readonly split: SplitSpec;
  readonly combine: CombineSpec;
  readonly params?: Readonly<Record<string, number>>;
  /** Keys all randomness. The same seed gives the same bytes everywhere. */
  readonly seed?: number | bigint | string;
  readonly policy?: { readonly copies?: number; readonly oracles?: readonly string[] };
  /** Items in a shard; planned when left out. It never changes a result. */
  readonly grain?: number;
  /** Gas is in units of work for each shard, memory in MiB for each program. */
  readonly limits?: { readonly gas?: number; readonly memory?: number };
}

/** A job that {@link job} has made. S is how it was written down. */
export interface Job<S extends JobSpec = JobSpec> {
  readonly spec: S;
}

const isSource = (v: object): boolean =>
  ArrayBuffer.isView(v) ||
  v instanceof ArrayBuffer ||
  v instanceof URL ||
  (typeof Blob === 'function' && v instanceof Blob) ||
  (typeof Response === 'function' && v instanceof Response) ||
  (typeof ReadableStream === 'function' && v instanceof ReadableStream);

/** How deep a job nests at most; the core refuses less. */
const MAX_DEPTH = 32;

const frozen = (v: unknown, depth: number): unknown => {
  if (typeof v !== 'object' || v === null || isSource(v) || depth > MAX_DEPTH) return v;
  if (Array.isArray(v)) return Object.freeze(v.map((x) => frozen(x, depth + 1)));
  return Object.freeze(Object.fromEntries(Object.entries(v).map(([k, x]) => [k, frozen(x, depth + 1)])));
};

/**
 * Makes a job. It is a frozen copy of the description; files and modules are
 * kept by reference and must not be changed. Whether it can run is decided by
 * the core when it is run, which refuses unknown fields.
 *
 * @example
 * const pi = job({
 *   program: 'mc/pi',
 *   split: split.range(10_000_000),
 *   combine: combine.moments(),
 *   seed: 42,
 * });
 */
export function job<const S extends JobSpec>(spec: S): Job<S> {
  return Object.freeze({ spec: frozen(spec, 0) as S });
}

/** Ways in which work falls into items. */
export const split = {
  /** n items, numbered from 0. */
  range: (n: number) => ({ range: n }) as const,
  /** One item for every point of a grid of named axes: `[from, to, count]` each. */
  grid: <const A extends Readonly<Record<string, Axis>>>(axes: A) => ({ grid: axes }) as const,
  /** One item for every record of a file. */
  records: <const R extends RecordsSpec>(records: R) => ({ records }) as const,
} as const;

/** Ways in which results are reduced. All are exact: order and peers never show. */
export const combine = {
  /** Count, mean, variance and more of every output. */
  moments: () => ({ moments: {} }) as const,
  /** Every item's outputs. */
  table: () => ({ table: {} }) as const,
  /** How many values fall between given edges. */
  histogram: <const H extends { readonly edges: readonly number[] }>(histogram: H) => ({ histogram }) as const,
  /** How often each value occurs. */
  counts: () => ({ counts: {} }) as const,
} as const;
