/**
 * The engine module as text, gzip in base64, for the inline entry. The build
 * replaces this module; from the sources themselves there is no such text.
 */
export const engine: string = '';
