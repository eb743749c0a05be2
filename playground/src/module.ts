/**
 * Reads what a WebAssembly module says of itself, to show it beside what the
 * core says. It decides nothing: a module that is read here may be refused.
 */

/** What a module asks for and offers. */
export interface ModuleFacts {
  readonly bytes: number;
  readonly functions: number;
  /** As module.name. */
  readonly imports: readonly string[];
  readonly exports: readonly string[];
  /** In pages of 64 KiB. */
  readonly memory: { readonly min: number; readonly max: number | undefined } | undefined;
}

const KINDS = ['function', 'table', 'memory', 'global', 'tag'];
const IMPORTS = 2;
const FUNCTIONS = 3;
const MEMORIES = 5;
const EXPORTS = 7;
/** More names than this on a page help nobody. */
const MOST_NAMES = 200;

/** A place in the bytes. Reading past the end throws. */
function reader(bytes: Uint8Array) {
  let at = 0;
  const byte = (): number => {
    const b = bytes[at++];
    if (b === undefined) throw new RangeError('the module ends too early');
    return b;
  };
  const number = (): number => {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const b = byte();
      value += (b & 127) * scale;
      if (b < 128) return value;
      if (scale > 2 ** 35) throw new RangeError('a number is too long');
    }
  };
  const text = (): string => {
    const size = number();
    const from = at;
    at += size;
    if (at > bytes.length) throw new RangeError('the module ends too early');
    return new TextDecoder().decode(bytes.subarray(from, at));
  };
  return {
    byte,
    number,
    text,
    at: () => at,
    go: (to: number) => {
      at = to;
    },
    more: () => at < bytes.length,
  };
}

type Reader = ReturnType<typeof reader>;

const limits = (r: Reader): { min: number; max: number | undefined } => {
  const flags = r.byte();
  const min = r.number();
  return { min, max: flags & 1 ? r.number() : undefined };
};

/** Reads the facts, or returns undefined if the bytes are no module that can be read. */
export function moduleFacts(bytes: Uint8Array): ModuleFacts | undefined {
  if (bytes[0] !== 0 || bytes[1] !== 0x61 || bytes[2] !== 0x73 || bytes[3] !== 0x6d) return undefined;
  const imports: string[] = [];
  const exports: string[] = [];
  let functions = 0;
  let memory: ModuleFacts['memory'];
  const r = reader(bytes);
  r.go(8);
  try {
    while (r.more()) {
      const id = r.byte();
      const size = r.number();
      const end = r.at() + size;
      if (id === FUNCTIONS) functions = r.number();
      if (id === MEMORIES && r.number() > 0) memory = limits(r);
      if (id === IMPORTS) {
        for (let n = Math.min(MOST_NAMES, r.number()); n > 0; n--) {
          imports.push(`${r.text()}.${r.text()}`);
          const kind = r.byte();
          if (kind === 0) r.number();
          else if (kind === 3) r.go(r.at() + 2);
          else if (kind === 4) r.go(r.at() + 2);
          else {
            if (kind === 1) r.byte();
            const wants = limits(r);
            if (kind === 2) memory = wants;
          }
        }
      }
      if (id === EXPORTS) {
        for (let n = Math.min(MOST_NAMES, r.number()); n > 0; n--) {
          const name = r.text();
          exports.push(`${name} (${KINDS[r.byte()] ?? '?'})`);
          r.number();
        }
      }
      r.go(end);
    }
  } catch (e) {
    if (e instanceof RangeError) return undefined;
    throw e;
  }
  return { bytes: bytes.length, functions, imports, exports, memory };
}
