/** Shows a refusal in full: what, why, what to do, the code, and its page. */

import { h } from './dom.js';
import { t } from './language.js';
import { Refusal } from './shoal.js';

/** The page with all refusals, made from docs/errors. */
export const ERRORS = './errors.html';

/** Begins a sentence: the core's texts are parts of one. */
const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** Makes a card for anything that was thrown. The core's texts are English. */
export function refusalCard(thrown: unknown): HTMLElement {
  const no = thrown instanceof Refusal ? thrown : undefined;
  const title = no?.title ?? t('failedTitle');
  const why = no?.why ?? (thrown instanceof Error ? thrown.message : String(thrown));
  const entry = (name: string, value: string | Node, lang?: string): readonly Node[] => [
    h('dt', {}, name),
    h('dd', { lang }, value),
  ];
  const list = h('dl', {}, ...(why ? entry(t('why'), why, 'en') : []), ...entry(t('fix'), capital(no?.fix || t('failedFix')), no ? 'en' : undefined));
  if (no) {
    const facts = Object.entries(no.details);
    if (facts.length > 0) list.append(...entry(t('details'), facts.map(([k, v]) => `${k}: ${v}`).join(', '), 'en'));
    list.append(...entry(t('codeOf'), h('code', {}, no.code)));
  }
  const card = h('div', { class: 'refusal' }, h('h3', { lang: no ? 'en' : undefined }, capital(title)), list);
  if (no) card.append(h('p', {}, h('a', { href: `${ERRORS}#${no.code}` }, t('docs'))));
  return card;
}
