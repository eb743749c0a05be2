/**
 * Starts workers. No way of starting one works on every page, and the same fault
 * looks different in each engine, so several are tried in turn and only an
 * answer from the worker counts as a start.
 */

import { type AssetOptions, assetURL } from './assets.js';
import { inNode } from './node.js';
import type { FromWorker, ToWorker } from './protocol.js';
import { refuse } from './refusal.js';
import { textOf } from './text.js';

/** Is true in the inline entry, which carries the files in itself; the build puts it in. */
declare const CARRIED: boolean;

/** A page's worker, or a thread that stands in for one. */
export interface WorkerLike {
  onmessage: ((e: { readonly data: FromWorker }) => void) | null;
  onerror: ((e: { readonly message?: string }) => void) | null;
  postMessage(m: ToWorker, transfer?: Transferable[]): void;
  terminate(): void;
  /** Node only: whether the worker keeps the process alive. */
  hold?(on: boolean): void;
}

/** A way of starting a worker. */
export type Strategy = 'assets' | 'module' | 'blob' | 'node';

/** One way that did not work. */
export interface Attempt {
  readonly strategy: Strategy;
  readonly how: string;
}

/** How long a worker may take to answer. A phone under load needs seconds. */
const ANSWER_MS = 10_000;

type Policy = NonNullable<AssetOptions['trustedTypesPolicy']>;
type Start = (policy: Policy | undefined) => Promise<WorkerLike>;

/** Passes an address through a policy where there is one. */
const trusted = (url: URL | string, policy: Policy | undefined): string =>
  policy ? (policy.createScriptURL(String(url)) as string) : String(url);

const worker = (url: string, options?: WorkerOptions): WorkerLike => new Worker(url, options) as unknown as WorkerLike;

const startModule: Start = async (policy) =>
  policy
    ? worker(trusted(new URL('./worker.js', import.meta.url), policy), { type: 'module' })
    : // What bundlers recognise, so it stays literal.
      (new Worker(new URL('./worker.js', import.meta.url), { type: 'module' }) as unknown as WorkerLike);

const startAssets =
  (assets: string | URL): Start =>
  async (policy) =>
    worker(trusted(assetURL(assets, 'worker.js'), policy), { type: 'module' });

/** The script's text by its address, for when the network is gone. */
const scripts = new Map<string, Promise<string>>();

/** Keeps the script that has just started, which the browser's cache holds. */
const keepScript = (url: URL | undefined): void => {
  if (!url || scripts.has(url.href)) return;
  const text = fetch(url, { cache: 'force-cache' }).then((r) => {
    const script = r.ok && /javascript|ecmascript/.test(r.headers.get('content-type') ?? '');
    return script ? r.text() : Promise.reject(new Error('it is no script'));
  });
  scripts.set(url.href, text);
  text.catch(() => scripts.delete(url.href));
};

const startBlob =
  (script: URL | undefined): Start =>
  async (policy) => {
    const source = await (scripts.get(String(script)) ?? import('./worker-source.js').then((m) => m.source));
    const url = URL.createObjectURL(new Blob([source], { type: 'text/javascript' }));
    try {
      const w = worker(trusted(url, policy));
      // Some engines fetch the script only after the constructor has returned.
      setTimeout(() => URL.revokeObjectURL(url), ANSWER_MS);
      return w;
    } catch (e) {
      URL.revokeObjectURL(url);
      throw e;
    }
  };

const startNode =
  (assets: string | URL | undefined): Start =>
  async () =>
    (await import('./threads.js')).thread(
      CARRIED && assets === undefined
        ? new URL(`data:text/javascript,${encodeURIComponent((await import('./worker-source.js')).source)}`)
        : addressOf(assets),
    );

/** The ways for this place, in the order in which they are tried. */
const strategies = (assets: string | URL | undefined): readonly (readonly [Strategy, Start])[] => {
  if (inNode()) return [['node', startNode(assets)]];
  if (typeof Worker === 'undefined') return [];
  return [
    ...(assets === undefined ? [] : ([['assets', startAssets(assets)]] as const)),
    ...(CARRIED ? [] : ([['module', startModule]] as const)),
    ['blob', startBlob(scriptURL(assets))],
  ];
};

/** Resolves when the worker has answered, or rejects with what happened. */
const answered = (w: WorkerLike): Promise<void> =>
  new Promise((resolve, reject) => {
    const fail = (how: string): void => {
      clearTimeout(late);
      w.onmessage = null;
      w.onerror = null;
      w.terminate();
      reject(new Error(how));
    };
    const late = setTimeout(() => fail(`no answer within ${ANSWER_MS / 1000} seconds`), ANSWER_MS);
    w.onmessage = ({ data }) => {
      if (data.t !== 'pong') return;
      clearTimeout(late);
      w.onmessage = null;
      w.onerror = null;
      resolve();
    };
    w.onerror = (e) => {
      // A refused script has an event without a message; what the page's own
      // console shows is not for scripts.
      (e as Partial<Event>).preventDefault?.();
      fail(e.message ? `error: ${e.message}` : 'an error without a message');
    };
    w.postMessage({ t: 'ping' });
  });

/** How long a worker that is asked to end may take: a few slices of computing. */
const END_MS = 100;

/**
 * Lets a worker end itself between two slices. WebKit's page process crashes now
 * and then, once in some twenty times, if a worker is terminated while it runs
 * WebAssembly. Only one that is stuck in a program is.
 */
const endsItself = (w: WorkerLike): WorkerLike => {
  if (w.hold) return w; // a thread of Node
  const end = w.terminate.bind(w);
  w.terminate = () => {
    w.postMessage({ t: 'end' });
    setTimeout(end, END_MS);
  };
  return w;
};

let ownPolicy: Policy | undefined;

/** Makes the policy named shoal, for pages that demand one and allow this name. */
const makePolicy = (): Policy | undefined => {
  const factory = (globalThis as { trustedTypes?: { createPolicy(name: string, rules: Policy): Policy } }).trustedTypes;
  try {
    ownPolicy ??= factory?.createPolicy('shoal', { createScriptURL: (url) => url });
  } catch {} // the page allows other names only
  return ownPolicy;
};

const attempt = async (start: Start, given: Policy | undefined): Promise<WorkerLike> => {
  const begin = async (policy: Policy | undefined): Promise<WorkerLike> => {
    const w = await start(policy);
    await answered(w);
    return endsItself(w);
  };
  try {
    return await begin(given ?? ownPolicy);
  } catch (e) {
    const policy = !given && !ownPolicy && e instanceof TypeError && wantsTrust(textOf(e)) ? makePolicy() : undefined;
    if (!policy) throw e;
    return begin(policy);
  }
};

/** Reports whether an error says that an address needs a policy. */
const wantsTrust = (text: string): boolean => /trusted|sink type/i.test(text);

/** Remembers what worked, so that later workers start the same way. */
export interface Spawner {
  /** The way that worked, once one has. */
  readonly strategy: Strategy | undefined;
  readonly spawn: () => Promise<WorkerLike>;
}

/** Makes a starter of workers for one place of the package's files. */
export function spawner(options: AssetOptions): Spawner {
  let good: readonly [Strategy, Start] | undefined;
  const all = strategies(options.assets);
  const spawn = async (): Promise<WorkerLike> => {
    const failed: Attempt[] = [];
    const violations: string[] = [];
    const note = (e: SecurityPolicyViolationEvent): void => {
      violations.push(`${e.effectiveDirective} refused ${e.blockedURI}`);
    };
    globalThis.document?.addEventListener('securitypolicyviolation', note);
    try {
      for (const way of good ? [good, ...all.filter((w) => w !== good)] : all) {
        try {
          const w = await attempt(way[1], options.trustedTypesPolicy);
          good = way;
          if (way[0] === 'module' || way[0] === 'assets') keepScript(scriptURL(options.assets));
          return w;
        } catch (e) {
          failed.push({ strategy: way[0], how: textOf(e) });
        }
      }
    } finally {
      globalThis.document?.removeEventListener('securitypolicyviolation', note);
    }
    const why = failed.map((f) => `${f.strategy}: ${f.how}`).join('; ');
    const details = Object.fromEntries(failed.map((f) => [f.strategy, f.how]));
    // What is rarely needed is fetched then; without it the refusal says less.
    const found = await import('./diagnose.js')
      .then((m) => m.diagnose(failed, violations, scriptURL(options.assets)))
      .catch(() => undefined);
    throw refuse('env/worker-start', why + (found?.more ?? ''), {
      ...found,
      details: { ...details, ...(found?.violation && { violation: found.violation }) },
    });
  };
  return {
    get strategy() {
      return good?.[0];
    },
    spawn,
  };
}

/** Returns where the worker script is; it throws where nothing tells. */
const addressOf = (assets: string | URL | undefined): URL =>
  CARRIED || assets !== undefined ? assetURL(assets ?? '', 'worker.js') : new URL('./worker.js', import.meta.url);

const scriptURL = (assets: string | URL | undefined): URL | undefined => {
  if (CARRIED && assets === undefined) return undefined;
  try {
    return addressOf(assets);
  } catch {
    return undefined;
  }
};
