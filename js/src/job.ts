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
  /** What an output is: a number of this type, f64 unless said, or the item's bytes. */
  readonly returns?: 'f64' | 'f32' | 'i64' | 'bytes';
}

/** Expressions that the core compiles to a module. docs/job-file.md has the language. */
export interface FormulaSpec {
  /** One expression, or the expressions of several outputs by name. */
  readonly formula: string | Readonly<Record<string, string>>;
  /** Names in them that are random numbers. A single letter is uniform without this. */
  readonly draws?: Readonly<Record<string, 'uniform' | 'normal'>>;
}

/** An entry of somebody's catalog, as `shoal catalog export` writes it. */
export interface EntrySpec {
  readonly entry: Source;
}

/** A program beside the main one: a module or an entry, and the numbers that it sees. */
export type ContentSpec = { readonly params?: Readonly<Record<string, number>> } & (
  | { readonly module: Source }
  | EntrySpec
);

/** A program whose outputs are the columns of the items. An entry says what they are. */
export type BySplitSpec = ContentSpec & { readonly items: number; readonly columns?: number | readonly string[] };

/** A program that turns all rows into the result. An entry says what it yields. */
export type ByCombineSpec = ContentSpec & { readonly outputs?: number | readonly string[] };

/** A program of the catalog, a module, a formula, or an entry. */
export type ProgramSpec =
  | 'batch/text'
  | 'ensemble/lorenz'
  | 'mc/european-call'
  | 'mc/pi'
  | 'ml/kfold-logreg'
  | 'stats/columns'
  | 'sweep/sir'
  | (string & {})
  | ModuleSpec
  | FormulaSpec
  | EntrySpec;

/** The values of one axis of a grid. */
export type Axis =
  | readonly [from: number, to: number, count: number]
  | { readonly from: number; readonly to: number; readonly count: number }
  | { readonly values: readonly number[] };

/** A column of a file, by its name or its position from 0. */
export type Column = string | number;

/** One file, or several whose records follow each other. A string is the text itself, not a name. */
export type FileSpec = { readonly file: Source | string } | { readonly files: readonly (Source | string)[] };

/** The dialect of a file of numbers. docs/job-file.md has the rules. */
export interface CSVSpec {
  readonly format?: 'csv';
  readonly header?: boolean;
  readonly delimiter?: string;
  readonly quote?: string | false;
  readonly comment?: string;
  /** What becomes of a field without a number: the job is refused, unless it is to be NaN. */
  readonly missing?: 'refuse' | 'nan';
  /** How such a field is written. */
  readonly missingValues?: readonly string[];
}

/** Which numbers or which text of which files the items get. */
export type RecordsSpec = FileSpec &
  (
    | (CSVSpec & ({ readonly column: Column } | { readonly columns: readonly Column[] }))
    | { readonly format: 'lines' | 'fasta' }
  );

/**
 * A file that every item sees whole: its bytes, or the numbers of its columns. A
 * program of the catalog says which.
 */
export type InputSpec = { readonly file: Source | string } & (
  | { readonly format?: 'bytes' }
  | (CSVSpec & { readonly columns?: readonly Column[] })
);

/** How the work falls into items. */
export type SplitSpec =
  | { readonly range: number }
  | { readonly grid: Readonly<Record<string, Axis>> }
  | { readonly records: RecordsSpec }
  | { readonly by: BySplitSpec };

/** Leaves out what is NaN, where otherwise the figures become NaN. */
export interface SkipNaN {
  readonly nan?: 'skip';
}

type Nothing = Readonly<Record<never, never>>;

/** What each combine can be told. docs/job-file.md explains it. */
export interface CombineOptions {
  readonly moments: SkipNaN;
  readonly counts: Nothing;
  readonly histogram: { readonly edges: readonly number[] };
  readonly table: Nothing;
  readonly covariance: SkipNaN & { readonly target?: Column };
  readonly quantiles: SkipNaN & { readonly accuracy?: number; readonly probabilities?: readonly number[] };
  readonly extremes: SkipNaN;
  readonly top: { readonly k?: number; readonly by?: Column; readonly order?: 'greatest' | 'least' };
  readonly sample: { readonly k?: number };
  readonly sum: { readonly bits?: number };
  readonly bytes: Nothing;
  readonly by: ByCombineSpec;
}

type With<K extends keyof CombineOptions> = { readonly [P in K]: CombineOptions[P] };

/** How results are reduced. */
export type CombineSpec =
  | Exclude<keyof ValueOf, 'histogram' | 'by'>
  | { [K in keyof CombineOptions]: With<K> }[keyof CombineOptions];

/** A job as it is written down: the shape of a job file. */
export interface JobSpec {
  readonly program: ProgramSpec;
  readonly split: SplitSpec;
  readonly combine: CombineSpec;
  readonly params?: Readonly<Record<string, number>>;
  /** Files that every item sees, by the names that the program has for them. */
  readonly inputs?: Readonly<Record<string, InputSpec>>;
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

/** Returns the name of a platform's class, which objects of other frames have, too. */
export const tagOf = (v: unknown): unknown => (v as { [Symbol.toStringTag]?: unknown })[Symbol.toStringTag];

/** Reports whether an object is a source, and not part of the description. */
export const isSource = (v: object): boolean =>
  ArrayBuffer.isView(v) || /^(ArrayBuffer|Blob|File|ReadableStream|Response|URL)$/.test(String(tagOf(v)));

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

/** Makes, for each of the words, the function that puts its argument under it. */
const under = (words: string): unknown =>
  Object.fromEntries(words.split(' ').map((word) => [word, (v: unknown = {}) => ({ [word]: v })]));

/** Ways in which work falls into items. */
export const split: {
  /** n items, numbered from 0. */
  range(n: number): { readonly range: number };
  /** One item for every point of a grid of named axes: `[from, to, count]` each. */
  grid<const A extends Readonly<Record<string, Axis>>>(axes: A): { readonly grid: A };
  /** One item for every record of a file. */
  records<const R extends RecordsSpec>(records: R): { readonly records: R };
  /** Items whose columns a program of your own computes. */
  by<const B extends BySplitSpec>(by: B): { readonly by: B };
} = /* @__PURE__ */ under('range grid records by') as never;

/** Ways in which results are reduced. All are exact: order and peers never show. */
export const combine: {
  /** Count, mean, variance and more of every output. */
  moments(options?: SkipNaN): With<'moments'>;
  /** Every item's outputs. */
  table(): With<'table'>;
  /** How many values fall between given edges. */
  histogram(options: CombineOptions['histogram']): With<'histogram'>;
  /** How often each value occurs. */
  counts(): With<'counts'>;
  /** Means, covariances and correlations of all outputs, and a regression. */
  covariance(options?: CombineOptions['covariance']): With<'covariance'>;
  /** Medians and other quantiles of every output, to a relative accuracy. */
  quantiles(options?: CombineOptions['quantiles']): With<'quantiles'>;
  /** The least and the greatest value of every output, and where they are. */
  extremes(options?: SkipNaN): With<'extremes'>;
  /** The rows with the greatest or least values in one output. */
  top(options?: CombineOptions['top']): With<'top'>;
  /** Rows drawn evenly at random, the same ones for the same work. */
  sample(options?: CombineOptions['sample']): With<'sample'>;
  /** Sum and mean of every output in fixed point, for long vectors. */
  sum(options?: CombineOptions['sum']): With<'sum'>;
  /** The bytes that every item returns. */
  bytes(): With<'bytes'>;
  /** What a program of your own makes of all rows, in the order of the items. */
  by(options: ByCombineSpec): With<'by'>;
} = /* @__PURE__ */ under(
  'moments table histogram counts covariance quantiles extremes top sample sum bytes by',
) as never;
