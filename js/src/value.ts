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

/** How outputs vary together. Figures are NaN where they do not exist. */
export interface Covariance {
  /** Rows that count. */
  readonly n: number;
  readonly means: readonly number[];
  /** Of the sample: divided by n − 1. */
  readonly covariance: readonly (readonly number[])[];
  readonly correlation: readonly (readonly number[])[];
  /** The fit of the target, if the job names one. */
  readonly regression?: Regression;
  /** Rows with a NaN, and rows without one that have an infinity. */
  readonly nan: number;
  readonly infinite: number;
}

/** The least-squares fit of one output by the others and a constant. */
export interface Regression {
  /** The position of the output that is fitted. */
  readonly target: number;
  readonly intercept: number;
  /** Of the other outputs, in their order. */
  readonly slopes: readonly number[];
  readonly interceptError: number;
  readonly slopeErrors: readonly number[];
  readonly rSquared: number;
  /** The standard deviation of the residuals. */
  readonly residual: number;
}

/** Quantiles of one column, each within the relative accuracy. */
export interface Quantiles {
  readonly n: number;
  readonly accuracy: number;
  readonly probabilities: readonly number[];
  /** One for each probability. */
  readonly quantiles: readonly number[];
  readonly nan: number;
  readonly posInf: number;
  readonly negInf: number;
}

/** The ends of one column, and the first items that have them; null if there are none. */
export interface Extremes {
  readonly n: number;
  readonly min: number;
  readonly minItem: number | null;
  readonly max: number;
  readonly maxItem: number | null;
  readonly nan: number;
}

/** Rows that were drawn at random, in the order of their draws. */
export interface Sample {
  /** How many rows there were. */
  readonly n: number;
  readonly rows: readonly { readonly item: number; readonly values: readonly number[] }[];
}

/** The rows with the greatest or least values, the best first. */
export interface Top extends Sample {
  /** Rows that have no rank. */
  readonly nan: number;
}

/** Sums of fixed-point numbers: one entry an output. */
export interface Sum {
  readonly n: number;
  readonly bits: number;
  readonly sum: readonly number[];
  readonly mean: readonly number[];
}

/** What every item returned, in the order of the items. */
export interface Bytes {
  readonly items: number;
  /** In all of them. */
  readonly bytes: number;
  readonly data: readonly Uint8Array[];
  /** While the job is unfinished: the items that the pieces belong to. */
  readonly ranges?: readonly (readonly [first: number, items: number])[];
}

/** What a program of the user's own has made of all rows; empty before it has. */
export interface Reduced {
  /** How many items' rows there are. */
  readonly items: number;
  /** The names of the numbers, if the job says them. */
  readonly names?: readonly string[];
  readonly values: readonly number[];
}

/** A value of several columns: one entry an output. */
export interface Columns<T> {
  readonly columns: readonly T[];
}

/** What each combine yields for one column. */
export interface ColumnValueOf {
  readonly moments: Moments;
  readonly counts: Counts;
  readonly histogram: Histogram;
  readonly quantiles: Quantiles;
  readonly extremes: Extremes;
}

/** What each combine yields, for one column or for all. */
export interface ValueOf extends ColumnValueOf {
  readonly table: Table;
  readonly covariance: Covariance;
  readonly top: Top;
  readonly sample: Sample;
  readonly sum: Sum;
  readonly bytes: Bytes;
  readonly by: Reduced;
}

/** Any value of any combine. */
export type AnyValue = {
  [K in keyof ValueOf]: K extends keyof ColumnValueOf ? ValueOf[K] | Columns<ValueOf[K]> : ValueOf[K];
}[keyof ValueOf];

/** Reads a value that the core wrote. JSON has no NaN; it writes it as text. */
export function parseValue(json: Uint8Array): AnyValue {
  const value: object = JSON.parse(new TextDecoder().decode(json), (key, v: unknown) => {
    if (key === 'names') return (v as unknown[]).map(String); // one may be called NaN
    return typeof v === 'string' && /^(NaN|-?Infinity)$/.test(v) ? Number(v) : v;
  });
  const { rows, columns } = value as Partial<Table>;
  const { data } = value as { data?: unknown[] };
  // A piece in base64 can look like one of the names, and that number reads as it.
  if (data)
    return {
      ...value,
      data: data.map((s) => Uint8Array.from(atob(`${s}`), (c) => c.charCodeAt(0))),
    } as object as Bytes;
  if (!Array.isArray(rows) || typeof columns !== 'number') return value as AnyValue;
  const cells = new Float64Array(rows.length * columns);
  (rows as Table['rows']).forEach((row, i) => {
    cells.set(row, i * columns);
  });
  return Object.assign(value, { cells }) as Table;
}
