/** The value of any combine as a sheet of numbers: for the page, and for CSV. */

import type { AnyValue } from './shoal.js';

/** Rows of cells below a head. */
export interface Rows {
  /** How many titles are words of this page; the others are names of outputs. */
  readonly titles?: number;
  /** Whether the first cells of rows are such words. */
  readonly figures?: boolean;
  readonly head: readonly string[];
  readonly rows: readonly (readonly (string | number)[])[];
}

/** The figures of moments, in the order in which people ask for them. */
export const FIGURES = ['mean', 'stddev', 'stderr', 'variance', 'skewness', 'kurtosis', 'min', 'max', 'sum'] as const;

type Column = Readonly<Record<string, unknown>>;

const list = (v: unknown): readonly unknown[] => (Array.isArray(v) ? v : []);
const numberOf = (v: unknown): number => (typeof v === 'number' ? v : Number.NaN);

/** Returns what the value says of each output. */
export function columnsOf(value: AnyValue): readonly Column[] {
  const { columns } = value as unknown as Column;
  return Array.isArray(columns) ? (columns as Column[]) : [value as unknown as Column];
}

/** Lays a value out. outputs are the names of the numbers that an item yields. */
export function rowsOf(kind: string, value: AnyValue, outputs: readonly string[]): Rows {
  const columns = columnsOf(value);
  const whole = value as unknown as Column;
  const name = (i: number): string => outputs[i] ?? `value${i + 1}`;
  switch (kind) {
    case 'moments':
      return {
        figures: true,
        head: ['', ...columns.map((_, i) => name(i))],
        rows: ['n', ...FIGURES, 'nan'].map((f) => [f, ...columns.map((c) => numberOf(c[f]))]),
      };
    case 'sum':
      return {
        figures: true,
        head: ['', ...list(whole['sum']).map((_, i) => name(i))],
        rows: ['sum', 'mean'].map((f) => [f, ...list(whole[f]).map(numberOf)]),
      };
    case 'extremes': {
      const figures = ['n', 'min', 'minItem', 'max', 'maxItem', 'nan'];
      return {
        figures: true,
        head: ['', ...columns.map((_, i) => name(i))],
        rows: figures.map((f) => [f, ...columns.map((c) => numberOf(c[f]))]),
      };
    }
    case 'quantiles':
      return {
        titles: 1,
        head: ['probability', ...columns.map((_, i) => name(i))],
        rows: list(columns[0]?.['probabilities']).map((p, i) => [
          numberOf(p),
          ...columns.map((c) => numberOf(list(c['quantiles'])[i])),
        ]),
      };
    case 'histogram':
      return {
        titles: 4,
        head: ['output', 'from', 'to', 'count'],
        rows: columns.flatMap((c, i) => {
          const edges = list(c['edges']).map(numberOf);
          return list(c['counts']).map((n, k) => [
            name(i),
            edges[k] ?? Number.NaN,
            edges[k + 1] ?? Number.NaN,
            numberOf(n),
          ]);
        }),
      };
    case 'counts':
      return {
        titles: 3,
        head: ['output', 'value', 'count'],
        rows: columns.flatMap((c, i) =>
          list(c['counts']).map((x) => {
            const { value: v, count } = x as Column;
            return [name(i), numberOf(v), numberOf(count)];
          }),
        ),
      };
    case 'covariance':
      return covarianceRows(whole, name);
    case 'top':
    case 'sample':
      return {
        titles: 1,
        head: ['item', ...outputs],
        rows: list(whole['rows']).map((r) => {
          const { item, values } = r as Column;
          return [numberOf(item), ...list(values).map(numberOf)];
        }),
      };
    case 'table':
      return {
        titles: 1,
        head: ['item', ...outputs],
        rows: list(whole['rows']).map((r, i) => [i, ...list(r).map(numberOf)]),
      };
    case 'bytes':
      return { titles: 1, head: ['item', 'base64'], rows: list(whole['data']).map((d, i) => [i, String(d)]) };
    default: {
      const names = list(whole['names']);
      return {
        titles: 2,
        head: ['', 'value'],
        rows: list(whole['values']).map((v, i) => [String(names[i] ?? i + 1), numberOf(v)]),
      };
    }
  }
}

function covarianceRows(value: Column, name: (i: number) => string): Rows {
  const means = list(value['means']).map(numberOf);
  const matrix = (key: string, i: number): number[] => list(list(value[key])[i]).map(numberOf);
  const { regression } = value;
  const rows: (string | number)[][] = means.map((m, i) => [
    name(i),
    m,
    ...matrix('covariance', i),
    ...matrix('correlation', i),
  ]);
  if (typeof regression === 'object' && regression !== null) {
    const r = regression as Column;
    rows.push(['intercept', numberOf(r['intercept'])], ['rSquared', numberOf(r['rSquared'])]);
    for (const [i, s] of list(r['slopes']).entries()) rows.push([`slope ${i + 1}`, numberOf(s)]);
  }
  return {
    titles: 2,
    head: [
      '',
      'mean',
      ...means.map((_, i) => `covariance ${name(i)}`),
      ...means.map((_, i) => `correlation ${name(i)}`),
    ],
    rows,
  };
}

/** Writes a cell as RFC 4180 has it. */
const cell = (v: string | number): string => {
  if (typeof v === 'number') return Number.isNaN(v) ? 'NaN' : String(v);
  return /[",\r\n]/.test(v) ? `"${v.replaceAll('"', '""')}"` : v;
};

/** Writes rows as CSV, with a head and a line feed after each line. */
export const csvText = ({ head, rows }: Rows): string =>
  [head, ...rows].map((r) => `${r.map(cell).join(',')}\n`).join('');
