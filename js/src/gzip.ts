/** What is packed with gzip. */

import { concat, next, type Reader, type Stream } from './streams.js';
import { textOf } from './text.js';

/** What engines mean when they find more after the end of a gzip file. */
const SEVERAL = 'it is several gzip files in one, or there is something behind it: unpack it, and pack it as one';

/** Reports whether bytes begin as a gzip file does. */
export const isGzip = (b: Uint8Array): boolean => b[0] === 0x1f && b[1] === 0x8b;

const gunzip = (stream: Stream): Stream => {
  if (typeof DecompressionStream === 'undefined') throw new Error('this engine cannot unpack gzip');
  return stream.pipeThrough(new DecompressionStream('gzip') as ReadableWritablePair<Uint8Array<ArrayBuffer>>);
};

/** As many bytes tell the size of a block of BGZF. */
export const BLOCK_HEAD = 18;

/**
 * Returns the size of the block that begins here, or 0 if there is none. BGZF is
 * how sequences are packed: many gzip files in one, each of which says its size
 * in an extra field named BC. SAM specification, 4.1.
 */
const blockSize = (b: Uint8Array): number =>
  isGzip(b) && ((b[3] ?? 0) & 4) !== 0 && b[12] === 0x42 && b[13] === 0x43 && b[14] === 2 && b[15] === 0
    ? 1 + (b[16] ?? 0) + 256 * (b[17] ?? 0)
    : 0;

/** Unpacks BGZF block by block: most engines unpack no more than one gzip file. */
const unblocked = (stream: Stream): Stream => {
  const rest = stream.getReader() as Reader;
  let held: Uint8Array<ArrayBuffer> = new Uint8Array();
  /** Holds as many bytes, or all that there are. */
  const fill = async (size: number): Promise<boolean> => {
    while (held.length < size) {
      const chunk = await next(rest);
      if (!chunk) return false;
      held = concat([held, chunk]);
    }
    return true;
  };
  return new ReadableStream({
    async pull(to) {
      for (;;) {
        const more = await fill(BLOCK_HEAD);
        if (!more && held.length === 0) return to.close();
        const size = blockSize(held);
        if (!more || size < BLOCK_HEAD || !(await fill(size))) throw new Error('the BGZF file is cut off or damaged');
        const block = new Response(gunzip(new Blob([held.subarray(0, size)]).stream()));
        const bytes = new Uint8Array(await block.arrayBuffer());
        held = held.subarray(size);
        if (bytes.length > 0) return to.enqueue(bytes);
      }
    },
    cancel: (why) => rest.cancel(why),
  });
};

/** Unpacks a stream that is packed with gzip, of which head holds the first bytes. */
export const unpacked = (head: Uint8Array, stream: Stream): Stream =>
  blockSize(head) ? unblocked(stream) : gunzip(stream);

/** Says more of an error of unpacking, where engines say little. */
export const explained = (e: unknown): unknown => {
  const text = textOf(e);
  return /junk|trailing|extra|after|past/i.test(text) ? new Error(`${text} (${SEVERAL})`, { cause: e }) : e;
};
