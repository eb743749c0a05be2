/**
 * Says why no worker could be started, or no module loaded. Pages fetch this part
 * only then, so it shares no class with the others: what it finds is plain data.
 */

import type { EnvCode } from './codes.js';
import type { Attempt } from './spawn.js';

/** Is true in the inline entry, which carries the files in itself; the build puts it in. */
declare const CARRIED: boolean;

/** What was found, and the change that removes the cause. */
export interface Diagnosis {
  /** Is added to what the attempts say of themselves. */
  readonly more?: string;
  readonly fix?: string;
  /** The directive of the page's policy that stood in the way. */
  readonly violation?: string;
}

/** Looks at what an address gives, now that starting it as a script has failed. */
const lookAt = async (url: URL): Promise<string> => {
  try {
    const r = await fetch(url);
    const type = r.headers.get('content-type') ?? 'no type';
    if (!r.ok) return `${url.href} gives ${r.status}`;
    return /javascript|ecmascript/.test(type) ? '' : `${url.href} gives ${type}`;
  } catch {
    return `${url.href} gives no answer`;
  }
};

/**
 * Finds the cause.
 *
 * @param failed the ways that were tried, in order
 * @param violations what the page's policy refused meanwhile
 * @param script where the worker script should be, if that is known
 */
export async function diagnose(
  failed: readonly Attempt[],
  violations: readonly string[],
  script: URL | undefined,
): Promise<Diagnosis> {
  if (failed.length === 0) {
    return {
      more: 'there are neither workers nor Node threads here',
      fix: 'run it in a page or in Node; a test environment that imitates a page needs to provide Worker',
    };
  }
  if (failed.every((f) => f.strategy === 'node')) {
    return { fix: 'keep worker.js beside the script, or name the folder that holds it with the option assets' };
  }
  if (failed.some((f) => /trusted|sink type/i.test(f.how)) || violations.some((v) => /trusted-types/.test(v))) {
    return {
      fix: 'the page requires Trusted Types: add shoal to trusted-types in its Content-Security-Policy, or pass a policy as the option trustedTypesPolicy',
    };
  }
  const blocked = violations.find((v) => /worker-src|script-src|default-src|child-src/.test(v));
  if (blocked) {
    return {
      more: `; ${blocked}`,
      fix: "add worker-src 'self' blob: to the page's Content-Security-Policy",
      violation: blocked,
    };
  }
  if (CARRIED && !script) return {};
  const seen = script ? await lookAt(script) : 'this script does not know its own address';
  return seen
    ? {
        more: `; ${seen}`,
        fix: 'copy worker.js from the package to a folder of this site, and name that folder with the option assets',
      }
    : {};
}

/**
 * Describes what came, or did not come, as the engine module.
 *
 * @param details the address, and what is known of the answer: its status or, of
 *   bytes that are no module, their number, type and start
 * @param failure what the engine says of it, '' for nothing
 */
export async function describe(
  code: EnvCode,
  { url = '', status, type, bytes, start }: Readonly<Record<string, string>>,
  failure: string,
): Promise<{ readonly why: string; readonly fix?: string }> {
  if (code === 'env/module-html') {
    return {
      why: `${url} is ${bytes} bytes of ${type || 'no stated type'} that begin with ${JSON.stringify(start)}`,
      ...(/node_modules/.test(url) && { fix: "add optimizeDeps: { exclude: ['shoal'] } to Vite's configuration" }),
    };
  }
  if (bytes !== undefined) return { why: `${url} is ${bytes} bytes of ${type || 'no stated type'} and no WebAssembly` };
  if (failure === '') return { why: `the server answered ${status} for ${url}` };
  if (status !== undefined) return { why: `${url} ${status}: ${failure}` };
  const { origin } = new URL(url);
  const own = origin === globalThis.location?.origin;
  if (await policyForbids(url)) {
    return {
      why: `the page's Content-Security-Policy forbids fetching ${url}`,
      fix: `add ${own ? "'self'" : origin} to connect-src in the page's Content-Security-Policy`,
    };
  }
  return {
    why: `${url} gave no answer: ${failure}; an extension may have blocked it`,
    ...(!own && {
      fix: 'let its server send Access-Control-Allow-Origin, or name a folder of this site with the option assets',
    }),
  };
}

/** How long a browser may take to report what its policy refused. */
const REPORT_MS = 100;

/** Reports whether it is the page's policy that stops an address from being fetched. */
async function policyForbids(url: string): Promise<boolean> {
  const { document } = globalThis;
  if (!document) return false;
  let forbidden = false;
  const note = (e: SecurityPolicyViolationEvent): void => {
    if (e.effectiveDirective === 'connect-src') forbidden = true;
  };
  document.addEventListener('securitypolicyviolation', note);
  await fetch(url, { method: 'HEAD' }).catch(() => {}); // it fails again, and now its cause is heard
  await new Promise((later) => setTimeout(later, REPORT_MS));
  document.removeEventListener('securitypolicyviolation', note);
  return forbidden;
}
