import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';

/** What a user writes; every error that is expected must be one. */
const CONSUMER = `
import { combine, job, joinPool, ownDevices, Refusal, run, split, type Moments, type Run, type Table } from 'shoal';

const pi = job({ program: 'mc/pi', split: split.range(10), combine: combine.moments(), seed: 1n });
export const mean: Promise<number> = run(pi).result.then((r) => r.value.mean);
export const handle: Run<Moments> = run(pi, { workers: 2, signal: new AbortController().signal });

const sweep = job({ program: 'sweep/sir', split: split.grid({ beta: [0, 1, 10] }), combine: 'table' });
export const table: Promise<Table> = run(sweep).result.then((r) => r.value);

const two = job({ program: { module: new Uint8Array(), outputs: 2 }, split: { range: 1 }, combine: 'moments' });
// @ts-expect-error several columns have no single mean
run(two).result.then((r) => r.value.mean);
run(two).result.then((r) => 'columns' in r.value && r.value.columns[0]?.mean);

const own = job({ program: { module: new Uint8Array() }, split: { range: 1 }, combine: { histogram: { edges: [0, 1] } } });
run(own).result.then((r) => r.value.edges.length);

run(job({ ...pi.spec, combine: combine.quantiles({ accuracy: 0.05, nan: 'skip' }) })).result.then((r) => r.value.quantiles[0]?.toFixed());
run(job({ ...pi.spec, combine: 'extremes' })).result.then((r) => r.value.minItem?.toFixed());
run(job({ ...two.spec, combine: combine.covariance({ target: 1 }) })).result.then((r) => r.value.regression?.slopes[0]);
run(job({ ...two.spec, combine: combine.top({ k: 3, order: 'least' }) })).result.then((r) => r.value.rows[0]?.values[1]);
run(job({ ...two.spec, combine: { sample: {} } })).result.then((r) => r.value.rows[0]?.item.toFixed());
run(job({ ...two.spec, combine: { sum: { bits: 20 } } })).result.then((r) => r.value.mean[1]?.toFixed());
run(job({ ...own.spec, combine: 'bytes' })).result.then((r) => r.value.data[0]?.byteLength);
// @ts-expect-error an order has two directions
combine.top({ order: 'best' });
// @ts-expect-error a histogram needs its edges
combine.histogram();
// @ts-expect-error also by its name
job({ program: 'mc/pi', split: split.range(1), combine: 'histogram' });
// @ts-expect-error a program is named
job({ program: 'mc/pi', split: split.range(1), combine: 'by' });
run(job({ ...pi.spec, combine: 'counts' })).result.then((r) => r.value.counts[0]?.value);
run(job({ ...two.spec, combine: combine.by({ module: new Uint8Array() }) })).result.then((r) => r.value.values[0]?.toFixed());

// @ts-expect-error there is no such combine
job({ program: 'mc/pi', split: split.range(1), combine: 'median' });
// @ts-expect-error a records split names a column
job({ program: 'stats/columns', split: split.records({ file: 'x\\n1\\n' }), combine: 'moments' });

handle.addEventListener('shard', (e) => e.state === 'settled' && e.cells?.length);
handle.addEventListener('end', (e) => e.result?.value.mean);
export const target: EventTarget = handle;

export async function pooled(): Promise<void> {
  const pool = ownDevices({ relay: 'https://relay.example' });
  pool.addEventListener('knock', (k) => k.admit());
  const { value } = await pool.run(pi).result;
  value.stderr.toFixed();
  for await (const s of joinPool('https://relay.example/#join=x')) if (s.state === 'joined') return;
  const no: Refusal = new Refusal({ code: 'a/b', title: '', why: '', fix: '' });
  no.details['field']?.length;
}
`;

for (const [module, moduleResolution] of [
  ['esnext', 'bundler'],
  ['node16', 'node16'],
  ['nodenext', 'nodenext'],
] as const) {
  test(`the declarations hold for users with ${moduleResolution} resolution`, () => {
    const dir = `.test/types-${moduleResolution}`;
    mkdirSync(dir, { recursive: true });
    writeFileSync(`${dir}/consumer.mts`, CONSUMER);
    const compilerOptions = {
      target: 'es2022',
      lib: ['es2022', 'dom', 'dom.iterable'],
      module,
      moduleResolution,
      types: [],
      strict: true,
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
      noEmit: true,
      skipLibCheck: false,
    };
    writeFileSync(`${dir}/tsconfig.json`, JSON.stringify({ compilerOptions, files: ['consumer.mts'] }));
    try {
      execFileSync('node_modules/.bin/tsc', ['-p', dir], { encoding: 'utf8' });
    } catch (e) {
      assert.fail((e as { stdout: string }).stdout);
    }
  });
}

test('the package is as registries and tools expect it', () => {
  try {
    execFileSync('node_modules/.bin/publint', ['--strict'], { encoding: 'utf8' });
  } catch (e) {
    assert.fail((e as { stdout: string }).stdout);
  }
});
