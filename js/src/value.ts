/** The values that the combines yield. */

/** One column of numbers, described. NaN where a figure does not exist. */
export interface Moments {
  readonly n: number;
  readonly sum: number;
  readonly mean: number;
  /** Of the sample: divided by n − 1. */
  readonly variance: number;
  readonly skewness: number;
  readonly kurtosis: number;
  readonly min: number;
  readonly max: number;
  readonly stddev: number;
  /** The standard error of the mean. */
  readonly stderr: number;
  /** How many values were not finite; they are in no other figure. */
  readonly nan: number;
  readonly posInf: number;
  readonly negInf: number;
}

/** How often each value of one column occurs, rising. */
export interface Counts {
  readonly n: number;
  readonly counts: readonly { readonly value: number; readonly count: number }[];
  readonly nan: number;
  readonly posInf: number;
  readonly negInf: number;
}

/** How many values of one column fall in each bin: a bin holds its lower edge, the last its upper too. */
export interface Histogram {
  readonly n: number;
  readonly edges: readonly number[];
  readonly counts: readonly number[];
  readonly under: number;
  readonly over: number;
  readonly nan: number;
}

/** Every item's outputs. */
export interface Table {
  readonly items: number;
  readonly columns: number;
  /** In the order of the items. */
  readonly rows: readonly (readonly number[])[];
  /** The same numbers in one piece, row by row. */
  readonly cells: Float64Array;
  /** While the job is unfinished: the items that the rows belong to. */
  readonly ranges?: readonly (readonly [first: number, items: number])[];
}

/** A value of several columns: one entry an output. */
export interface Columns<T> {
  readonly columns: readonly T[];
}

/** What each combine yields for one column; a table is one thing for all. */
export interface ValueOf {
  readonly moments: Moments;
  readonly counts: Counts;
  readonly histogram: Histogram;
  readonly table: Table;
}

/** Any value of any combine. */
export type AnyValue = {
  [K in keyof ValueOf]: K extends 'table' ? Table : ValueOf[K] | Columns<ValueOf[K]>;
}[keyof ValueOf];

const NAMED: Readonly<Record<string, number>> = {
  NaN: Number.NaN,
  Infinity: Number.POSITIVE_INFINITY,
  '-Infinity': Number.NEGATIVE_INFINITY,
};

/** Reads a value that the core wrote. JSON has no NaN; it writes it as text. */
export function parseValue(json: Uint8Array): AnyValue {
  const value: unknown = JSON.parse(new TextDecoder().decode(json), (_, v: unknown) =>
    typeof v === 'string' ? (NAMED[v] ?? v) : v,
  );
  const { rows, columns } = value as Partial<Table>;
  if (!Array.isArray(rows) || typeof columns !== 'number') return value as AnyValue;
  const cells = new Float64Array(rows.length * columns);
  (rows as Table['rows']).forEach((row, i) => {
    cells.set(row, i * columns);
  });
  return Object.assign(value as object, { cells }) as Table;
}
