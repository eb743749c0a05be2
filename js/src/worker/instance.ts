/** One instance of the peer module, and the calls of its exports. */

import { programs } from './programs.js';
import { type Wasi, wasi } from './wasi.js';

/** The version of the exports and imports that this code speaks. */
export const ABI = 3;

interface Exports {
  readonly memory: WebAssembly.Memory;
  readonly _initialize: () => void;
  readonly abi: () => number;
  readonly input: (n: number) => number;
  readonly control?: (now: bigint, n: number) => number;
  readonly poll?: () => bigint;
  readonly begin: (n: number) => void;
  readonly step: () => bigint;
  readonly output: () => bigint;
}

/** Says that the module is of another release than this code. */
export class WrongRelease extends Error {
  override readonly name = 'WrongRelease';
}

/** Says that the instance has panicked and is of no more use. */
export class Died extends Error {
  override readonly name = 'Died';
}

/** An instance of the peer module. After a {@link Died} it must be dropped. */
export interface Peer {
  /** Feeds an encoded event; returns the encoded refusal if it was not taken. */
  readonly handle: (now: bigint, event: Uint8Array) => Uint8Array | undefined;
  /** Returns the next encoded effect. It holds until the next call. */
  readonly poll: () => Uint8Array | undefined;
  /** Begins an encoded task. */
  readonly begin: (task: Uint8Array) => void;
  /** Goes on with it for one call of the program; returns the encoded answer at its end. */
  readonly step: () => Uint8Array<ArrayBuffer> | undefined;
}

/**
 * Instantiates the module and starts its runtime.
 *
 * @param random fills bytes for the Go runtime; a result must not depend on it
 * @param compiled holds the programs that tasks may run
 */
export function instance(
  module: WebAssembly.Module,
  random: (into: Uint8Array<ArrayBuffer>) => void,
  compiled: ReadonlyMap<string, WebAssembly.Module> = new Map(),
): Peer {
  let x: Exports | undefined;
  const memory = (): ArrayBuffer => (x as Exports).memory.buffer as ArrayBuffer;
  const system: Wasi = wasi(memory, random);
  const table = programs(memory, compiled);
  const imports = { wasi_snapshot_preview1: system.imports, shoal: table.imports };
  x = new WebAssembly.Instance(module, imports).exports as unknown as Exports;
  const exports = x;

  const guard = <T>(what: string, f: () => T): T => {
    try {
      return f();
    } catch (e) {
      throw new Died(`${what}: ${system.lastWords() || String(e)}`, { cause: e });
    }
  };
  const view = (packed: bigint): Uint8Array<ArrayBuffer> =>
    new Uint8Array(memory(), Number(BigInt.asUintN(32, packed >> 32n)), Number(BigInt.asUintN(32, packed)));
  const feed = (bytes: Uint8Array): void => {
    const at = exports.input(bytes.length) >>> 0;
    new Uint8Array(memory(), at, bytes.length).set(bytes);
  };

  guard('start', () => exports._initialize());
  const abi = typeof exports.abi === 'function' ? exports.abi() : 0;
  if (abi !== ABI) throw new WrongRelease(`the module has interface ${abi}, this code ${ABI}`);

  return {
    handle: (now, event) =>
      guard('control', () => {
        if (!exports.control) throw new WrongRelease('the module has no control role');
        feed(event);
        return exports.control(now, event.length) === 0 ? undefined : view(exports.output());
      }),
    poll: () =>
      guard('poll', () => {
        const packed = exports.poll?.() ?? 0n;
        return packed === 0n ? undefined : view(packed);
      }),
    begin: (task) =>
      guard('begin', () => {
        table.closeAll();
        feed(task);
        exports.begin(task.length);
      }),
    step: () =>
      guard('step', () => {
        const packed = exports.step();
        return packed === 0n ? undefined : view(packed).slice();
      }),
  };
}
