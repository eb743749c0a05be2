/** The first computation: a mean of random draws, as it settles or as it is spread. */

import { bars } from './bars.js';
import { chart } from './chart.js';
import type { Demo } from './demo.js';
import { field, h, say, show } from './dom.js';
import { count, decimals, figure, onLanguage, t } from './language.js';
import { type Call, callEdges, callPrice, NOTHING } from './normal.js';
import { type Quantiles, quantileView } from './quantiles.js';
import type { Row } from './result.js';
import {
  choice,
  digits,
  grainField,
  number,
  numberIn,
  restoreSettings,
  type Setting,
  settingsOf,
  whole,
} from './settings.js';
import { shardMap } from './shardmap.js';
import type { AnyValue, Histogram, Moments } from './shoal.js';
import type { Key } from './strings.js';
import { columnsOf } from './values.js';

/** One call of the program; shards of whole calls waste nothing. */
const CALL = 4096;
/** How many shards there are about: points of the graph, and work for several devices. */
const SHARDS = 128;
const BINS = 40;

/** How many items a shard has, so that the estimate is seen to settle. */
const usualGrain = (items: number): number => Math.max(CALL, Math.ceil(items / SHARDS / CALL) * CALL);

const TERMS = {
  spot: { label: 'spot', usual: '100' },
  strike: { label: 'strike', usual: '100' },
  rate: { label: 'rate', usual: '0.05' },
  volatility: { label: 'volatility', usual: '0.2' },
  years: { label: 'years', usual: '1' },
} as const satisfies Readonly<Record<keyof Call, { label: Key; usual: string }>>;

/** Makes the computation. */
export function monteCarlo(nameOf: (worker: number) => string): Demo {
  const what = choice('program', { pi: 'mcPi', call: 'mcCall' });
  const points = digits('items', '50000000');
  const seed = digits('seed', '7');
  const view = choice('show', { moments: 'mcMoments', histogram: 'mcHistogram', quantiles: 'mcQuantiles' });
  const grain = grainField();
  const terms = (Object.keys(TERMS) as (keyof Call)[]).map((name) => ({
    ...number(name, TERMS[name].usual),
    term: name,
  }));
  const settings: readonly Setting[] = [what, view, ...terms, grain];

  const isCall = (): boolean => what.read() === 'call';
  const call = (): Call => Object.fromEntries(terms.map((x) => [x.term, numberIn(x.element)])) as unknown as Call;
  const exact = (): number => (isCall() ? callPrice(call()) : Math.PI);
  const items = (): number => Number(whole(points.read()));

  const graph = chart(
    () => t('mcAxis'),
    () => (isCall() ? t('mcExact') : 'π'),
  );
  const spread = bars(() => t('value'));
  const quantiles = quantileView();
  const map = shardMap(nameOf);
  let last: AnyValue | undefined;
  /** The settings of the run that is shown, whatever the fields say since. */
  let ran = { kind: view.read(), call: false, exact: Math.PI };

  const about = h('p', { class: 'remark' });
  const termFields = h('div', { class: 'row' }, ...terms.map((x) => field(TERMS[x.term].label, x.element)));
  const figures = {
    moments: h('figure', {}, graph.canvas, h('figcaption', { text: 'mcFigure' })),
    histogram: h('figure', {}, spread.canvas, h('figcaption')),
    quantiles: h('figure', {}, quantiles.element, h('figcaption', { text: 'quantileFigure' })),
  };
  const arrange = (): void => {
    show(termFields, isCall());
    say(about, t(isCall() ? 'mcCallAbout' : 'mcPiAbout'));
  };
  what.element.addEventListener('change', arrange);

  const moments = (): Moments | undefined =>
    last && ran.kind === 'moments' ? (columnsOf(last)[0] as unknown as Moments) : undefined;
  const describe = (): void => {
    arrange();
    const m = moments();
    const text = m
      ? t('mcSummary', {
          mean: figure(m.mean, 7),
          stderr: figure(m.stderr, 2),
          n: m.n,
          exact: figure(ran.exact, 6),
        })
      : t('mcNothing');
    graph.canvas.setAttribute('aria-label', text);
    say(figures.histogram.lastElementChild ?? figures.histogram, t(ran.call ? 'barsFigureCall' : 'barsFigure'));
  };
  onLanguage(describe);

  const momentRows = (m: Moments): readonly Row[] => {
    if (m.n === 0) return [];
    const off = m.mean - ran.exact;
    // As many decimals as the standard error says are known, and two more.
    const known = m.stderr > 0 ? Math.min(15, Math.max(2, 2 - Math.floor(Math.log10(m.stderr)))) : 6;
    return [
      { name: t('mean'), value: `${decimals(m.mean, known)} ± ${decimals(m.stderr, known)}` },
      ...(ran.call ? [{ name: t('exactPrice'), value: decimals(ran.exact, known) }] : []),
      {
        name: t('offExact'),
        value: decimals(off, known),
        ...(m.stderr > 0 && { note: t('errors', { n: decimals(Math.abs(off) / m.stderr, 2) }) }),
      },
      { name: t('n'), value: count(m.n) },
    ];
  };
  const histogramRows = (x: Histogram): readonly Row[] => {
    const share = (n: number): string => `${count(n)} (${decimals((100 * n) / (x.n || 1), 2)} %)`;
    const [first = 0] = x.counts;
    return [
      { name: t('n'), value: count(x.n) },
      ...(ran.call ? [{ name: t('paysNothing'), value: share(first) }] : []),
      ...(ran.call ? [] : x.counts.map((n, i) => ({ name: binName(x, i), value: share(n) }))),
      ...(x.over > 0 ? [{ name: t('above'), value: share(x.over) }] : []),
    ];
  };
  const binName = ({ edges }: Histogram, i: number): string =>
    t('binOf', { from: figure(edges[i] ?? 0), to: figure(edges[i + 1] ?? 0) });

  return {
    name: 'mc',
    tab: 'mcTab',
    title: 'mcTitle',
    about: 'mcAbout',
    controls: [
      field('mcWhat', what.element),
      field('mcReduce', view.element),
      field('points', points.element),
      field('seed', seed.element),
      termFields,
      h('details', { class: 'more' }, h('summary', { text: 'more' }), field('grain', grain.element, 'grainHint')),
      about,
    ],
    figure: [figures.moments, figures.histogram, figures.quantiles, map.element],
    settings: () => ({ items: points.read(), seed: seed.read(), ...settingsOf(settings) }),
    restore: (s) => {
      restoreSettings([points, seed, ...settings], s);
      arrange();
    },
    job: () => {
      const n = items();
      const kind = view.read();
      const chosen = grain.grain() ?? (n > CALL ? usualGrain(n) : undefined);
      const edges = isCall() ? callEdges(call(), BINS) : [0, 2, 4];
      return {
        program: isCall() ? 'mc/european-call' : 'mc/pi',
        split: { range: n },
        ...(isCall() && { params: { ...call() } }),
        combine: kind === 'histogram' ? { histogram: { edges } } : kind,
        seed: whole(seed.read()),
        ...(chosen !== undefined && { grain: chosen }),
      };
    },
    clear: () => {
      last = undefined;
      ran = { kind: view.read(), call: isCall(), exact: exact() };
      for (const [kind, el] of Object.entries(figures)) show(el, kind === ran.kind);
      map.update(undefined);
      graph.clear(items() || 0, ran.exact);
      spread.update(undefined);
      quantiles.update(undefined);
      describe();
    },
    planned: (b) => {
      graph.clear(b.items, ran.exact);
      map.update(b);
    },
    moved: map.update,
    value: (v) => {
      last = v;
      const [column] = columnsOf(v);
      const m = moments();
      if (m) graph.add(m);
      else if (ran.kind === 'quantiles') quantiles.update(column as unknown as Quantiles);
      else if (ran.kind === 'histogram') {
        const { edges, counts } = column as unknown as Histogram;
        // What pays nothing is a bin without width, far higher than all others.
        const from = ran.call && edges[1] === NOTHING ? 1 : 0;
        spread.update({ edges: edges.slice(from), counts: counts.slice(from) });
      }
    },
    settled: describe,
    byDevice: map.byDevice,
    rows: () => {
      const m = moments();
      if (m) return momentRows(m);
      if (last && ran.kind === 'histogram') return histogramRows(columnsOf(last)[0] as unknown as Histogram);
      return last ? [{ name: t('n'), value: count(Number(columnsOf(last)[0]?.['n'] ?? 0)) }] : [];
    },
  };
}
