/** Is put in by the build. */
declare const PACKAGE_VERSION: string;

/** The release of this package. */
export const version: string = typeof PACKAGE_VERSION === 'string' ? PACKAGE_VERSION : 'from sources';
