/** A cross-validation: one item trains and tests a model on one fold with one penalty. */

import { ACCEPTED, type Board, QUEUED } from './board.js';
import { beginningOf, guessDelimiter, look } from './csv.js';
import type { Demo } from './demo.js';
import { field, h, say } from './dom.js';
import { dropZone } from './dropzone.js';
import { foldPlots, type Scores } from './folds.js';
import { decimals, figure, onLanguage, t } from './language.js';
import { pageRefusal } from './refusal.js';
import type { Row } from './result.js';
import { choice, digits, line, restoreSettings, type Setting, settingsOf, whole } from './settings.js';
import { shardMap } from './shardmap.js';
import type { Shard } from './shoal.js';
import { csvText } from './values.js';

const BUILT_IN = { name: 'wdbc.csv', label: 'kfoldBuiltIn' } as const;
const PENALTIES = '0.001, 0.01, 0.1, 1, 3, 10, 30, 100, 1000';
/** What the drawing has room for. */
const MOST_PENALTIES = 30;
const MOST_FOLDS = 50;
/** What an item yields: the outputs of ml/kfold-logreg. */
const OUTPUTS = ['accuracy', 'logloss', 'n'] as const;
const METRICS = { accuracy: 0, logloss: 1 } as const;

interface Chosen {
  readonly file: File;
  readonly sample: boolean;
  readonly delimiter: string;
  readonly header: boolean;
}

/** Returns mean and sample deviation, NaN while any number is missing. */
function spreadOf(values: readonly number[]): readonly [number, number] {
  const mean = values.reduce((a, b) => a + b, 0) / values.length;
  const squares = values.reduce((a, b) => a + (b - mean) ** 2, 0);
  return [mean, values.length > 1 ? Math.sqrt(squares / (values.length - 1)) : 0];
}

/** Makes the computation. */
export function kfold(another: () => void, failed: (e: unknown) => void, nameOf: (worker: number) => string): Demo {
  const map = shardMap(nameOf);
  const folds = digits('folds', '10');
  const penalties = line('penalties', PENALTIES);
  const shuffle = digits('shuffle', '0');
  const metric = choice('show', { accuracy: 'accuracy', logloss: 'logloss' });
  const settings: readonly Setting[] = [folds, penalties, shuffle, metric];
  const name = h('p', { class: 'filename' });
  let chosen: Chosen | undefined;
  let asked = false;

  const plots = foldPlots();
  const body = h('tbody');
  const summary = h('p', { class: 'hint' });
  const head = (...keys: readonly (() => string)[]): HTMLElement =>
    h(
      'tr',
      {},
      ...keys.map((text) => {
        const th = h('th', { scope: 'col' });
        onLanguage(() => say(th, text()));
        return th;
      }),
    );
  const table = h(
    'table',
    { class: 'cells' },
    h('caption', { class: 'unseen', text: 'kfoldTitle' }),
    h(
      'thead',
      {},
      head(
        () => t('penalty'),
        () => t('meanAccuracy'),
        () => t('deviation'),
        () => t('meanLogloss'),
      ),
    ),
    body,
  );
  const scroll = h('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label$': 'penalties' }, table);

  const list = (): readonly number[] => {
    const numbers = penalties
      .read()
      .split(/[,;\s]+/)
      .filter(Boolean)
      .map(Number);
    const fine = numbers.length >= 1 && numbers.length <= MOST_PENALTIES && numbers.every((p) => p > 0 && p < 1e300);
    if (!fine) {
      throw pageRefusal('job/out-of-range', 'badPenalties', 'badPenaltiesWhy', 'badPenaltiesFix', {
        most: MOST_PENALTIES,
      });
    }
    return numbers;
  };
  const count = (): number => {
    const n = Number(whole(folds.read()));
    if (!(n >= 2 && n <= MOST_FOLDS)) {
      throw pageRefusal('job/out-of-range', 'badFolds', 'badFoldsWhy', 'badFoldsFix', { most: MOST_FOLDS });
    }
    return n;
  };

  /** The settings of the run that is shown, and its cells: by fold, then penalty, then output. */
  let ran: { folds: number; penalties: readonly number[] } = { folds: 0, penalties: [] };
  let cells = new Float64Array();
  let board: Board | undefined;

  const at = (fold: number, penalty: number, output: number): number => {
    const item = fold * ran.penalties.length + penalty;
    const state = board?.states[Math.floor(item / board.grain)] ?? QUEUED;
    return state === ACCEPTED ? (cells[item * OUTPUTS.length + output] ?? Number.NaN) : Number.NaN;
  };
  const statistics = (output: number): (readonly [number, number])[] =>
    ran.penalties.map((_, p) => spreadOf(Array.from({ length: ran.folds }, (_, f) => at(f, p, output))));
  /** The penalty with the least mean log-loss; of equal ones the larger, which is the simpler model. */
  const best = (losses: readonly (readonly [number, number])[]): number => {
    let chosenAt = -1;
    for (const [p, [loss]] of losses.entries()) {
      const least = losses[chosenAt]?.[0] ?? Number.POSITIVE_INFINITY;
      const larger = (ran.penalties[p] ?? 0) > (ran.penalties[chosenAt] ?? 0);
      if (loss < least || (loss === least && larger)) chosenAt = p;
    }
    return losses.some(([loss]) => Number.isNaN(loss)) ? -1 : chosenAt;
  };

  const refresh = (): void => {
    const accuracy = statistics(METRICS.accuracy);
    const losses = statistics(METRICS.logloss);
    const which = METRICS[metric.read()];
    const shown = which === METRICS.accuracy ? accuracy : losses;
    const chosenAt = best(losses);
    const scores: Scores = {
      penalties: ran.penalties,
      folds: ran.folds,
      at: (f, p) => at(f, p, which),
      mean: shown.map(([m]) => m),
      deviation: shown.map(([, d]) => d),
      chosen: chosenAt,
      metric: t(metric.read()),
      fold: t('fold'),
      penalty: t('penalty'),
    };
    plots.update(scores);
    const done = (board?.counts[ACCEPTED] ?? 0) * (board?.grain ?? 0);
    const all = ran.folds * ran.penalties.length;
    const sizes = { folds: ran.folds, penalties: ran.penalties.length };
    const text =
      chosenAt < 0
        ? t('kfoldNothing', sizes)
        : t('kfoldSummary', {
            ...sizes,
            done: Math.min(all, done),
            all,
            chosen: figure(ran.penalties[chosenAt] ?? Number.NaN),
            accuracy: figure(accuracy[chosenAt]?.[0] ?? Number.NaN, 4),
          });
    for (const canvas of [plots.dots, plots.matrix]) canvas.setAttribute('aria-label', text);
    say(summary, text);
    body.replaceChildren(
      ...ran.penalties.map((p, i) =>
        h(
          'tr',
          i === chosenAt ? { class: 'chosen' } : {},
          h('td', {}, figure(p)),
          h('td', {}, figure(accuracy[i]?.[0] ?? Number.NaN, 4)),
          h('td', {}, figure(accuracy[i]?.[1] ?? Number.NaN, 2)),
          h('td', {}, figure(losses[i]?.[0] ?? Number.NaN, 4)),
        ),
      ),
    );
  };
  const describe = (): void => {
    say(name, chosen ? `${chosen.file.name}, ${t('bytes', { n: chosen.file.size })}` : '');
    if (ran.folds > 0) refresh();
  };

  const choose = async (file: File, sample: boolean): Promise<void> => {
    const beginning = await beginningOf(file);
    const delimiter = guessDelimiter(beginning);
    chosen = { file, sample, delimiter, header: look(beginning, delimiter).header };
    describe();
    another();
  };
  const drop = dropZone(
    {
      prompt: 'kfoldDrop',
      accept: '.csv,.tsv,.txt,.gz,text/csv',
      samples: [BUILT_IN],
      chosen: choose,
      failed,
    },
    name,
  );
  metric.element.addEventListener('change', describe);

  return {
    name: 'kfold',
    tab: 'kfoldTab',
    title: 'kfoldTitle',
    about: 'kfoldAbout',
    controls: [
      drop.element,
      field('folds', folds.element),
      field('penalties', penalties.element, 'penaltiesHint'),
      field('metric', metric.element),
      h('details', { class: 'more' }, h('summary', { text: 'more' }), field('shuffle', shuffle.element)),
    ],
    figure: [
      h('figure', {}, plots.dots, h('figcaption', { text: 'kfoldFigure' })),
      h('figure', {}, plots.matrix, h('figcaption', { text: 'kfoldMatrix' })),
      summary,
      scroll,
      map.element,
    ],
    settings: () => settingsOf(settings),
    restore: (s) => {
      restoreSettings(settings, s);
      // The table is loaded when the page is first shown, and only once.
      if (!asked && !chosen) void drop.take(BUILT_IN.name);
      asked = true;
    },
    files: () => (chosen ? [{ name: chosen.file.name, blob: chosen.file, sample: chosen.sample }] : []),
    job: () => {
      if (!chosen) throw pageRefusal('job/missing-file', 'noFile', 'noFileWhy', 'noFileFix');
      const n = count();
      return {
        program: 'ml/kfold-logreg',
        split: { grid: { fold: [0, n - 1, n], penalty: { values: list() } } },
        inputs: {
          data: {
            file: chosen.file.name,
            format: 'csv',
            header: chosen.header,
            ...(chosen.delimiter !== ',' && { delimiter: chosen.delimiter }),
          },
        },
        params: { folds: n, shuffle: Number(whole(shuffle.read())) },
        combine: 'table',
      };
    },
    clear: () => {
      try {
        ran = { folds: count(), penalties: list() };
      } catch {
        ran = { folds: 0, penalties: [] };
      }
      cells = new Float64Array(ran.folds * ran.penalties.length * OUTPUTS.length);
      board = undefined;
      map.update(undefined);
      refresh();
    },
    planned: (b) => {
      board = b;
      map.update(b);
      refresh();
    },
    shard: (s: Shard) => {
      if (s.cells) cells.set(s.cells, s.first * OUTPUTS.length);
    },
    moved: (b) => {
      map.update(b);
      refresh();
    },
    settled: refresh,
    byDevice: map.byDevice,
    rows: (): readonly Row[] => {
      const losses = statistics(METRICS.logloss);
      const chosenAt = best(losses);
      if (chosenAt < 0) return [];
      const [accuracy, deviation] = statistics(METRICS.accuracy)[chosenAt] ?? [Number.NaN, Number.NaN];
      return [
        { name: t('chosenPenalty'), value: figure(ran.penalties[chosenAt] ?? Number.NaN), note: t('chosenHint') },
        { name: t('meanAccuracy'), value: `${decimals(accuracy, 4)} ± ${decimals(deviation, 4)}` },
        { name: t('meanLogloss'), value: decimals(losses[chosenAt]?.[0] ?? Number.NaN, 5) },
      ];
    },
    csv: () =>
      csvText({
        head: ['fold', 'penalty', ...OUTPUTS],
        rows: Array.from({ length: ran.folds * ran.penalties.length }, (_, i) => {
          const fold = Math.floor(i / ran.penalties.length);
          const p = i % ran.penalties.length;
          return [fold, ran.penalties[p] ?? Number.NaN, ...OUTPUTS.map((_, o) => at(fold, p, o))];
        }),
      }),
  };
}
