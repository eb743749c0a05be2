/** Controls whose values are in the address, in words that a person may type there. */

import { h } from './dom.js';
import type { Key } from './strings.js';

/** One setting. */
export interface Setting {
  readonly name: string;
  /** What it is unless a person changes it. Links leave it out then. */
  readonly usual: string;
  readonly read: () => string;
  readonly write: (text: string) => void;
}

/** A control that is a setting. */
export interface Control<E extends HTMLElement> extends Setting {
  readonly element: E;
}

/** Returns the settings that differ from the usual, as a link holds them. */
export const settingsOf = (list: readonly Setting[]): Record<string, string> =>
  Object.fromEntries(list.filter((s) => s.read() !== s.usual).map((s) => [s.name, s.read()]));

/** Takes settings from a link; what it lacks becomes usual again. */
export function restoreSettings(list: readonly Setting[], link: URLSearchParams): void {
  for (const s of list) s.write(link.get(s.name) ?? s.usual);
}

type Input = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

const control = <E extends Input>(element: E, name: string, usual: string): Control<E> => {
  element.name = name;
  element.value = usual;
  return {
    element,
    name,
    usual,
    read: () => element.value,
    write: (text) => {
      element.value = text;
    },
  };
};

/**
 * Reads the number in a field, NaN if there is none. Firefox gives 15 digits as
 * valueAsNumber, and a job needs all of them.
 */
export const numberIn = ({ value }: HTMLInputElement): number => (value.trim() === '' ? Number.NaN : Number(value));

/** Makes a field for a number that may have any value. */
export const number = (
  name: string,
  usual: string,
  attributes: Readonly<Record<string, string | number>> = {},
): Control<HTMLInputElement> =>
  control(h('input', { type: 'number', step: 'any', required: true, ...attributes }), name, usual);

/** Makes a field for a whole number, which may be larger than a float64 holds. */
export const digits = (name: string, usual: string, required = true): Control<HTMLInputElement> =>
  control(h('input', { inputmode: 'numeric', autocomplete: 'off', required }), name, usual);

/** Makes a field for a line of text. */
export const line = (name: string, usual: string): Control<HTMLInputElement> =>
  control(h('input', { autocomplete: 'off', autocapitalize: 'off', spellcheck: 'false' }), name, usual);

/** Makes a field for several lines. */
export const lines = (name: string, usual: string, rows: number): Control<HTMLTextAreaElement> =>
  control(h('textarea', { rows, autocomplete: 'off', autocapitalize: 'off', spellcheck: 'false' }), name, usual);

/** A choice between a few values. */
export interface Choice<V extends string> extends Control<HTMLSelectElement> {
  readonly read: () => V;
}

/** Makes a choice; the first option is the usual one. Links may name no other. */
export function choice<V extends string>(name: string, options: Readonly<Record<V, Key>>): Choice<V> {
  const all = Object.keys(options) as V[];
  const [usual] = all;
  if (usual === undefined) throw new Error(`${name} has no option`);
  const select = h('select', {}, ...all.map((v) => h('option', { value: v, text: options[v] })));
  const made = control(select, name, usual);
  return {
    ...made,
    read: () => all.find((v) => v === select.value) ?? usual,
    write: (text) => {
      select.value = all.find((v) => v === text) ?? usual;
    },
  };
}

/** A whole number as a job takes it. What is none goes to the core, which says so. */
export const whole = (text: string): number | bigint => {
  const trimmed = text.trim();
  if (!/^\d+$/.test(trimmed)) return Number(trimmed || Number.NaN);
  const n = BigInt(trimmed);
  return n <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(n) : n;
};

/** Makes the field for the items in a shard, and reads it: absent when it is empty. */
export function grainField(): Control<HTMLInputElement> & { readonly grain: () => number | undefined } {
  const made = digits('grain', '', false);
  const write = (text: string): void => {
    made.write(text);
    // What a link sets is to be seen.
    if (text !== '') made.element.closest('details')?.setAttribute('open', '');
  };
  return { ...made, write, grain: () => (made.read().trim() === '' ? undefined : Number(whole(made.read()))) };
}
