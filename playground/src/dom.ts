/** Elements without templates: no markup is ever parsed from text. */

import { onLanguage, t } from './language.js';
import type { Key } from './strings.js';

type Child = Node | string | null | undefined;
type Value = string | number | boolean | null | undefined | ((event: never) => void);
interface Attributes {
  readonly text?: Key;
  readonly [follows: `${string}$`]: Key;
  readonly [name: string]: Value;
}

/**
 * Makes an element. Functions become listeners, true an empty attribute, and
 * false, null and undefined none. The key `text` is a text of the page that
 * follows the language; so is any attribute whose name ends in `$`.
 */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: readonly (Child | readonly Child[])[]
): HTMLElementTagNameMap[K] {
  const el = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === 'function') el.addEventListener(name, value as EventListener);
    else if (name === 'text') words(el, value as Key);
    else if (name.endsWith('$')) onLanguage(() => el.setAttribute(name.slice(0, -1), t(value as Key)));
    else el.setAttribute(name, value === true ? '' : String(value));
  }
  el.append(...children.flat().filter((c) => c !== null && c !== undefined));
  return el;
}

/** Appends a text of the page that follows the language. */
export function words(el: Element, key: Key): void {
  const node = document.createTextNode('');
  el.append(node);
  onLanguage(() => {
    node.data = t(key);
  });
}

/** Sets an element's text, unless it is that already. */
export function say(el: Element, text: string): void {
  if (el.textContent !== text) el.textContent = text;
}

/** Shows or hides an element. */
export function show(el: HTMLElement, visible: boolean): void {
  el.hidden = !visible;
}

let ids = 0;

/** Returns an id that no other element has. */
export const freshId = (): string => `i${++ids}`;

const announcer = h('div', { role: 'status', class: 'unseen' });

/** The one element through which the page speaks to screen readers. */
export const status = (): HTMLElement => announcer;

/** Says something to screen readers. */
export function announce(text: string): void {
  say(announcer, text);
}

const COPIED_MS = 2000;

/** Makes a button that copies a text, and says that it did. what names it. */
export function copyButton(what: () => string, text: () => string): HTMLButtonElement {
  const label = document.createTextNode('');
  const button = h('button', { type: 'button', class: 'quiet copy' }, label);
  let done = false;
  onLanguage(paint);
  function paint(): void {
    label.data = t(done ? 'copied' : 'copy');
    button.setAttribute('aria-label', done ? t('copied') : t('copyOf', { what: what() }));
  }
  button.addEventListener('click', async () => {
    await copy(text());
    done = true;
    paint();
    announce(t('copied'));
    setTimeout(() => {
      done = false;
      paint();
    }, COPIED_MS);
  });
  return button;
}

/** Copies text. The clipboard needs a secure context; a selection does not. */
async function copy(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    return;
  } catch {
    // Refused, or not there at an address without TLS.
  }
  const area = h('textarea', { class: 'unseen', readonly: true, 'aria-hidden': 'true' });
  area.value = text;
  const before = document.activeElement;
  (document.querySelector('dialog[open]') ?? document.body).append(area);
  area.select();
  document.execCommand('copy');
  area.remove();
  if (before instanceof HTMLElement) before.focus();
}

/** Hands a file to the person. */
export function download(name: string, type: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  h('a', { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

/** Makes a labelled control. The label stands above it, the hint below. */
export function field(label: Key, control: HTMLElement, hint?: Key): HTMLElement {
  const id = freshId();
  control.id = id;
  const box = h('div', { class: 'field' }, h('label', { for: id, text: label }), control);
  if (hint) {
    const at = freshId();
    box.append(h('span', { class: 'hint', id: at, text: hint }));
    control.setAttribute('aria-describedby', at);
  }
  return box;
}

/** Makes a checkbox with its label beside it. */
export function tick(label: Key, changed: (on: boolean) => void, on = false): HTMLElement {
  const input = h('input', { type: 'checkbox', checked: on, change: () => changed(input.checked) });
  return h('label', { class: 'tick' }, input, h('span', { text: label }));
}
