/** Shows a refusal in full: what, why, what to do, the code, and its page. */

import { h } from './dom.js';
import { t } from './language.js';
import { Refusal } from './shoal.js';
import type { Key } from './strings.js';

/** The page with all refusals, made from docs/errors. */
export const ERRORS = './errors.html';

interface Texts {
  readonly title: string;
  readonly why: string;
  readonly fix: string;
}

/** The texts of this page's own refusals, which follow the language. */
const own = new WeakMap<Refusal, () => Texts>();

/** Makes a refusal of this page: the core would allow what the page cannot show. */
export function pageRefusal(
  code: string,
  title: Key,
  why: Key,
  fix: Key,
  values: Record<string, number> = {},
): Refusal {
  const texts = (): Texts => ({ title: t(title), why: t(why, values), fix: t(fix) });
  const no = new Refusal({ code, ...texts() });
  own.set(no, texts);
  return no;
}

/** Begins a sentence: the core's texts are parts of one. */
const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** Returns what to call anything that was thrown. */
export function titleOf(thrown: unknown): string {
  if (!(thrown instanceof Refusal)) return t('failedTitle');
  return own.get(thrown)?.().title ?? thrown.title;
}

/** How many characters of a formula are shown on either side of its fault. */
const AROUND = 30;

/** Returns the line of a formula with its fault, and below it a mark; column counts characters from 1. */
export function excerpt(formula: string, column: number): string {
  const all = [...formula];
  const before = all.slice(0, column - 1);
  const line = before.lastIndexOf('\n') + 1;
  const from = Math.max(line, column - 1 - AROUND);
  const rest = all.slice(from, column - 1 + AROUND).join('');
  const skipped = column - 1 - from;
  const after = rest.indexOf('\n', skipped);
  const word = /^[\w$]+/.exec(rest.slice(skipped))?.[0] ?? ' ';
  return `${after < 0 ? rest : rest.slice(0, after)}\n${' '.repeat(skipped)}${'^'.repeat(word.length)}`;
}

/** Makes a card for anything that was thrown. The core's texts are English. */
export function refusalCard(thrown: unknown): HTMLElement {
  const no = thrown instanceof Refusal ? thrown : undefined;
  const ours = no && own.get(no)?.();
  const lang = no && !ours ? 'en' : undefined;
  const why = ours?.why ?? no?.why ?? (thrown instanceof Error ? thrown.message : String(thrown));
  const fix = ours?.fix ?? no?.fix ?? t('failedFix');
  const list = h('dl');
  const add = (name: Key, value: string | Node, spoken?: string): void =>
    list.append(h('dt', { text: name }), h('dd', { lang: spoken }, value));
  if (why) add('why', why, no ? lang : 'en');
  if (fix) add('fix', capital(fix), lang);
  const { formula, formulaColumn, ...details } = no?.details ?? {};
  if (formula && formulaColumn) {
    const pre = h('pre', { translate: 'no' }, excerpt(formula, Number(formulaColumn)));
    list.append(h('dt', { text: 'formulaPlace' }), h('dd', {}, pre));
  }
  const facts = Object.entries(details);
  if (facts.length > 0) add('details', facts.map(([k, v]) => `${k}: ${v}`).join(', '), 'en');
  if (no) add('codeOf', h('code', {}, no.code));
  const card = h('div', { class: 'refusal' }, h('h3', { lang }, capital(titleOf(thrown))), list);
  if (no) card.append(h('p', {}, h('a', { href: `${ERRORS}#${no.code}`, text: 'docs' })));
  return card;
}
