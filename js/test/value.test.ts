import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseValue } from '../src/value.js';

const parse = (json: string): unknown => parseValue(new TextEncoder().encode(json));

test('numbers that JSON lacks are numbers again', () => {
  assert.deepEqual(parse('{"n":2,"mean":"NaN","min":"-Infinity","max":"Infinity"}'), {
    n: 2,
    mean: Number.NaN,
    min: Number.NEGATIVE_INFINITY,
    max: Number.POSITIVE_INFINITY,
  });
});

test('a table has its cells in one piece', () => {
  const value = parse('{"items":2,"columns":2,"rows":[[1,"NaN"],[3,4]]}') as { cells: Float64Array };
  assert.deepEqual([...value.cells], [1, Number.NaN, 3, 4]);
  assert.deepEqual(parse('{"items":1,"columns":1,"rows":[["NaN"]]}'), {
    items: 1,
    columns: 1,
    rows: [[Number.NaN]],
    cells: Float64Array.of(Number.NaN),
  });
});

test('names stay text, whatever they are', () => {
  const names = ['NaN', '-Infinity', 'toString', 'x'];
  assert.deepEqual(parse(JSON.stringify({ items: 1, names, values: ['NaN', 1, 2, 3] })), {
    items: 1,
    names,
    values: [Number.NaN, 1, 2, 3],
  });
});

test('rows that top and a sample keep are no table', () => {
  const value = { n: 9, rows: [{ item: 4, values: [1, 2] }], nan: 0 };
  assert.deepEqual(parse(JSON.stringify(value)), value);
});

test('pieces of bytes are bytes again, even those whose base64 is a word', () => {
  const pieces = ['', 'seven', '\x00\xff', '\x22\x77\xe2\x9e\x2b\x72', '\xb6\x84\xad\xae\x29\xe0'].map((s) =>
    Buffer.from(s, 'latin1'),
  );
  const data = pieces.map((p) => p.toString('base64'));
  assert.deepEqual(data.slice(3), ['Infinity', 'toString']);
  assert.deepEqual(parse(JSON.stringify({ items: 5, bytes: 19, ranges: [[2, 5]], data })), {
    items: 5,
    bytes: 19,
    ranges: [[2, 5]],
    data: pieces.map((p) => new Uint8Array(p)),
  });
});
