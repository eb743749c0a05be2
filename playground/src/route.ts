/** The state that is in the address: which computation, with which settings. */

/** The computations of the page. */
export const demos = ['mc', 'sweep', 'file', 'kfold', 'ensemble', 'program'] as const;
export type DemoName = (typeof demos)[number];

/** What the fragment of the address says. */
export interface Route {
  readonly demo: DemoName;
  readonly settings: URLSearchParams;
}

const JOIN = '#join=';
const KEPT = 'shoal.join';

/** Reads a fragment. What it does not understand is left to the defaults. */
export function readRoute(hash: string): Route {
  const settings = new URLSearchParams(hash.replace(/^#/, ''));
  const name = settings.get('demo');
  settings.delete('demo');
  return { demo: demos.find((d) => d === name) ?? 'mc', settings };
}

/** Writes a fragment, in the order of the settings. */
export function writeRoute(demo: DemoName, settings: Readonly<Record<string, string>>): string {
  // Commas and colons are allowed in fragments, and links read better with them.
  return `#${new URLSearchParams({ demo, ...settings }).toString().replaceAll('%2C', ',')}`;
}

/** Returns the address of this page with another fragment. */
export const addressOf = (hash: string): string => location.href.split('#')[0] + hash;

/**
 * Returns the invite link this page was opened with, and takes it out of the
 * address bar and the history: it holds a secret. A reload in the same tab finds
 * it again until {@link forgetInvite}.
 */
export function takeInvite(): string | undefined {
  if (location.hash.startsWith(JOIN)) {
    const link = location.href;
    history.replaceState(null, '', location.pathname + location.search);
    keep(link);
    return link;
  }
  if (location.hash !== '') return undefined;
  try {
    return sessionStorage.getItem(KEPT) ?? undefined;
  } catch {
    return undefined;
  }
}

function keep(link: string): void {
  try {
    sessionStorage.setItem(KEPT, link);
  } catch {
    // A reload then needs the link again.
  }
}

/** Forgets the invite link for reloads. */
export function forgetInvite(): void {
  try {
    sessionStorage.removeItem(KEPT);
  } catch {
    // Nothing was kept.
  }
}
