/** Shows the value of any combine: as a drawing where there is one, and as a table. */

import { type Bars, bars } from './bars.js';
import { h, say, show } from './dom.js';
import { count, figure, onLanguage, t } from './language.js';
import { type Quantiles, quantileView } from './quantiles.js';
import type { Row } from './result.js';
import type { AnyValue, Histogram, Moments } from './shoal.js';
import type { Key } from './strings.js';
import { columnsOf, FIGURES, rowsOf } from './values.js';

/** A view of a value. */
export interface ValueView {
  readonly element: HTMLElement;
  /** Begins anew. outputs are the names of the numbers that an item yields. */
  readonly clear: (kind: string, outputs: readonly string[]) => void;
  readonly update: (v: AnyValue) => void;
  /** The figures for the result: of one output all, of several their number only. */
  readonly rows: () => readonly Row[];
}

/** More rows than this on a page help nobody. */
const ROWS = 100;
/** More outputs than this have no drawing each. */
const DRAWN = 6;

/** What a cell of a head or of a first column says, in the language of the page. */
const WORDS: Readonly<Record<string, Key>> = {
  n: 'n',
  mean: 'mean',
  stddev: 'stddev',
  stderr: 'stderr',
  variance: 'variance',
  skewness: 'skewness',
  kurtosis: 'kurtosis',
  min: 'min',
  max: 'max',
  sum: 'sum',
  minItem: 'minItem',
  maxItem: 'maxItem',
  item: 'item',
  output: 'output',
  value: 'value',
  count: 'times',
  from: 'from',
  to: 'to',
  probability: 'probability',
  nan: 'nan',
};

/** Makes a view without a value. */
export function valueView(): ValueView {
  let kind = '';
  let outputs: readonly string[] = [];
  let value: AnyValue | undefined;
  const drawings = h('div');
  const quantiles = quantileView();
  let drawn: Bars[] = [];
  const head = h('tr');
  const body = h('tbody');
  const more = h('p', { class: 'hint' });
  const table = h(
    'table',
    { class: 'cells' },
    h('caption', { class: 'unseen', text: 'value' }),
    h('thead', {}, head),
    body,
  );
  const scroll = h('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label$': 'value' }, table);
  const element = h('div', { class: 'values' }, drawings, scroll, more);
  const single = (): boolean => kind === 'moments' && value !== undefined && columnsOf(value).length === 1;

  const word = (v: string): string => {
    const key = WORDS[v];
    const text = key ? t(key) : v;
    return text.charAt(0).toUpperCase() + text.slice(1);
  };
  const paint = (): void => {
    const tabled = value !== undefined && !single() && kind !== 'quantiles';
    show(scroll, tabled);
    show(more, tabled);
    if (!value || !tabled) return;
    const { head: names, rows, titles = 0, figures = false } = rowsOf(kind, value, outputs);
    head.replaceChildren(
      ...names.map((x, i) => (x === '' ? h('td') : h('th', { scope: 'col' }, i < titles ? word(x) : x))),
    );
    const named = names[0] === '';
    body.replaceChildren(
      ...rows.slice(0, ROWS).map((r) =>
        h(
          'tr',
          {},
          ...r.map((c, i) => {
            const text = typeof c === 'number' ? figure(c, 8) : figures && i === 0 ? word(c) : c;
            return named && i === 0 ? h('th', { scope: 'row' }, text) : h('td', {}, text);
          }),
        ),
      ),
    );
    say(more, rows.length > ROWS ? t('firstRows', { shown: ROWS, all: rows.length }) : '');
  };
  onLanguage(paint);

  const draw = (v: AnyValue): void => {
    const columns = columnsOf(v);
    if (kind === 'quantiles') {
      quantiles.update(columns[0] as unknown as Quantiles);
      if (drawings.firstChild !== quantiles.element) drawings.replaceChildren(quantiles.element);
      show(quantiles.element, columns.length === 1);
      return;
    }
    if (kind !== 'histogram' || columns.length > DRAWN) return;
    if (drawn.length !== columns.length) {
      drawn = columns.map((_, i) => bars(() => outputs[i] ?? t('value')));
      drawings.replaceChildren(...drawn.map((b) => h('figure', {}, b.canvas)));
    }
    for (const [i, b] of drawn.entries()) b.update(columns[i] as unknown as Histogram);
  };

  return {
    element,
    clear: (k, names) => {
      kind = k;
      outputs = names;
      value = undefined;
      drawn = [];
      drawings.replaceChildren();
      paint();
    },
    update: (v) => {
      value = v;
      draw(v);
      paint();
    },
    rows: () => {
      if (!value) return [];
      if (!single()) {
        const n = Number(columnsOf(value)[0]?.['n'] ?? (value as unknown as { items?: number }).items ?? Number.NaN);
        return Number.isNaN(n) ? [] : [{ name: t('n'), value: count(n) }];
      }
      const m = columnsOf(value)[0] as unknown as Moments;
      const figures = FIGURES.map((key): Row => ({ name: t(key), value: figure(m[key], 15) }));
      return [{ name: t('n'), value: count(m.n) }, ...figures];
    },
  };
}
