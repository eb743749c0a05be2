// Executes a batch in Node: node node.mjs DIST BATCH ANSWERS
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { execute } from './execute.js';

const [dist, batch, answers] = process.argv.slice(2);

// The two names of a worker's scope that the worker script uses.
const scope = `
import { parentPort, workerData } from 'node:worker_threads';
globalThis.postMessage = (m) => parentPort.postMessage(m);
await import(workerData);
parentPort.on('message', (data) => globalThis.onmessage({ data }));`;

let worker;
const start = (onmessage, onerror) => {
  worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(scope)}`), {
    workerData: pathToFileURL(join(dist, 'worker.js')).href,
  });
  worker.on('message', onmessage);
  worker.on('error', onerror);
  return (m, transfer) => worker.postMessage(m, transfer);
};
const buffer = async (path) => {
  const b = await readFile(path);
  return b.buffer.slice(b.byteOffset, b.byteOffset + b.byteLength);
};
await writeFile(answers, await execute(start, await readFile(join(dist, 'peer.wasm')), await buffer(batch)));
await worker.terminate();
