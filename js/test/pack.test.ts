import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createReadStream, mkdtempSync, openAsBlob, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { after, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { type Job, job } from '../src/job.js';
import { pack } from '../src/pack.js';

const folder = mkdtempSync(join(tmpdir(), 'pack-'));
after(() => rmSync(folder, { recursive: true }));

const text = new TextEncoder();
const csv = 'x\n1\n2\n';
/** More than lies in memory, and not all the same. */
const large = text.encode(`x\n${Array.from({ length: 1_500_000 }, (_, i) => `${i}\n`).join('')}`);
const body = (b: Uint8Array): ReadableStream<Uint8Array> => new Blob([b as Uint8Array<ArrayBuffer>]).stream();

const packed = async (spec: unknown) => {
  const { job: bytes, files } = await pack(job(spec as never) as Job);
  return { spec: JSON.parse(new TextDecoder().decode(bytes)), files };
};
const bytesOf = async (content: Uint8Array | Blob): Promise<Uint8Array> =>
  content instanceof Uint8Array ? content : new Uint8Array(await content.arrayBuffer());

test('files are found wherever a job may name one', async () => {
  const f = (name: string): File => new File([name], name);
  const { spec, files } = await packed({
    program: { entry: f('entry') },
    split: { records: { files: [f('a.csv'), f('b.csv'), 'x\n1\n'] } },
    combine: { by: { module: f('reduce.wasm'), params: { file: 3 } } },
    inputs: { table: { file: f('table.csv') }, file: { file: f('other') } },
    params: { module: 1, files: 2, toString: 3 },
  });
  assert.deepEqual(spec, {
    program: { entry: 'entry' },
    split: { records: { files: ['a.csv', 'b.csv', 'records.csv'] } },
    combine: { by: { module: 'reduce.wasm', params: { file: 3 } } },
    inputs: { table: { file: 'table.csv' }, file: { file: 'other' } },
    params: { module: 1, files: 2, toString: 3 },
  });
  assert.deepEqual(
    files.map((x) => x.name),
    ['entry', 'a.csv', 'b.csv', 'records.csv', 'reduce.wasm', 'table.csv', 'other'],
  );
});

test('a source that is named twice is one file, and equal names are told apart', async () => {
  const one = new File(['1'], 'same.csv');
  const { spec, files } = await packed({ split: { records: { files: [one, new File(['2'], 'same.csv'), one] } } });
  assert.deepEqual(spec, { split: { records: { files: ['same.csv', '2-same.csv', 'same.csv'] } } });
  assert.equal(files.length, 2);
});

test('a name in a list of files is refused with its place', async () => {
  await assert.rejects(packed({ split: { records: { files: [new Blob([csv]), 'data.csv'] } } }), {
    code: 'env/file-name',
    details: { field: 'split.records.files[1]' },
  });
});

for (const [name, source] of [
  ['bytes', () => gzipSync(csv)],
  ['a Blob', () => new Blob([gzipSync(csv)])],
  ['a Response', () => new Response(gzipSync(csv))],
  ['a stream of single bytes', () => Readable.toWeb(Readable.from([...gzipSync(csv)].map((b) => Uint8Array.of(b))))],
] as const) {
  test(`gzip is unpacked from ${name}`, async () => {
    const { files } = await packed({ split: { records: { file: source() } } });
    assert.equal(new TextDecoder().decode(files[0]?.content as Uint8Array), csv);
  });
}

test('gzip that is damaged or cut off is refused with its field', async () => {
  const good = gzipSync(csv);
  const damaged = Uint8Array.from(good, (b, i) => (i === 12 ? b ^ 0xff : b));
  for (const bad of [good.subarray(0, 15), damaged, Uint8Array.of(0x1f, 0x8b)]) {
    await assert.rejects(packed({ split: { records: { file: new Blob([bad as Uint8Array<ArrayBuffer>]) } } }), (e) => {
      const { code, details, cause } = e as { code: string; details: unknown; cause: unknown };
      return (
        code === 'env/input' && JSON.stringify(details) === '{"field":"split.records.file"}' && cause instanceof Error
      );
    });
  }
});

test('what is large is not read into memory', async () => {
  const path = join(folder, 'large.csv');
  writeFileSync(path, large);
  for (const [name, source] of [
    ['a file', await openAsBlob(path)],
    ['an address of a file', pathToFileURL(path)],
    ['a stream', Readable.toWeb(createReadStream(path))],
    ['a Response', new Response(body(large))],
    ['a packed file', new Blob([gzipSync(large)])],
    ['bytes', large],
  ] as const) {
    const { files } = await packed({ split: { records: { file: source } } });
    const content = files[0]?.content as Blob;
    assert.ok(content instanceof Blob, `${name} is in memory`);
    assert.equal(content.size, large.length, name);
    assert.deepEqual(await bytesOf(content), large, name);
    assert.deepEqual(await bytesOf(content.slice(5_000_000, 5_000_100)), large.subarray(5_000_000, 5_000_100), name);
  }
});

test('an address is fetched, and an answer that is no file is refused', async () => {
  const server = createServer((q, r) => {
    if (q.url === '/missing') r.statusCode = 404;
    r.end(q.url === '/packed.gz' ? gzipSync(large) : large);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const at = (path: string): URL => new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`);
  try {
    for (const path of ['/plain', '/packed.gz']) {
      const { files } = await packed({ split: { records: { file: at(path) } } });
      assert.equal((await bytesOf(files[0]?.content as Blob)).length, large.length);
    }
    await assert.rejects(packed({ split: { records: { file: at('/missing') } } }), {
      code: 'env/input',
      message: /404/,
    });
    const used = await fetch(at('/plain'));
    await used.arrayBuffer();
    await assert.rejects(packed({ split: { records: { file: used } } }), { code: 'env/input', message: /read before/ });
  } finally {
    server.close();
    server.closeAllConnections();
  }
});

test('a stream that breaks, or that gives no bytes, is refused', async () => {
  const broken = new ReadableStream({
    pull: (to) => to.error(new Error('the cable is out')),
  });
  await assert.rejects(packed({ split: { records: { file: broken } } }), {
    code: 'env/input',
    message: /cable is out/,
  });
  const texts = new ReadableStream({
    start: (to) => {
      to.enqueue('x\n1\n');
      to.close();
    },
  });
  await assert.rejects(packed({ split: { records: { file: texts } } }), {
    code: 'env/input',
    message: /else than bytes/,
  });
});
