/** What the inline entry carries in itself in place of the package's files. */

/** Returns the bytes of the engine module. */
export async function unpacked(): Promise<Uint8Array<ArrayBuffer>> {
  const { engine } = await import('./engine-source.js');
  const text = atob(engine);
  const packed = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) packed[i] = text.charCodeAt(i);
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}
