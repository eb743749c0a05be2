/** Where runs go: this device alone, or the pool. All computations share it. */

import { freshId, h } from './dom.js';
import type { Pool } from './pool.js';
import type { Written } from './share.js';
import { type AnyValue, type Job, type Run, run } from './shoal.js';

/** A run of any job of this page. */
export type AnyRun = Run<AnyValue>;

interface Place {
  pool: Pool | undefined;
  pooled: boolean;
  copies: 1 | 2;
}

const place: Place = { pool: undefined, pooled: false, copies: 1 };
const listeners = new Set<() => void>();
const changed = (): void => {
  for (const tell of listeners) tell();
};

/** Calls back now, and when where runs go has changed. */
export function onPlace(tell: () => void): void {
  listeners.add(tell);
  tell();
}

/** Tells which pool there is. Runs go to a pool that has just opened. */
export function setPool(pool: Pool | undefined): void {
  if (pool === place.pool) return;
  place.pool = pool;
  place.pooled = pool !== undefined;
  if (!pool) place.copies = 1;
  changed();
}

/** Reports whether runs go to the pool, and how many devices must agree. */
export const pooled = (): boolean => place.pooled && place.pool !== undefined;
export const copies = (): 1 | 2 => (pooled() ? place.copies : 1);

/** Starts a job where the person has chosen. */
export function submit(job: Job, signal: AbortSignal): AnyRun {
  const { pool } = place;
  return (pool && place.pooled ? pool.run(job, { signal }) : run(job, { signal })) as AnyRun;
}

/** Adds the policy that the person has chosen. */
export const withPolicy = <T extends Partial<Written>>(job: T): T & { policy?: { copies: number } } =>
  copies() > 1 ? { ...job, policy: { copies: copies() } } : job;

/** Makes the fields for it. */
export function placeFields(): HTMLElement {
  const group = freshId();
  const radio = (pool: boolean): HTMLInputElement =>
    h('input', {
      type: 'radio',
      name: group,
      value: pool ? 'pool' : 'here',
      change: () => {
        place.pooled = pool;
        changed();
      },
    });
  const here = radio(false);
  const there = radio(true);
  const hint = h('button', {
    type: 'button',
    class: 'quiet',
    text: 'noPool',
    click: () => document.querySelector<HTMLElement>('.pool [data-action=invite]')?.focus(),
  });
  const agree = h(
    'select',
    {
      change: () => {
        place.copies = agree.value === '2' ? 2 : 1;
        changed();
      },
    },
    h('option', { value: '1', text: 'copies1' }),
    h('option', { value: '2', text: 'copies2' }),
  );
  agree.id = freshId();
  const agreeing = h('div', { class: 'field' }, h('label', { for: agree.id, text: 'copies' }), agree);
  onPlace(() => {
    here.checked = !pooled();
    there.checked = pooled();
    there.disabled = !place.pool;
    hint.hidden = place.pool !== undefined;
    agreeing.hidden = !pooled();
    agree.value = String(place.copies);
  });
  return h(
    'div',
    { class: 'place' },
    h(
      'fieldset',
      { class: 'choice' },
      h('legend', { text: 'runOn' }),
      h('label', { class: 'tick' }, here, h('span', { text: 'here' })),
      h('label', { class: 'tick' }, there, h('span', { text: 'thePool' })),
      hint,
    ),
    agreeing,
  );
}
