/** A program of one's own: a formula, a module, or an entry of a catalog. */

import { admission } from './admission.js';
import { compare } from './compare.js';
import { type Demo, specOf } from './demo.js';
import { field, h, say, show } from './dom.js';
import { dropZone } from './dropzone.js';
import { onLanguage, t } from './language.js';
import { type ModuleFacts, moduleFacts } from './module.js';
import { pageRefusal } from './refusal.js';
import {
  choice,
  digits,
  grainField,
  line,
  lines,
  restoreSettings,
  type Setting,
  settingsOf,
  whole,
} from './settings.js';
import { shardMap } from './shardmap.js';
import type { Written } from './share.js';
import { job as makeJob, plan, Refusal } from './shoal.js';
import type { Key } from './strings.js';
import { valueView } from './valueview.js';

/** A formula to begin with: what it is, and the settings that go with it. */
interface Example {
  readonly label: Key;
  readonly formula: string;
  readonly params: string;
  readonly combine: string;
}

const EXAMPLES: readonly Example[] = [
  { label: 'examplePi', formula: '4 * (x*x + y*y < 1)', params: '', combine: 'moments' },
  {
    label: 'exampleNormal',
    formula: 'a + b + c + d + f + g + h + i + j + k + l + m - 6',
    params: '',
    combine: 'quantiles',
  },
  {
    label: 'exampleWalk',
    formula: 'won = u < chance; won ? prize : -price',
    params: 'chance = 0.001\nprize = 5000\nprice = 6',
    combine: 'counts',
  },
  { label: 'exampleIntegral', formula: 'exp(-x*x) * sin(pi*y)', params: '', combine: 'moments' },
];
const [FIRST] = EXAMPLES;

interface Chosen {
  readonly file: File;
  readonly facts: ModuleFacts | undefined;
}

/** Makes the computation. another is called when another file is chosen. */
export function ownProgram(
  another: () => void,
  failed: (e: unknown) => void,
  nameOf: (worker: number) => string,
): Demo {
  let chosen: Chosen | undefined;
  let checking: AbortController | undefined;
  const source = choice('source', { formula: 'formulaSource', file: 'moduleSource' });
  const formula = lines('formula', FIRST?.formula ?? '', 3);
  const outputs = line('outputs', '');
  const items = digits('items', '1000000');
  const seed = digits('seed', '7');
  const params = lines('params', '', 3);
  const combine = choice('combine', {
    moments: 'moments',
    quantiles: 'quantiles',
    extremes: 'extremes',
    counts: 'counts',
    table: 'table',
  });
  const grain = grainField();
  const settings: readonly Setting[] = [source, formula, outputs, params, combine, grain];
  const report = admission();
  const comparison = compare();
  const view = valueView();
  const map = shardMap(nameOf);

  const name = h('p', { class: 'filename' });
  const drop = dropZone(
    {
      prompt: 'programDrop',
      accept: '.wasm,.entry,application/wasm',
      samples: [],
      chosen: async (file) => {
        const bytes = new Uint8Array(await file.arrayBuffer());
        chosen = { file, facts: moduleFacts(bytes) };
        arrange();
        another();
        await check();
      },
      failed,
    },
    name,
  );
  const examples = h(
    'div',
    { class: 'examples', role: 'group', 'aria-label$': 'formulaExample' },
    ...EXAMPLES.map((x) =>
      h('button', {
        type: 'button',
        class: 'quiet',
        text: x.label,
        click: () => {
          formula.write(x.formula);
          params.write(x.params);
          combine.write(x.combine);
          arrange();
          another();
        },
      }),
    ),
  );
  const formulaPart = h('div', { class: 'wide' }, field('formula', formula.element, 'formulaHint'), examples);
  const filePart = h('div', { class: 'wide' }, drop.element, field('outputsOf', outputs.element));
  const button = h('button', { type: 'button', 'data-action': 'check', text: 'check', click: () => void check() });
  const more = h(
    'details',
    { class: 'more' },
    h('summary', { text: 'more' }),
    field('paramsOf', params.element, 'paramsHint'),
    field('grain', grain.element, 'grainHint'),
  );
  formula.element.classList.add('code');
  params.element.classList.add('code');

  function arrange(): void {
    const file = source.read() === 'file';
    show(formulaPart, !file);
    show(filePart, file);
    if (params.read() !== '') more.open = true;
    say(name, chosen ? `${chosen.file.name}, ${t('bytes', { n: chosen.file.size })}` : '');
  }
  source.element.addEventListener('change', arrange);
  onLanguage(arrange);

  /** The params as they are written: a line each. */
  const readParams = (): Readonly<Record<string, number>> | undefined => {
    const found: Record<string, number> = {};
    for (const [i, text] of params.read().split('\n').entries()) {
      if (text.trim() === '') continue;
      const parts = /^\s*([^=\s]+)\s*=\s*(\S+)\s*$/.exec(text);
      const value = Number(parts?.[2] ?? Number.NaN);
      if (!parts?.[1] || Number.isNaN(value)) {
        throw pageRefusal('job/wrong-type', 'badParams', 'badParamsWhy', 'badParamsFix', { line: i + 1 });
      }
      found[parts[1]] = value;
    }
    return Object.keys(found).length > 0 ? found : undefined;
  };
  const outputsOf = (): number | readonly string[] | undefined => {
    const text = outputs.read().trim();
    if (text === '') return undefined;
    return /^\d+$/.test(text) ? Number(text) : text.split(',').map((x) => x.trim());
  };
  const isEntry = (): boolean => chosen !== undefined && !/\.wasm$/i.test(chosen.file.name) && !chosen.facts;
  const programOf = (): Readonly<Record<string, unknown>> => {
    if (source.read() === 'formula') return { formula: formula.read() };
    if (!chosen) throw pageRefusal('job/missing-file', 'noProgram', 'noProgramWhy', 'noProgramFix');
    if (isEntry()) return { entry: chosen.file.name };
    const names = outputsOf();
    return { module: chosen.file.name, ...(names !== undefined && { outputs: names }) };
  };
  const files = () =>
    chosen && source.read() === 'file' ? [{ name: chosen.file.name, blob: chosen.file, sample: false }] : [];
  const written = (): Written => {
    const program = programOf();
    const values = readParams();
    const cut = grain.grain();
    return {
      program,
      split: { range: Number(whole(items.read())) },
      ...(values && { params: values }),
      combine: combine.read(),
      seed: whole(seed.read()),
      ...(cut !== undefined && { grain: cut }),
    };
  };

  let checked = '';
  /** Everything that a check depends on. */
  const identity = (): string =>
    JSON.stringify([...settings.map((s) => s.read()), items.read(), chosen?.file.name, chosen?.file.lastModified]);

  async function check(): Promise<void> {
    checking?.abort();
    const mine = new AbortController();
    checking = mine;
    checked = identity();
    report.checking();
    const facts = source.read() === 'file' ? chosen?.facts : undefined;
    try {
      const p = await plan(makeJob(specOf(written(), files())), { signal: mine.signal });
      if (checking === mine) report.admitted(p, facts);
    } catch (e) {
      if (checking === mine) {
        report.refused(e, facts);
        mark(e);
      }
    }
  }
  /** Marks the formula as faulty, or as sound. */
  const mark = (thrown: unknown): void => {
    const faulty = thrown instanceof Refusal && thrown.code.startsWith('formula/');
    formula.element.setAttribute('aria-invalid', String(faulty));
  };

  return {
    name: 'program',
    tab: 'programTab',
    title: 'programTitle',
    about: 'programAbout',
    controls: [
      field('source', source.element),
      field('reduceBy', combine.element),
      formulaPart,
      filePart,
      field('items', items.element),
      field('seed', seed.element),
      more,
      h('div', { class: 'wide' }, button),
    ],
    figure: [report.element, view.element, map.element],
    after: [comparison.element],
    settings: () => ({ items: items.read(), seed: seed.read(), ...settingsOf(settings) }),
    restore: (s) => {
      restoreSettings([items, seed, ...settings], s);
      arrange();
    },
    files,
    job: written,
    clear: () => {
      // A run does not make what was said of its program untrue.
      if (checked !== identity()) {
        checking?.abort();
        checking = undefined;
        report.clear();
      }
      mark(undefined);
      const names = outputsOf();
      view.clear(combine.read(), typeof names === 'object' ? names : source.read() === 'formula' ? ['value'] : []);
      map.update(undefined);
      comparison.update(undefined, []);
    },
    planned: map.update,
    moved: map.update,
    value: view.update,
    settled: (done, thrown) => {
      mark(thrown);
      comparison.update(done, files());
    },
    byDevice: map.byDevice,
    rows: view.rows,
  };
}
