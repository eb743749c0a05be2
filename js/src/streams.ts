/** Streams of bytes, and what is done with their pieces. */

import { tagOf } from './job.js';

export type Stream = ReadableStream<Uint8Array<ArrayBuffer>>;
export type Reader = ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>;

/** Reports whether something is bytes, also if another frame made it. */
export const isBytes = (v: object): v is Uint8Array<ArrayBuffer> => tagOf(v) === 'Uint8Array';

/** Returns the next bytes of a stream, or undefined at its end. */
export const next = async (rest: Reader): Promise<Uint8Array<ArrayBuffer> | undefined> => {
  const { done, value } = await rest.read();
  if (done) return undefined;
  if (!isBytes(value ?? {})) throw new Error('the stream gives something else than bytes');
  return value;
};

/** Returns a stream of chunks and of what comes after them, up to some bytes. */
export const joined = (chunks: Uint8Array<ArrayBuffer>[], rest: Reader, most = Number.POSITIVE_INFINITY): Stream => {
  let given = 0;
  return new ReadableStream({
    async pull(to) {
      const chunk = given < most ? (chunks.shift() ?? (await next(rest))) : undefined;
      if (!chunk) return to.close();
      given += chunk.length;
      to.enqueue(chunk);
    },
    cancel: (why) => rest.cancel(why),
  });
};

/** Returns pieces as one. */
export const concat = (chunks: readonly Uint8Array<ArrayBuffer>[]): Uint8Array<ArrayBuffer> => {
  const all = new Uint8Array(chunks.reduce((n, c) => n + c.length, 0));
  let at = 0;
  for (const c of chunks) {
    all.set(c, at);
    at += c.length;
  }
  return all;
};
