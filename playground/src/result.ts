/** The figures of a result, and the names that identify it. */

import { copyButton, h, say } from './dom.js';
import { onLanguage, t } from './language.js';
import type { Key } from './strings.js';

/** One figure. note stands behind it, smaller. */
export interface Row {
  readonly name: string;
  readonly value: string;
  readonly note?: string;
}

/** The names of a result. */
export interface Names {
  readonly digest: string;
  readonly work: string;
  readonly job: string;
}

/** The part of a page that shows a result. */
export interface ResultView {
  readonly element: HTMLElement;
  /** rows is called again when the language changes. */
  readonly update: (rows: () => readonly Row[], names: Names | undefined, note: string) => void;
}

/** Makes it, empty. */
export function resultView(): ResultView {
  let rows: () => readonly Row[] = () => [];
  let names: Names | undefined;
  const body = h('tbody');
  const table = h('table', { class: 'figures' }, h('caption', { class: 'unseen', text: 'result' }), body);
  const name = (key: keyof Names, hint: Key) => {
    const value = h('code', { 'data-id': key, translate: 'no' });
    const copy = copyButton(
      () => t(key),
      () => names?.[key] ?? '',
    );
    const dd = h('dd', {}, value, copy);
    return {
      row: h('div', {}, h('dt', {}, h('span', { text: key }), ' ', h('small', { text: hint })), dd),
      value,
      copy,
      key,
    };
  };
  const ids = [name('digest', 'digestHint'), name('work', 'workHint'), name('job', 'jobHint')];
  const remark = h('p', { class: 'hint' });
  const element = h(
    'section',
    { class: 'result' },
    h('h3', { text: 'result' }),
    table,
    remark,
    h('dl', { class: 'names' }, ...ids.map((i) => i.row)),
  );

  const paint = (): void => {
    const now = rows();
    table.hidden = now.length === 0;
    now.forEach(({ name, value, note }, i) => {
      let row = body.rows[i];
      if (!row) {
        row = body.insertRow();
        row.append(h('th', { scope: 'row' }), h('td', {}, h('span'), ' ', h('small')));
      }
      const [head, cell] = row.children;
      const [big, small] = cell?.children ?? [];
      if (!head || !big || !small) return;
      say(head, name);
      say(big, value);
      say(small, note ?? '');
    });
    while (body.rows.length > now.length) body.deleteRow(-1);
    for (const { value, copy, key } of ids) {
      say(value, names?.[key] ?? t('pending'));
      value.classList.toggle('pending', !names);
      copy.hidden = !names;
    }
  };
  onLanguage(paint);
  return {
    element,
    update: (r, n, note) => {
      rows = r;
      names = n;
      say(remark, note);
      remark.hidden = note === '';
      paint();
    },
  };
}
