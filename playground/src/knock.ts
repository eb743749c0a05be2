/** The question whether a device that knocks may join, with the words to compare. */

import { freshId, h, say } from './dom.js';
import { onLanguage, t } from './language.js';
import type { Knock } from './shoal.js';

/** A device without a name goes by the beginning of its key. */
const nameOf = (k: Knock): string => k.label || k.peer.slice(0, 8);

/** The dialog for knocks, one after the other. */
export interface Knocks {
  readonly dialog: HTMLDialogElement;
  /** Buttons for knocks that were put aside. */
  readonly waiting: HTMLElement;
  readonly add: (k: Knock) => void;
  readonly clear: () => void;
}

/** Makes the dialog. Esc puts a knock aside; only a button decides. */
export function knocks(): Knocks {
  let open: Knock | undefined;
  let queue: Knock[] = [];
  const title = freshId();
  const about = freshId();
  const body = h('p', { id: about });
  const shown = h('p', { class: 'words', translate: 'no', lang: 'en' });
  const answer = (admit: boolean): void => {
    const k = open;
    if (!k) return;
    queue = queue.filter((q) => q !== k);
    if (admit) k.admit();
    else k.deny();
    dialog.close();
  };
  const dialog = h(
    'dialog',
    { class: 'knock', 'aria-labelledby': title, 'aria-describedby': about, close: onClose },
    // The first focus is on nothing that decides.
    h('h2', { id: title, tabindex: -1, autofocus: true, text: 'knockTitle' }),
    body,
    shown,
    h('p', { class: 'hint', text: 'knockWarn' }),
    h(
      'div',
      { class: 'buttons' },
      h('button', {
        type: 'button',
        class: 'primary',
        text: 'admit',
        'data-action': 'admit',
        click: () => answer(true),
      }),
      h('button', { type: 'button', text: 'deny', 'data-action': 'deny', click: () => answer(false) }),
    ),
  );
  const waiting = h('div', { class: 'buttons' });

  function onClose(): void {
    open = undefined;
    paint();
    const next = queue.find((k) => !aside.has(k));
    if (next) ask(next);
  }
  const aside = new WeakSet<Knock>();
  dialog.addEventListener('cancel', () => open && aside.add(open));

  function ask(k: Knock): void {
    open = k;
    aside.delete(k);
    paint();
    if (!dialog.open) dialog.showModal();
  }
  function paint(): void {
    if (open) {
      say(body, t('knockBody', { label: nameOf(open) }));
      say(shown, open.words);
    }
    const buttons = queue
      .filter((k) => k !== open)
      .map((k) =>
        h('button', { type: 'button', class: 'primary', click: () => ask(k) }, t('knockOpen', { label: nameOf(k) })),
      );
    waiting.replaceChildren(...buttons);
  }
  onLanguage(paint);

  return {
    dialog,
    waiting,
    add: (k) => {
      // Who knocks again has new words; the old ones are worth nothing.
      queue = [...queue.filter((q) => q.peer !== k.peer), k];
      if (!open || open.peer === k.peer) ask(k);
      else paint();
    },
    clear: () => {
      queue = [];
      if (dialog.open) dialog.close();
      paint();
    },
  };
}
