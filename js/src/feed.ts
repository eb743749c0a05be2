/**
 * A source of updates that any number of consumers iterate at their own pace.
 * Each gets a snapshot first; a slow one gets the latest state of what it
 * missed, so that what is kept for it is bounded.
 */

/** What a consumer has not seen yet. It holds the snapshot when it is made. */
export interface Backlog<T> {
  /** Takes the next update out, or undefined when there is none. */
  readonly take: () => T | undefined;
}

interface Consumer {
  wake: (() => void) | undefined;
}

/** How a feed ended: with nothing more to say, or for a reason. */
type End = { readonly reason?: unknown };

/** Tells consumers that there is something to take. */
export class Feed {
  readonly #consumers = new Set<Consumer>();
  #end: End | undefined;

  /** Wakes every consumer that waits. */
  notify(): void {
    for (const c of this.#consumers) {
      c.wake?.();
      c.wake = undefined;
    }
  }

  /** Ends the feed: iterations finish, or throw the reason if there is one. */
  end(end: End = {}): void {
    this.#end ??= end;
    this.notify();
  }

  /**
   * Iterates a backlog that grows with each notification. Ending the iteration
   * early unsubscribes and has no other effect.
   */
  iterate<T>(backlog: Backlog<T>, release: () => void = () => {}): AsyncIterableIterator<T, undefined> {
    const consumer: Consumer = { wake: undefined };
    this.#consumers.add(consumer);
    let closed = false;
    let turn: Promise<unknown> = Promise.resolve();

    const close = (): IteratorReturnResult<undefined> => {
      if (!closed) {
        closed = true;
        this.#consumers.delete(consumer);
        release();
        consumer.wake?.();
        consumer.wake = undefined;
      }
      return { done: true, value: undefined };
    };
    const next = async (): Promise<IteratorResult<T, undefined>> => {
      for (;;) {
        if (closed) return { done: true, value: undefined };
        const value = backlog.take();
        if (value !== undefined) return { done: false, value };
        if (this.#end) {
          const end = this.#end;
          close();
          if ('reason' in end) throw end.reason;
          return { done: true, value: undefined };
        }
        await new Promise<void>((resolve) => {
          consumer.wake = resolve;
        });
      }
    };
    return {
      // Calls that overlap are answered in their order.
      next: () => {
        const result = turn.then(next);
        turn = result.catch(() => {});
        return result;
      },
      return: async () => close(),
      [Symbol.asyncIterator]() {
        return this;
      },
    };
  }

  /** Iterates a state of which only the latest matters. */
  latest<T>(now: () => T): AsyncIterableIterator<T, undefined> {
    let seen: T | undefined;
    return this.iterate({
      take: () => {
        const value = now();
        if (value === seen) return undefined;
        seen = value;
        return value;
      },
    });
  }
}
