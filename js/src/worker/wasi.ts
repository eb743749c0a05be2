/**
 * The fifteen functions of WASI that the Go runtime inside the peer module
 * calls. What they answer shows nothing of this device: the clock is a counter,
 * there are no files, arguments or variables.
 */

const SUCCESS = 0;
const BADF = 8;
const FAULT = 21;
const NOSYS = 52;

const CLOCK_START = 1_000_000_000n;
const CLOCK_STEP = 1_000n;

/** Bounds what is kept of the module's output: a panic, then a trace of every goroutine. */
const TAIL = 32_768;

/** Is thrown by proc_exit: the module has ended itself. */
export class Exit extends Error {
  override readonly name = 'Exit';
}

/** The functions, and what the module wrote before it panicked. */
export interface Wasi {
  readonly imports: WebAssembly.ModuleImports;
  /** Returns the first line of the last panic, or the end of the output. */
  readonly lastWords: () => string;
}

/**
 * Makes the functions for one instance.
 *
 * @param memory returns the instance's present memory
 * @param random fills bytes for the Go runtime's own use: the seed of its maps
 */
export function wasi(memory: () => ArrayBuffer, random: (into: Uint8Array<ArrayBuffer>) => void): Wasi {
  let clock = CLOCK_START;
  let tail = '';
  const text = new TextDecoder();
  const view = (): DataView => new DataView(memory());

  /** Answers FAULT where an address is outside the memory. */
  const guarded =
    (f: (...a: number[]) => number) =>
    (...a: number[]): number => {
      try {
        return f(...a.map((x) => x >>> 0));
      } catch (e) {
        if (e instanceof RangeError) return FAULT;
        throw e;
      }
    };
  const succeed = (): number => SUCCESS;
  const badf = (): number => BADF;
  const sizes = guarded((count = 0, bytes = 0) => {
    const v = view();
    v.setUint32(count, 0, true);
    v.setUint32(bytes, 0, true);
    return SUCCESS;
  });

  return {
    lastWords: () => {
      const at = Math.max(tail.lastIndexOf('panic: '), tail.lastIndexOf('fatal error: '));
      return at < 0 ? tail.trim() : (tail.slice(at).split('\n', 1)[0] ?? '');
    },
    imports: {
      sched_yield: succeed,
      args_get: succeed,
      args_sizes_get: sizes,
      environ_get: succeed,
      environ_sizes_get: sizes,
      clock_time_get: (_id: number, _precision: bigint, at: number): number => {
        clock += CLOCK_STEP;
        return guarded((p = 0) => {
          view().setBigUint64(p, clock, true);
          return SUCCESS;
        })(at);
      },
      random_get: guarded((at = 0, n = 0) => {
        random(new Uint8Array(memory(), at, n));
        return SUCCESS;
      }),
      // Called when all goroutines wait, with one subscription to a clock: the
      // clock moves on.
      poll_oneoff: guarded((subscriptions = 0, events = 0, n = 0, written = 0) => {
        const v = view();
        if (n !== 1 || v.getUint8(subscriptions + 8) !== 0) return NOSYS;
        const timeout = v.getBigUint64(subscriptions + 24, true);
        const absolute = (v.getUint8(subscriptions + 40) & 1) === 1;
        if (!absolute) clock += timeout;
        else if (timeout > clock) clock = timeout;
        const userdata = v.getBigUint64(subscriptions, true);
        new Uint8Array(memory(), events, 32).fill(0);
        v.setBigUint64(events, userdata, true);
        v.setUint32(written, 1, true);
        return SUCCESS;
      }),
      fd_write: guarded((fd = 0, vectors = 0, count = 0, written = 0) => {
        if (fd !== 1 && fd !== 2) return BADF;
        const v = view();
        let n = 0;
        for (let i = 0; i < count; i++) {
          const at = v.getUint32(vectors + 8 * i, true);
          const size = v.getUint32(vectors + 8 * i + 4, true);
          tail = (tail + text.decode(new Uint8Array(memory(), at, size))).slice(-TAIL);
          n += size;
        }
        v.setUint32(written, n, true);
        return SUCCESS;
      }),
      fd_close: badf,
      fd_fdstat_get: badf,
      fd_fdstat_set_flags: badf,
      fd_prestat_get: badf,
      fd_prestat_dir_name: badf,
      proc_exit: (code: number): never => {
        throw new Exit(`exit code ${code}`);
      },
    },
  };
}
