/** Bytes by key, in IndexedDB or in memory. */

import { changed, DATABASE, open, settled, TABLE } from './database.js';

/** How many tabs of one site can each be a device of their own. */
const SLOTS = 16;

/** Keeps bytes by key. */
export interface Store {
  /** Is false when the bytes end with the page. */
  readonly persistent: boolean;
  readonly get: (key: string) => Promise<Uint8Array<ArrayBuffer> | undefined>;
  /** Resolves when the bytes are durable. */
  readonly put: (key: string, data: Uint8Array<ArrayBuffer>) => Promise<void>;
}

const inMemory = (): Store => {
  const bytes = new Map<string, Uint8Array<ArrayBuffer>>();
  return {
    persistent: false,
    get: async (key) => bytes.get(key),
    put: async (key, data) => {
      if (data.length > 0) bytes.set(key, data);
      else bytes.delete(key);
    },
  };
};

/**
 * Takes one of the site's device slots for as long as this worker lives, so
 * that two tabs never act with the same key. Returns undefined when there are no
 * locks: then nothing tells two tabs apart.
 */
const takeSlot = async (): Promise<number | undefined> => {
  const locks = globalThis.navigator?.locks as LockManager | undefined;
  for (let slot = 0; locks && slot < SLOTS; slot++) {
    const got = await new Promise<boolean>((resolve) => {
      const held = locks.request(`${DATABASE}:device:${slot}`, { ifAvailable: true }, (lock) => {
        resolve(lock !== null);
        return lock ? new Promise(() => {}) : undefined;
      });
      held.catch(() => resolve(false));
    });
    if (got) return slot;
  }
  return undefined;
};

/**
 * Opens the store of this device. It is in memory unless keep is set, and where
 * there is no IndexedDB, no way to tell tabs apart, or no secure context.
 */
export async function openStore(keep: boolean): Promise<Store> {
  if (!keep || !globalThis.isSecureContext || typeof indexedDB === 'undefined') return inMemory();
  try {
    const slot = await takeSlot();
    if (slot === undefined) return inMemory();
    const db = await open();
    // A job names its owner, so whichever tab comes back may go on with it.
    const name = (key: string): string => (key.startsWith('peer.job/') ? key : `${slot}/${key}`);
    return {
      persistent: true,
      get: async (key) => {
        const found: unknown = await settled(db.transaction(TABLE).objectStore(TABLE).get(name(key)));
        return found instanceof Uint8Array ? (found as Uint8Array<ArrayBuffer>) : undefined;
      },
      put: (key, data) =>
        changed(db, (table) => void (data.length > 0 ? table.put(data, name(key)) : table.delete(name(key)))),
    };
  } catch {
    return inMemory(); // a sandboxed frame, a private window, a full disk
  }
}
