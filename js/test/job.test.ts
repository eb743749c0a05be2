import assert from 'node:assert/strict';
import { test } from 'node:test';
import { combine, job, split } from 'shoal';
import { pack } from '../src/pack.js';

const text = async (j: Parameters<typeof pack>[0]): Promise<string> => new TextDecoder().decode((await pack(j)).job);

test('a job is a frozen copy of its description', () => {
  const axes = { beta: [0.1, 1, 100] as [number, number, number] };
  const j = job({ program: 'sweep/sir', split: split.grid(axes), combine: combine.table() });
  axes.beta[0] = 7;
  assert.deepEqual(j.spec.split, { grid: { beta: [0.1, 1, 100] } });
  assert.ok(Object.isFrozen(j) && Object.isFrozen(j.spec) && Object.isFrozen(j.spec.split.grid.beta));
});

test('splits and combines have the shape of the job file', () => {
  assert.deepEqual(split.range(10), { range: 10 });
  assert.deepEqual(split.grid({ x: { values: [1, 2] } }), { grid: { x: { values: [1, 2] } } });
  assert.deepEqual(combine.moments(), { moments: {} });
  assert.deepEqual(combine.counts(), { counts: {} });
  assert.deepEqual(combine.table(), { table: {} });
  assert.deepEqual(combine.histogram({ edges: [0, 1] }), { histogram: { edges: [0, 1] } });
  assert.deepEqual(combine.moments({ nan: 'skip' }), { moments: { nan: 'skip' } });
  assert.deepEqual(combine.covariance({ target: 'y' }), { covariance: { target: 'y' } });
  assert.deepEqual(combine.quantiles(), { quantiles: {} });
  assert.deepEqual(combine.extremes(), { extremes: {} });
  assert.deepEqual(combine.top({ k: 3, by: 1, order: 'least' }), { top: { k: 3, by: 1, order: 'least' } });
  assert.deepEqual(combine.sample({ k: 5 }), { sample: { k: 5 } });
  assert.deepEqual(combine.sum({ bits: 20 }), { sum: { bits: 20 } });
  assert.deepEqual(combine.bytes(), { bytes: {} });
});

test('a job becomes its job file', async () => {
  const j = job({ program: 'mc/pi', split: split.range(1e6), combine: 'moments', seed: 42 });
  assert.deepEqual(JSON.parse(await text(j)), {
    program: 'mc/pi',
    split: { range: 1e6 },
    combine: 'moments',
    seed: 42,
  });
});

for (const [name, value, want] of [
  ['a big integer keeps every digit', { seed: 18446744073709551615n }, '"seed":18446744073709551615'],
  ['a negative zero keeps its sign', { params: { x: -0 } }, '"params":{"x":-0}'],
  ['what JSON cannot say becomes null', { params: { x: Number.NaN } }, '"params":{"x":null}'],
  ['an absent field is left out', { seed: undefined }, '"split":{"range":1},"combine":"counts"}'],
  ['a typed array is a list', { combine: { histogram: { edges: Float64Array.of(0, 0.5) } } }, '"edges":[0,0.5]'],
  ['an unknown field is passed on, for the core to refuse', { price: 3 }, '"price":3'],
] as const) {
  test(name, async () => {
    const spec = { program: 'mc/pi', split: { range: 1 }, combine: 'counts', ...value };
    assert.ok((await text(job(spec as never))).includes(want), await text(job(spec as never)));
  });
}

test('files travel beside the job under names of their own', async () => {
  const module = Uint8Array.of(0, 97, 115, 109);
  const csv = 'x\n1\n';
  const j = job({
    program: { module },
    split: split.records({ file: new File([csv], 'program.wasm'), column: 'x' }),
    combine: 'moments',
  });
  const { files, job: bytes } = await pack(j);
  const spec = JSON.parse(new TextDecoder().decode(bytes)) as {
    program: { module: string };
    split: { records: { file: string } };
  };
  assert.deepEqual(
    files.map((f) => f.name),
    [spec.program.module, spec.split.records.file],
  );
  assert.notEqual(files[0]?.name, files[1]?.name);
  assert.deepEqual(files[0]?.content, module);
  assert.equal(new TextDecoder().decode(files[1]?.content as Uint8Array), csv);
});

for (const [name, file] of [
  ['a Blob', new Blob(['x\n1\n'])],
  ['a Uint8Array', new TextEncoder().encode('x\n1\n')],
  ['a part of a buffer', new TextEncoder().encode('..x\n1\n').subarray(2)],
  ['an ArrayBuffer', new TextEncoder().encode('x\n1\n').buffer],
  ['a Response', new Response('x\n1\n')],
  ['a stream', new Response('x\n1\n').body as ReadableStream<Uint8Array>],
  ['the text itself', 'x\n1\n'],
  ['a data URL', new URL('data:text/csv,x%0A1%0A')],
] as const) {
  test(`a records file may be ${name}, and be read twice`, async () => {
    const j = job({ program: 'stats/columns', split: split.records({ file, column: 'x' }), combine: 'moments' });
    for (let i = 0; i < 2; i++) {
      const { files } = await pack(j);
      assert.equal(new TextDecoder().decode(files[0]?.content as Uint8Array), 'x\n1\n');
    }
  });
}

test('a name in place of a file is refused with the field', async () => {
  const j = job({
    program: 'stats/columns',
    split: split.records({ file: 'data.csv', column: 'x' }),
    combine: 'moments',
  });
  await assert.rejects(pack(j), { name: 'Refusal', code: 'env/file-name', details: { field: 'split.records.file' } });
});

test('a response that is an error is refused with its status', async () => {
  const file = new Response('gone', { status: 410 });
  const j = job({ program: 'stats/columns', split: split.records({ file, column: 'x' }), combine: 'moments' });
  await assert.rejects(pack(j), (e: Error) => /env\/input/.test(e.message) && /410/.test(e.message));
});
