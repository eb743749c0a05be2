/** Where the package's files are, and the compiled engine module. */

import { unpacked } from './carried.js';
import type { EnvCode } from './codes.js';
import { inNode, workingDirectory } from './node.js';
import { Refusal, refuse } from './refusal.js';
import { textOf } from './text.js';

/** Is true in the inline entry, which carries the files in itself; the build puts it in. */
declare const CARRIED: boolean;

/** Options that say how this page reaches the package's files. */
export interface AssetOptions {
  /**
   * The folder that serves `peer.wasm` and `worker.js`, as an address relative
   * to the page. Only needed where a bundler does not carry them.
   */
  readonly assets?: string | URL;
  /**
   * A Trusted Types policy for the worker's address, for pages that require one.
   * Without it, one named `shoal` is made when the page demands it.
   */
  readonly trustedTypesPolicy?: { createScriptURL(url: string): unknown };
}

/** Returns the address of a file in the folder that assets names. */
export function assetURL(assets: string | URL, name: string): URL {
  const base = globalThis.document?.baseURI ?? globalThis.location?.href ?? (inNode() ? workingDirectory() : undefined);
  try {
    const folder = String(assets);
    return new URL(name, new URL(folder.endsWith('/') ? folder : `${folder}/`, base));
  } catch (e) {
    throw refuse('env/option', `assets is ${String(assets)}: ${textOf(e)}`, { fix: 'give the address of a folder' });
  }
}

/** How the module came to be. */
export interface Loaded {
  readonly module: WebAssembly.Module;
  readonly how: 'streaming' | 'buffered' | 'inline';
}

const MAGIC = [0x00, 0x61, 0x73, 0x6d];
const compiled = new Map<string, Promise<Loaded>>();

/**
 * Fetches and compiles the engine module, once for each address. Every fault
 * becomes a refusal that says what to change.
 */
export function loadModule({ assets }: AssetOptions): Promise<Loaded> {
  if (CARRIED && assets === undefined) return once('', loadCarried);
  let url: URL;
  try {
    // The second form is what bundlers recognise, so it stays literal.
    url =
      CARRIED || assets !== undefined
        ? assetURL(assets ?? '', 'peer.wasm')
        : moved(new URL('./peer.wasm', import.meta.url));
  } catch (e) {
    const no =
      e instanceof Refusal
        ? e
        : refuse('env/module-missing', 'this script does not know its own address', {
            fix: 'name the folder that holds peer.wasm with the option assets',
            cause: e,
          });
    return Promise.reject(no);
  }
  return once(url.href, () => load(url));
}

/**
 * Finds the file where Vite before 8, in development, has bundled this script
 * into a folder of its own and has left the files beside it behind.
 */
const moved = (url: URL): URL => new URL(url.href.replace('/.vite/deps/', '/shoal/dist/'));

const once = (key: string, f: () => Promise<Loaded>): Promise<Loaded> => {
  const known = compiled.get(key);
  if (known) return known;
  const loading = f();
  compiled.set(key, loading);
  loading.catch(() => compiled.delete(key)); // the next call tries again
  return loading;
};

/** Compiles the module that the inline entry carries in itself. */
const loadCarried = async (): Promise<Loaded> => {
  needWasm();
  return { module: await compile(await unpacked(), {}), how: 'inline' };
};

const needWasm = (): void => {
  if (typeof WebAssembly !== 'object') throw refuse('env/no-wasm', 'there is no object WebAssembly');
};

async function load(url: URL): Promise<Loaded> {
  needWasm();
  const where = { url: url.href };
  if (url.protocol === 'file:' && inNode()) {
    const { readFile } = await import('./threads.js');
    const bytes = await readFile(url).catch((e: unknown) => {
      throw refuse('env/module-missing', textOf(e), { details: where, cause: e });
    });
    return { module: await compile(bytes, where), how: 'buffered' };
  }
  const response = await fetch(url, { credentials: 'same-origin' }).catch(async (e: unknown) => {
    throw await faulty('env/module-missing', where, e);
  });
  const type = response.headers.get('content-type')?.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (!response.ok) {
    throw await faulty('env/module-missing', { ...where, status: String(response.status) });
  }
  if (type === 'application/wasm' && typeof WebAssembly.compileStreaming === 'function') {
    try {
      return { module: await WebAssembly.compileStreaming(response), how: 'streaming' };
    } catch (e) {
      throw faultOf(e, where);
    }
  }
  const bytes = await response.arrayBuffer().catch(async (e: unknown) => {
    throw await faulty('env/module-missing', { ...where, status: 'ended early' }, e);
  });
  return { module: await compile(new Uint8Array(bytes), { ...where, type }), how: 'buffered' };
}

async function compile(bytes: Uint8Array<ArrayBuffer>, details: Record<string, string>): Promise<WebAssembly.Module> {
  if (!MAGIC.every((b, i) => bytes[i] === b)) {
    const start = new TextDecoder().decode(bytes.subarray(0, 256)).trimStart();
    throw await faulty(start.startsWith('<') ? 'env/module-html' : 'env/module-broken', {
      ...details,
      bytes: String(bytes.length),
      start: start.slice(0, 24),
    });
  }
  try {
    return await WebAssembly.compile(bytes);
  } catch (e) {
    throw faultOf(e, details);
  }
}

/**
 * Refuses what came, or did not come, as the module. The words are fetched only
 * now; without them the refusal says less.
 */
const faulty = async (code: EnvCode, details: Record<string, string>, cause?: unknown): Promise<Refusal> => {
  const failure = cause === undefined ? '' : textOf(cause);
  const { why, ...more } = await import('./diagnose.js')
    .then((m) => m.describe(code, details, failure))
    .catch(() => ({ why: `${details['url']} ${failure}` }));
  return refuse(code, why, { ...more, details, cause });
};

/** Reports whether a text is how an engine says that a policy forbids compiling. */
export const forbids = (text: string): boolean => /unsafe-eval|content security policy|\bCSP\b/i.test(text);

/** Tells a policy from a damaged module; engines throw the same error for both. */
const faultOf = (e: unknown, details: Record<string, string>): Refusal => {
  const why = textOf(e);
  return refuse(forbids(why) ? 'env/csp-wasm' : 'env/module-broken', why, { details, cause: e });
};
