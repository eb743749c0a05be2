/** The columns of a table, to tick those whose numbers are wanted. */

import type { Column } from './csv.js';
import { h } from './dom.js';
import { onLanguage, t } from './language.js';

/** The choice. */
export interface ColumnChoice {
  readonly element: HTMLElement;
  /** Offers the columns, with the first of numbers ticked. */
  readonly offer: (columns: readonly Column[]) => void;
  /** What a job writes for the ticked ones: names, or positions. */
  readonly chosen: () => readonly (string | number)[];
  /** The positions of the ticked ones. */
  readonly positions: () => readonly number[];
  /** What they are called. */
  readonly names: () => readonly string[];
  /** The ticked ones as a link holds them, and back. */
  readonly text: () => string;
  readonly write: (text: string) => void;
}

/** More columns than this are not listed; the command line takes any. */
const MOST = 200;

/** Makes the choice. changed is called when a person has ticked something. */
export function columnChoice(changed: () => void): ColumnChoice {
  let columns: readonly Column[] = [];
  let boxes: HTMLInputElement[] = [];
  const list = h('div', { class: 'ticks' });
  const element = h('fieldset', { class: 'columns' }, h('legend', { text: 'columns' }), list);
  const positions = (): number[] => boxes.flatMap((b, i) => (b.checked ? [i] : []));

  /** A name stands for a column if it is its only one, and a list of names can hold it. */
  const keyOf = (i: number): string => {
    const name = columns[i]?.name ?? '';
    const plain = name !== '' && !name.includes(',') && !/^\d+$/.test(name);
    return plain && columns.filter((c) => c.name === name).length === 1 ? name : String(i);
  };
  const nameOf = (i: number): string => columns[i]?.name || String(i);
  onLanguage(() => list.setAttribute('aria-label', t('columns')));
  list.setAttribute('role', 'group');

  return {
    element,
    offer: (next) => {
      columns = next.slice(0, MOST);
      const first = Math.max(
        0,
        columns.findIndex((c) => c.numeric),
      );
      boxes = columns.map((_, i) =>
        h('input', { type: 'checkbox', name: 'column', value: keyOf(i), checked: i === first, change: changed }),
      );
      list.replaceChildren(
        ...boxes.map((box, i) => {
          const c = columns[i];
          const label = c?.name ? `${c.name} (${c.first})` : `${i}: ${c?.first ?? ''}`;
          return h('label', { class: 'tick' }, box, h('span', {}, label.slice(0, 60)));
        }),
      );
    },
    chosen: () => positions().map((i) => (keyOf(i) === String(i) ? i : keyOf(i))),
    positions,
    names: () => positions().map(nameOf),
    text: () => positions().map(keyOf).join(','),
    write: (text) => {
      const wanted = new Set(text.split(','));
      if (!boxes.some((b) => wanted.has(b.value))) return;
      for (const b of boxes) b.checked = wanted.has(b.value);
    },
  };
}
