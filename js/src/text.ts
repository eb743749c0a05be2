/** Cuts well-formed text to a number of bytes of UTF-8, at a character's border. */
export function clip(text: string, most: number): string {
  const bytes = new TextEncoder().encode(text);
  let n = Math.min(most, bytes.length);
  while (n < bytes.length && ((bytes[n] ?? 0) & 0xc0) === 0x80) n--;
  return new TextDecoder().decode(bytes.subarray(0, n));
}

/** Returns the text of anything that was thrown. */
export const textOf = (e: unknown): string =>
  e instanceof Error ? e.message || e.name : String((e as { message?: unknown } | null)?.message ?? e);

/** Writes bytes as lower-case hexadecimal digits. */
export const hex = (b: Uint8Array): string => Array.from(b, (x) => x.toString(16).padStart(2, '0')).join('');
