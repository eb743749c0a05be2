/** The site's database: one table of bytes and records by key. */

/** Also precedes the names of locks. */
export const DATABASE = 'shoal';
export const TABLE = 'bytes';

/** Resolves to what a request gives. */
export const settled = <T>(request: IDBRequest<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });

/** Opens the database, and makes it if there is none. */
export const open = async (): Promise<IDBDatabase> => {
  const request = indexedDB.open(DATABASE, 1);
  request.onupgradeneeded = () => request.result.createObjectStore(TABLE);
  return settled(request);
};

/** Changes the table of an open database, and resolves when that is durable. */
export const changed = (db: IDBDatabase, f: (table: IDBObjectStore) => void): Promise<void> =>
  new Promise((resolve, reject) => {
    const t = db.transaction(TABLE, 'readwrite', { durability: 'strict' });
    f(t.objectStore(TABLE));
    t.oncomplete = () => resolve();
    t.onabort = () => reject(t.error);
  });

/** Opens the database for one change. */
export const change = async (f: (table: IDBObjectStore) => void): Promise<void> => {
  const db = await open();
  try {
    await changed(db, f);
  } finally {
    db.close();
  }
};
