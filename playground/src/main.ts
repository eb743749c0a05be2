/** The page: header, computations, the pool, and what the address says. */

import { type Frame, frame } from './demo.js';
import { h, say, show, status } from './dom.js';
import { ensemble } from './ensemble.js';
import { yourFile } from './file.js';
import { type JoinView, joinView } from './join.js';
import { kfold } from './kfold.js';
import { applyLanguage, language, onLanguage, setLanguage, t } from './language.js';
import { monteCarlo } from './montecarlo.js';
import { panel } from './pool.js';
import { ownProgram } from './program.js';
import { ERRORS } from './refusal.js';
import { readRoute, takeInvite, writeRoute } from './route.js';
import { combine, job, run, split } from './shoal.js';
import { sweep } from './sweep.js';

const byId = (id: string): HTMLElement => {
  const el = document.getElementById(id);
  if (!el) throw new Error(`the page has no #${id}`);
  return el;
};

const main = byId('main');
const invite = takeInvite();

const pool = panel(() => {
  for (const f of frames) f.changed();
});
const frames: readonly Frame[] = [
  frame((f) => monteCarlo(f.nameOf), pool.labelOf),
  frame((f) => sweep(f.nameOf), pool.labelOf),
  frame((f) => yourFile(f.reset, f.fail, f.nameOf), pool.labelOf),
  frame((f) => kfold(f.reset, f.fail, f.nameOf), pool.labelOf),
  frame((f) => ensemble(f.nameOf), pool.labelOf),
  frame((f) => ownProgram(f.reset, f.fail, f.nameOf), pool.labelOf),
];
let current = frames[0];
let joining: JoinView | undefined;

const nav = byId('nav');
const links = frames.map(({ demo }) => {
  const a = h('a', { text: demo.tab });
  a.addEventListener('click', () => {
    a.href = writeRoute(demo.name, demo.settings());
  });
  a.href = writeRoute(demo.name, demo.settings());
  return { name: demo.name, a };
});
nav.append(h('ul', {}, ...links.map(({ a }) => h('li', {}, a))));
onLanguage(() => nav.setAttribute('aria-label', t('demos')));

/** Shows the computation that the address names, with its settings. */
function route(): void {
  if (location.hash.startsWith('#join=')) {
    // An invite that was opened over this page: begin anew with it.
    location.reload();
    return;
  }
  const { demo, settings } = readRoute(location.hash);
  const next = frames.find((f) => f.demo.name === demo);
  if (!next) return;
  if (current && current !== next) current.stop();
  current = next;
  if (!next.running()) {
    next.demo.restore(settings);
    next.changed();
  }
  for (const f of frames) show(f.element, f === next);
  for (const l of links) {
    if (l.name === demo) l.a.setAttribute('aria-current', 'page');
    else l.a.removeAttribute('aria-current');
  }
  title();
}

function title(): void {
  if (!joining && current) document.title = `${t(current.demo.title)} · Shoal`;
}

/** Turns from the page of an invite to the computations. */
function open(): void {
  joining?.element.remove();
  joining = undefined;
  show(nav, true);
  show(byId('work'), true);
  route();
}

byId('work').append(h('div', { class: 'column' }, ...frames.map((f) => f.element)), h('aside', {}, pool.element));
document.body.append(pool.dialog, status());

if (invite) {
  joining = joinView(invite, pool, open);
  show(nav, false);
  show(byId('work'), false);
  main.prepend(joining.element);
} else route();
addEventListener('hashchange', route);

document.addEventListener('keydown', (e) => {
  if (e.key !== 'Escape' || document.querySelector('dialog[open]')) return;
  if (joining) {
    if (joining.lends()) joining.stop();
  } else current?.stop();
});

const toggle = byId('language');
for (const [code, name] of [
  ['en', 'English'],
  ['de', 'Deutsch'],
] as const) {
  const button = h('button', { type: 'button', class: 'quiet', lang: code, click: () => setLanguage(code) }, name);
  onLanguage(() => button.setAttribute('aria-pressed', String(language() === code)));
  toggle.append(button);
}
onLanguage(() => {
  say(byId('language-name'), t('language'));
  say(byId('skip'), t('skip'));
  say(byId('lead'), t('lead'));
  say(byId('footer-text'), t('footer'));
  say(byId('errors'), t('aboutErrors'));
  title();
});
byId('errors').setAttribute('href', ERRORS);
applyLanguage();

/**
 * Loads what a run needs while nobody waits for it, so that the page goes on
 * without a network. At most one random point is computed.
 */
async function warm(): Promise<void> {
  const r = run(job({ program: 'mc/pi', split: split.range(1), combine: combine.moments() }));
  for await (const { state } of r) if (state !== 'starting') break;
  r.cancel();
  // Without a network the worker's script cannot be had, only its text; files
  // need the part that reads them.
  await Promise.all([import('../../js/src/worker-source.js'), import('../../js/src/sources.js')]);
}
const saves = (navigator as { connection?: { saveData?: boolean } }).connection?.saveData === true;
if (!saves && !invite) {
  // What fails here fails again, and is told, when a person starts a run.
  addEventListener('load', () => setTimeout(() => void warm().catch(() => {}), 0), { once: true });
}
