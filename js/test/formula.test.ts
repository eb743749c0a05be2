import assert from 'node:assert/strict';
import { test } from 'node:test';
import { combine, job, Refusal, run, split } from 'shoal';

test('a formula is a program', async () => {
  const pi = job({
    program: { formula: '4*(x*x + y*y < 1)' },
    split: split.range(100_000),
    combine: combine.moments(),
    seed: 7,
  });
  const { value, outputs } = await run(pi, { workers: 2 }).result;
  assert.deepEqual(outputs, ['value']);
  assert.equal(value.n, 100_000);
  assert.ok(Math.abs(value.mean - Math.PI) < 4 * value.stderr, `${value.mean} ± ${value.stderr}`);
});

test('a formula sees columns, params and the item, and has several outputs', async () => {
  const cells = job({
    program: { formula: { sum: 'a + k*b', root: 'd = a*a + b*b; sqrt(d)', number: 'item' } },
    split: split.grid({ a: [0, 1, 5], b: [2, 3, 4] }),
    params: { k: 0.1 },
    combine: combine.table(),
  });
  const { value, outputs } = await run(cells, { grain: 7 }).result;
  assert.deepEqual(outputs, ['number', 'root', 'sum']);
  for (let item = 0; item < 20; item++) {
    const a = Math.floor(item / 4) / 4;
    const b = (2 * (3 - (item % 4)) + 3 * (item % 4)) / 3;
    assert.deepEqual(value.rows[item], [item, Math.sqrt(a * a + b * b), a + 0.1 * b]);
  }
});

test('a formula that is none is refused where it goes wrong', async () => {
  const bad = job({ program: { formula: 'volume / 2' }, split: split.range(10), combine: 'moments' });
  const refusal = await run(bad).result.then(
    () => assert.fail('it ran'),
    (e: unknown) => e,
  );
  assert.ok(refusal instanceof Refusal);
  assert.equal(refusal.code, 'formula/unknown-name');
  assert.equal(refusal.details['formulaColumn'], '1');
  assert.match(refusal.why, /program\.formula: column 1 of the formula: "volume"/);
});
