/** The SDK, as the build serves it beside this page. */

export * from '../../js/src/index.js';
