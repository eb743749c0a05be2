/**
 * The worker script as text, for pages that must start it from a blob. The build
 * replaces this module; from the sources themselves there is no such text.
 */
export const source: string = '';
