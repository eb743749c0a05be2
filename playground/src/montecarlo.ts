/** The first computation: π from random points. */

import { chart } from './chart.js';
import type { Demo } from './demo.js';
import { field, h } from './dom.js';
import { count, decimals, figure, onLanguage, t } from './language.js';
import type { Row } from './result.js';
import { shardMap } from './shardmap.js';
import type { Moments } from './shoal.js';

const POINTS = '50000000';
const SEED = '7';

/** One call of the program; shards of whole calls waste nothing. */
const CALL = 4096;
/** How many shards there are about: points of the graph, and work for several devices. */
const SHARDS = 128;

/** How many items a shard has, so that the estimate is seen to settle. */
const grainOf = (items: number): number => Math.max(CALL, Math.ceil(items / SHARDS / CALL) * CALL);

/** A whole number as a job takes it. What is none goes to the core, which says so. */
export const whole = (text: string): number | bigint => {
  const trimmed = text.trim();
  if (!/^\d+$/.test(trimmed)) return Number(trimmed || Number.NaN);
  const n = BigInt(trimmed);
  return n <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(n) : n;
};

/** Makes the computation. */
export function monteCarlo(): Demo {
  const points = h('input', {
    inputmode: 'numeric',
    autocomplete: 'off',
    name: 'items',
    value: POINTS,
    required: true,
  });
  const seed = h('input', { inputmode: 'numeric', autocomplete: 'off', name: 'seed', value: SEED, required: true });
  const graph = chart(Math.PI, () => t('mcAxis'), 'π');
  const map = shardMap();
  let last: Moments | undefined;

  const describe = (): void => {
    const text = last
      ? t('mcSummary', { mean: figure(last.mean, 7), stderr: figure(last.stderr, 2), n: last.n })
      : t('mcNothing');
    graph.canvas.setAttribute('aria-label', text);
  };
  onLanguage(describe);

  const rows = (): readonly Row[] => {
    if (!last || last.n === 0) return [];
    const off = last.mean - Math.PI;
    // As many decimals as the standard error says are known, and two more.
    const known = last.stderr > 0 ? Math.min(15, Math.max(2, 2 - Math.floor(Math.log10(last.stderr)))) : 6;
    return [
      { name: t('mean'), value: `${decimals(last.mean, known)} ± ${decimals(last.stderr, known)}` },
      {
        name: t('offPi'),
        value: decimals(off, known),
        note: t('errors', { n: decimals(Math.abs(off) / last.stderr, 2) }),
      },
      { name: t('n'), value: count(last.n) },
    ];
  };

  return {
    name: 'mc',
    tab: 'mcTab',
    title: 'mcTitle',
    about: 'mcAbout',
    controls: [field('points', points), field('seed', seed)],
    figure: [h('figure', {}, graph.canvas, h('figcaption', { text: 'mcFigure' })), map.canvas],
    settings: () => ({ items: points.value, seed: seed.value }),
    restore: (s) => {
      points.value = s.get('items') ?? POINTS;
      seed.value = s.get('seed') ?? SEED;
    },
    job: () => {
      const items = Number(whole(points.value));
      return {
        program: 'mc/pi',
        split: { range: items },
        combine: 'moments',
        seed: whole(seed.value),
        ...(items > CALL && { grain: grainOf(items) }),
      };
    },
    clear: () => {
      last = undefined;
      map.update(undefined);
      graph.clear(Number(whole(points.value)) || 0);
      describe();
    },
    planned: (b) => {
      graph.clear(b.items);
      map.update(b);
    },
    moved: (b) => map.update(b),
    value: (v) => {
      if (!('mean' in v)) return;
      last = v;
      graph.add(v);
    },
    settled: describe,
    byDevice: map.byDevice,
    rows,
  };
}
