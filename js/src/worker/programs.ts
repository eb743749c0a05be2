/**
 * Program instances, lent to the peer module through the functions of its
 * import module "shoal". A range outside a program's memory is the answer 0,
 * never a trap; what this engine cannot do is told apart from what the program
 * did, because only the latter is a result.
 */

import { hex } from '../text.js';

/** The functions of a program that the peer can name, by number. */
const EXPORTS = ['alloc', 'run', '_initialize', 'shoal:start', 'init', 'fold', 'finish'] as const;
const GAS = 'shoal:gas';
const STOP = 'shoal:stop';

/** What stop answers when this engine ended the program by itself. */
const STOP_HOST = 3;

/** What open answers instead of a handle. */
const OPEN_FAILED = 0;
const OPEN_TRAPPED = 0xffffffff;

/** What call answers. */
const CALL_OK = 0;
const CALL_TRAP = 1;
const CALL_NONE = 2;

/** Bounds the instances that one peer instance holds at once. It needs two at most. */
const MAX_INSTANCES = 16;
/**
 * Some engines reserve gigabytes of addresses for every memory, so that all
 * workers of a page together have room for about a hundred, and they collect
 * what a worker has dropped only when that very worker finds no room left. By
 * then no other can start. A buffer that is dropped at once, and never touched,
 * makes them collect sooner.
 */
const NUDGE_EVERY = 4; // instances
const NUDGE_BYTES = 64 << 20;
/** No program function has more parameters than this. */
const MAX_PARAMS = 2;
const NAME_BYTES = 32;

type Exported = (...a: number[]) => number | bigint | undefined;

interface Instance {
  readonly exports: Readonly<Record<string, unknown>>;
  readonly memory: WebAssembly.Memory;
  readonly gas: WebAssembly.Global;
  readonly stop: WebAssembly.Global;
  failed: boolean;
}

/** Returns a range of a memory, or undefined if it is not inside. */
const range = (buffer: ArrayBuffer, at: number, size: number): Uint8Array | undefined =>
  (at >>> 0) + (size >>> 0) <= buffer.byteLength ? new Uint8Array(buffer, at >>> 0, size >>> 0) : undefined;

/** The compiled programs of one compute worker, and their open instances. */
export interface Programs {
  readonly imports: WebAssembly.ModuleImports;
  /** Closes what a task that ended early left open. */
  readonly closeAll: () => void;
}

/**
 * Makes a table of programs.
 *
 * @param memory returns the present memory of the peer instance that asks
 * @param modules holds the compiled programs by name; it may change later
 */
export function programs(memory: () => ArrayBuffer, modules: ReadonlyMap<string, WebAssembly.Module>): Programs {
  const open: (Instance | undefined)[] = [];
  let opened = 0;

  const at = (handle: number): Instance | undefined => open[(handle >>> 0) - 1];
  const find = (inst: Instance | undefined, fn: number): Exported | undefined => {
    const f = inst?.exports[EXPORTS[fn] ?? ''];
    return typeof f === 'function' && f.length <= MAX_PARAMS ? (f as Exported) : undefined;
  };

  const nudge = (): void => {
    if (++opened % NUDGE_EVERY !== 0) return;
    try {
      new ArrayBuffer(NUDGE_BYTES);
    } catch {} // then memory is short, and the engine collects anyway
  };

  const instantiate = (module: WebAssembly.Module): Instance | number => {
    let exports: WebAssembly.Exports;
    nudge();
    try {
      exports = new WebAssembly.Instance(module, {}).exports;
    } catch (e) {
      // There are no imports and no start function, so only a segment outside
      // its memory or table makes one of these; some engines call it a link error.
      const segment = e instanceof WebAssembly.RuntimeError || e instanceof WebAssembly.LinkError;
      return segment && WebAssembly.Module.imports(module).length === 0 ? OPEN_TRAPPED : OPEN_FAILED;
    }
    const { memory: mem, [GAS]: gas, [STOP]: stop } = exports;
    const admitted =
      mem instanceof WebAssembly.Memory && gas instanceof WebAssembly.Global && stop instanceof WebAssembly.Global;
    return admitted ? { exports, memory: mem, gas, stop, failed: false } : OPEN_FAILED;
  };

  return {
    closeAll: () => open.fill(undefined),
    imports: {
      open: (name: number): number => {
        const raw = range(memory(), name, NAME_BYTES);
        const module = raw && modules.get(hex(raw));
        if (!module) return OPEN_FAILED;
        let slot = open.indexOf(undefined);
        if (slot < 0) slot = open.length;
        if (slot >= MAX_INSTANCES) return OPEN_FAILED;
        const inst = instantiate(module);
        if (typeof inst === 'number') return inst;
        open[slot] = inst;
        return slot + 1;
      },
      has: (handle: number, fn: number): number => Number(find(at(handle), fn) !== undefined),
      call: (handle: number, fn: number, a: number, b: number, result: number): number => {
        const inst = at(handle);
        const f = find(inst, fn);
        if (!inst || !f) return CALL_NONE;
        if (inst.failed) return CALL_TRAP;
        let r: number | bigint | undefined;
        try {
          r = f(a, b);
        } catch (e) {
          // An engine that runs out of its own stack throws another error than a
          // trap's. Admission charges for stack long before, and where engines
          // give up differs, so it is this engine's failure and no result.
          inst.failed = !(e instanceof WebAssembly.RuntimeError) || /stack|recursion/i.test(e.message);
          return CALL_TRAP;
        }
        const buffer = memory();
        if (!range(buffer, result, 8)) return CALL_TRAP;
        const value = typeof r === 'bigint' ? r : BigInt((r ?? 0) >>> 0);
        new DataView(buffer).setBigUint64(result >>> 0, value, true);
        return CALL_OK;
      },
      gas: (handle: number): bigint => (at(handle)?.gas.value as bigint | undefined) ?? 0n,
      set_gas: (handle: number, gas: bigint): void => {
        const inst = at(handle);
        if (inst) inst.gas.value = gas;
      },
      stop: (handle: number): number => {
        const inst = at(handle);
        return !inst || inst.failed ? STOP_HOST : (inst.stop.value as number);
      },
      read: (handle: number, ptr: number, size: number, dst: number): number => {
        const inst = at(handle);
        const from = inst && range(inst.memory.buffer as ArrayBuffer, ptr, size);
        const to = range(memory(), dst, size);
        if (!from || !to) return 0;
        to.set(from);
        return 1;
      },
      write: (handle: number, ptr: number, size: number, src: number): number => {
        const inst = at(handle);
        const to = inst && range(inst.memory.buffer as ArrayBuffer, ptr, size);
        const from = range(memory(), src, size);
        if (!from || !to) return 0;
        to.set(from);
        return 1;
      },
      close: (handle: number): void => {
        if (at(handle)) open[(handle >>> 0) - 1] = undefined;
      },
    },
  };
}
