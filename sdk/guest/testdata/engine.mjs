// Reads a list of scripts from standard input and runs each in a fresh instance:
// {wasm: base64, limit: decimal or "", calls: [{name, args: [i32]}]}. Writes what
// it saw, in the form of the Go side's sighting.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

const hex = (v) => (typeof v === 'bigint' ? BigInt.asUintN(64, v) : BigInt(v >>> 0)).toString(16);

function run(script) {
  const seen = { results: [], trapped: false, stop: 0, gas: '', memory: '' };
  const module = new WebAssembly.Module(Buffer.from(script.wasm, 'base64'));
  const { exports } = new WebAssembly.Instance(module, {});
  if (script.limit !== '') exports['shoal:gas'].value = BigInt(script.limit);
  for (const call of script.calls) {
    try {
      const result = exports[call.name](...(call.args ?? []));
      seen.results.push(result === undefined ? '' : hex(result));
    } catch (e) {
      if (!(e instanceof WebAssembly.RuntimeError)) throw e; // the engine's own limits
      seen.trapped = true;
      break;
    }
  }
  seen.stop = exports['shoal:stop'].value;
  seen.gas = exports['shoal:gas'].value.toString();
  seen.memory = createHash('sha256').update(new Uint8Array(exports.memory.buffer)).digest('hex');
  return seen;
}

console.log(JSON.stringify(JSON.parse(readFileSync(0, 'utf8')).map(run)));
