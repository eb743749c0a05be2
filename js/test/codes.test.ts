import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { codes } from '../src/codes.js';
import { cannot, nothing } from '../src/kept.js';
import { fromWire, Refusal, refuse } from '../src/refusal.js';

test('both tables of refusals hold the same rows, in the same order', () => {
  const go = readFileSync('../sdk/diag/codes_env.go', 'utf8');
  const rows = [...go.matchAll(/^\t\{("(?:[^"\\]|\\.)*"), ("(?:[^"\\]|\\.)*"), ("(?:[^"\\]|\\.)*")\},$/gm)];
  const fromGo = rows.map(([, ...row]) => row.map((s) => JSON.parse(s) as string));
  assert.deepEqual(
    fromGo,
    Object.entries(codes).map(([code, [title, fix]]) => [code, title, fix]),
  );
});

test('every code has a page, and every page a code', () => {
  const pages = readdirSync('../docs/errors/env').map((f) => `env/${f.replace(/\.md$/, '')}`);
  assert.deepEqual(pages.sort(), Object.keys(codes).sort());
  for (const code of Object.keys(codes)) {
    assert.match(readFileSync(`../docs/errors/${code}.md`, 'utf8'), new RegExp(`^# ${code}\n`));
  }
});

test('a refusal is an error with its facts', () => {
  const cause = new Error('x');
  const no = refuse('env/option', 'workers is 0', { details: { field: 'workers' }, cause });
  assert.ok(no instanceof Error && no instanceof Refusal);
  assert.equal(
    no.message,
    'env/option: an option of the call is not usable: workers is 0 (give a value of the kind that is named)',
  );
  assert.equal(no.docs, 'docs/errors/env/option.md');
  assert.equal(no.cause, cause);
  assert.deepEqual(no.details, { field: 'workers' });
});

test('a refusal of the core keeps its facts', () => {
  const no = fromWire({ code: 'job/split', title: 't', why: 'w', fix: 'f', details: [{ key: 'line', value: '3' }] });
  assert.deepEqual(
    { ...no },
    { name: 'Refusal', code: 'job/split', title: 't', why: 'w', fix: 'f', details: { line: '3' } },
  );
});

test('the refusals of runs that are kept are those of the core', () => {
  const go = readFileSync('../sdk/diag/codes_pool.go', 'utf8');
  for (const { code, title, fix } of [nothing(''), cannot('')]) {
    assert.ok(go.includes(`\t{${[code, title, fix].map((s) => JSON.stringify(s)).join(', ')}},\n`), code);
    assert.match(readFileSync(`../docs/errors/${code}.md`, 'utf8'), new RegExp(`^# ${code}\n`));
  }
});
