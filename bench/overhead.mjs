// Times one program as it was written and as it was admitted: nanoseconds per
// item, best of interleaved repetitions on a frame of one call.
import { readFileSync } from 'node:fs';

const items = 1024;

function instance(path) {
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(readFileSync(path)), {});
  exports['shoal:start']?.();
  exports._initialize?.();
  return exports;
}

/** A frame for any program here: two columns, four parameters, one key. */
function frame(first) {
  const params = [10000, 10, 160, 4];
  const bytes = new Uint8Array(48 + 8 * params.length + items * 16);
  const v = new DataView(bytes.buffer);
  v.setUint32(0, 0x314c4853, true);
  v.setUint32(4, 1, true);
  v.setBigUint64(8, BigInt(first), true);
  v.setUint32(16, items, true);
  v.setUint32(20, params.length, true);
  v.setUint32(24, 1, true);
  v.setUint32(28, 2, true);
  v.setUint32(40, 1, true);
  v.setUint32(44, 2, true);
  params.forEach((p, i) => { v.setFloat64(48 + 8 * i, p, true); });
  for (let i = 0; i < 2 * items; i++) v.setFloat64(80 + 8 * i, 0.1 + (i % 97) / 97, true);
  return bytes;
}

const programs = process.argv.slice(2, 4).map(instance);
const best = [Infinity, Infinity];
for (let round = 0; round < 60; round++) {
  programs.forEach((p, k) => {
    const f = frame(1 + round * items);
    if (p['shoal:gas']) p['shoal:gas'].value = 1n << 60n;
    const start = performance.now();
    const at = p.alloc(f.length);
    new Uint8Array(p.memory.buffer).set(f, at);
    p.run(at, f.length);
    best[k] = Math.min(best[k], ((performance.now() - start) * 1e6) / items);
  });
}
console.log(JSON.stringify({ raw: best[0], admitted: best[1] }));
