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

/** Packs text as bgzip does, in blocks of some characters. */
const bgzip = (s: string, size: number): Uint8Array<ArrayBuffer> => {
  const block = (part: string): Uint8Array => {
    const packed = gzipSync(part);
    const all = new Uint8Array(packed.length + 8);
    all.set(packed.subarray(0, 10));
    all[3] = 4;
    all.set([6, 0, 0x42, 0x43, 2, 0, (all.length - 1) & 255, (all.length - 1) >> 8], 10);
    all.set(packed.subarray(10), 18);
    return all;
  };
  const parts = s.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? [];
  return new Uint8Array(Buffer.concat([...parts, ''].map(block)));
};

test('BGZF, which is many gzip files in one, is unpacked', async () => {
  const lines = Array.from({ length: 20_000 }, (_, i) => `>${i}\nACGT\n`).join('');
  for (const [name, whole, size] of [
    ['one block', csv, 100],
    ['small blocks', csv, 1],
    ['many blocks', lines, 10_000],
  ] as const) {
    const bytes = bgzip(whole, size);
    for (const source of [
      bytes,
      new Response(bytes),
      Readable.toWeb(Readable.from([...bytes].map((b) => Uint8Array.of(b)))),
    ]) {
      const { files } = await packed({ split: { records: { file: source } } });
      assert.equal(new TextDecoder().decode(files[0]?.content as Uint8Array), whole, name);
    }
  }
  const good = bgzip(lines, 10_000);
  for (const bad of [
    good.subarray(0, 5000),
    good.subarray(0, good.length - 3),
    Buffer.concat([good, Buffer.from('x')]),
  ]) {
    await assert.rejects(packed({ split: { records: { file: new Uint8Array(bad) } } }), {
      code: 'env/input',
      message: /cut off or damaged/,
    });
  }
});

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
    await assert.rejects(packed({ split: { records: { file: new URL('http://127.0.0.1:9/x.csv') } } }), {
      code: 'env/input',
      message: /http:\/\/127\.0\.0\.1:9\/x\.csv: .*(refused|bad port)/i,
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
  for (const odd of ['2\n', null, undefined, '', new Uint16Array(2)]) {
    let cancelled = false;
    const later = new ReadableStream({
      start: (to) => {
        for (const piece of [text.encode(csv), odd, text.encode('3\n')]) to.enqueue(piece);
      },
      cancel: () => {
        cancelled = true;
      },
    });
    await assert.rejects(packed({ split: { records: { file: later } } }), { message: /else than bytes/ }, `${odd}`);
    assert.ok(cancelled, 'a stream that is not read on is told');
  }
});

/** A stream without an end, and what became of it. After some pieces it gives none any more. */
const endless = (piece: Uint8Array, most: number) => {
  const was = { pulled: 0, cancelled: false };
  const stream = new ReadableStream<Uint8Array>({
    pull: async (to) => {
      await new Promise((resolve) => was.pulled < most && setImmediate(resolve));
      was.pulled++;
      to.enqueue(piece);
    },
    cancel: () => {
      was.cancelled = true;
    },
  });
  return { stream, was };
};

test('a stream is given up once nobody waits for it, wherever it is by then', async () => {
  const zeros = gzipSync(new Uint8Array(1 << 20)).subarray(0, 800); // less than its end
  for (const [name, piece, pulls] of [
    ['before its first bytes', new Uint8Array(), 5],
    ['in memory', text.encode(csv), 5],
    ['on its way to a file', new Uint8Array(1 << 20), 20],
    ['packed, and stuck', zeros, 1],
  ] as const) {
    const { stream, was } = endless(piece, pulls === 1 ? 1 : Number.POSITIVE_INFINITY);
    const spec = job({ split: { records: { file: new Response(stream) } } } as never) as Job;
    const [one, other] = [new AbortController(), new AbortController()];
    const both = [pack(spec, one.signal), pack(spec, other.signal)].map((p) =>
      assert.rejects(p, { code: 'env/input' }),
    );
    while (was.pulled < pulls) await new Promise((resolve) => setImmediate(resolve));
    one.abort();
    await new Promise((resolve) => setTimeout(resolve, 20));
    assert.equal(was.cancelled, false, `${name}: another still waits`);
    other.abort();
    await Promise.all(both);
    assert.ok(was.cancelled, name);
    await assert.rejects(pack(spec), { code: 'env/input', message: /given up/ });
  }
});

test('names that people choose are not taken for files', async () => {
  const spec = {
    program: { formula: { file: 'x*x', module: 'entry + 1' }, draws: { entry: 'normal' } },
    split: { grid: { x: [0, 1, 3] } },
    combine: 'table',
  } as const;
  const { job: written, files } = await pack(job(spec));
  assert.deepEqual(JSON.parse(new TextDecoder().decode(written)), spec);
  assert.deepEqual(files, []);
});
