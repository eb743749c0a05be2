/** What the check of a program says, without running it. */

import { h, say, show } from './dom.js';
import { count, figure, onLanguage, t } from './language.js';
import type { ModuleFacts } from './module.js';
import { refusalCard } from './refusal.js';
import type { Plan } from './shoal.js';
import type { Key } from './strings.js';

/** The report. */
export interface Admission {
  readonly element: HTMLElement;
  readonly clear: () => void;
  readonly checking: () => void;
  readonly admitted: (p: Plan, facts: ModuleFacts | undefined) => void;
  readonly refused: (thrown: unknown, facts: ModuleFacts | undefined) => void;
}

/** Makes it, hidden until there is something to say. */
export function admission(): Admission {
  let plan: Plan | undefined;
  let facts: ModuleFacts | undefined;
  let thrown: unknown;
  let busy = false;
  const verdict = h('p', { class: 'verdict' });
  const card = h('div');
  const body = h('tbody');
  const table = h('table', { class: 'figures' }, h('caption', { class: 'unseen', text: 'admission' }), body);
  const lines = h('ul', { class: 'hint lines', lang: 'en' });
  const element = h(
    'section',
    { class: 'admission', hidden: true },
    h('h3', { text: 'admission' }),
    verdict,
    card,
    table,
    lines,
  );

  const rows = (): [Key, string][] => {
    const out: [Key, string][] = [];
    const names = (list: readonly string[]): string => (list.length > 0 ? list.join(', ') : t('none'));
    if (facts) {
      const { memory } = facts;
      out.push(['moduleSize', t('bytes', { n: facts.bytes })], ['moduleFunctions', count(facts.functions)]);
      out.push(['moduleImports', names(facts.imports)], ['moduleExports', names(facts.exports)]);
      if (memory) {
        const pages = { min: memory.min, max: memory.max ?? 0 };
        out.push(['moduleMemory', t(memory.max === undefined ? 'modulePagesOpen' : 'modulePages', pages)]);
      }
    }
    if (plan) {
      if (!facts) out.push(['moduleSize', t('bytes', { n: plan.moduleBytes })]);
      out.push(['cut', t('cutOf', { shards: plan.shards, grain: plan.grain })]);
      if (plan.measured) {
        out.push(['perItem', t('unitsOf', { n: figure(plan.units / plan.items, 4) })]);
        out.push(['inAll', t('unitsOf', { n: figure(plan.units, 4) })]);
      }
    }
    return out;
  };
  const paint = (): void => {
    show(element, busy || plan !== undefined || thrown !== undefined);
    const text = busy ? t('checking') : plan ? t(plan.measured ? 'admitted' : 'admittedUnmeasured') : '';
    say(verdict, text);
    show(verdict, text !== '');
    card.replaceChildren(...(thrown === undefined ? [] : [refusalCard(thrown)]));
    const now = rows();
    show(table, now.length > 0);
    body.replaceChildren(
      ...now.map(([name, value]) => h('tr', {}, h('th', { scope: 'row', text: name }), h('td', {}, value))),
    );
    lines.replaceChildren(...(plan?.lines ?? []).map((l) => h('li', {}, l)));
  };
  const set = (p: Plan | undefined, f: ModuleFacts | undefined, no: unknown, waits: boolean): void => {
    plan = p;
    facts = f;
    thrown = no;
    busy = waits;
    paint();
  };
  onLanguage(paint);
  return {
    element,
    clear: () => set(undefined, undefined, undefined, false),
    checking: () => set(undefined, undefined, undefined, true),
    admitted: (p, f) => set(p, f, undefined, false),
    refused: (no, f) => set(undefined, f, no, false),
  };
}
