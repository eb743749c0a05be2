import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Feed } from '../src/feed.js';
import { ShardBoard } from '../src/shards.js';
import { parseValue } from '../src/value.js';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('an iteration begins with the present state', async () => {
  const feed = new Feed();
  const it = feed.latest(() => 'now');
  assert.deepEqual(await it.next(), { done: false, value: 'now' });
});

test('a slow consumer gets the latest of what it missed, and nothing twice', async () => {
  const feed = new Feed();
  let state = 0;
  const it = feed.latest(() => state);
  assert.equal((await it.next()).value, 0);
  for (state = 1; state < 5; state++) feed.notify();
  assert.equal((await it.next()).value, 5);
  let settled = false;
  const waiting = it.next().finally(() => {
    settled = true;
  });
  feed.notify();
  await turn();
  assert.equal(settled, false, 'the same state came twice');
  state = 6;
  feed.notify();
  assert.equal((await waiting).value, 6);
});

test('the last state comes before the end', async () => {
  const feed = new Feed();
  let state = 'first';
  const seen: string[] = [];
  const reading = (async () => {
    for await (const s of feed.latest(() => state)) seen.push(s);
  })();
  await turn();
  state = 'last';
  feed.end();
  await reading;
  assert.deepEqual(seen, ['first', 'last']);
});

test('an iteration throws the reason of the end once, and is over then', async () => {
  const feed = new Feed();
  const it = feed.latest(() => 1);
  await it.next();
  const waiting = it.next();
  feed.end({ reason: new Error('enough') });
  await assert.rejects(waiting, /enough/);
  assert.deepEqual(await it.next(), { done: true, value: undefined });
});

test('ending an iteration early unsubscribes and answers what waits', async () => {
  const feed = new Feed();
  let released = 0;
  const it = feed.iterate<number>({ take: () => undefined }, () => released++);
  const waiting = it.next();
  await turn();
  assert.deepEqual(await it.return?.(), { done: true, value: undefined });
  assert.deepEqual(await waiting, { done: true, value: undefined });
  await it.return?.();
  assert.equal(released, 1);
});

test('calls of next that overlap are answered in their order', async () => {
  const feed = new Feed();
  const queue: number[] = [];
  const it = feed.iterate({ take: () => queue.shift() });
  const all = Promise.all([it.next(), it.next(), it.next()]);
  queue.push(1, 2);
  feed.notify();
  await turn();
  queue.push(3);
  feed.notify();
  assert.deepEqual(
    (await all).map((r) => r.value),
    [1, 2, 3],
  );
});

const changed = (shard: number, state: 1 | 2 | 3 | 4 | 5, cells = new Uint8Array()) => ({
  run: 1,
  shard,
  first: shard * 10,
  items: shard === 9 ? 5 : 10,
  state,
  peer: new Uint8Array(32),
  cells,
});

test('a consumer of shards gets those that have moved first, then each change once', () => {
  const board = new ShardBoard(95, 10, 10);
  board.change(changed(3, 2), 'a');
  const backlog = board.backlog();
  assert.deepEqual(backlog.take(), { shard: 3, first: 30, items: 10, state: 'leased', peer: 'a' });
  assert.equal(backlog.take(), undefined);
  board.change(changed(9, 2), 'b');
  board.change(changed(9, 3), 'b');
  board.change(changed(9, 1), '');
  assert.deepEqual(backlog.take(), { shard: 9, first: 90, items: 5, state: 'queued', peer: '' });
  assert.equal(backlog.take(), undefined);
  backlog.release();
  board.change(changed(1, 2), 'a');
  assert.equal(backlog.take(), undefined);
});

test('the cells of settled shards stay readable for who comes late', () => {
  const board = new ShardBoard(95, 10, 10);
  const cells = Float64Array.from({ length: 10 }, (_, i) => i);
  board.change(changed(9, 4, new Uint8Array(cells.buffer)), 'a');
  const shard = board.backlog().take();
  assert.deepEqual(shard?.cells, cells);
  assert.equal(shard?.state, 'settled');
});

test('a shard beyond the run is ignored', () => {
  assert.equal(new ShardBoard(95, 10, 10).change(changed(10, 2), 'a'), undefined);
});

test('values read what JSON cannot say', () => {
  const read = (s: string): unknown => parseValue(new TextEncoder().encode(s));
  assert.deepEqual(read('{"n":1,"mean":"NaN","min":"-Infinity","max":"Infinity","sum":-0}'), {
    n: 1,
    mean: Number.NaN,
    min: Number.NEGATIVE_INFINITY,
    max: Number.POSITIVE_INFINITY,
    sum: -0,
  });
  assert.deepEqual(read('{"items":2,"columns":2,"rows":[[1,2],["NaN",4]]}'), {
    items: 2,
    columns: 2,
    rows: [
      [1, 2],
      [Number.NaN, 4],
    ],
    cells: Float64Array.of(1, 2, Number.NaN, 4),
  });
});
