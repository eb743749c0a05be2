import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

const node = (source: string, ...flags: string[]): string =>
  execFileSync(process.execPath, [...flags, '--input-type=module', '-e', source], {
    encoding: 'utf8',
    timeout: 60_000,
  });

const NAMES = [
  'Refusal',
  'combine',
  'doctor',
  'job',
  'joinPool',
  'ownDevices',
  'plan',
  'resume',
  'run',
  'split',
  'version',
];

for (const [name, before] of [
  ['in plain Node', ''],
  ['where window is there and Worker is not', 'globalThis.window = {};'],
  ['where window and document are empty objects', 'globalThis.window = globalThis; globalThis.document = {};'],
] as const) {
  test(`importing has no effect ${name}`, () => {
    const out = node(`${before}
      const before = Object.getOwnPropertyNames(globalThis);
      const timers = [];
      for (const f of ['setTimeout', 'setInterval', 'fetch', 'queueMicrotask']) globalThis[f] = () => timers.push(f);
      const names = Object.keys(await import('shoal'));
      const added = Object.getOwnPropertyNames(globalThis).filter((n) => !before.includes(n));
      console.log(JSON.stringify({ names, added, timers }));`);
    assert.deepEqual(JSON.parse(out), { names: NAMES, added: [], timers: [] });
  });
}

test('require works, since nothing is awaited at the top', () => {
  const out = execFileSync(process.execPath, ['-e', "console.log(Object.keys(require('shoal')).join())"], {
    encoding: 'utf8',
  });
  assert.equal(out.trim(), NAMES.join());
});

test('the version is the package version', async () => {
  const { version } = await import('shoal');
  assert.equal(version, (JSON.parse(readFileSync('package.json', 'utf8')) as { version: string }).version);
});

test('what bundlers recognise stands literally in the built script', () => {
  for (const name of ['index.js', 'index.min.js']) {
    const text = readFileSync(`dist/${name}`, 'utf8').replaceAll(' ', '').replaceAll("'", '"');
    assert.ok(text.includes('newWorker(newURL("./worker.js",import.meta.url),{type:"module"})'), `${name}: worker`);
    assert.ok(text.includes('newURL("./peer.wasm",import.meta.url)'), `${name}: module`);
    assert.doesNotMatch(text, /from"node:|import"node:/, `${name}: Node's modules must not be followed`);
  }
});

test('the worker is one flat script', () => {
  const worker = readFileSync('dist/worker.js', 'utf8');
  assert.doesNotMatch(worker, /(^|[;\n])\s*(import|export)[\s{*"']/);
  assert.doesNotMatch(worker, /import\.meta|import\(|fetch\(/);
});
