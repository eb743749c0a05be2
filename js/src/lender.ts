/**
 * One contributor per site: of several tabs that lend, one computes at a time,
 * and the next takes over when it ends or is hidden.
 */

const NAME = 'shoal.lend';
/** Without locks, how long the other tabs have to object, and how often one that waits asks again. */
const OBJECT_MS = 300;
const AGAIN_MS = 3000;

/** This tab's claim to be the one that lends. */
export interface Lender {
  readonly held: boolean;
  /** Claims it, or gives it up. Resolves once it is known whether it is free now. */
  readonly want: (on: boolean) => Promise<void>;
}

/**
 * Makes a claim that is not made yet.
 *
 * @param changed is called when it is granted and when it ends
 */
export function lender(changed: () => void): Lender {
  // Outside pages there are no tabs.
  if (!globalThis.document) return alone(changed);
  if (globalThis.navigator?.locks as LockManager | undefined) return byLock(changed);
  return typeof BroadcastChannel === 'undefined' ? alone(changed) : byVote(changed);
}

const alone = (changed: () => void): Lender => {
  let held = false;
  return {
    get held() {
      return held;
    },
    want: async (on) => {
      if (held === on) return;
      held = on;
      changed();
    },
  };
};

const byLock = (changed: () => void): Lender => {
  let held = false;
  let claim: AbortController | undefined;
  const hold = (mine: AbortController): Promise<void> => {
    if (mine.signal.aborted) return Promise.resolve();
    held = true;
    changed();
    return new Promise((resolve) => {
      mine.signal.addEventListener('abort', () => {
        held = false;
        resolve();
        changed();
      });
    });
  };
  return {
    get held() {
      return held;
    },
    want: (on) => {
      if (on === (claim !== undefined)) return Promise.resolve();
      if (!on) {
        claim?.abort();
        claim = undefined;
        return Promise.resolve();
      }
      const mine = new AbortController();
      claim = mine;
      return new Promise((resolve) => {
        const { locks } = navigator;
        const first = locks.request(NAME, { ifAvailable: true }, (lock) => {
          const holding = lock ? hold(mine) : undefined;
          resolve();
          return holding;
        });
        first
          .then(() =>
            mine.signal.aborted ? undefined : locks.request(NAME, { signal: mine.signal }, () => hold(mine)),
          )
          // A frame without an origin has no locks, and no other tabs either.
          .catch(() => hold(mine))
          .then(resolve);
      });
    },
  };
};

type Word = { readonly t: 'ask' | 'mine'; readonly rank: number } | { readonly t: 'free' };

const byVote = (changed: () => void): Lender => {
  let channel: BroadcastChannel | undefined;
  // Who asked first goes first; the fraction tells apart who asked at once.
  let rank = 0;
  let held = false;
  let objected = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let tried: () => void = () => {};
  const say = (word: Word): void => channel?.postMessage(word);

  const ask = (): void => {
    clearTimeout(timer);
    objected = false;
    say({ t: 'ask', rank });
    timer = setTimeout(() => {
      if (objected) timer = setTimeout(ask, AGAIN_MS);
      else {
        held = true;
        say({ t: 'mine', rank });
        changed();
      }
      tried();
    }, OBJECT_MS);
  };
  const yieldTo = (): void => {
    objected = true;
    if (!held) return;
    held = false;
    changed();
    timer = setTimeout(ask, AGAIN_MS);
  };
  const hear = ({ data }: MessageEvent<Word>): void => {
    if (data.t === 'free') {
      if (!held) ask();
    } else if (data.t === 'ask' && (held || rank < data.rank)) {
      say({ t: 'mine', rank });
    } else if (data.t === 'mine' && (!held || data.rank < rank)) {
      yieldTo();
    }
  };
  return {
    get held() {
      return held;
    },
    want: (on) => {
      if (on === rank > 0) return Promise.resolve();
      if (on) {
        rank = Date.now() + Math.random();
        channel = new BroadcastChannel(NAME);
        channel.onmessage = hear;
        return new Promise((resolve) => {
          tried = resolve;
          ask();
        });
      }
      clearTimeout(timer);
      rank = 0;
      tried();
      if (held) {
        held = false;
        say({ t: 'free' });
        changed();
      }
      channel?.close();
      channel = undefined;
      return Promise.resolve();
    },
  };
};
