/**
 * Reads the beginning of a CSV file, so that a person can choose a column. What
 * the file really holds is decided by the core, which reads all of it.
 */

/** What the first rows look like. */
export interface Beginning {
  readonly delimiter: string;
  readonly header: boolean;
  readonly columns: readonly Column[];
}

/** A column as a person tells it from the others. */
export interface Column {
  /** What the header calls it, or '' without one. */
  readonly name: string;
  readonly first: string;
  readonly numeric: boolean;
}

export const delimiters = [',', ';', '\t', '|', ' '] as const;

/** How much of a file is read for it, in bytes. */
export const ENOUGH = 65_536;

/** Returns the beginning of a file as text, unpacked if it is packed with gzip. */
export async function beginningOf(file: Blob): Promise<string> {
  const head = file.slice(0, ENOUGH);
  const [a, b] = new Uint8Array(await head.slice(0, 2).arrayBuffer());
  if (a !== 0x1f || b !== 0x8b) return head.text();
  const reader = head.stream().pipeThrough(new DecompressionStream('gzip')).getReader();
  const decoder = new TextDecoder();
  let text = '';
  try {
    while (text.length < ENOUGH) {
      const { value } = await reader.read();
      if (!value) break;
      text += decoder.decode(value, { stream: true });
    }
  } catch {
    // The piece ends before the packed file does. The core reads all of it.
  }
  return text;
}

/** Returns the least and the greatest number of a column's first rows, or undefined. */
export function rangeOf(text: string, { delimiter, header }: Beginning, column: number): [number, number] | undefined {
  const rows = records(text, delimiter, 500).slice(header ? 1 : 0, -1);
  const numbers = rows.map((r) => r[column] ?? '').filter(isNumber);
  if (numbers.length === 0) return undefined;
  const values = numbers.map(Number);
  return [Math.min(...values), Math.max(...values)];
}

/** Splits text into records, with quotation marks as RFC 4180 has them. */
export function records(text: string, delimiter: string, most: number): string[][] {
  const out: string[][] = [];
  let row: string[] = [];
  let value = '';
  let quoted = false;
  for (let i = 0; i < text.length && out.length < most; i++) {
    const c = text[i];
    if (quoted) {
      if (c !== '"') value += c;
      else if (text[i + 1] === '"') value += text[++i];
      else quoted = false;
    } else if (c === '"' && value === '') quoted = true;
    else if (c === delimiter) {
      row.push(value);
      value = '';
    } else if (c === '\n') {
      row.push(value.replace(/\r$/, ''));
      out.push(row);
      row = [];
      value = '';
    } else value += c;
  }
  if (out.length < most && (value !== '' || row.length > 0)) out.push([...row, value]);
  return out;
}

const isNumber = (s: string): boolean => /^\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*$/.test(s);

/** Guesses the separator: the one that the first row has most of. */
export function guessDelimiter(text: string): string {
  const first = text.slice(0, text.search(/[\r\n]|$/));
  // Spaces stand between words as well.
  const times = (d: string): number => (d === ' ' ? 1 : first.split(d).length);
  return [...delimiters].reduce((best, d) => (times(d) > times(best) ? d : best), ',');
}

/** Looks at the beginning of a file. header undefined means: guess. */
export function look(text: string, delimiter: string, header?: boolean): Beginning {
  const [top = [], ...rest] = records(text.replace(/^\uFEFF/, ''), delimiter, 20);
  const named = header ?? !top.some(isNumber);
  const rows = named ? rest : [top, ...rest];
  const columns = top.map((cell, i) => ({
    name: named ? cell : '',
    first: rows[0]?.[i] ?? '',
    // The last row may be cut.
    numeric: rows.slice(0, 10).every((r) => isNumber(r[i] ?? '')),
  }));
  return { delimiter, header: named, columns };
}
