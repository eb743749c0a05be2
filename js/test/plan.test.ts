import assert from 'node:assert/strict';
import { test } from 'node:test';
import { combine, job, plan, Refusal, run, split } from 'shoal';

const pi = job({ program: 'mc/pi', split: split.range(200_000), combine: combine.moments(), seed: 42 });

test('a plan names what the run computes, and computes nothing', async () => {
  const p = await plan(pi, { workers: 1, grain: 5000 });
  assert.equal(p.items, 200_000);
  assert.equal(p.shards, 40);
  assert.deepEqual(p.outputs, ['pi']);
  assert.ok(p.measured && p.units > 200_000);
  assert.ok(p.lines.length > 2 && p.regimes.some((r) => r.allowed));
  const r = await run(pi, { workers: 1, grain: 5000 }).result;
  assert.equal(p.work, r.work);
  assert.equal(p.job, r.job);
  assert.ok(Math.abs(p.units - Number(r.units)) < 0.01 * Number(r.units), `${p.units} planned, ${r.units} used`);
});

test('a plan refuses what a run refuses', async () => {
  const broken = job({
    program: { module: new Uint8Array([0, 97, 115, 109, 1, 0, 0]) },
    split: split.range(1),
    combine: 'moments',
  });
  for (const [j, code] of [
    [broken, 'program/malformed'],
    [job({ ...pi.spec, split: split.range(0) }), 'job/out-of-range'],
  ] as const) {
    await assert.rejects(plan(j), (e) => e instanceof Refusal && e.code === code);
  }
});

test('a plan ends when its signal does', async () => {
  const stop = new AbortController();
  const p = plan(pi, { signal: stop.signal });
  stop.abort(new Error('enough'));
  await assert.rejects(p, /enough/);
});

test('a plan ends at once while a file of it is still read, and tells the file', async () => {
  let cancelled: unknown;
  const slow = new ReadableStream<Uint8Array>({
    cancel: (why) => {
      cancelled = why;
    },
  });
  const stop = new AbortController();
  const p = plan(
    job({ program: 'stats/columns', split: split.records({ file: slow, column: 0 }), combine: 'moments' }),
    stop,
  );
  const end = assert.rejects(p, { name: 'AbortError' });
  stop.abort();
  await end;
  await new Promise((resolve) => setTimeout(resolve, 50));
  assert.ok(cancelled instanceof Error);
});
