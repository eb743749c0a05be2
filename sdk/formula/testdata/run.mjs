// Runs one frame through a module, both in base64 in a JSON object on the
// standard input, and writes the output's bytes, with the one NaN of the ABI.
import { readFileSync } from "node:fs";

const question = JSON.parse(readFileSync(0, "utf8"));
const module = Buffer.from(question.module, "base64");
const frame = Buffer.from(question.frame, "base64");
if (!WebAssembly.validate(module)) throw new Error("not valid");
const { exports } = (await WebAssembly.instantiate(module)).instance;
exports["shoal:start"]?.();
const ptr = exports.alloc(frame.length) >>> 0;
new Uint8Array(exports.memory.buffer, ptr, frame.length).set(frame);
const answer = exports.run(ptr, frame.length);
const view = new DataView(exports.memory.buffer, Number(answer >> 32n), Number(answer & 0xffffffffn));
const out = Buffer.alloc(view.byteLength);
for (let at = 0; at < out.length; at += 8) {
  const value = view.getFloat64(at, true);
  out.writeBigUInt64LE(Number.isNaN(value) ? 0x7ff8000000000000n : view.getBigUint64(at, true), at);
}
process.stdout.write(out);
