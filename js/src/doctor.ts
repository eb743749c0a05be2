/** What this place can and cannot do, for people and for reports of faults. */

import { type AssetOptions, loadModule } from './assets.js';
import { acquire, coresOf, kindOf } from './engine.js';
import { asRefusal, type Refusal } from './refusal.js';
import { spawner } from './spawn.js';
import { version } from './version.js';

/** One thing that does not work here, or works less well. */
export interface Finding {
  /** Whether runs are impossible, or only something else. */
  readonly level: 'stops' | 'limits';
  readonly what: string;
  readonly fix: string;
}

/** What {@link doctor} found. */
export interface Report {
  readonly kind: string;
  /** A secure context: https, or this very machine. */
  readonly secure: boolean;
  /** Cross-origin isolated. Nothing here needs it. */
  readonly isolated: boolean;
  /** How workers start here. */
  readonly workerStart: 'module' | 'assets' | 'blob' | 'node' | 'none';
  /** How the engine module loads here. */
  readonly wasm: 'streaming' | 'buffered' | 'inline' | 'none';
  readonly simd: boolean;
  /** Where the device's key and its pools are kept. */
  readonly storage: 'persistent' | 'memory';
  readonly locks: boolean;
  readonly wakeLock: boolean;
  /** Whether the battery's state can be read at all. */
  readonly battery: boolean;
  readonly webSocket: boolean;
  readonly webRTC: boolean;
  readonly cores: number;
  /** Names the semantics of the engine; '' if it does not start. */
  readonly engine: string;
  readonly versions: { readonly shoal: string; readonly agent: string };
  /** Empty when everything works. */
  readonly findings: readonly Finding[];
}

/** The smallest module with a vector instruction: () -> v128. */
const SIMD = [
  0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 10, 1, 8, 0, 65, 0, 253, 15, 253, 98, 11,
];

/**
 * Tries what a run needs, and says what is missing and how to change that. It
 * sends nothing anywhere.
 *
 * @example
 * const { findings } = await doctor();
 * for (const f of findings) console.log(`${f.what}. ${f.fix}.`);
 */
export async function doctor(options: AssetOptions & { readonly signal?: AbortSignal } = {}): Promise<Report> {
  options.signal?.throwIfAborted();
  const findings: Finding[] = [];
  const stops = (e: unknown): undefined => {
    const no: Refusal = asRefusal(e);
    findings.push({ level: 'stops', what: `${no.title}: ${no.why}`, fix: no.fix });
  };
  const limits = (ok: boolean, what: string, fix: string): boolean => {
    if (!ok) findings.push({ level: 'limits', what, fix });
    return ok;
  };

  const wasm = await loadModule(options)
    .then(({ how }) => how)
    .catch(stops);
  const starter = spawner(options);
  await starter
    .spawn()
    .then((w) => w.terminate())
    .catch(stops);
  const info =
    findings.length === 0
      ? await acquire(options, true)
          .then((e) => e.ready.finally(() => e.release()))
          .catch(stops)
      : undefined;
  options.signal?.throwIfAborted();

  const navigator = globalThis.navigator as Navigator | undefined;
  const kind = kindOf();
  const page = kind !== 'node';
  const secure = globalThis.isSecureContext === true;
  if (page) {
    limits(
      secure,
      'this page is not secure, so the device has a new key each time',
      'open it over https, or as localhost',
    );
    limits(
      wasm !== 'buffered',
      'the server does not say that peer.wasm is WebAssembly, so it loads slower',
      'serve it as application/wasm',
    );
    limits(
      info?.persistent !== false || !secure,
      'nothing can be kept here, so the device has a new key each time',
      'allow this site to keep data, and leave private windows',
    );
  }
  return {
    kind,
    secure,
    isolated: globalThis.crossOriginIsolated === true,
    workerStart: starter.strategy ?? 'none',
    wasm: wasm ?? 'none',
    simd: limits(
      typeof WebAssembly === 'object' && WebAssembly.validate(new Uint8Array(SIMD)),
      'this engine has no vector instructions, so programs that use them cannot run',
      'use a current browser',
    ),
    storage: info?.persistent ? 'persistent' : 'memory',
    locks: navigator !== undefined && 'locks' in navigator,
    wakeLock: navigator !== undefined && 'wakeLock' in navigator,
    battery: navigator !== undefined && 'getBattery' in navigator,
    webSocket: limits(
      typeof WebSocket === 'function',
      'this engine has no WebSocket, so it cannot join pools',
      'use a browser, or Node 22 or later',
    ),
    webRTC: typeof RTCPeerConnection === 'function',
    cores: await coresOf(),
    engine: info?.engine ?? '',
    versions: {
      shoal: version,
      agent:
        navigator?.userAgent ?? `node ${(globalThis as { process?: { version?: string } }).process?.version ?? ''}`,
    },
    findings,
  };
}
