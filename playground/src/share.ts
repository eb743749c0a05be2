/** How to get the same result elsewhere: as a command, as code, as a link. */

import { copyButton, download, freshId, h, say } from './dom.js';
import { onLanguage, t } from './language.js';
import type { Key } from './strings.js';

/** A job as a job file has it: plain JSON, its file by name. */
export interface Written {
  readonly program: string;
  readonly split: Readonly<Record<string, unknown>>;
  readonly params?: Readonly<Record<string, number>>;
  readonly seed?: number | bigint;
  readonly combine: 'moments' | 'table';
  /** Items in a shard, planned without it. */
  readonly grain?: number;
}

/** What is shared. */
export interface Shared {
  readonly job: Written;
  readonly link: string;
  /** The file that the job names, and how code comes by it; both absent without one. */
  readonly file?: { readonly name: string; readonly sample: boolean };
  /** The address of the pool's server, when the run is pooled. */
  readonly relay?: string;
  readonly copies?: number;
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
export function jobFile({ program, split, params, seed, combine, grain }: Written): string {
  const fields = Object.entries({
    program,
    split,
    ...(params && { params }),
    ...(seed !== undefined && { seed: jsonSeed(seed) }),
    combine,
    ...(grain && { grain }),
  });
  return `{\n${fields.map(([k, v]) => `  ${JSON.stringify(k)}: ${inLine(v)}`).join(',\n')}\n}`;
}

/** Writes the command that computes the job. No policy: one machine is enough for the digest. */
export const commandLine = (job: Written): string => `shoal run - <<'JOB'\n${jobFile(job)}\nJOB`;

/** Writes a value as JavaScript on one line. */
function literal(v: unknown): string {
  if (Array.isArray(v)) return `[${v.map(literal).join(', ')}]`;
  if (typeof v === 'object' && v !== null) {
    return `{ ${Object.entries(v)
      .map(([k, x]) => `${k}: ${literal(x)}`)
      .join(', ')} }`;
  }
  if (typeof v === 'bigint') return `${v}n`;
  return typeof v === 'string'
    ? `'${v.replace(/[\\']/g, '\\$&').replace(/\n/g, '\\n').replace(/\t/g, '\\t')}'`
    : String(v);
}

/** Writes the JavaScript that computes the job with the package. */
export function javaScript({ job, file, relay, copies }: Shared): string {
  const [[kind = '', what] = []] = Object.entries(job.split);
  let splitting = literal(what);
  const before: string[] = [];
  if (file && typeof what === 'object' && what !== null) {
    const { file: _, ...rest } = what as Record<string, unknown>;
    before.push(
      file.sample
        ? `const file = await fetch(${literal(`samples/${file.name}`)});`
        : "const [file] = document.querySelector('input[type=file]').files;",
    );
    splitting = `{ file, ${literal(rest).slice(2)}`;
  }
  const fields = [
    `program: ${literal(job.program)}`,
    `split: split.${kind}(${splitting})`,
    `combine: combine.${job.combine}()`,
  ];
  if (job.params) fields.push(`params: ${literal(job.params)}`);
  if (job.seed !== undefined) fields.push(`seed: ${literal(job.seed)}`);
  if (job.grain) fields.push(`grain: ${job.grain}`);
  if (relay && copies && copies > 1) fields.push(`policy: { copies: ${copies} }`);
  if (relay) before.push(`const pool = ownDevices({ relay: ${literal(relay)} });`);
  return [
    `import { combine, job, ${relay ? 'ownDevices' : 'run'}, split } from 'shoal';`,
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
    say(commandHint, now?.file ? t('commandHintFile', { name: now.file.name }) : t('commandHint'));
    linkHint.hidden = !now?.file || now.file.sample;
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
