/**
 * The strict, deterministic CBOR of `docs/wire.md`, driven by the rules that
 * `wire.gen.ts` holds. There is one encoding for each value; `decode` refuses
 * every other one.
 */

/** How a value is encoded. The first number tells the kind. */
export type Rule =
  | readonly [0, least: number, most: number] // integer
  | readonly [1, least: bigint, most: bigint] // 64-bit integer
  | readonly [2] // boolean
  | readonly [3, most: number] // text, in bytes of UTF-8
  | readonly [4, least: number, most: number] // byte string
  | readonly [5] // number as a byte string of its 8 big-endian bytes
  | readonly [6, most: number, elements: Rule] // array
  | readonly [7, readonly Entry[]] // struct, by encoded key
  | readonly [8, readonly Case[]]; // union, by number

/**
 * A field of a struct. When absent it is an error (0), the zero value of its
 * rule (1), or undefined (2). The name is the key unless given.
 */
export type Entry = readonly [key: string, rule: Rule, absent?: 0 | 1 | 2, name?: string];

/** A case of a union: its number, its `type`, and the rule of its struct. */
export type Case = readonly [number: number, type: string, rule: Rule];

/** The rule of a T. */
export type Schema<T> = Rule & { readonly of?: T };

/** Says why bytes are no message, or why a value has no encoding. */
export class WireError extends Error {
  override readonly name = 'WireError';
}

type Fields = Record<string, unknown>;

const utf8 = new TextEncoder();
const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Reports whether an item encodes the zero value, which optional fields leave out. */
const isZero = (rule: Rule, item: Uint8Array): boolean => {
  const fixed = rule[0] === 5 ? 8 : rule[0] === 4 ? rule[1] : 0;
  return fixed
    ? item.subarray(-fixed).every((x) => !x)
    : item.length === 1 && [0, 0x40, 0x60, 0x80, 0xf4].includes(item[0] ?? -1);
};

const zeroOf = (rule: Rule): unknown =>
  [0, 0n, false, '', rule[0] === 4 && new Uint8Array(rule[1]), 0, rule[0] === 6 && []][rule[0]];

/**
 * Encodes a value. It throws a {@link WireError} when a field is out of its
 * range or over its limit, when a text has a lone surrogate, and for NaN.
 */
export function encode<T>(schema: Schema<T>, value: T): Uint8Array<ArrayBuffer> {
  let out = new Uint8Array(256);
  let at = 0;
  const scratch = new Uint8Array(9);
  const view = new DataView(scratch.buffer);

  const push = (bytes: Uint8Array): void => {
    if (at + bytes.length > out.length) {
      const wider = new Uint8Array(2 * at + bytes.length);
      wider.set(out);
      out = wider;
    }
    out.set(bytes, at);
    at += bytes.length;
  };
  const head = (major: number, n: number | bigint): void => {
    const size = n < 24 ? 0 : n < 256 ? 1 : n < 65536 ? 2 : n < 4294967296 ? 4 : 8;
    view.setBigUint64(1, BigInt(n));
    scratch[8 - size] = (major << 5) | (size ? 24 + Math.log2(size) : Number(n));
    push(scratch.subarray(8 - size));
  };
  const span = (major: number, n: number, least: number, most: number): void => {
    if (n < least || n > most) throw new WireError(`length ${n} is not within ${least} to ${most}`);
    head(major, n);
  };
  const text = (s: string, most: number): void => {
    // TextEncoder would replace a lone surrogate, and make two texts equal.
    if (typeof s !== 'string' || /\p{Cs}/u.test(s)) throw new WireError('ill-formed text');
    const bytes = utf8.encode(s);
    span(3, bytes.length, 0, most);
    push(bytes);
  };
  const item = (rule: Rule, v: unknown): void => {
    switch (rule[0]) {
      case 0:
      case 1: {
        const n = v as number | bigint;
        const fits = rule[0] ? typeof n === 'bigint' : Number.isSafeInteger(n);
        if (!fits || n < rule[1] || n > rule[2]) throw new WireError(`number ${n} is out of range`);
        if (n < 0) head(1, -1n - BigInt(n));
        else head(0, n);
        break;
      }
      case 2:
        if (typeof v !== 'boolean') throw new WireError('not a boolean');
        head(7, v ? 21 : 20);
        break;
      case 3:
        text(v as string, rule[1]);
        break;
      case 4: {
        if (!(v instanceof Uint8Array)) throw new WireError('not a Uint8Array');
        span(2, v.length, rule[1], rule[2]);
        push(v);
        break;
      }
      case 5:
        if (typeof v !== 'number' || Number.isNaN(v)) throw new WireError('NaN has no encoding');
        head(2, 8);
        view.setFloat64(1, v);
        push(scratch.subarray(1));
        break;
      case 6: {
        const list = v as readonly unknown[];
        span(4, list.length, 0, rule[1]);
        for (const x of list) item(rule[2], x);
        break;
      }
      case 7: {
        const start = at;
        let count = 0xa0;
        head(5, 0);
        for (const [key, r, absent, name = key] of rule[1]) {
          const x = (v as Fields)[name];
          if (absent && !x && !Object.is(x, -0)) continue;
          const before = at;
          text(key, 23);
          const from = at;
          item(r, x);
          if (absent === 1 && isZero(r, out.subarray(from, at))) at = before;
          else count++;
        }
        out[start] = count;
        break;
      }
      case 8: {
        const found = rule[1].find(([, type]) => type === (v as Fields)['type']);
        if (!found) throw new WireError(`no case ${String((v as Fields)['type'])}`);
        head(4, 2);
        head(0, found[0]);
        item(found[2], v);
      }
    }
  };
  item(schema, value);
  return out.subarray(0, at);
}

/**
 * Decodes exactly one value and keeps no part of the input. It throws a
 * {@link WireError} when the input is not the one encoding of a value.
 */
export function decode<T>(schema: Schema<T>, input: Uint8Array): T {
  let at = 0;
  const view = new DataView(input.buffer, input.byteOffset, input.length);

  const fail = (what: string): never => {
    throw new WireError(`${what} at byte ${at}`);
  };
  const take = (n: number): Uint8Array => {
    if (n > input.length - at) fail('truncated');
    at += n;
    return input.subarray(at - n, at);
  };
  const head = (major: number): number | bigint => {
    const first = input[at] ?? fail('truncated');
    if (first >> 5 !== major) fail(`want major type ${major}, have ${first >> 5}`);
    const info = first & 31;
    if (info > 27) fail('indefinite length or reserved form');
    const size = info < 24 ? 0 : 1 << (info - 24);
    take(1 + size);
    const from = at - size;
    const n =
      size === 0
        ? info
        : size === 1
          ? view.getUint8(from)
          : size === 2
            ? view.getUint16(from)
            : size === 4
              ? view.getUint32(from)
              : view.getBigUint64(from);
    if (size && (n < 24 || (size > 1 && n < 2 ** (4 * size)))) fail('number not in shortest form');
    return n;
  };
  const span = (major: number, least: number, most: number): number => {
    const n = head(major);
    if (n < least || n > most) fail(`length is not within ${least} to ${most}`);
    if (n > input.length - at) fail('length exceeds the input');
    return Number(n);
  };
  const item = (rule: Rule): unknown => {
    switch (rule[0]) {
      case 0:
      case 1: {
        const negative = (input[at] ?? 0) >> 5 === 1;
        let n = head(negative ? 1 : 0);
        if (negative) n = -1n - BigInt(n);
        if (n < rule[1] || n > rule[2]) fail('number out of range');
        return rule[0] ? BigInt(n) : Number(n);
      }
      case 2: {
        const first = input[at];
        if (first !== 0xf4 && first !== 0xf5) fail('want true or false');
        at++;
        return first === 0xf5;
      }
      case 3: {
        const bytes = take(span(3, 0, rule[1]));
        try {
          return strict.decode(bytes);
        } catch {
          return fail('ill-formed text');
        }
      }
      case 4:
        return take(span(2, rule[1], rule[2])).slice();
      case 5: {
        take(span(2, 8, 8));
        const n = view.getFloat64(at - 8);
        return Number.isNaN(n) ? fail('NaN') : n;
      }
      case 6:
        return Array.from({ length: span(4, 0, rule[1]) }, () => item(rule[2]));
      case 7:
        return struct(rule[1], {});
      case 8: {
        if (head(4) !== 2) fail('want a pair of number and map');
        const n = head(0);
        const [, type, r] = rule[1].find(([number]) => number === n) ?? fail('unknown case');
        return r[0] === 7 && struct(r[1], { type });
      }
    }
  };
  const struct = (entries: readonly Entry[], out: Fields): Fields => {
    let left = Number(head(5));
    for (const [key, rule, absent, name = key] of entries) {
      const here =
        left > 0 && input[at] === 0x60 + key.length && [...key].every((c, i) => c.charCodeAt(0) === input[at + 1 + i]);
      if (here) {
        left--;
        at += 1 + key.length;
        const from = at;
        out[name] = item(rule);
        if (absent === 1 && isZero(rule, input.subarray(from, at))) fail(`zero value of ${key}`);
      } else if (!absent) {
        fail(`missing key ${key}`);
      } else if (absent === 1) {
        out[name] = zeroOf(rule);
      }
    }
    if (left) fail('unknown key');
    return out;
  };
  const value = item(schema);
  if (at < input.length) fail('trailing bytes');
  return value as T;
}
