/** Compares the digest of a run with those of other engines. */

import { field, h, say } from './dom.js';
import { onLanguage, t } from './language.js';
import { refusalCard } from './refusal.js';
import { line } from './settings.js';
import { type Carried, type Written, withFiles } from './share.js';
import { type JobSpec, job as makeJob, run } from './shoal.js';
import type { Finished } from './takeaway.js';

/** The comparison. */
export interface Compare {
  readonly element: HTMLElement;
  /** Takes a finished run, or forgets it. */
  readonly update: (done: Finished | undefined, files: readonly Carried[]) => void;
}

/** Another run of the same job in this page. */
interface Again {
  readonly workers: number;
  state: 'idle' | 'running' | 'done';
  digest: string;
}

const MANY = 4;

/** Makes it. */
export function compare(): Compare {
  let done: Finished | undefined;
  let files: readonly Carried[] = [];
  let control: AbortController | undefined;
  let thrown: unknown;
  const others: readonly Again[] = [1, MANY].map((workers) => ({ workers, state: 'idle', digest: '' }));
  const paste = line('paste', '');
  const body = h('tbody');
  const card = h('div');
  const table = h(
    'table',
    { class: 'cells compare' },
    h('caption', { class: 'unseen', text: 'compare' }),
    h(
      'thead',
      {},
      h(
        'tr',
        {},
        h('th', { scope: 'col', text: 'runOf' }),
        h('th', { scope: 'col', text: 'digest' }),
        h('th', { scope: 'col', text: 'state' }),
      ),
    ),
    body,
  );
  const buttons = others.map((o) => {
    const press = (): void => {
      if (o.state === 'running') control?.abort(new DOMException('stopped', 'AbortError'));
      else void again(o);
    };
    return h('button', { type: 'button', 'data-workers': o.workers, click: press });
  });

  const clean = (): string => paste.read().trim().toLowerCase();
  const row = (name: string, digest: string, state: string, same?: boolean): HTMLTableRowElement => {
    const mark = same === undefined ? null : h('span', { 'aria-hidden': 'true' }, same ? '✓ ' : '✗ ');
    return h(
      'tr',
      { class: same === false ? 'differs' : undefined },
      h('th', { scope: 'row' }, name),
      h('td', {}, h('code', { translate: 'no' }, digest)),
      h('td', {}, mark, state),
    );
  };
  const verdict = (digest: string): readonly [string, boolean] => {
    const same = digest === done?.result.digest;
    return [t(same ? 'same' : 'differs'), same];
  };
  function paint(): void {
    for (const [i, o] of others.entries()) {
      const b = buttons[i];
      if (!b) continue;
      const on = o.state === 'running';
      say(b, on ? t('stop') : o.workers === 1 ? t('again') : t('againMany', { n: o.workers }));
      b.disabled = !done || (control !== undefined && !on);
    }
    const rows = done ? [row(t('thisRun'), done.result.digest, '')] : [row(t('thisRun'), '', t('notYet'))];
    for (const o of others) {
      const name = o.workers === 1 ? t('oneWorker') : t('manyWorkers', { n: o.workers });
      if (o.state === 'running') rows.push(row(name, '', t('comparing')));
      if (o.state === 'done') rows.push(row(name, o.digest, ...verdict(o.digest)));
    }
    if (done && clean() !== '') rows.push(row(t('pasted'), clean(), ...verdict(clean())));
    body.replaceChildren(...rows);
    card.replaceChildren(...(thrown === undefined ? [] : [refusalCard(thrown)]));
  }

  async function again(o: Again): Promise<void> {
    if (!done || control) return;
    const mine = new AbortController();
    control = mine;
    o.state = 'running';
    thrown = undefined;
    paint();
    const blobs = new Map(files.map((f) => [f.name, f.blob]));
    const spec = withFiles(done.job, (name) => blobs.get(name)) as Written;
    try {
      const options = { workers: o.workers, grain: Math.ceil(done.result.items / done.result.shards) };
      const r = run(makeJob(spec as unknown as JobSpec), { ...options, signal: mine.signal });
      const { digest } = await r.result;
      o.digest = digest;
      o.state = 'done';
    } catch (e) {
      o.state = 'idle';
      if (!mine.signal.aborted) thrown = e;
    } finally {
      if (control === mine) control = undefined;
      paint();
    }
  }
  paste.element.addEventListener('input', (e) => {
    e.stopPropagation();
    paint();
  });
  onLanguage(paint);

  return {
    element: h(
      'section',
      { class: 'comparison' },
      h('h3', { text: 'compare' }),
      h('p', { class: 'hint', text: 'compareAbout' }),
      h('div', { class: 'buttons' }, ...buttons),
      field('paste', paste.element, 'pasteHint'),
      card,
      h('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label$': 'compare' }, table),
    ),
    update: (next, carried) => {
      control?.abort(new DOMException('another run', 'AbortError'));
      control = undefined;
      done = next;
      files = carried;
      thrown = undefined;
      for (const o of others) o.state = 'idle';
      paint();
    },
  };
}
