/**
 * The script of every worker. The page proves that it runs with a ping, then
 * gives it a role. It is built as one flat file without imports or exports, so
 * that it runs as a module, as a classic script and from a blob.
 */

import type { Failure, FromWorker, ToWorker } from '../protocol.js';
import { textOf } from '../text.js';
import { startCompute } from './compute.js';
import { startControl } from './control.js';
import { WrongRelease } from './instance.js';

interface Scope {
  postMessage: (m: FromWorker) => void;
  onmessage: ((e: { readonly data: ToWorker }) => void) | null;
  close: () => void;
}

const scope = globalThis as unknown as Scope;
let role: { readonly receive: (m: ToWorker) => void } | undefined;

const fail = (e: unknown): void => {
  const kind: Failure =
    e instanceof WrongRelease
      ? 'release'
      : typeof crypto === 'undefined'
        ? 'entropy'
        : e instanceof WebAssembly.CompileError || e instanceof EvalError
          ? 'wasm'
          : 'died';
  scope.postMessage({ t: 'failed', kind, why: textOf(e) });
};

scope.onmessage = ({ data }) => {
  switch (data.t) {
    case 'ping':
      scope.postMessage({ t: 'pong' });
      return;
    case 'end':
      scope.close();
      return;
    case 'control':
      startControl(data, (m) => scope.postMessage(m)).then((r) => {
        role = r;
      }, fail);
      return;
    case 'compute':
      try {
        role = startCompute(data);
        scope.postMessage({ t: 'ready', persistent: false, peer: '', engine: '' });
      } catch (e) {
        fail(e);
      }
      return;
    default:
      role?.receive(data);
  }
};
