/** What this device is called, and what it has. */

/** The SDK's limit of a label, in characters. */
export const MAX_LABEL = 32;

const SYSTEMS: readonly (readonly [RegExp, string])[] = [
  [/iPhone/, 'iPhone'],
  [/iPad/, 'iPad'],
  [/Android/, 'Android'],
  [/CrOS/, 'ChromeOS'],
  [/Windows/, 'Windows'],
  [/Mac OS X/, 'Mac'],
  [/Linux/, 'Linux'],
];
const BROWSERS: readonly (readonly [RegExp, string])[] = [
  [/Firefox\//, 'Firefox'],
  [/Edg\//, 'Edge'],
  [/Chrom(e|ium)\//, 'Chrome'],
  [/AppleWebKit\//, 'Safari'],
];

/** Suggests a name. A person can change it; nothing depends on it. */
export function deviceName(): string {
  const agent = navigator.userAgent;
  const first = (from: readonly (readonly [RegExp, string])[]): string =>
    from.find(([is]) => is.test(agent))?.[1] ?? '';
  return [first(BROWSERS), first(SYSTEMS)].filter(Boolean).join(', ') || 'Browser';
}

/** How many processor cores the browser admits to. */
export const cores = (): number => navigator.hardwareConcurrency || 1;

/** Reports whether the page's address is one that only this machine can reach. */
export const isLocal = (): boolean => /^(localhost|127\.|\[::1\])/.test(location.hostname);
