/** The language of the page, and numbers as it writes them. */

import { type Key, type Language, texts } from './strings.js';

const STORED = 'shoal.language';

const languages: readonly Language[] = ['en', 'de'];
const isLanguage = (v: unknown): v is Language => languages.some((l) => l === v);

/** Storage can be forbidden, and reading it then throws. */
const stored = (): string | null => {
  try {
    return localStorage.getItem(STORED);
  } catch {
    return null;
  }
};

const preferred = (): Language => {
  const kept = stored();
  if (isLanguage(kept)) return kept;
  for (const tag of navigator.languages) {
    const l = tag.slice(0, 2).toLowerCase();
    if (isLanguage(l)) return l;
  }
  return 'en';
};

let current: Language = preferred();
const listeners = new Set<() => void>();

/** Returns the language of the page. */
export const language = (): Language => current;

/** Changes the language and tells everything that shows text. */
export function setLanguage(l: Language): void {
  current = l;
  try {
    localStorage.setItem(STORED, l);
  } catch {
    // It holds for this visit then.
  }
  applyLanguage();
}

/** Calls show now and whenever the language changes. */
export function onLanguage(show: () => void): void {
  listeners.add(show);
  show();
}

/** Sets the document's language and shows all text in it. */
export function applyLanguage(): void {
  document.documentElement.lang = current;
  for (const show of listeners) show();
}

/** Returns a text, with `{name}` replaced by the value of that name. */
export function t(key: Key, values: Readonly<Record<string, string | number>> = {}): string {
  return texts[current][key].replace(/\{(\w+)\}/g, (whole, name: string) => {
    const v = values[name];
    return v === undefined ? whole : typeof v === 'number' ? count(v) : v;
  });
}

/** Writes a whole number with its thousands apart. */
export const count = (n: number | bigint): string => n.toLocaleString(current);

/** Writes a number with so many significant digits at most. */
export function figure(x: number, digits = 6): string {
  if (Number.isNaN(x)) return '–';
  if (!Number.isFinite(x)) return x > 0 ? '∞' : '−∞';
  const size = Math.abs(x);
  const notation = size !== 0 && (size < 1e-4 || size >= 1e15) ? 'scientific' : 'standard';
  return sign(x.toLocaleString(current, { maximumSignificantDigits: digits, notation }).replace('E', ' × 10^'));
}

/** Writes a number with so many decimals. */
export const decimals = (x: number, places: number): string =>
  Number.isFinite(x)
    ? sign(x.toLocaleString(current, { minimumFractionDigits: places, maximumFractionDigits: places }))
    : figure(x);

/** A hyphen is no minus. */
const sign = (s: string): string => s.replace(/-/g, '−');
