/** The panel of the pool: adding devices, who is there, lending. */

import { deviceName, isLocal } from './device.js';
import { announce, copyButton, h, say, show } from './dom.js';
import { knocks } from './knock.js';
import { onLanguage, t } from './language.js';
import { setPool } from './place.js';
import { qrCode } from './qr.js';
import { refusalCard } from './refusal.js';
import { ownDevices, type Pool, type PoolPeer, type PoolStatus, Refusal } from './shoal.js';
import type { Key } from './strings.js';

export type { Pool } from './shoal.js';

const INVITE_MINUTES = 10;

const STATES: Readonly<Record<PoolStatus['state'], Key>> = {
  starting: 'opening',
  connecting: 'connecting',
  knocking: 'knocking',
  joined: 'joined',
  reconnecting: 'reconnecting',
  left: 'left',
};
const PATHS: Readonly<Record<PoolPeer['path'], Key>> = {
  '': 'pathNone',
  self: 'pathSelf',
  relay: 'pathRelay',
  direct: 'pathDirect',
  turn: 'pathTurn',
};
const LENDING: Readonly<Record<PoolStatus['lending'], Key>> = {
  off: 'lendingOff',
  on: 'lendingOn',
  parked: 'lendingParked',
  finishing: 'lendingFinishing',
  elsewhere: 'lendingElsewhere',
};

/** Says how a pool stands. */
export const poolText = ({ state, keep }: PoolStatus): string =>
  t(state === 'joined' && !keep ? 'joinedGuest' : STATES[state]);
/** Says whether this device lends. */
export const lendingText = ({ lending }: PoolStatus): string => t(LENDING[lending]);

/** The panel. */
export interface Panel {
  readonly element: HTMLElement;
  readonly dialog: HTMLDialogElement;
  /** Shows a pool that was joined elsewhere on the page. */
  readonly adopt: (p: Pool) => void;
  /** Names a device of the pool. */
  readonly labelOf: (peer: string) => string | undefined;
  readonly pool: () => Pool | undefined;
}

/** Makes the panel. named is called when the names of devices may have changed. */
export function panel(named: () => void): Panel {
  let pool: Pool | undefined;
  let thrown: unknown;
  const labels = new Map<string, string>();
  let mine = '';
  const knocking = knocks();

  const line = h('p', { class: 'state' });
  const lending = h('p', { class: 'lending' });
  const problem = h('div');
  const invite = h('div', { class: 'invite' });
  // Under its network address a server opens pools for its token only.
  const secret = h('input', { id: 'token', type: 'password', autocomplete: 'off', required: true });
  const token = h(
    'form',
    { class: 'token', submit: onToken },
    h('label', { for: 'token', text: 'token' }),
    secret,
    h('p', { class: 'hint', text: 'tokenHint' }),
    h('button', { type: 'submit', class: 'primary', text: 'tokenUse' }),
  );
  const add = h('button', {
    type: 'button',
    class: 'primary',
    text: 'addDevice',
    'data-action': 'invite',
    click: onAdd,
  });
  const lend = h('button', { type: 'button', 'data-action': 'lend', click: onLend });
  const leave = h('button', { type: 'button', class: 'quiet', text: 'leave', click: () => pool?.leave().catch(fail) });
  const rows = h('ul');
  const peers = h('div', { class: 'peers' }, h('h3', { text: 'peers' }), rows);
  const notes = h(
    'div',
    {},
    h('p', { class: 'hint', text: 'relayNote' }),
    h('p', { class: 'hint', text: 'lendingOwn' }),
  );
  const alone = h('p', { text: 'alone' });
  const element = h(
    'section',
    { class: 'pool' },
    h('h2', { text: 'devices' }),
    alone,
    line,
    problem,
    token,
    knocking.waiting,
    h('div', { class: 'buttons' }, add),
    invite,
    peers,
    lending,
    h('div', { class: 'buttons' }, lend, leave),
    notes,
  );

  function fail(e: unknown): void {
    thrown = e;
    paint();
  }

  function onToken(e: Event): void {
    e.preventDefault();
    void onAdd();
  }

  async function onAdd(): Promise<void> {
    thrown = undefined;
    if (!pool) take(ownDevices({ label: deviceName(), token: secret.value }));
    add.disabled = true;
    paint();
    try {
      const made = await pool?.invite({ ttl: `${INVITE_MINUTES}m` });
      if (made) offer(made.url);
    } catch (e) {
      // The end of the pool tells the same reason.
      if (pool) fail(e);
    } finally {
      add.disabled = false;
    }
  }

  function offer(url: string): void {
    const link = h(
      'a',
      { href: url, class: 'link', target: '_blank', rel: 'noreferrer', 'aria-label$': 'inviteLink', translate: 'no' },
      url,
    );
    const hint = h('p', { class: 'hint' });
    onLanguage(() => say(hint, t('inviteHint', { minutes: INVITE_MINUTES })));
    const done = h('button', { type: 'button', class: 'quiet', text: 'inviteDone', click: close });
    const title = h('h3', { tabindex: -1, text: 'inviteTitle' });
    invite.replaceChildren(
      title,
      hint,
      ...(isLocal() ? [h('p', { class: 'notice', text: 'inviteLocal' })] : []),
      qrCode(url),
      link,
      h(
        'div',
        { class: 'buttons' },
        copyButton(
          () => t('inviteLink'),
          () => url,
        ),
        done,
      ),
    );
    title.focus();
    function close(): void {
      invite.replaceChildren();
      add.focus();
    }
  }

  async function onLend(e: Event): Promise<void> {
    thrown = undefined;
    const p = pool;
    if (!p) return;
    try {
      if (p.lending === 'off') await p.lend(e);
      else await p.stop();
    } catch (no) {
      fail(no);
    }
  }

  function take(p: Pool): void {
    pool = p;
    let said = '';
    p.addEventListener('status', ({ status }) => {
      for (const { peer, label, self } of status.peers) {
        labels.set(peer, label || peer.slice(0, 8));
        if (self) mine = peer;
      }
      if (status.state === 'joined' && pool === p) setPool(p);
      const text = `${poolText(status)}. ${lendingText(status)}.`;
      if (text !== said) announce(text);
      said = text;
      named();
      paint();
    });
    p.addEventListener('knock', (k) => {
      // The link has done its work.
      invite.replaceChildren();
      knocking.add(k);
    });
    p.addEventListener('refusal', ({ refusal }) => fail(refusal));
    p.addEventListener('end', ({ refusal }) => {
      if (refusal) thrown = refusal;
      pool = undefined;
      setPool(undefined);
      knocking.clear();
      invite.replaceChildren();
      paint();
    });
    paint();
  }

  function row(p: PoolPeer): HTMLLIElement {
    const dot = h('span', { class: p.online ? 'dot on' : 'dot', 'aria-hidden': 'true' });
    const where = p.self ? 'pathSelf' : p.online ? PATHS[p.path] : undefined;
    return h(
      'li',
      { 'data-peer': p.peer },
      h('strong', {}, p.label || p.peer.slice(0, 8)),
      h('span', {}, dot, t(p.online ? 'online' : 'offline'), where ? `, ${t(where)}` : ''),
    );
  }

  function paint(): void {
    const status = pool?.status;
    const inside = status?.state === 'joined' || status?.state === 'reconnecting';
    show(alone, !status);
    show(line, status !== undefined);
    if (status) say(line, poolText(status));
    problem.replaceChildren(...(thrown === undefined ? [] : [refusalCard(thrown)]));
    const wanted = thrown instanceof Refusal && thrown.code === 'pool/token';
    show(token, wanted);
    show(add, !wanted && (!status || status.keep || !inside));
    show(peers, (status?.peers.length ?? 0) > 0);
    rows.replaceChildren(...(status?.peers ?? []).map(row));
    show(lending, inside);
    show(lend, inside);
    show(notes, inside);
    show(leave, status !== undefined);
    if (status) {
      say(lending, lendingText(status));
      say(lend, t(status.lending === 'off' ? 'lendHere' : 'stopLending'));
    }
  }
  onLanguage(paint);

  return {
    element,
    dialog: knocking.dialog,
    adopt: take,
    labelOf: (peer) => (peer === mine ? t('thisDevice') : labels.get(peer)),
    pool: () => pool,
  };
}
