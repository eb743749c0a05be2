/** A computation on a file: the numbers of a table, or the records of a text. */

import michelso from '../../examples/nist/Michelso.csv';
import { columnChoice } from './columns.js';
import { type Beginning, beginningOf, guessDelimiter, look, rangeOf } from './csv.js';
import type { Demo } from './demo.js';
import { field, h, say, show } from './dom.js';
import { dropZone, type Sample } from './dropzone.js';
import { onLanguage, t } from './language.js';
import { pageRefusal } from './refusal.js';
import type { Row } from './result.js';
import { choice, number, numberIn, restoreSettings, type Setting, settingsOf } from './settings.js';
import { shardMap } from './shardmap.js';
import { valueView } from './valueview.js';

/** The samples. Small ones are part of the page. */
const samples: readonly Sample[] = [
  { name: 'Michelso.csv', label: 'sampleMichelso', text: michelso },
  { name: 'flights.csv', label: 'sampleFlights' },
  { name: 'opticks.txt', label: 'sampleOpticks' },
  { name: 'lambda.fa', label: 'sampleLambda' },
];

/** What NIST certifies for the sample, digits as published. */
const CERTIFIED: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'Michelso.csv': { mean: '299.852400000000', stddev: '0.0790105478190518' },
};

/** What batch/text counts of each record. */
const TEXT_OUTPUTS = 'bytes,characters,words,letters,digits,spaces,a,c,g,t,n,other'.split(',');
const BINS = 40;
const MOST_BINS = 10_000;

interface Chosen {
  readonly file: File;
  readonly sample: boolean;
  /** Its first bytes, as text. */
  readonly beginning: string;
}

/** Guesses what a file is from its name: the core says if it is not. */
function formatOf(name: string): 'csv' | 'lines' | 'fasta' {
  const plain = name.replace(/\.gz$/i, '');
  if (/\.(fa|fasta|fna|ffn|faa|frn)$/i.test(plain)) return 'fasta';
  return /\.(txt|log|md|text)$/i.test(plain) ? 'lines' : 'csv';
}

/** Makes the computation. another is called when another file or column is chosen. */
export function yourFile(another: () => void, failed: (e: unknown) => void, nameOf: (worker: number) => string): Demo {
  let chosen: Chosen | undefined;
  let found: Beginning | undefined;
  let certified = false;
  /** The settings of a link whose sample is on its way. */
  let link: URLSearchParams | undefined;
  /** What the page takes the file for unless it is told. */
  let guessed = { format: 'csv', delimiter: ',', header: 'yes' };
  const map = shardMap(nameOf);
  const view = valueView();

  const format = choice('format', { csv: 'formatCsv', lines: 'formatLines', fasta: 'formatFasta' });
  const delimiter = choice('delimiter', { ',': 'comma', ';': 'semicolon', '\t': 'tab', '|': 'bar', ' ': 'space' });
  const header = h('input', { type: 'checkbox', name: 'header' });
  const missing = choice('missing', { refuse: 'missingRefuse', nan: 'missingNan' });
  const combine = choice('combine', {
    moments: 'moments',
    histogram: 'histogram',
    quantiles: 'quantiles',
    extremes: 'extremes',
    counts: 'counts',
    covariance: 'covariance',
    table: 'table',
  });
  const from = number('from', '');
  const to = number('to', '');
  const bins = number('bins', String(BINS), { min: 1, max: MOST_BINS, step: 1 });
  const columns = columnChoice(() => {
    guessRange();
    another();
  });
  const settings: readonly Setting[] = [combine, missing, from, to, bins];

  const name = h('p', { class: 'filename' });
  const edgesRow = h(
    'fieldset',
    { class: 'axis' },
    h('legend', { text: 'histogramEdges' }),
    field('from', from.element),
    field('to', to.element),
    field('binCount', bins.element),
  );
  const dialect = h(
    'div',
    { class: 'row' },
    field('delimiter', delimiter.element),
    field('missing', missing.element),
    h('label', { class: 'tick' }, header, h('span', { text: 'header' })),
  );
  const kinds = h('div', { class: 'row' }, field('format', format.element), field('combine', combine.element));
  const isTable = (): boolean => format.read() === 'csv';

  const arrange = (): void => {
    show(kinds, chosen !== undefined);
    for (const el of [dialect, columns.element]) show(el, chosen !== undefined && isTable());
    show(edgesRow, chosen !== undefined && combine.read() === 'histogram');
    say(name, chosen ? `${chosen.file.name}, ${t('bytes', { n: chosen.file.size })}` : '');
  };
  const guessRange = (): void => {
    const [first] = columns.positions();
    const range = chosen && found && first !== undefined ? rangeOf(chosen.beginning, found, first) : undefined;
    if (!range) return;
    from.write(String(range[0]));
    to.write(String(range[1]));
  };
  const findColumns = (headerIs?: boolean): void => {
    if (!chosen) return;
    found = look(chosen.beginning, delimiter.read(), headerIs);
    header.checked = found.header;
    columns.offer(found.columns);
    guessRange();
  };
  /** Takes settings from a link to a sample. */
  const follow = (s: URLSearchParams): void => {
    format.write(s.get('format') ?? guessed.format);
    delimiter.write(s.get('delimiter') ?? guessed.delimiter);
    const headed = s.get('header');
    findColumns(headed === null ? undefined : headed === 'yes');
    columns.write(s.get('column') ?? '');
    guessRange();
    restoreSettings(
      settings.filter((x) => s.has(x.name)),
      s,
    );
  };
  const choose = async (file: File, sample: boolean): Promise<void> => {
    const beginning = await beginningOf(file);
    chosen = { file, sample, beginning };
    format.write(formatOf(file.name));
    delimiter.write(guessDelimiter(beginning));
    findColumns();
    guessed = { format: format.read(), delimiter: delimiter.read(), header: header.checked ? 'yes' : 'no' };
    if (link) follow(link);
    link = undefined;
    arrange();
    another();
  };
  onLanguage(arrange);

  const drop = dropZone(
    {
      prompt: 'drop',
      accept: '.csv,.tsv,.txt,.gz,.fa,.fasta,.fna,text/csv,text/plain',
      samples,
      or: 'orSample',
      chosen: choose,
      failed,
    },
    name,
  );
  delimiter.element.addEventListener('change', () => {
    findColumns();
    another();
  });
  header.addEventListener('change', () => {
    findColumns(header.checked);
    another();
  });
  for (const c of [format, combine, missing]) {
    c.element.addEventListener('change', () => {
      arrange();
      another();
    });
  }

  /** Equal bins from … to, by the same operations as an axis of a grid. */
  const edges = (): number[] => {
    const [low, high, n] = [from, to, bins].map((c) => numberIn(c.element)) as [number, number, number];
    if (!(n >= 1 && n <= MOST_BINS)) return [low, high];
    return Array.from({ length: n + 1 }, (_, i) => (i === n ? high : (low * (n - i) + high * i) / n));
  };
  const combineOf = (): string | Readonly<Record<string, unknown>> => {
    const kind = combine.read();
    if (kind === 'histogram') return { histogram: { edges: edges() } };
    const skips = isTable() && missing.read() === 'nan';
    const able = ['moments', 'quantiles', 'extremes', 'covariance'].includes(kind);
    return skips && able ? { [kind]: { nan: 'skip' } } : kind;
  };
  const recordsOf = (file: string): Readonly<Record<string, unknown>> => {
    if (!isTable()) return { file, format: format.read() };
    const list = columns.chosen();
    const [first] = list;
    if (first === undefined) throw pageRefusal('job/missing-field', 'noColumn', 'noColumnWhy', 'noColumnFix');
    return {
      file,
      ...(list.length === 1 ? { column: first } : { columns: list }),
      ...(delimiter.read() !== ',' && { delimiter: delimiter.read() }),
      header: header.checked,
      ...(missing.read() === 'nan' && { missing: 'nan' }),
    };
  };

  const known = (): Readonly<Record<string, string>> => (certified && chosen && CERTIFIED[chosen.file.name]) || {};
  const rows = (): readonly Row[] => {
    const notes = Object.entries(known()).map(([key, v]) => [t(key === 'mean' ? 'mean' : 'stddev'), v] as const);
    return view.rows().map((r) => {
      const note = notes.find(([k]) => k === r.name)?.[1];
      return note ? { ...r, note: `${t('certified')}: ${note}` } : r;
    });
  };

  return {
    name: 'file',
    tab: 'fileTab',
    title: 'fileTitle',
    about: 'fileAbout',
    controls: [drop.element, kinds, columns.element, dialect, edgesRow],
    figure: [view.element, h('figure', {}, map.element, h('figcaption', { text: 'fileFigure' }))],
    settings: (): Record<string, string> =>
      chosen?.sample ? { sample: chosen.file.name, ...readingOf(), ...settingsOf(linked()) } : {},
    restore: (s) => {
      if (chosen) return;
      // Its settings make sense once the sample is there.
      link = s;
      void drop.take(s.get('sample') ?? '');
    },
    files: () => (chosen ? [{ name: chosen.file.name, blob: chosen.file, sample: chosen.sample }] : []),
    job: () => {
      if (!chosen) throw pageRefusal('job/missing-file', 'noFile', 'noFileWhy', 'noFileFix');
      return {
        program: isTable() ? 'stats/columns' : 'batch/text',
        split: { records: recordsOf(chosen.file.name) },
        combine: combineOf(),
      };
    },
    clear: () => {
      certified = chosen?.sample === true && combine.read() === 'moments' && columns.positions().length === 1;
      view.clear(combine.read(), isTable() ? columns.names() : TEXT_OUTPUTS);
      map.update(undefined);
    },
    planned: map.update,
    moved: map.update,
    value: view.update,
    byDevice: map.byDevice,
    rows,
    note: () => (view.rows().length > 1 && Object.keys(known()).length > 0 ? t('certifiedNote') : ''),
  };

  /** How the file is read, as far as it is not guessed. */
  function readingOf(): Record<string, string> {
    const read = { format: format.read(), delimiter: delimiter.read(), header: header.checked ? 'yes' : 'no' };
    const differs = Object.entries(read).filter(([k, v]) => v !== guessed[k as keyof typeof read]);
    return { ...(isTable() && { column: columns.text() }), ...Object.fromEntries(differs) };
  }

  /** Bins matter to a link only where there is a histogram. */
  function linked(): readonly Setting[] {
    return combine.read() === 'histogram' ? settings : [combine, missing];
  }
}
