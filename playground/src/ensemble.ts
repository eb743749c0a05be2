/** An ensemble of the Lorenz system: where its members end. */

import { bars } from './bars.js';
import { ACCEPTED, type Board } from './board.js';
import type { Demo } from './demo.js';
import { field, h } from './dom.js';
import { count, decimals, figure, onLanguage, t } from './language.js';
import { roundUp } from './normal.js';
import { pageRefusal } from './refusal.js';
import type { Row } from './result.js';
import { scatter } from './scatter.js';
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
import type { Shard } from './shoal.js';
import type { Key } from './strings.js';

/** What an item yields: the outputs of ensemble/lorenz. */
const OUTPUTS = ['x', 'y', 'z', 'distance'] as const;
const DISTANCE = 3;
/** More members than this are no longer points. */
const MOST = 100_000;
/** The control's path is drawn with so many steps at most, from its beginning. */
const PATH = 4000;
const BINS = 30;
const PLANES = { xz: [0, 2], xy: [0, 1], yz: [1, 2] } as const;

const PARAMS = {
  spread: { label: 'spread', usual: '0.001' },
  steps: { label: 'integration', usual: '2000' },
  dt: { label: 'dt', usual: '0.01' },
  sigma: { label: 'sigma', usual: '10' },
  rho: { label: 'rho', usual: '28' },
  beta: { label: 'lorenzBeta', usual: String(8 / 3) },
} as const satisfies Readonly<Record<string, { label: Key; usual: string }>>;
type Param = keyof typeof PARAMS;

/** Returns the control's path from 1, 1, 1, by the same method as the program, for orientation only. */
function controlPath(p: Readonly<Record<Param, number>>): Float64Array<ArrayBuffer> {
  const steps = Math.min(PATH, Math.max(0, Math.floor(p.steps) || 0));
  const out = new Float64Array(3 * (steps + 1)).fill(1);
  const slope = (x: number, y: number, z: number) =>
    [p.sigma * (y - x), x * (p.rho - z) - y, x * y - p.beta * z] as const;
  let [x, y, z] = [1, 1, 1];
  for (let i = 1; i <= steps; i++) {
    const half = p.dt / 2;
    const [a, b, c] = slope(x, y, z);
    const [d, e, f] = slope(x + half * a, y + half * b, z + half * c);
    const [g, k, l] = slope(x + half * d, y + half * e, z + half * f);
    const [m, n, o] = slope(x + p.dt * g, y + p.dt * k, z + p.dt * l);
    x += (p.dt / 6) * (a + 2 * d + 2 * g + m);
    y += (p.dt / 6) * (b + 2 * e + 2 * k + n);
    z += (p.dt / 6) * (c + 2 * f + 2 * l + o);
    out.set([x, y, z], 3 * i);
  }
  return out;
}

/** Makes the computation. */
export function ensemble(nameOf: (worker: number) => string): Demo {
  const members = digits('members', '2000');
  const seed = digits('seed', '7');
  const plane = choice('show', { xz: 'planeXZ', xy: 'planeXY', yz: 'planeYZ' });
  const grain = grainField();
  const params = (Object.keys(PARAMS) as Param[]).map((name) => ({
    ...number(name, PARAMS[name].usual),
    param: name,
  }));
  const settings: readonly Setting[] = [plane, ...params, grain];
  const fields = (names: readonly Param[]): HTMLElement[] =>
    params.filter((p) => names.includes(p.param)).map((p) => field(PARAMS[p.param].label, p.element));
  const read = (): Readonly<Record<Param, number>> =>
    Object.fromEntries(params.map((p) => [p.param, numberIn(p.element)])) as Record<Param, number>;

  const cloud = scatter();
  const far = bars(() => t('distance'));
  const map = shardMap(nameOf);
  let cells = new Float64Array();
  let path = new Float64Array();
  let board: Board | undefined;

  /** Mean and deviation of each output over the verified members. */
  const statistics = (): { n: number; mean: number[]; deviation: number[] } => {
    const sum = [0, 0, 0, 0];
    let n = 0;
    const each = (visit: (o: number, v: number) => void): void => {
      for (let i = 0; i < cells.length; i += OUTPUTS.length) {
        if (Number.isNaN(cells[i])) continue;
        for (let o = 0; o < OUTPUTS.length; o++) visit(o, cells[i + o] ?? 0);
      }
    };
    each((o, v) => {
      sum[o] = (sum[o] ?? 0) + v;
      if (o === 0) n++;
    });
    const mean = sum.map((s) => s / n);
    const squares = [0, 0, 0, 0];
    each((o, v) => {
      squares[o] = (squares[o] ?? 0) + (v - (mean[o] ?? 0)) ** 2;
    });
    return { n, mean, deviation: squares.map((s) => Math.sqrt(s / (n - 1))) };
  };
  const distances = (): number[] => {
    const out: number[] = [];
    for (let i = DISTANCE; i < cells.length; i += OUTPUTS.length) {
      const v = cells[i] ?? Number.NaN;
      if (!Number.isNaN(v)) out.push(v);
    }
    return out;
  };

  let now = statistics();
  let sinceFigures = 0;
  const refresh = (all: boolean): void => {
    const [across, up] = PLANES[plane.read()];
    // Figures of a hundred thousand members in every frame would leave no time for the frame.
    if (all || performance.now() - sinceFigures > 200) {
      sinceFigures = performance.now();
      now = statistics();
      const values = distances();
      const width = roundUp((values.reduce((a, b) => Math.max(a, b), 0) || 1) / BINS);
      const counts = new Array<number>(BINS).fill(0);
      for (const v of values) {
        const bin = Math.min(BINS - 1, Math.floor(v / width));
        counts[bin] = (counts[bin] ?? 0) + 1;
      }
      const used = counts.findLastIndex((n) => n > 0) + 1;
      const edges = Array.from({ length: used + 1 }, (_, i) => i * width);
      far.update(used > 0 ? { edges, counts: counts.slice(0, used) } : undefined);
    }
    const { n, mean, deviation } = now;
    cloud.update({
      cells,
      columns: OUTPUTS.length,
      across,
      up,
      path,
      mean: n > 0 ? [mean[across] ?? 0, mean[up] ?? 0] : undefined,
      labels: [OUTPUTS[across] ?? '', OUTPUTS[up] ?? ''],
    });
    if (!all) return;
    const both = (o: number): string => `${figure(mean[o] ?? 0, 3)} ± ${figure(deviation[o] ?? 0, 2)}`;
    const text =
      n > 0
        ? t('ensembleSummary', { n, x: both(0), y: both(1), z: both(2), distance: figure(mean[DISTANCE] ?? 0, 3) })
        : t('ensembleNothing');
    cloud.canvas.setAttribute('aria-label', text);
  };
  plane.element.addEventListener('change', () => refresh(true));
  onLanguage(() => refresh(true));

  return {
    name: 'ensemble',
    tab: 'ensembleTab',
    title: 'ensembleTitle',
    about: 'ensembleAbout',
    controls: [
      field('members', members.element),
      field('seed', seed.element),
      field('plane', plane.element),
      h('div', { class: 'row' }, ...fields(['spread', 'steps', 'dt'])),
      h(
        'details',
        { class: 'more' },
        h('summary', { text: 'more' }),
        h('div', { class: 'row' }, ...fields(['sigma', 'rho', 'beta']), field('grain', grain.element, 'grainHint')),
      ),
    ],
    figure: [
      h('figure', {}, cloud.canvas, h('figcaption', { text: 'ensembleFigure' })),
      h('figure', {}, far.canvas, h('figcaption', { text: 'distanceFigure' })),
      map.element,
    ],
    settings: () => ({ members: members.read(), seed: seed.read(), ...settingsOf(settings) }),
    restore: (s) => {
      restoreSettings([members, seed, ...settings], s);
      refresh(true);
    },
    job: () => {
      const n = Number(whole(members.read()));
      if (n > MOST) {
        throw pageRefusal('job/out-of-range', 'tooManyMembers', 'tooManyMembersWhy', 'tooManyMembersFix', {
          most: MOST,
        });
      }
      const chosen = grain.grain();
      return {
        program: 'ensemble/lorenz',
        split: { range: n },
        params: { ...read() },
        combine: 'table',
        seed: whole(seed.read()),
        ...(chosen !== undefined && { grain: chosen }),
      };
    },
    clear: () => {
      const n = Number(whole(members.read()));
      cells = new Float64Array(n > 0 && n <= MOST ? n * OUTPUTS.length : 0).fill(Number.NaN);
      path = controlPath(read());
      board = undefined;
      map.update(undefined);
      refresh(true);
    },
    planned: (b) => {
      board = b;
      map.update(b);
    },
    shard: (s: Shard) => {
      if (s.cells) cells.set(s.cells, s.first * OUTPUTS.length);
    },
    moved: (b) => {
      map.update(b);
      refresh(b.counts[ACCEPTED] === b.shards);
    },
    settled: () => refresh(true),
    byDevice: map.byDevice,
    rows: (): readonly Row[] => {
      const { n, mean, deviation } = now;
      if (n === 0 || !board) return [];
      const sorted = distances().sort((a, b) => a - b);
      return [
        { name: t('members'), value: count(n) },
        ...OUTPUTS.slice(0, DISTANCE).map((o, i) => ({
          name: t('coordinate', { what: o }),
          value: `${decimals(mean[i] ?? Number.NaN, 4)} ± ${decimals(deviation[i] ?? Number.NaN, 4)}`,
        })),
        { name: t('median'), value: figure(sorted[Math.floor(sorted.length / 2)] ?? Number.NaN, 5) },
      ];
    },
  };
}
