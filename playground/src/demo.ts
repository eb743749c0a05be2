/** The frame of a computation: settings, run and stop, progress, result. */

import { type Board, board } from './board.js';
import { announce, freshId, h, say, show, tick } from './dom.js';
import { count, onLanguage, t } from './language.js';
import { legend } from './marks.js';
import { type AnyRun, copies, onPlace, placeFields, pooled, submit, withPolicy } from './place.js';
import { refusalCard, titleOf } from './refusal.js';
import { type Row, resultView } from './result.js';
import { addressOf, type DemoName, writeRoute } from './route.js';
import { type Carried, type Shared, share, type Written, withFiles } from './share.js';
import { type AnyValue, type JobSpec, job as makeJob, type Shard } from './shoal.js';
import type { Key } from './strings.js';
import { type Finished, takeaway } from './takeaway.js';

/** What is particular to a computation. */
export interface Demo {
  readonly name: DemoName;
  readonly tab: Key;
  readonly title: Key;
  readonly about: Key;
  readonly controls: readonly HTMLElement[];
  readonly figure: readonly HTMLElement[];
  /** What comes after the result. */
  readonly after?: readonly HTMLElement[];
  /** The settings as a link holds them, and back. */
  readonly settings: () => Readonly<Record<string, string>>;
  readonly restore: (settings: URLSearchParams) => void;
  /** The job as it is written down; it throws a Refusal if there is none. */
  readonly job: () => Written;
  /** The files that the job names. */
  readonly files?: () => readonly Carried[];
  /** A new run: forget the last. */
  readonly clear: () => void;
  readonly planned: (b: Board) => void;
  readonly shard?: (s: Shard) => void;
  /** Some shards have moved; at most once a frame. */
  readonly moved: (b: Board) => void;
  readonly value?: (v: AnyValue) => void;
  /** The run is over: with a result, with what was thrown, or stopped. */
  readonly settled?: (done: Finished | undefined, thrown: unknown) => void;
  /** The result as CSV, where the page knows more of it than the value says. */
  readonly csv?: () => string;
  readonly byDevice: (on: boolean) => void;
  /** A sign for a device beside its colour. */
  readonly deviceMark?: (worker: number) => string;
  readonly rows: () => readonly Row[];
  /** What there is to say about the figures. */
  readonly note?: () => string;
}

/** A computation on the page. */
export interface Frame {
  readonly demo: Demo;
  readonly element: HTMLElement;
  readonly running: () => boolean;
  readonly stop: () => void;
  /** Something that decides the job has changed. */
  readonly changed: () => void;
  /** The person has changed it: the address follows. */
  readonly edited: () => void;
  /** Forgets the last run, whose figures belong to other data. */
  readonly reset: () => void;
  readonly fail: (thrown: unknown) => void;
  readonly nameOf: (worker: number) => string;
}

/** How often a screen reader hears of progress: every so many per cent. */
const ANNOUNCE = 10;
/** How often figures are written anew while a run goes on. */
const DETAILS_MS = 200;
/** Names of waiting that the core uses. */
const WAITING: Readonly<Record<string, Key>> = {
  'no-peer': 'waitPeer',
  'second-peer': 'waitSecond',
  oracle: 'waitOracle',
  host: 'waitHost',
  reducer: 'waitReducer',
};

/** The job as the SDK takes it: with the files themselves in the place of their names. */
export function specOf(written: Written, files: readonly Carried[]): JobSpec {
  const blobs = new Map(files.map((f) => [f.name, f.blob]));
  return withPolicy(withFiles(written, (name) => blobs.get(name)) as Written) as unknown as JobSpec;
}

/** Makes the frame around a computation. labelOf names a device. */
export function frame(make: (f: Frame) => Demo, labelOf: (peer: string) => string | undefined): Frame {
  let control: AbortController | undefined;
  let run: AnyRun | undefined;
  let shards: Board | undefined;
  let done: Finished | undefined;
  let shared: Shared | undefined;
  let thrown: unknown;
  let announced = 0;
  let dirty = false;
  let detailed = 0;

  const nameOf = (worker: number): string => {
    const peer = shards?.workers[worker]?.peer ?? '';
    return labelOf(peer) ?? (pooled() ? peer.slice(0, 8) : t('thisDevice'));
  };
  const self: Frame = {
    get demo() {
      return demo;
    },
    get element() {
      return section;
    },
    running: () => control !== undefined,
    stop: () => control?.abort(new DOMException('stopped', 'AbortError')),
    changed: () => {
      if (!control) reshare();
    },
    edited: () => {
      // A sample may come when the person has gone on to another computation.
      if (!section.hidden) history.replaceState(null, '', writeRoute(demo.name, demo.settings()));
      self.changed();
    },
    reset: () => {
      if (control) return;
      forget();
      self.edited();
      paint();
    },
    fail: (e) => {
      thrown = e;
      paint();
    },
    nameOf,
  };
  const demo = make(self);

  const form = freshId();
  const label = document.createTextNode('');
  const button = h(
    'button',
    { type: 'submit', form, class: 'run', 'data-action': 'run' },
    h('span', { class: 'glyph', 'aria-hidden': 'true' }),
    label,
  );
  const line = h('p', { class: 'state' });
  const why = h('p', { class: 'explain', lang: 'en' });
  const bar = h('progress', { max: 1, value: 0, 'aria-label$': 'progress' });
  const refusals = h('div');
  const marks = legend();
  const workers = h('ul', { class: 'legend workers', 'aria-label$': 'byDevice' });
  const tinting = tick('tint', (on) => {
    tinted = on;
    demo.byDevice(on);
    paint();
  });
  let tinted = false;
  const result = resultView();
  const saving = takeaway(demo.name, demo.csv);
  const sharing = share();

  const heading = freshId();
  const section = h(
    'section',
    { class: 'demo', id: `demo-${demo.name}`, 'aria-labelledby': heading },
    h('h2', { id: heading, tabindex: -1, text: demo.title }),
    h('div', { class: 'runbar' }, button, h('div', { class: 'runstate' }, line, bar)),
    why,
    refusals,
    h('p', { class: 'about', text: demo.about }),
    h(
      'form',
      { id: form, submit: onSubmit, input: self.edited, novalidate: true, 'aria-label$': 'settings' },
      ...demo.controls,
      placeFields(),
    ),
    h('div', { class: 'figures' }, ...demo.figure, marks.element, h('div', { class: 'who' }, tinting, workers)),
    result.element,
    saving.element,
    ...(demo.after ?? []),
    sharing.element,
  );
  button.addEventListener('click', (e) => {
    // The second click of a double click is no wish to turn round the first.
    const second = e.detail > 1;
    if (control || second) e.preventDefault();
    if (control && !second) self.stop();
  });

  function onSubmit(e: Event): void {
    e.preventDefault();
    if (!control) start();
  }
  function forget(): void {
    thrown = undefined;
    shards = undefined;
    done = undefined;
    run = undefined;
    announced = 0;
    demo.clear();
  }

  /** Shares the settings as they are, while no run holds on to its own. */
  function reshare(): void {
    try {
      shared = sharedOf(demo.job());
    } catch {
      return; // nothing to share yet
    }
    if (!run) sharing.update(shared);
  }
  function sharedOf(job: Written): Shared {
    return {
      job,
      link: addressOf(writeRoute(demo.name, demo.settings())),
      files: demo.files?.() ?? [],
      ...(pooled() && { relay: location.origin, copies: copies() }),
    };
  }

  async function start(): Promise<void> {
    forget();
    let job: Written;
    try {
      job = demo.job();
      sharing.update(sharedOf(job));
    } catch (e) {
      self.fail(e);
      announce(t('refused', { title: titleOf(e) }));
      demo.settled?.(undefined, e);
      return;
    }
    const mine = new AbortController();
    control = mine;
    announce(t('announceStart'));
    try {
      const r = submit(makeJob(specOf(job, demo.files?.() ?? [])), mine.signal);
      run = r;
      r.addEventListener('progress', later);
      later();
      const [, end] = await Promise.all([follow(r), r.result]);
      done = { job, result: end };
      demo.value?.(end.value);
    } catch (e) {
      if (!mine.signal.aborted) thrown = e;
    } finally {
      control = undefined;
      paint();
      demo.settled?.(done, thrown);
      announce(line.textContent ?? '');
    }
  }

  async function follow(r: AnyRun): Promise<void> {
    for await (const s of r.shards()) {
      const p = r.progress;
      if (!shards) {
        shards = board(p.items, p.grain, p.shards);
        demo.planned(shards);
      }
      shards.apply(s);
      demo.shard?.(s);
      later();
    }
  }

  function later(): void {
    if (dirty) return;
    dirty = true;
    requestAnimationFrame(() => {
      dirty = false;
      paint();
    });
  }

  function stateText(): string {
    if (thrown !== undefined) return t('refused', { title: titleOf(thrown) });
    const p = run?.progress;
    if (!p) return t('idle');
    const counted = { done: p.settled, all: p.shards };
    switch (p.state) {
      case 'starting':
        return t('starting');
      case 'planning': {
        // A large file is read whole before anything is planned.
        const percent = /(\d+) %/.exec(p.waiting)?.[1];
        return percent === undefined ? t('planning') : t('reading', { percent: Number(percent) });
      }
      case 'running': {
        const waits = WAITING[p.waiting];
        return t('running', counted) + (waits ? `. ${t(waits)}` : '');
      }
      case 'done':
        return t('done', counted);
      default:
        return p.shards > 0 ? t('stopped', counted) : t('stoppedEarly');
    }
  }

  function paintWorkers(): void {
    const rows = (shards?.workers ?? []).map((w, i) => {
      const mark = demo.deviceMark?.(i);
      const swatch = h('span', { class: `swatch hue${i % 8}`, 'aria-hidden': 'true' }, tinted && mark ? mark : '');
      return h(
        'li',
        {},
        tinted ? swatch : null,
        h('span', {}, nameOf(i)),
        h('span', { class: 'number' }, count(w.shards)),
      );
    });
    workers.replaceChildren(...rows);
    show(workers, rows.length > 0);
  }

  function paint(): void {
    const p = run?.progress;
    const on = control !== undefined;
    label.data = t(on ? 'stop' : 'run');
    button.dataset['action'] = on ? 'stop' : 'run';
    say(line, stateText());
    bar.value = p && p.shards > 0 ? p.settled / p.shards : 0;
    const waits = on && run !== undefined && run.progress.waiting !== '' && run.progress.state === 'running';
    say(why, waits ? (run?.explain() ?? '') : '');
    show(why, waits);
    refusals.replaceChildren(...(thrown === undefined ? [] : [refusalCard(thrown)]));
    if (on && p?.value) demo.value?.(p.value);
    if (shards) demo.moved(shards);
    marks.update(shards);
    // Figures and names need no sixty new ones a second.
    const now = performance.now();
    if (!on || now - detailed >= DETAILS_MS) {
      detailed = now;
      paintDetails();
    }
    const percent = Math.floor((100 * bar.value) / ANNOUNCE) * ANNOUNCE;
    if (on && percent > announced && percent < 100) {
      announced = percent;
      announce(t('announce', { percent }));
    }
  }

  function paintDetails(): void {
    paintWorkers();
    const units = run?.progress.units ?? 0n;
    result.update(
      () => {
        const rows = demo.rows();
        return rows.length > 0 || units > 0n
          ? [...rows, { name: t('units'), value: t('unitsOf', { n: count(units) }) }]
          : [];
      },
      done?.result,
      demo.note?.() ?? '',
    );
    saving.update(done);
  }

  demo.clear();
  onPlace(self.changed);
  onLanguage(paint);
  return self;
}
