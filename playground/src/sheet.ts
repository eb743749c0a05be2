/** The cells of a sweep as a table, some rows at a time. */

import { states } from './board.js';
import { h, say } from './dom.js';
import { axisValue, type Grid, outputs } from './grid.js';
import { count, decimals, figure, onLanguage, t } from './language.js';

/** A table of cells. */
export interface Sheet {
  readonly element: HTMLElement;
  readonly update: (g: Grid, nameOf: (worker: number) => string) => void;
}

/** More rows than this on a page would slow it down. */
const ROWS = 40;

/** Makes an empty table. */
export function sheet(): Sheet {
  let g: Grid | undefined;
  let nameOf: (worker: number) => string = () => '';
  let first = 0;
  const body = h('tbody');
  const where = h('p', { class: 'hint' });
  const turn = (by: number): void => {
    const last = Math.max(0, Math.ceil((g?.items ?? 0) / ROWS) - 1) * ROWS;
    first = Math.min(last, Math.max(0, first + by));
    paint();
  };
  const back = h('button', { type: 'button', class: 'quiet', text: 'previous', click: () => turn(-ROWS) });
  const on = h('button', { type: 'button', class: 'quiet', text: 'next', click: () => turn(ROWS) });
  const head = h(
    'tr',
    {},
    h('th', { scope: 'col', text: 'item' }),
    h('th', { scope: 'col' }, 'β'),
    h('th', { scope: 'col' }, 'γ'),
    h('th', { scope: 'col', text: 'peakShort' }),
    h('th', { scope: 'col', text: 'finalShort' }),
    h('th', { scope: 'col', text: 'state' }),
    h('th', { scope: 'col', text: 'device' }),
  );
  const table = h(
    'table',
    { class: 'cells' },
    h('caption', { class: 'unseen', text: 'cells' }),
    h('thead', {}, head),
    body,
  );
  const scroll = h('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label$': 'asTable' }, table);
  const element = h('div', { class: 'sheet' }, scroll, h('div', { class: 'pager' }, back, on, where));

  function paint(): void {
    if (!g) return;
    const end = Math.min(g.items, first + ROWS);
    const rows: HTMLTableRowElement[] = [];
    for (let item = first; item < end; item++) {
      const state = g.state(item);
      const by = g.board?.by[Math.floor(item / g.board.grain)] ?? 0;
      const texts = [
        count(item),
        figure(axisValue(g.beta, Math.floor(item / g.gamma.count)), 4),
        figure(axisValue(g.gamma, item % g.gamma.count), 4),
        ...outputs.map((o) => decimals(g?.value(item, o) ?? Number.NaN, 6)),
        t(states[state] ?? 'queued'),
        state > 0 ? nameOf(by) : '',
      ];
      rows.push(h('tr', {}, ...texts.map((text) => h('td', {}, text))));
    }
    body.replaceChildren(...rows);
    say(where, t('rowsOf', { first, last: end - 1, all: g.items }));
    back.disabled = first === 0;
    on.disabled = end >= g.items;
  }
  onLanguage(paint);
  return {
    element,
    update: (next, names) => {
      if (next.items !== g?.items) first = 0;
      g = next;
      nameOf = names;
      paint();
    },
  };
}
