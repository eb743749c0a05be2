import assert from 'node:assert/strict';
import { createReadStream, mkdtempSync, openAsBlob, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { after, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { combine, job, run, type Source, split } from 'shoal';

const folder = mkdtempSync(join(tmpdir(), 'files-'));
after(() => rmSync(folder, { recursive: true }));

const ROWS = 800_000;
/** More than lies in memory. The values of 1000 rows repeat. */
const csv = `x,text\n${Array.from({ length: ROWS }, (_, i) => `${i % 1000},"a, b"\n`).join('')}`;
const path = join(folder, 'data.csv');
writeFileSync(path, csv);

const moments = (file: Source | string) =>
  job({
    program: 'stats/columns',
    split: split.records({ file, column: 'x' }),
    combine: combine.moments(),
    grain: 50_000,
  });

test('a file gives the same digest however it comes', async () => {
  const want = await run(moments(csv)).result;
  const value = want.value as { n: number; mean: number };
  assert.equal(value.n, ROWS);
  assert.equal(value.mean, 499.5);
  for (const [name, source] of [
    ['a file', await openAsBlob(path)],
    ['an address', pathToFileURL(path)],
    ['a stream', Readable.toWeb(createReadStream(path)) as ReadableStream<Uint8Array>],
    ['a packed Response', new Response(gzipSync(csv))],
  ] as const) {
    const got = await run(moments(source)).result;
    assert.deepEqual([got.digest, got.job, got.units], [want.digest, want.job, want.units], name);
  }
});

test('records of several files follow each other', async () => {
  const files = ['x\n1\n2\n', new Blob(['x\n4\n']), new Response('x\r\n8\r\n')];
  const { value } = await run(
    job({
      program: 'stats/columns',
      split: split.records({ files, column: 'x' }),
      combine: combine.table(),
    }),
  ).result;
  assert.deepEqual((value as { rows: unknown }).rows, [[1], [2], [4], [8]]);
});

test('a job of many files warns of nothing', async () => {
  const warned: unknown[] = [];
  const note = (w: Error): void => void warned.push(w);
  process.on('warning', note);
  const files = Array.from({ length: 64 }, (_, i) => new Response(`x\n${i}\n`));
  const spec = { program: 'stats/columns', split: split.records({ files, column: 'x' }), combine: 'moments' } as const;
  const { value } = await run(job(spec)).result;
  assert.equal((value as { mean: number }).mean, 31.5);
  await new Promise((resolve) => setImmediate(resolve));
  process.off('warning', note);
  assert.deepEqual(warned, []);
});

test('a file that changes while it is read is refused', async () => {
  const changing = join(folder, 'changing.csv');
  writeFileSync(changing, csv);
  const r = run(moments(await openAsBlob(changing)));
  for await (const p of r) if (p.state === 'planning') break;
  writeFileSync(changing, csv.slice(0, 1000));
  await assert.rejects(r.result, { code: 'records/read-failed' });
});

test('a run tells how far it has read', async () => {
  const r = run(moments(await openAsBlob(path)));
  const said: string[] = [];
  for await (const p of r) if (p.state === 'planning') said.push(r.explain());
  assert.ok(
    said.some((s) => /^Planning\. It waits for the file, \d+ % read\.$/.test(s)),
    said.join('\n'),
  );
});

test('a run that is to be kept where nothing can be is refused', async () => {
  await assert.rejects(run(moments('x\n1\n'), { keep: true }).result, { code: 'job/cannot-keep' });
});
