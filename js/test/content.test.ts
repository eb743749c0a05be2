import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { combine, job, type Reduced, Refusal, run, split } from 'shoal';

const example = (name: string): Promise<Buffer> =>
  readFile(new URL(`../../examples/programs/${name}`, import.meta.url));

test('splits and combines by programs have the shape of the job file', () => {
  const module = new Uint8Array();
  assert.deepEqual(split.by({ module, items: 3, columns: ['x'] }), { by: { module, items: 3, columns: ['x'] } });
  assert.deepEqual(combine.by({ module, outputs: 2 }), { by: { module, outputs: 2 } });
});

test('a reducer of the user yields its numbers, whatever the grain', async () => {
  const j = job({
    program: { module: await example('rust/darts.wasm'), outputs: ['hit', 'distance'] },
    split: split.range(3000),
    params: { spread: 0.8 },
    combine: combine.by({
      module: await example('rust/quartiles.wasm'),
      params: { column: 1 },
      outputs: ['lower', 'median', 'upper'],
    }),
  });
  const digests = new Set<string>();
  for (const grain of [0, 100, 3000]) {
    const { digest, value } = await run(j, { workers: 2, grain }).result;
    digests.add(digest);
    const { items, names, values }: Reduced = value;
    assert.equal(items, 3000);
    assert.deepEqual(names, ['lower', 'median', 'upper']);
    // The median of a Rayleigh distribution is σ·√(2·ln 2).
    assert.ok(Math.abs((values[1] ?? 0) - 0.8 * Math.sqrt(2 * Math.LN2)) < 0.05, String(values));
  }
  assert.equal(digests.size, 1);
});

test('a split of the user gives the columns, and runs beside the program', async () => {
  const j = job({
    program: { module: await example('c/norm.wasm'), outputs: 2 },
    split: split.by({ module: await example('as/halton.wasm'), items: 5000, columns: ['x', 'y'] }),
    params: { centre: 0 },
    combine: combine.moments(),
  });
  const { value } = await run(j, { workers: 2 }).result;
  const [distance] = 'columns' in value ? value.columns : [];
  // The mean distance of a point of the unit square from its corner.
  assert.ok(Math.abs((distance?.mean ?? 0) - (Math.SQRT2 + Math.asinh(1)) / 3) < 2e-3, JSON.stringify(distance));
});

test('a reducer that fails is a refusal with its outcome', async () => {
  const j = job({
    program: 'mc/pi',
    split: split.range(50),
    combine: combine.by({ module: await example('c/streak.wasm'), outputs: 3 }),
  });
  const no: unknown = await run(j, { workers: 1 }).result.catch((e: unknown) => e);
  assert.ok(no instanceof Refusal);
  assert.equal(no.code, 'program/reducer-failed');
  assert.equal(no.details['outcome'], 'output');
});
