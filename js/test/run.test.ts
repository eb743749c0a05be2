import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { combine, job, Refusal, run, split } from 'shoal';

const pi = job({ program: 'mc/pi', split: split.range(200_000), combine: combine.moments(), seed: 42 });
const endless = job({
  program: 'mc/pi',
  split: split.range(1e12),
  combine: combine.moments(),
  grain: 5_000_000,
  limits: { gas: 1e13 },
});

/** Resolves when the run has a shard that is being computed. */
const computing = async (r: ReturnType<typeof run>): Promise<void> => {
  for await (const s of r.shards()) if (s.state === 'leased') return;
};

test('workers and grain never show in a result', async () => {
  const first = await run(pi, { workers: 1 }).result;
  assert.equal(first.value.n, 200_000);
  assert.ok(Math.abs(first.value.mean - Math.PI) < 4 * first.value.stderr);
  assert.match(first.digest, /^[0-9a-f]{64}$/);
  assert.deepEqual(first.outputs, ['pi']);
  for (const [workers, grain] of [
    [2, 0],
    [4, 0],
    [1, 50_000],
    [2, 7_777],
    [4, 200_000],
    [3, 1_000_003],
  ] as const) {
    const again = await run(pi, { workers, grain }).result;
    assert.equal(again.digest, first.digest, `${workers} workers, grain ${grain}`);
    assert.deepEqual(again.value, first.value);
    assert.equal(again.work, first.work);
    assert.equal(again.shards, grain ? Math.ceil(200_000 / grain) : first.shards);
  }
});

test('the same job counts the same units again, and another seed gives another result', async () => {
  const [a, b] = await Promise.all([run(pi, { workers: 2 }).result, run(pi, { workers: 1 }).result]);
  assert.equal(typeof a.units, 'bigint');
  assert.equal(a.units, b.units);
  const other = await run(job({ ...pi.spec, seed: 43 }), { workers: 2 }).result;
  assert.notEqual(other.digest, a.digest);
});

test('a table has its cells as rows, in one piece, and with the shards', async () => {
  const sweep = job({
    program: 'sweep/sir',
    split: split.grid({ beta: [0.1, 1, 12], gamma: [0.05, 0.5, 10] }),
    combine: combine.table(),
  });
  const r = run(sweep, { workers: 2, grain: 16 });
  const seen = new Float64Array(240).fill(Number.NaN);
  for await (const s of r.shards()) {
    if (s.state === 'settled') seen.set(s.cells ?? [], s.first * 2);
  }
  const { value, outputs } = await r.result;
  assert.deepEqual(outputs, ['peak', 'final']);
  assert.equal(value.items, 120);
  assert.deepEqual(value.rows[7], [...value.cells.subarray(14, 16)]);
  assert.deepEqual(seen, value.cells);
  const late: number[] = [];
  for await (const s of r.shards()) late.push(s.shard);
  assert.deepEqual(late, [0, 1, 2, 3, 4, 5, 6, 7], 'who comes late still gets the snapshot');
});

test('records are read from bytes, and give what the command line gives', async () => {
  const read = (name: string): string => readFileSync(`../examples/data/${name}`, 'utf8');
  for (const name of ['flights', 'flights-delays']) {
    const spec = JSON.parse(read(`${name}.json`)) as { split: { records: object } };
    const file = new Blob([readFileSync('../examples/data/flights.csv')]);
    const records = { ...spec.split.records, file };
    const { value } = await run(job({ ...spec, split: { records } } as never)).result;
    assert.deepEqual(value, JSON.parse(read(`${name}.value.json`)));
  }
});

test('counts and histograms have their own shape', async () => {
  const spec = { program: 'mc/pi', split: split.range(50_000), seed: 7 } as const;
  const { value: counts } = await run(job({ ...spec, combine: combine.counts() })).result;
  assert.deepEqual(
    counts.counts.map((c) => c.value),
    [0, 4],
  );
  const { value: bins } = await run(job({ ...spec, combine: combine.histogram({ edges: [0, 2, 4] }) })).result;
  assert.deepEqual(
    bins.counts,
    counts.counts.map((c) => c.count),
  );
});

interface Hostile {
  readonly name: string;
  readonly file: string;
  readonly what: string;
  readonly expect: 'refused' | 'fails' | 'runs';
  readonly code?: string;
  readonly outcome?: string;
  readonly want?: number;
}

const FAILURES: Readonly<Record<string, string>> = {
  gas: 'program/out-of-gas',
  stack: 'program/out-of-stack',
  trap: 'program/trap',
  alloc: 'program/bad-alloc',
  output: 'program/bad-output',
};

test('hostile programs are refused, fail or run as they do under every engine', async () => {
  const dir = '../wasm/programs/hostile';
  const all = JSON.parse(readFileSync(`${dir}/index.json`, 'utf8')) as Hostile[];
  assert.ok(all.length > 50);
  for (const h of all) {
    const module = new Uint8Array(readFileSync(`${dir}/${h.file}`));
    const j = job({
      program: { module, runItems: 8 },
      split: split.range(40),
      combine: combine.table(),
      grain: 20,
      limits: { gas: 2_000_000, memory: 1 },
    });
    const r = run(j, { workers: 2 });
    if (h.expect === 'runs') {
      const { value } = await r.result.catch((e) => assert.fail(`${h.name} ${h.what}: ${String(e)}`));
      if (h.want !== undefined)
        assert.ok(
          value.cells.every((x) => Object.is(x, h.want)),
          `${h.name}: ${value.cells}`,
        );
      continue;
    }
    const code = h.expect === 'refused' ? h.code : FAILURES[h.outcome ?? ''];
    await assert.rejects(r.result, (e) => {
      assert.ok(e instanceof Refusal, `${h.name}: ${String(e)}`);
      assert.equal(e.code, code, `${h.name} ${h.what}: ${e.message}`);
      return true;
    });
  }
});

for (const [name, spec, code] of [
  ['an unknown field', { price: 3 }, 'job/no-payment'],
  ['a field that does not exist', { sede: 3 }, 'job/unknown-field'],
  ['a number that is none', { params: { x: Number.NaN } }, 'job/not-finite'],
  ['an unknown program', { program: 'mc/pie' }, 'catalog/unknown-program'],
  ['a policy that one peer cannot meet', { policy: { copies: 2 } }, 'job/needs-second-peer'],
] as const) {
  test(`${name} is refused by the core`, async () => {
    const r = run(job({ ...pi.spec, ...spec } as never), { workers: 1 });
    await assert.rejects(r.result, { name: 'Refusal', code });
    assert.equal(r.progress.state, 'refused');
    assert.ok(r.explain().includes(code));
  });
}

test('options that are none are refused before anything starts', async () => {
  for (const options of [{ workers: 0 }, { workers: 1.5 }, { workers: 257 }, { grain: -1 }, { grain: 0.5 }]) {
    await assert.rejects(run(pi, options).result, { code: 'env/option' }, JSON.stringify(options));
  }
  await assert.rejects(run({ program: 'mc/pi' } as never).result, { code: 'env/option' });
});

test('progress begins with a snapshot and ends with the result', async () => {
  const r = run(pi, { workers: 2, grain: 10_000 });
  const states: string[] = [];
  let last = r.progress;
  for await (const p of r) {
    assert.ok(p.settled >= last.settled && p.settled <= p.shards, `${p.settled} after ${last.settled}`);
    last = p;
    if (states.at(-1) !== p.state) states.push(p.state);
  }
  assert.deepEqual(states, ['starting', 'planning', 'running', 'done']);
  const { units, value } = await r.result;
  assert.deepEqual([last.settled, last.units, last.value], [20, units, value]);
});

test('events tell the same as iterations', async () => {
  const r = run(pi, { workers: 2, grain: 20_000 });
  const settled = new Set<number>();
  let progress = 0;
  r.addEventListener('shard', (e) => {
    if (e.state === 'settled') settled.add(e.shard);
  });
  r.addEventListener('progress', (e) => {
    progress++;
    assert.equal(e.progress, r.progress);
  });
  const end = new Promise((resolve) => r.addEventListener('end', (e) => resolve(e.result), { once: true }));
  assert.equal(await end, await r.result);
  assert.equal(settled.size, 10);
  assert.ok(progress >= 3);
});

test('a handle is no promise, so async functions can return it', async () => {
  const r = await (async () => run(pi, { workers: 1 }))();
  assert.equal('then' in r, false);
  assert.equal((await r.result).items, 200_000);
});

test('cancelling rejects with the reason and ends iterations with it', async () => {
  const r = run(endless, { workers: 2 });
  await computing(r);
  const reason = new Error('changed my mind');
  const reading = (async () => {
    for await (const _ of r);
  })();
  r.cancel(reason);
  await assert.rejects(r.result, reason);
  await assert.rejects(reading, reason);
  assert.equal(r.progress.state, 'cancelled');
  r.cancel(new Error('again'));
  await assert.rejects(r.result, reason);
});

test('a signal cancels with its own reason, also before the start', async () => {
  const stop = new AbortController();
  const r = run(endless, { workers: 1, signal: stop.signal });
  await computing(r);
  stop.abort('enough');
  await assert.rejects(r.result, (e) => e === 'enough');
  await assert.rejects(run(pi, { signal: AbortSignal.abort() }).result, { name: 'AbortError' });
});

test('leaving an iteration does not cancel the run', async () => {
  const r = run(pi, { workers: 1 });
  for await (const _ of r) break;
  for await (const _ of r.shards()) break;
  assert.equal((await r.result).items, 200_000);
});

test('two runs share an engine and both end right', async () => {
  const other = job({ ...pi.spec, seed: 1 });
  const [a, b, c] = await Promise.all([run(pi).result, run(other).result, run(pi, { grain: 9_999 }).result]);
  assert.equal(a.digest, c.digest);
  assert.notEqual(a.digest, b.digest);
});

const folder = mkdtempSync(join(tmpdir(), 'run-'));
after(() => rmSync(folder, { recursive: true }));

const script = (source: string): string =>
  execFileSync(process.execPath, ['--input-type=module', '-e', source], {
    encoding: 'utf8',
    timeout: 120_000,
    env: { ...process.env, TMPDIR: folder },
  });

test('a cancelled run stops computing at once, and leaves no thread', () => {
  const out = script(`
    import { job, run, split, combine } from 'shoal';
    const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
    const threads = () => process.report.getReport().workers.length;
    const long = job({ program: 'mc/pi', split: split.range(1e12), combine: combine.moments(), grain: 5e6, limits: { gas: 1e13 } });
    const r = run(long, { workers: 2 });
    for await (const s of r.shards()) if (s.state === 'leased') break;
    const until = async (is) => {
      for (const end = performance.now() + 30_000; !is() && performance.now() < end; ) await wait(100);
    };
    await until(() => threads() >= 3);
    const during = threads();
    const before = process.cpuUsage();
    r.cancel();
    await wait(1000); // the threads would have computed for as long, each
    const { user } = process.cpuUsage(before);
    await until(() => threads() === 0);
    console.log(JSON.stringify({ during, busy: user / 1e6, after: threads() }));
  `);
  const { during, busy, after } = JSON.parse(out) as { during: number; busy: number; after: number };
  assert.equal(during, 3, 'one thread controls and two compute');
  assert.ok(busy < 0.6, `in the second after the cancellation it computed for ${busy} s`);
  assert.equal(after, 0);
});

test('a process ends as soon as its runs have ended', () => {
  const lasts = (): number =>
    Number(
      script(`
    import { job, run, split, combine } from 'shoal';
    await run(job({ program: 'mc/pi', split: split.range(1000), combine: combine.moments() })).result;
    const end = performance.now();
    process.on('exit', () => console.log(performance.now() - end));
  `),
    );
  // A busy machine is slow now and then; a process that waits for something always is.
  let least = lasts();
  for (let again = 0; least >= 500 && again < 4; again++) least = Math.min(least, lasts());
  assert.ok(least < 500, `it went on for ${least} ms`);
});

test('a process ends although a stream that was cancelled has no end, and a file that failed to plan leaves no engine', () => {
  const out = script(`
    import { job, plan, run } from 'shoal';
    const columns = (file) => job({ program: 'stats/columns', split: { records: { file, column: 0 } }, combine: 'moments' });
    let pulled = 0;
    const stream = new ReadableStream({ pull: async (to) => {
      await new Promise((resolve) => setTimeout(resolve, 1));
      to.enqueue(new Uint8Array(1000));
      pulled++;
    } });
    const r = run(columns(stream), { workers: 1 });
    while (pulled < 20) await new Promise((resolve) => setTimeout(resolve, 1));
    r.cancel();
    await r.result.catch((e) => console.log(e.name));
    await plan(columns(new Response('', { status: 500 })), { workers: 2 }).catch((e) => console.log(e.code));
    const end = performance.now();
    process.on('exit', () => console.log(performance.now() - end < 5000));
  `);
  assert.equal(out.trim(), 'AbortError\nenv/input\ntrue');
});

test('what was spooled for a run is gone after it, however it ends', () => {
  const out = script(`
    import { readdirSync } from 'node:fs';
    import { setFlagsFromString } from 'node:v8';
    import { runInNewContext } from 'node:vm';
    import { job, plan, run } from 'shoal';
    setFlagsFromString('--expose-gc');
    const gc = runInNewContext('gc');
    const text = 'x,text\\n' + ('1,' + 'a'.repeat(1000) + '\\n').repeat(9000);
    const columns = (more) => job({ program: 'stats/columns', combine: 'moments', ...more,
      split: { records: { file: new Response(text), column: 'x' } } });
    const spools = () => readdirSync(process.env.TMPDIR, { recursive: true }).length - 1;
    const counts = [];
    // Something else keeps the engine up.
    const long = run(job({ program: 'mc/pi', split: { range: 1e12 }, combine: 'moments', grain: 5e6, limits: { gas: 1e13 } }), { workers: 1 });
    const calls = {
      done: () => run(columns(), { workers: 1, grain: 1000 }).result.then((r) => r.items),
      refused: () => run(columns({ sede: 1 }), { workers: 1 }).result.catch((e) => e.code),
      planned: () => plan(columns(), { workers: 1 }).then((p) => p.items),
      cancelled: async () => {
        const r = run(columns(), { workers: 1 });
        r.addEventListener('progress', ({ progress }) => progress.state === 'planning' && r.cancel());
        await r.result.catch((e) => e.name);
        return r.progress.state;
      },
    };
    for (const [name, call] of Object.entries(calls)) {
      const how = await call();
      for (let i = 0; i < 100 && (i === 0 || spools() > 0); i++) {
        await new Promise((resolve) => setTimeout(resolve, 20));
        gc();
      }
      console.log(name, how, spools());
    }
    long.cancel();
  `);
  assert.deepEqual(out.trim().split('\n'), [
    'done 9000 0',
    'refused job/unknown-field 0',
    'planned 9000 0',
    'cancelled cancelled 0',
  ]);
});

test('a failed run that is only iterated leaves no unhandled rejection', () => {
  const out = script(`
    import { job, run } from 'shoal';
    process.on('unhandledRejection', (e) => console.log('unhandled', e));
    const r = run(job({ program: 'mc/pie', split: { range: 1 }, combine: 'moments' }));
    try { for await (const p of r); console.log('no error'); } catch (e) { console.log(e.code); }
    run(job({ program: 'nothing', split: { range: 1 }, combine: 'moments' }));
    const quiet = run(job({ program: 'mc/pi', split: { range: 1e9 }, combine: 'moments' }));
    quiet.shards();
    quiet.cancel();
    await new Promise((resolve) => setTimeout(resolve, 500));
  `);
  assert.equal(out.trim(), 'catalog/unknown-program');
});

test('the first example of the README runs as it stands', () => {
  const [, source = ''] = /```js\n(.*?)```/s.exec(readFileSync('README.md', 'utf8')) ?? [];
  const [mean, stderr, digest] = script(source).trim().split(' ');
  assert.ok(Math.abs(Number(mean) - Math.PI) < 5 * Number(stderr), `${mean} ± ${stderr}`);
  assert.match(digest ?? '', /^[0-9a-f]{64}$/);
});
