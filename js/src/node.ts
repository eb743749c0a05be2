/**
 * Tells Node from a page. Its modules are imported by a name that bundlers cannot
 * follow, so that pages never carry them.
 */

interface NodeProcess {
  readonly versions?: { readonly node?: string };
}

/** Reports whether this is Node, and not a page or another engine that has workers. */
export const inNode = (): boolean =>
  typeof Worker === 'undefined' &&
  typeof (globalThis as { process?: NodeProcess }).process?.versions?.node === 'string';

/** Imports a module of Node by its name. */
export const load = <T>(name: string): Promise<T> =>
  import(/* webpackIgnore: true */ /* turbopackIgnore: true */ /* @vite-ignore */ `node:${name}`) as Promise<T>;

/** Returns the working directory as a URL, for paths that are relative to it. */
export const workingDirectory = (): string => {
  const cwd = (globalThis as { process?: { cwd?: () => string } }).process?.cwd?.() ?? '/';
  return new URL(`file://${encodeURI(cwd)}/`).href;
};
