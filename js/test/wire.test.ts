import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { decode, encode, type Schema, WireError } from '../src/cbor.js';
import * as wire from '../src/wire.gen.js';
import * as sample from './sample.gen.js';

interface Vector {
  readonly name: string;
  readonly type: string;
  readonly ts?: boolean;
  readonly hex: string;
  readonly value: unknown;
}

interface Reject {
  readonly name: string;
  readonly type: string;
  readonly hex: string;
}

// The files are shared with the Go tests. Tests run in js/.
const shared = <T>(name: string): readonly T[] =>
  JSON.parse(readFileSync(`../sdk/wire/testdata/${name}.json`, 'utf8')) as T[];

const bytes = (hex: string): Uint8Array<ArrayBuffer> => Uint8Array.from(hex.match(/../g) ?? [], (x) => parseInt(x, 16));
const hex = (b: Uint8Array): string => [...b].map((x) => x.toString(16).padStart(2, '0')).join('');

const schemas = new Map<string, Schema<unknown>>(
  Object.entries({ ...sample, ...wire }).flatMap(([name, value]) =>
    name.endsWith('Schema') ? [[name.slice(0, -6).toLowerCase(), value as unknown as Schema<unknown>]] : [],
  ),
);
const schemaOf = (type: string): Schema<unknown> => {
  const found = schemas.get(type.toLowerCase());
  assert.ok(found, `no schema for ${type}`);
  return found;
};

/** Turns the JSON of a vector into the value that it describes. */
const revive = (v: unknown): unknown => {
  if (Array.isArray(v)) return v.map(revive);
  if (typeof v !== 'object' || v === null) return v;
  const o = v as Record<string, unknown>;
  if ('$hex' in o) return bytes(String(o['$hex']));
  if ('$int' in o) return BigInt(String(o['$int']));
  if ('$f64' in o) {
    const view = new DataView(new ArrayBuffer(8));
    view.setBigUint64(0, BigInt(`0x${String(o['$f64'])}`));
    return view.getFloat64(0);
  }
  if ('$case' in o) return { type: o['$case'], ...(revive(o['value']) as object) };
  return Object.fromEntries(Object.entries(o).map(([k, x]) => [k, revive(x)]));
};

test('the golden vectors hold in both directions', () => {
  const vectors = shared<Vector>('vectors').filter((v) => v.ts);
  assert.ok(vectors.length >= 50, `${vectors.length} vectors`);
  for (const v of vectors) {
    const value = revive(v.value);
    assert.equal(hex(encode(schemaOf(v.type), value)), v.hex, v.name);
    assert.deepStrictEqual(decode(schemaOf(v.type), bytes(v.hex)), value, v.name);
  }
});

test('encodings that are not canonical are refused', () => {
  const rejects = shared<Reject>('rejects');
  assert.ok(rejects.length >= 50, `${rejects.length} rejects`);
  for (const r of rejects) {
    // Inner stands inside other messages only, so it is not exported.
    const schema = r.type === 'Inner' ? ([7, [['a', [0, 0, Number.MAX_SAFE_INTEGER]]]] as const) : schemaOf(r.type);
    assert.throws(() => decode(schema as Schema<unknown>, bytes(r.hex)), WireError, r.name);
  }
});

test('whatever a damaged encoding decodes to encodes to the same bytes', () => {
  let state = 1;
  const random = (n: number): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * n);
  };
  let passed = 0;
  for (const v of shared<Vector>('vectors').filter((x) => x.ts)) {
    const schema = schemaOf(v.type);
    for (let round = 0; round < 200; round++) {
      const bad = [...bytes(v.hex)];
      const at = random(bad.length);
      bad.splice(at, random(2), ...[random(256)].slice(random(2)));
      const input = Uint8Array.from(bad);
      let value: unknown;
      try {
        value = decode(schema, input);
      } catch (e) {
        assert.ok(e instanceof WireError, `${v.name} ${hex(input)}: ${String(e)}`);
        continue;
      }
      passed++;
      assert.equal(hex(encode(schema, value)), hex(input), v.name);
    }
  }
  assert.ok(passed > 100, `${passed} damaged encodings were canonical`);
});

test('decoded values keep no part of the input', () => {
  const input = encode(sample.shapeSchema, { type: 'blob', bytes: bytes('0102') });
  const value = decode(sample.shapeSchema, input);
  input.fill(0);
  assert.deepStrictEqual(value, { type: 'blob', bytes: bytes('0102') });
});

test('decoding reads a view at an offset', () => {
  const whole = bytes(`ffff${hex(encode(sample.pathSchema, { type: 'line', from: 0.1, to: 70000 }))}ffff`);
  const value = decode(sample.pathSchema, whole.subarray(2, -2));
  assert.deepStrictEqual(value, { type: 'line', from: 0.1, to: 70000 });
});

test('large byte strings survive', () => {
  const data = new Uint8Array(1 << 20).fill(7);
  const event: wire.Event = { type: 'received', conn: 1, data };
  assert.deepStrictEqual(decode(wire.eventSchema, encode(wire.eventSchema, event)), event);
});

test('numbers beyond the safe integers are refused where no bigint is asked for', () => {
  const lists = 'aa64696e747380646a6f62738065626c6f62738065666c6167738065726561 6c738065776f7264738066696e6e65727380';
  const nested = (n: string): Uint8Array =>
    bytes(`${lists}666e65737465648181${n}6673686164657380676e756d6265727380`.replaceAll(' ', ''));
  assert.deepEqual(decode(sample.listsSchema, nested('1b001fffffffffffff')).nested, [[Number.MAX_SAFE_INTEGER]]);
  assert.throws(() => decode(sample.listsSchema, nested('1b0020000000000000')), WireError);
});

const lists: sample.Lists = {
  numbers: [],
  ints: [],
  flags: [],
  words: [],
  blobs: [],
  jobs: [],
  reals: [],
  shades: [],
  inners: [],
  nested: [],
};

for (const [name, value] of Object.entries<sample.Lists>({
  'a lone surrogate': { ...lists, words: ['\ud800'] },
  'a lone low surrogate': { ...lists, words: ['a\udc00'] },
  'text over its limit in bytes': { ...lists, words: ['ééé'] },
  NaN: { ...lists, reals: [NaN] },
  'an unsafe integer': { ...lists, nested: [[2 ** 53]] },
  'a fraction': { ...lists, numbers: [0.5] },
  'a negative number': { ...lists, numbers: [-1] },
  'a number over 32 bits': { ...lists, numbers: [2 ** 32] },
  'a bigint over 64 bits': { ...lists, ints: [2n ** 63n] },
  'a short id': { ...lists, jobs: [new Uint8Array(31)] },
  'too many items': { ...lists, flags: [true, true, true, true, true] },
  'an unnamed value': { ...lists, shades: [4 as sample.Shade] },
  'a number for a bigint': { ...lists, ints: [1 as unknown as bigint] },
  'a bigint for a number': { ...lists, numbers: [1n as unknown as number] },
  'no text': { ...lists, words: [undefined as unknown as string] },
  'text for bytes': { ...lists, blobs: ['a' as unknown as Uint8Array<ArrayBuffer>] },
})) {
  test(`${name} has no encoding`, () => {
    assert.throws(() => encode(sample.listsSchema, value), WireError);
  });
}

test('a case that does not exist has no encoding', () => {
  assert.throws(() => encode(sample.shapeSchema, { type: 'square' } as unknown as sample.Shape), WireError);
});
