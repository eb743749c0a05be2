import { codes, type EnvCode } from './codes.js';
import { textOf } from './text.js';
import type * as wire from './wire.gen.js';

/** What a refusal consists of. */
export interface RefusalFields {
  /** A stable slug, `area/what`. */
  readonly code: string;
  /** What was refused, in one line. */
  readonly title: string;
  /** What about this input or this device led to it. */
  readonly why: string;
  /** What to do about it. */
  readonly fix: string;
  /** Facts for programs: field, line, limit … */
  readonly details?: Readonly<Record<string, string>>;
}

/**
 * The one form in which Shoal says no. `code` is stable, and each has a page
 * under `docs/errors`.
 *
 * @example
 * try {
 *   await run(myJob).result;
 * } catch (e) {
 *   if (e instanceof Refusal) show(e.title, e.why, e.fix);
 * }
 */
export class Refusal extends Error implements RefusalFields {
  override readonly name = 'Refusal';
  readonly code: string;
  readonly title: string;
  readonly why: string;
  readonly fix: string;
  readonly details: Readonly<Record<string, string>>;

  constructor(fields: RefusalFields, options?: ErrorOptions) {
    const { code, title, why, fix, details = {} } = fields;
    super(`${code}: ${title}${why && `: ${why}`}${fix && ` (${fix})`}`, options);
    this.code = code;
    this.title = title;
    this.why = why;
    this.fix = fix;
    this.details = details;
  }

  /** The page that explains the code, relative to the repository. */
  get docs(): string {
    return `docs/errors/${this.code}.md`;
  }
}

/** What may make a refusal more exact than its code's row. */
export interface More {
  readonly fix?: string;
  readonly details?: Readonly<Record<string, string>>;
  readonly cause?: unknown;
}

/** Makes a refusal of this side. */
export function refuse(code: EnvCode, why: string, { fix, details, cause }: More = {}): Refusal {
  const [title, usual] = codes[code];
  return new Refusal(
    { code, title, why, fix: fix ?? usual, ...(details && { details }) },
    cause === undefined ? undefined : { cause },
  );
}

/** Makes a refusal of one that came from the core. */
export function fromWire(r: wire.Refusal): Refusal {
  return new Refusal({ ...r, details: Object.fromEntries(r.details.map(({ key, value }) => [key, value])) });
}

/** Passes refusals on and makes one of everything else. */
export const asRefusal = (e: unknown): Refusal =>
  e instanceof Refusal ? e : refuse('env/engine-lost', textOf(e), { cause: e });

/** Makes the error of what was ended on demand. */
export const aborted = (text: string): DOMException => new DOMException(text, 'AbortError');

/** Reports whether an error says that something was ended on demand. */
export const isAbort = (e: unknown): boolean => (e as { name?: unknown } | null)?.name === 'AbortError';
