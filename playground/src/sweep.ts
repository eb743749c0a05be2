/** The second computation: a map of the SIR model. */

import { ACCEPTED, states } from './board.js';
import type { Demo } from './demo.js';
import { announce, field, h, say, show, tick } from './dom.js';
import { axisValue, extremes, type Grid, grid, type OutputName, outputs, type Span, toCsv } from './grid.js';
import { heatmap, letterOf } from './heatmap.js';
import { count, figure, onLanguage, t } from './language.js';
import { pageRefusal } from './refusal.js';
import type { Row } from './result.js';
import { grainField, numberIn, restoreSettings, settingsOf } from './settings.js';
import { sheet } from './sheet.js';
import type { Key } from './strings.js';

const AXES = { beta: '0.01,1,100', gamma: '0.01,0.7,70' } as const;
const PARAMS = { population: '10000', infected: '10', days: '365', steps: '4' } as const;
type Param = keyof typeof PARAMS;
const PARAM_LABELS: Readonly<Record<Param, Key>> = {
  population: 'population',
  infected: 'infected',
  days: 'days',
  steps: 'stepsPerDay',
};
/** The most points on an axis: more than the screen shows helps nobody. */
const MOST = 250;

interface AxisFields {
  readonly element: HTMLElement;
  readonly read: () => Span;
  readonly text: () => string;
  readonly write: (text: string) => void;
}

/** Makes the three fields of an axis. */
function axisFields(label: Key, name: string, usual: string): AxisFields {
  const input = (step: string, attributes: Record<string, string | number>): HTMLInputElement =>
    h('input', { type: 'number', step, required: true, ...attributes });
  const from = input('any', { name: `${name}-from` });
  const to = input('any', { name: `${name}-to` });
  const n = input('1', { name: `${name}-count`, min: 1, max: MOST });
  const inputs = [from, to, n];
  const write = (text: string): void => {
    const parts = text.split(',');
    const fallback = usual.split(',');
    inputs.forEach((el, i) => {
      el.value = parts[i] ?? fallback[i] ?? '';
    });
  };
  write(usual);
  return {
    element: h(
      'fieldset',
      { class: 'axis' },
      h('legend', {}, h('span', { text: label }), ' ', h('small', { text: 'perDay' })),
      field('from', from),
      field('to', to),
      field('count', n),
    ),
    read: () => ({ from: numberIn(from), to: numberIn(to), count: numberIn(n) }),
    text: () => inputs.map((i) => i.value).join(','),
    write,
  };
}

const drawable = (s: Span): Span => ({
  from: Number.isFinite(s.from) ? s.from : 0,
  to: Number.isFinite(s.to) ? s.to : 1,
  count: Number.isInteger(s.count) && s.count >= 1 && s.count <= MOST ? s.count : 1,
});

/** Makes the computation. */
export function sweep(nameOf: (worker: number) => string): Demo {
  const beta = axisFields('beta', 'beta', AXES.beta);
  const gamma = axisFields('gamma', 'gamma', AXES.gamma);
  const params = (Object.keys(PARAMS) as Param[]).map((name) => ({
    name,
    input: h('input', { type: 'number', name, step: 1, min: 0, required: true, value: PARAMS[name] }),
  }));
  const grain = grainField();
  let g: Grid = grid(drawable(beta.read()), drawable(gamma.read()));
  let at: number | undefined;

  const say_ = (item: number): string => {
    const state = g.state(item);
    const what = state === ACCEPTED ? figure(g.value(item, map.look.output), 6) : t(states[state] ?? 'queued');
    const cell = t('cell', {
      beta: figure(axisValue(g.beta, Math.floor(item / g.gamma.count)), 4),
      gamma: figure(axisValue(g.gamma, item % g.gamma.count), 4),
      value: what,
    });
    if (state !== ACCEPTED || !g.board) return cell;
    return t('cellBy', { what: cell, who: nameOf(g.board.by[Math.floor(item / g.board.grain)] ?? 0) });
  };
  const readout = h('p', { class: 'readout' });
  const point = (byKeys: boolean): void => {
    say(readout, at === undefined ? '\u00a0' : say_(at));
    if (byKeys && at !== undefined) announce(say_(at));
  };
  const map = heatmap(g, (item, byKeys) => {
    at = item;
    point(byKeys);
  });
  const table = sheet();
  const mapView = h('figure', {}, map.element, readout, h('figcaption', { text: 'sweepFigure' }));
  const tableView = table.element;
  show(tableView, false);

  const describe = (): void => {
    const size = { columns: g.beta.count, rows: g.gamma.count };
    const e = extremes(g, map.look.output);
    const text = e
      ? t('sweepSummary', {
          ...size,
          done: e.done,
          all: g.items,
          min: figure(g.value(e.least, map.look.output), 4),
          max: figure(g.value(e.greatest, map.look.output), 4),
        })
      : t('sweepNothing', size);
    map.canvas.setAttribute('aria-label', text);
    point(false);
  };
  const redraw = (): void => {
    map.refresh();
    describe();
  };
  onLanguage(describe);

  const output = h(
    'select',
    {
      change: () => {
        map.look.output = output.value === 'peak' ? 'peak' : 'final';
        redraw();
      },
    },
    h('option', { value: 'final', text: 'final' }),
    h('option', { value: 'peak', text: 'peak' }),
  );
  const look = h(
    'div',
    { class: 'look' },
    field('show', output),
    tick('grey', (yes) => {
      map.look.grey = yes;
      map.refresh();
    }),
    tick('asTable', (yes) => {
      show(mapView, !yes);
      show(tableView, yes);
      table.update(g, nameOf);
    }),
  );

  const rows = (): readonly Row[] => {
    const of = (name: OutputName): readonly Row[] => {
      const e = extremes(g, name);
      if (!e) return [];
      const row = (title: Key, item: number): Row => ({
        name: t(title, { what: t(name === 'peak' ? 'peakShort' : 'finalShort') }),
        value: figure(g.value(item, name), 6),
        note: t('cell', {
          beta: figure(axisValue(g.beta, Math.floor(item / g.gamma.count)), 3),
          gamma: figure(axisValue(g.gamma, item % g.gamma.count), 3),
          value: '',
        }).replace(/: $/, ''),
      });
      return [row('greatest', e.greatest), row('least', e.least)];
    };
    const done = extremes(g, 'final')?.done ?? 0;
    if (done === 0) return [];
    return [...outputs.flatMap(of), { name: t('cells'), value: count(done) }];
  };

  return {
    name: 'sweep',
    tab: 'sweepTab',
    title: 'sweepTitle',
    about: 'sweepAbout',
    controls: [
      beta.element,
      gamma.element,
      h('div', { class: 'row' }, ...params.map((p) => field(PARAM_LABELS[p.name], p.input))),
      h('details', { class: 'more' }, h('summary', { text: 'more' }), field('grain', grain.element, 'grainHint')),
    ],
    figure: [look, mapView, tableView],
    settings: () => ({
      beta: beta.text(),
      gamma: gamma.text(),
      ...Object.fromEntries(params.map((p) => [p.name, p.input.value])),
      show: map.look.output,
      ...settingsOf([grain]),
    }),
    restore: (s) => {
      beta.write(s.get('beta') ?? AXES.beta);
      gamma.write(s.get('gamma') ?? AXES.gamma);
      for (const p of params) p.input.value = s.get(p.name) ?? PARAMS[p.name];
      map.look.output = s.get('show') === 'peak' ? 'peak' : 'final';
      output.value = map.look.output;
      restoreSettings([grain], s);
    },
    job: () => {
      if (Math.max(beta.read().count, gamma.read().count) > MOST) {
        throw pageRefusal('job/out-of-range', 'tooFine', 'tooFineWhy', 'tooFineFix', { most: MOST });
      }
      const cut = grain.grain();
      const axis = ({ from, to, count }: Span): readonly [number, number, number] => [from, to, count];
      return {
        program: 'sweep/sir',
        split: { grid: { beta: axis(beta.read()), gamma: axis(gamma.read()) } },
        params: Object.fromEntries(params.map((p) => [p.name, numberIn(p.input)])),
        combine: 'table',
        ...(cut !== undefined && { grain: cut }),
      };
    },
    clear: () => {
      g = grid(drawable(beta.read()), drawable(gamma.read()));
      at = undefined;
      map.set(g);
      table.update(g, nameOf);
      describe();
    },
    planned: (b) => {
      g.board = b;
      map.refresh();
    },
    shard: (s) => g.put(s),
    moved: () => {
      map.refresh();
      point(false);
      if (!tableView.hidden) table.update(g, nameOf);
    },
    settled: describe,
    byDevice: (yes) => {
      map.look.byDevice = yes;
      map.refresh();
    },
    deviceMark: letterOf,
    csv: () => toCsv(g),
    rows,
  };
}
