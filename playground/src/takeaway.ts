/** The result as files to take away: CSV for tables, JSON for programs. */

import { download, h } from './dom.js';
import { jobFile, type Written } from './share.js';
import type { AnyValue, Result } from './shoal.js';
import { csvText, rowsOf } from './values.js';

/** A finished run with the job that it computed. */
export interface Finished {
  readonly job: Written;
  readonly result: Result<AnyValue>;
}

/** The name of a job's combine. */
export const kindOf = ({ combine }: Written): string =>
  typeof combine === 'string' ? combine : (Object.keys(combine)[0] ?? '');

/** Writes a result as JSON: its names, the job, and the value without what only repeats it. */
export function resultJson({ job, result }: Finished): string {
  const { cells: _, ...value } = result.value as AnyValue & { cells?: unknown };
  const { digest, work, items, shards, outputs } = result;
  const named = (_: string, v: unknown): unknown =>
    typeof v === 'number' && !Number.isFinite(v) ? String(v) : typeof v === 'bigint' ? String(v) : v;
  const units = String(result.units);
  const about = { digest, work, job: result.job, items, shards, units, outputs };
  return `${JSON.stringify({ ...about, asked: JSON.parse(jobFile(job)), value }, named, 2)}\n`;
}

/** Writes a result as CSV, the way its combine lays it out. */
export const resultCsv = ({ job, result }: Finished): string =>
  csvText(rowsOf(kindOf(job), result.value, result.outputs));

/** The buttons. */
export interface Takeaway {
  readonly element: HTMLElement;
  readonly update: (done: Finished | undefined) => void;
}

/** Makes them. csv, if given, knows more about the result than its value says. */
export function takeaway(name: string, csv?: () => string): Takeaway {
  let done: Finished | undefined;
  const asCsv = h('button', {
    type: 'button',
    class: 'quiet',
    'data-save': 'csv',
    text: 'downloadCsv',
    click: () => done && download(`${name}.csv`, 'text/csv', csv?.() ?? resultCsv(done)),
  });
  const asJson = h('button', {
    type: 'button',
    class: 'quiet',
    'data-save': 'json',
    text: 'downloadJson',
    click: () => done && download(`${name}.json`, 'application/json', resultJson(done)),
  });
  const element = h('div', { class: 'takeaway', hidden: true }, asCsv, asJson);
  return {
    element,
    update: (now) => {
      done = now;
      element.hidden = now === undefined;
    },
  };
}
