/** How to get the same result elsewhere: as a command, as code, as a link. */

import { copyButton, download, freshId, h, say } from './dom.js';
import { onLanguage, t } from './language.js';
import type { Key } from './strings.js';

type Fields = Readonly<Record<string, unknown>>;

/** A job as a job file has it: plain JSON, its files by name. */
export interface Written {
  readonly program: string | Fields;
  readonly split: Fields;
  readonly inputs?: Fields;
  readonly params?: Readonly<Record<string, number>>;
  readonly seed?: number | bigint;
  readonly combine: string | Fields;
  /** Items in a shard, planned without it. */
  readonly grain?: number;
}

/** A file that a job names. */
export interface Carried {
  readonly name: string;
  readonly blob: Blob;
  /** Whether the site has it, below samples/. */
  readonly sample: boolean;
}

/** What is shared. */
export interface Shared {
  readonly job: Written;
  readonly link: string;
  /** The files that the job names. */
  readonly files: readonly Pick<Carried, 'name' | 'sample'>[];
  /** The address of the pool's server, when the run is pooled. */
  readonly relay?: string;
  readonly copies?: number;
}

/** The name of a variable, which stands in code as it is. */
class Raw {
  readonly code: string;
  constructor(code: string) {
    this.code = code;
  }
}

/** The fields of a job that hold files. */
const FILES = ['file', 'files', 'module', 'entry'];

/** Replaces the names of files in a job by what give returns for them. */
export function withFiles(v: unknown, give: (name: string) => unknown, key = ''): unknown {
  if (typeof v === 'string') return FILES.includes(key) ? (give(v) ?? v) : v;
  if (Array.isArray(v)) return v.map((x) => withFiles(x, give, key));
  if (typeof v !== 'object' || v === null || v instanceof Raw) return v;
  return Object.fromEntries(Object.entries(v).map(([k, x]) => [k, withFiles(x, give, k)]));
}

/** A seed above 2^53 is no number in JSON that every reader keeps. */
const jsonSeed = (seed: number | bigint): number | string =>
  typeof seed === 'number' || seed <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(seed) : String(seed);

/** Writes JSON on one line, with spaces where people put them. */
function inLine(v: unknown): string {
  if (Array.isArray(v)) return `[${v.map(inLine).join(', ')}]`;
  if (typeof v !== 'object' || v === null) return JSON.stringify(v);
  return `{ ${Object.entries(v)
    .map(([k, x]) => `${JSON.stringify(k)}: ${inLine(x)}`)
    .join(', ')} }`;
}

/** Writes a job file, a line for each field. */
export function jobFile({ program, split, inputs, params, seed, combine, grain }: Written): string {
  const fields = Object.entries({
    program,
    split,
    ...(inputs && { inputs }),
    ...(params && { params }),
    ...(seed !== undefined && { seed: jsonSeed(seed) }),
    combine,
    ...(grain !== undefined && { grain }),
  });
  return `{\n${fields.map(([k, v]) => `  ${JSON.stringify(k)}: ${inLine(v)}`).join(',\n')}\n}`;
}

/** Writes the command that computes the job. No policy: one machine is enough for the digest. */
export const commandLine = (job: Written): string => `shoal run - <<'JOB'\n${jobFile(job)}\nJOB`;

const ESCAPES: Readonly<Record<string, string>> = { '\n': '\\n', '\t': '\\t', '\r': '\\r' };
const textLiteral = (s: string): string =>
  `'${s.replace(/[\\']/g, '\\$&').replace(/[\n\t\r]/g, (c) => ESCAPES[c] ?? c)}'`;

/** Writes a value as JavaScript on one line. */
function literal(v: unknown): string {
  if (v instanceof Raw) return v.code;
  if (Array.isArray(v)) return `[${v.map(literal).join(', ')}]`;
  if (typeof v === 'object' && v !== null) {
    const field = ([k, x]: [string, unknown]): string => {
      const value = literal(x);
      if (k === value) return k;
      return `${/^[A-Za-z_$][\w$]*$/.test(k) ? k : textLiteral(k)}: ${value}`;
    };
    const fields = Object.entries(v).map(field);
    return fields.length > 0 ? `{ ${fields.join(', ')} }` : '{}';
  }
  if (typeof v === 'bigint') return `${v}n`;
  return typeof v === 'string' ? textLiteral(v) : String(v);
}

/** Writes a split as the package's function for it, if there is one. */
function splitCode(split: unknown): string {
  const [[kind = '', what] = []] = Object.entries(split as Fields);
  return ['range', 'grid', 'records'].includes(kind) ? `split.${kind}(${literal(what)})` : literal(split);
}

/** Writes the JavaScript that computes the job with the package. */
export function javaScript({ job, files, relay, copies }: Shared): string {
  const before: string[] = [];
  const variables = new Map<string, Raw>();
  for (const { name, sample } of files) {
    const variable = files.length === 1 ? 'file' : `file${variables.size + 1}`;
    before.push(
      sample
        ? `const ${variable} = await fetch(${textLiteral(`samples/${name}`)});`
        : `const [${variable}] = document.querySelector('input[type=file]').files;`,
    );
    variables.set(name, new Raw(variable));
  }
  const { program, split, inputs, combine } = withFiles(job, (name) => variables.get(name)) as Written;
  const splitting = splitCode(split);
  const fields = [`program: ${literal(program)}`, `split: ${splitting}`];
  if (inputs) fields.push(`inputs: ${literal(inputs)}`);
  fields.push(`combine: ${literal(combine)}`);
  if (job.params) fields.push(`params: ${literal(job.params)}`);
  if (job.seed !== undefined) fields.push(`seed: ${literal(job.seed)}`);
  if (job.grain !== undefined) fields.push(`grain: ${job.grain}`);
  if (relay && copies && copies > 1) fields.push(`policy: { copies: ${copies} }`);
  if (relay) before.push(`const pool = ownDevices({ relay: ${textLiteral(relay)} });`);
  const names = ['job', relay ? 'ownDevices' : 'run', ...(splitting.startsWith('split.') ? ['split'] : [])];
  return [
    `import { ${names.join(', ')} } from 'shoal';`,
    '',
    ...before,
    `const r = ${relay ? 'pool.run' : 'run'}(job({`,
    ...fields.map((f) => `  ${f},`),
    '}));',
    "r.addEventListener('progress', () => {",
    '  console.log(r.progress.settled, r.progress.shards);',
    '});',
    'const { digest, value } = await r.result;',
  ].join('\n');
}

/** The part of a page that shares a job. */
export interface Share {
  readonly element: HTMLElement;
  readonly update: (s: Shared) => void;
}

/** Makes it. */
export function share(): Share {
  let now: Shared | undefined;
  const block = (title: Key, text: (s: Shared) => string, kind: string) => {
    const read = (): string => (now ? text(now) : '');
    const id = freshId();
    const pre = h('pre', { tabindex: 0, role: 'group', 'aria-labelledby': id, 'data-share': kind, translate: 'no' });
    const head = h(
      'div',
      { class: 'blockhead' },
      h('h4', { id, text: title }),
      copyButton(() => t(title), read),
    );
    return { head, pre, paint: () => say(pre, read()) };
  };
  const command = block('commandLine', (s) => commandLine(s.job), 'command');
  const code = block('code', javaScript, 'code');
  const link = block('link', (s) => s.link, 'link');
  const commandHint = h('p', { class: 'hint' });
  const linkHint = h('p', { class: 'hint', text: 'linkFile' });
  const file = h('button', {
    type: 'button',
    class: 'quiet',
    text: 'jobFile',
    click: () => now && download('job.json', 'application/json', `${jobFile(now.job)}\n`),
  });
  const element = h(
    'section',
    { class: 'share' },
    h('h3', { text: 'elsewhere' }),
    h('div', {}, command.head, commandHint, command.pre, file),
    h('div', {}, code.head, code.pre),
    h('div', {}, link.head, linkHint, link.pre),
  );
  const paint = (): void => {
    for (const b of [command, code, link]) b.paint();
    const names = now?.files.map((f) => f.name).join(', ') ?? '';
    say(commandHint, names !== '' ? t('commandHintFile', { name: names }) : t('commandHint'));
    linkHint.hidden = !now?.files.some((f) => !f.sample);
  };
  onLanguage(paint);
  return {
    element,
    update: (s) => {
      now = s;
      paint();
    },
  };
}
