/** What happens to a page around its life: hidden, frozen, put aside, back. */

/** Takes what happens to the page. */
export interface PageEvents {
  /** The page is hidden, or visible again. */
  readonly hidden: (hidden: boolean) => void;
  /** The page stops for an unknown time, or goes on. */
  readonly asleep: (asleep: boolean) => void;
}

/** Reports whether this is a page that is not shown. */
export const isHidden = (): boolean => globalThis.document?.visibilityState === 'hidden';

/**
 * Watches the page until the function that it returns is called. Outside pages
 * nothing ever happens. It listens to no event that would keep a page out of
 * the browser's back/forward cache.
 */
export function watchPage({ hidden, asleep }: PageEvents): () => void {
  const { document } = globalThis;
  if (!document) return () => {};
  const seen = new AbortController();
  const { signal } = seen;
  const aside = (): void => {
    hidden(true);
    asleep(true);
  };
  const back = (): void => {
    asleep(false);
    hidden(isHidden());
  };
  document.addEventListener('visibilitychange', () => hidden(isHidden()), { signal });
  document.addEventListener('freeze', aside, { signal });
  document.addEventListener('resume', back, { signal });
  addEventListener('pagehide', aside, { signal });
  addEventListener('pageshow', (e) => e.persisted && back(), { signal });
  return () => seen.abort();
}

/** How old the event of a gesture may be where the browser keeps no record. */
const GESTURE_MS = 5000;
const GESTURES = new Set(['click', 'keydown', 'pointerup', 'touchend', 'mouseup', 'change', 'submit']);

/**
 * Reports whether a person has just done something on this page: by the
 * browser's own record, or where it keeps none, by the event that the caller was
 * handed. Nothing else counts.
 */
export function isGesture(event?: Event): boolean {
  const record = globalThis.navigator?.userActivation as UserActivation | undefined;
  if (record) return record.isActive;
  return (
    typeof document !== 'undefined' &&
    event instanceof Event &&
    event.isTrusted &&
    GESTURES.has(event.type) &&
    performance.now() - event.timeStamp < GESTURE_MS
  );
}
