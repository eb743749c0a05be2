/** The page of an invite: what is lent, one press to agree, one to stop. */

import { cores, deviceName, MAX_LABEL } from './device.js';
import { announce, field, freshId, h, say, show } from './dom.js';
import { onLanguage, t } from './language.js';
import type { Panel } from './pool.js';
import { lendingText, poolText } from './pool.js';
import { refusalCard } from './refusal.js';
import { forgetInvite } from './route.js';
import { joinPool, type Pool } from './shoal.js';

/** The page of an invite. */
export interface JoinView {
  readonly element: HTMLElement;
  readonly lends: () => boolean;
  readonly stop: () => void;
}

/** Makes the page. done is called by the wish to compute something oneself. */
export function joinView(link: string, panel: Panel, done: () => void): JoinView {
  let pool: Pool | undefined;
  let thrown: unknown;
  let parked = false;
  let shown = true;

  const heading = freshId();
  const label = h('input', { name: 'label', maxlength: MAX_LABEL, autocomplete: 'off', value: deviceName() });
  const join = h('button', { type: 'submit', class: 'primary', text: 'joinButton', 'data-action': 'join' });
  const about = h('p', { class: 'about' });
  const lent1 = h('li');
  const offer = h(
    'form',
    { submit: onJoin, 'aria-labelledby': heading },
    about,
    h('h3', { text: 'joinLent' }),
    h('ul', { class: 'facts' }, lent1, h('li', { text: 'joinLent2' }), h('li', { text: 'joinLent3' })),
    h('h3', { text: 'joinNot' }),
    h(
      'ul',
      { class: 'facts' },
      h('li', { text: 'joinNot1' }),
      h('li', { text: 'joinNot2' }),
      h('li', { text: 'joinNot3' }),
    ),
    field('joinLabel', label),
    join,
  );
  const text = document.createTextNode('');
  const stop = h(
    'button',
    { type: 'button', class: 'run', 'data-action': 'stop', click: onStop },
    h('span', { class: 'glyph', 'aria-hidden': 'true' }),
    text,
  );
  const line = h('p', { class: 'state' });
  const note = h('p', { class: 'hint' });
  const bar = h('div', { class: 'runbar' }, stop, h('div', { class: 'runstate' }, line, note));
  const words = h(
    'div',
    { class: 'wordsbox' },
    h('p', { text: 'joinWords' }),
    h('p', { class: 'words', translate: 'no', lang: 'en' }),
    h('p', { class: 'hint', text: 'joinWait' }),
  );
  const problem = h('div');
  const own = h('button', { type: 'button', class: 'quiet', text: 'joinOwn', click: leave });
  const element = h(
    'section',
    { class: 'join', 'aria-labelledby': heading },
    h('h2', { id: heading, tabindex: -1, text: 'joinTitle' }),
    bar,
    problem,
    words,
    offer,
    own,
  );

  function leave(): void {
    shown = false;
    done();
  }

  async function onJoin(e: Event): Promise<void> {
    e.preventDefault();
    thrown = undefined;
    parked = false;
    const p = joinPool(link, { label: label.value.trim() || deviceName() });
    pool = p;
    panel.adopt(p);
    p.addEventListener('status', ({ status }) => {
      parked ||= status.lending === 'parked';
      if (status.words) announce(`${t('joinWords')} ${status.words}`);
      paint();
    });
    p.addEventListener('end', ({ refusal }) => {
      thrown = refusal;
      pool = undefined;
      paint();
      (thrown ? join : stop).focus();
    });
    paint();
    stop.focus();
    // The press is the gesture; the core keeps it until this device is let in.
    await p.lend(e).catch((no) => {
      if (pool === p) thrown = no;
      paint();
    });
  }

  async function onStop(e: Event): Promise<void> {
    const p = pool;
    if (!p) return;
    thrown = undefined;
    try {
      if (p.state !== 'joined' && p.state !== 'reconnecting') {
        forgetInvite();
        await p.leave();
      } else if (p.lending === 'off') await p.lend(e);
      else await p.stop();
    } catch (no) {
      thrown = no;
    }
    paint();
  }

  function paint(): void {
    if (!shown) return;
    const status = pool?.status;
    say(about, t('joinAbout', { host: location.host }));
    say(lent1, t('joinLent1', { cores: cores() }));
    show(offer, !status);
    show(bar, status !== undefined);
    show(words, status?.state === 'knocking' && status.words !== '');
    if (status) say(words.children[1] ?? words, status.words);
    show(own, status?.state === 'joined' || (!status && thrown !== undefined));
    problem.replaceChildren(...(thrown === undefined ? [] : [refusalCard(thrown)]));
    const lends = status !== undefined && (status.lending !== 'off' || status.state !== 'joined');
    text.data = t(lends ? 'stop' : 'joinAgain');
    stop.dataset['action'] = lends ? 'stop' : 'lend';
    if (!status) {
      document.title = `${t('joinTitle')} · Shoal`;
      return;
    }
    const inside = status.state === 'joined';
    const main = !inside
      ? poolText(status)
      : status.lending === 'on'
        ? t('joinLending')
        : status.lending === 'off'
          ? t('joinStopped')
          : lendingText(status);
    say(line, main);
    say(note, inside && parked && status.lending === 'on' ? t('joinParkedNow') : '');
    document.title = `${inside ? lendingText(status).split(':')[0] : poolText(status)} · Shoal`;
  }
  onLanguage(paint);
  return {
    element,
    lends: () => pool !== undefined && (pool.lending !== 'off' || pool.state !== 'joined'),
    stop: () => stop.click(),
  };
}
