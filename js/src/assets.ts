/** Where the package's files are, and the compiled engine module. */

import { inNode, readFile, workingDirectory } from './node.js';
import { Refusal, refuse } from './refusal.js';
import { textOf } from './text.js';

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
  readonly how: 'streaming' | 'buffered';
}

const MAGIC = [0x00, 0x61, 0x73, 0x6d];
const compiled = new Map<string, Promise<Loaded>>();

/**
 * Fetches and compiles the engine module, once for each address. Every fault
 * becomes a refusal that says what to change.
 */
export function loadModule({ assets }: AssetOptions): Promise<Loaded> {
  let url: URL;
  try {
    // The second form is what bundlers recognise, so it stays literal.
    url = assets === undefined ? new URL('./peer.wasm', import.meta.url) : assetURL(assets, 'peer.wasm');
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
  const known = compiled.get(url.href);
  if (known) return known;
  const loading = load(url);
  compiled.set(url.href, loading);
  loading.catch(() => compiled.delete(url.href)); // the next call tries again
  return loading;
}

async function load(url: URL): Promise<Loaded> {
  if (typeof WebAssembly !== 'object') throw refuse('env/no-wasm', 'there is no object WebAssembly');
  const where = { url: url.href };
  if (url.protocol === 'file:' && inNode()) {
    const bytes = await readFile(url).catch((e: unknown) => {
      throw refuse('env/module-missing', textOf(e), { details: where, cause: e });
    });
    return { module: await compile(bytes, where), how: 'buffered' };
  }
  const response = await fetch(url, { credentials: 'same-origin' }).catch((e: unknown) => {
    throw refuse('env/module-missing', `${url.href} gave no answer: ${textOf(e)}; an extension may have blocked it`, {
      details: where,
      cause: e,
    });
  });
  const type = response.headers.get('content-type')?.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (!response.ok) {
    throw refuse('env/module-missing', `the server answered ${response.status} for ${url.href}`, {
      details: { ...where, status: String(response.status) },
    });
  }
  if (type === 'application/wasm' && typeof WebAssembly.compileStreaming === 'function') {
    try {
      return { module: await WebAssembly.compileStreaming(response), how: 'streaming' };
    } catch (e) {
      throw faultOf(e, where);
    }
  }
  const bytes = await response.arrayBuffer().catch((e: unknown) => {
    throw refuse('env/module-missing', `${url.href} ended early: ${textOf(e)}`, { details: where, cause: e });
  });
  return { module: await compile(new Uint8Array(bytes), { ...where, type }), how: 'buffered' };
}

async function compile(bytes: Uint8Array<ArrayBuffer>, details: Record<string, string>): Promise<WebAssembly.Module> {
  if (!MAGIC.every((b, i) => bytes[i] === b)) {
    const start = new TextDecoder().decode(bytes.subarray(0, 256)).trimStart();
    const what = `${details['url']} is ${bytes.length} bytes of ${details['type'] || 'no stated type'}`;
    throw start.startsWith('<')
      ? refuse('env/module-html', `${what} that begin with ${JSON.stringify(start.slice(0, 24))}`, { details })
      : refuse('env/module-broken', `${what} and no WebAssembly`, { details });
  }
  try {
    return await WebAssembly.compile(bytes);
  } catch (e) {
    throw faultOf(e, details);
  }
}

/** Reports whether a text is how an engine says that a policy forbids compiling. */
export const forbids = (text: string): boolean => /unsafe-eval|content security policy|\bCSP\b/i.test(text);

/** Tells a policy from a damaged module; engines throw the same error for both. */
const faultOf = (e: unknown, details: Record<string, string>): Refusal => {
  const why = textOf(e);
  return refuse(forbids(why) ? 'env/csp-wasm' : 'env/module-broken', why, { details, cause: e });
};
