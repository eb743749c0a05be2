/** The third computation: the moments of a column of a file. */

import michelso from '../../examples/nist/Michelso.csv';
import { delimiters, ENOUGH, guessDelimiter, look } from './csv.js';
import type { Demo } from './demo.js';
import { field, h, say, show } from './dom.js';
import { count, figure, onLanguage, t } from './language.js';
import { pageRefusal } from './refusal.js';
import type { Row } from './result.js';
import { shardMap } from './shardmap.js';
import type { Moments } from './shoal.js';
import type { Key } from './strings.js';

/** The samples. Small ones are part of the page. */
const samples = {
  'Michelso.csv': { label: 'sampleMichelso', text: michelso },
  'flights.csv': { label: 'sampleFlights', text: undefined },
} as const satisfies Readonly<Record<string, { label: Key; text: string | undefined }>>;
type Sample = keyof typeof samples;

/** What NIST certifies for the sample, digits as published. */
const CERTIFIED: Readonly<Partial<Record<string, Readonly<Partial<Record<keyof Moments, string>>>>>> = {
  'Michelso.csv': { mean: '299.852400000000', stddev: '0.0790105478190518' },
};

const DELIMITER_NAMES: Readonly<Record<string, Key>> = { ',': 'comma', ';': 'semicolon', '\t': 'tab' };

interface Chosen {
  readonly file: File;
  readonly sample: boolean;
  /** Its first bytes, as text. */
  readonly beginning: string;
}

/** Makes the computation. another is called when another file or column is chosen. */
export function yourFile(another: () => void, failed: (e: unknown) => void): Demo {
  let chosen: Chosen | undefined;
  let last: Moments | undefined;
  const map = shardMap();

  const picker = h('input', { type: 'file', accept: '.csv,.tsv,.txt,text/csv', class: 'unseen' });
  const column = h('select', { name: 'column' });
  const delimiter = h(
    'select',
    { name: 'delimiter' },
    ...delimiters.map((d) => h('option', { value: d, text: DELIMITER_NAMES[d] ?? 'comma' })),
  );
  const header = h('input', { type: 'checkbox', name: 'header' });
  const name = h('p', { class: 'filename' });
  const columns = h(
    'div',
    { class: 'row' },
    field('column', column),
    field('delimiter', delimiter),
    h('label', { class: 'tick' }, header, h('span', { text: 'header' })),
  );
  show(columns, false);

  const fillColumns = (headerIs?: boolean): void => {
    if (!chosen) return;
    const found = look(chosen.beginning, delimiter.value, headerIs);
    header.checked = found.header;
    const options = found.columns.map((c, i) => {
      const label = c.name ? `${c.name} (${c.first})` : `${i}: ${c.first}`;
      return h('option', { value: c.name || i }, label.slice(0, 60));
    });
    column.replaceChildren(...options);
    column.selectedIndex = Math.max(
      0,
      found.columns.findIndex((c) => c.numeric),
    );
    show(columns, true);
  };
  const choose = async (file: File, sample: boolean): Promise<void> => {
    const beginning = await file.slice(0, ENOUGH).text();
    chosen = { file, sample, beginning };
    delimiter.value = guessDelimiter(beginning);
    fillColumns();
    describe();
    another();
  };
  const describe = (): void => {
    say(name, chosen ? `${chosen.file.name}, ${t('bytes', { n: chosen.file.size })}` : '');
  };
  onLanguage(describe);

  const sampleFile = async (which: Sample): Promise<File> => {
    const text = samples[which].text;
    if (text !== undefined) return new File([text], which, { type: 'text/csv' });
    const response = await fetch(`samples/${which}`);
    if (!response.ok) throw new Error(`samples/${which}: ${response.status}`);
    return new File([await response.blob()], which, { type: 'text/csv' });
  };
  const take = (which: Sample): Promise<void> =>
    sampleFile(which)
      .then((f) => choose(f, true))
      .catch(failed);

  picker.addEventListener('change', () => {
    const [file] = picker.files ?? [];
    if (file) choose(file, false).catch(failed);
    picker.value = ''; // so that the same file can be chosen again
  });
  column.addEventListener('change', another);
  delimiter.addEventListener('change', () => {
    fillColumns();
    another();
  });
  header.addEventListener('change', () => {
    fillColumns(header.checked);
    another();
  });

  const drop = h(
    'div',
    { class: 'drop' },
    h(
      'div',
      {},
      h('p', { text: 'drop' }),
      h('button', { type: 'button', text: 'choose', click: () => picker.click() }),
      picker,
    ),
    h(
      'div',
      {},
      h('p', { text: 'orSample' }),
      ...(Object.keys(samples) as Sample[]).map((s) =>
        h('button', { type: 'button', class: 'quiet', text: samples[s].label, 'data-sample': s, click: () => take(s) }),
      ),
    ),
    name,
  );
  picker.tabIndex = -1;
  picker.setAttribute('aria-hidden', 'true');
  const over =
    (on: boolean) =>
    (e: DragEvent): void => {
      e.preventDefault();
      drop.classList.toggle('over', on);
    };
  drop.addEventListener('dragover', over(true));
  drop.addEventListener('dragleave', over(false));
  drop.addEventListener('drop', (e) => {
    over(false)(e);
    const [file] = e.dataTransfer?.files ?? [];
    if (file) choose(file, false).catch(failed);
  });

  const ORDER: readonly (keyof Moments)[] = [
    'mean',
    'stddev',
    'stderr',
    'variance',
    'skewness',
    'kurtosis',
    'min',
    'max',
    'sum',
  ];
  const rows = (): readonly Row[] => {
    const m = last;
    if (!m) return [];
    const certified = chosen?.sample ? CERTIFIED[chosen.file.name] : undefined;
    const figures = ORDER.map((key): Row => {
      const known = certified?.[key];
      return { name: t(key as Key), value: figure(m[key], 15), ...(known && { note: `${t('certified')}: ${known}` }) };
    });
    return [{ name: t('n'), value: count(m.n) }, ...figures];
  };

  const columnOf = (): string | number => (header.checked ? column.value : Number(column.value || 0));
  return {
    name: 'file',
    tab: 'fileTab',
    title: 'fileTitle',
    about: 'fileAbout',
    controls: [drop, columns],
    figure: [h('figure', {}, map.canvas, h('figcaption', { text: 'fileFigure' }))],
    settings: (): Record<string, string> => (chosen?.sample ? { sample: chosen.file.name, column: column.value } : {}),
    restore: (s) => {
      const wanted = Object.keys(samples).find((x) => x === s.get('sample')) as Sample | undefined;
      if (!wanted || chosen) return;
      const which = s.get('column');
      take(wanted).then(() => {
        if (which === null || ![...column.options].some((o) => o.value === which)) return;
        column.value = which;
        another();
      });
    },
    file: () => chosen,
    job: () => {
      if (!chosen) {
        throw pageRefusal('job/missing-file', 'noFile', 'noFileWhy', 'noFileFix');
      }
      const extra = { ...(delimiter.value !== ',' && { delimiter: delimiter.value }), header: header.checked };
      return {
        program: 'stats/columns',
        split: { records: { file: chosen.file.name, column: columnOf(), ...extra } },
        combine: 'moments',
      };
    },
    clear: () => {
      last = undefined;
      map.update(undefined);
    },
    planned: map.update,
    moved: map.update,
    value: (v) => {
      const m = 'columns' in v && Array.isArray(v.columns) ? v.columns[0] : v;
      if ('mean' in m) last = m;
    },
    byDevice: map.byDevice,
    rows,
    note: () => (last && chosen?.sample && CERTIFIED[chosen.file.name] ? t('certifiedNote') : ''),
  };
}
