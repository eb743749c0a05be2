// Builds the template of formula programs and takes it apart:
//
//   node formula/build.mjs             writes sdk/formula/template_gen.go
//   node formula/build.mjs --out FILE  writes that file instead
//
// The core puts a program together from the pieces: it fills the places of the
// two imported functions and leaves out the bodies that the formula does not
// need. Function numbers stay as they are, so no code has to be rewritten.

import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import asc from "assemblyscript/asc";

const here = dirname(fileURLToPath(import.meta.url));
const programs = dirname(here);

async function compile() {
  const dir = await mkdtemp(join(tmpdir(), "formula-"));
  try {
    const file = (name) => relative(programs, join(dir, name));
    const { error, stderr } = await asc.main([
      "formula/template.ts", "--baseDir", programs, "--outFile", file("t.wasm"), "--textFile", file("t.wat"),
      "-O3", "--converge", "--noAssert", "--runtime", "stub", "--use", "abort=", "--initialMemory", "1",
    ]);
    if (error) throw new Error(`${error.message}\n${stderr}`);
    return [await readFile(join(dir, "t.wasm")), await readFile(join(dir, "t.wat"), "utf8")];
  } finally {
    await rm(dir, { recursive: true });
  }
}

/** Reads unsigned numbers and ranges of bytes. */
function reader(bytes) {
  let at = 0;
  const r = {
    done: () => at === bytes.length,
    take: (n) => bytes.subarray(at, (at += n)),
    number() {
      let value = 0;
      for (let shift = 0; ; shift += 7) {
        const b = bytes[at++];
        value |= (b & 127) << shift;
        if (b < 128) return value;
      }
    },
    text: () => Buffer.from(r.take(r.number())).toString(),
  };
  return r;
}

/** The sections of a module by number. */
function sections(module) {
  const r = reader(module);
  r.take(8);
  const out = new Map();
  while (!r.done()) {
    const id = r.number();
    out.set(id, r.take(r.number()));
  }
  return out;
}

function leb(n) {
  const out = [];
  for (; n > 127; n >>>= 7) out.push((n & 127) | 128);
  return [...out, n];
}

const section = (id, content) => [id, ...leb(content.length), ...content];

/** Names, parameters and calls of all functions, in order, imports first. */
function functionsOf(wat) {
  const out = [];
  const short = (name) => name.replace(/^.*\//, "");
  for (const line of wat.split("\n")) {
    const head = /^ (?:\(import .*)?\(func \$(\S+)(.*)/.exec(line);
    if (head) {
      const params = [...head[2].matchAll(/\(param (?:\$\d+ )?([^)]*)\)/g)].flatMap((m) => m[1].split(" "));
      out.push({ name: short(head[1]), params, calls: new Set() });
    }
    const call = /^ {2,}\(?call \$([^\s)]+)/.exec(line);
    if (call) out.at(-1).calls.add(short(call[1]));
  }
  return out;
}

const [module, wat] = await compile();
const parts = sections(module);
const functions = functionsOf(wat);
const number = new Map(functions.map((f, i) => [f.name, i]));

const imports = reader(parts.get(2));
const types = [];
for (let n = imports.number(); n > 0; n--) {
  const names = [imports.text(), imports.text()];
  if (names[0] !== "formula" || imports.number() !== 0 || number.get(names[1]) !== types.length) throw new Error(`import ${names}`);
  types.push(imports.number());
}
const declared = reader(parts.get(3));
for (let n = declared.number(); n > 0; n--) types.push(declared.number());
if (types.length !== functions.length || types.length > 64 || number.size !== types.length) throw new Error("the text has other functions");

const bodies = [[], []]; // of the imports
const code = reader(parts.get(10));
for (let n = code.number(); n > 0; n--) bodies.push(code.take(code.number()));

const callable = [];
const exports = reader(parts.get(7));
const kept = [];
for (let n = exports.number(); n > 0; n--) {
  const [name, kind, index] = [exports.text(), exports.take(1)[0], exports.number()];
  if (["run", "alloc", "memory"].includes(name)) kept.push([name.length, ...Buffer.from(name), kind, ...leb(index)]);
  else if (kind === 0) callable.push([name, index]);
}
// The data count (12) is left out: only bulk initialisation needs it.
const known = new Set([1, 2, 3, 5, 6, 7, 8, 10, 11, 12]);
for (const id of parts.keys()) if (!known.has(id)) throw new Error(`section ${id}`);

/** Lines of a Go text. */
function text(bytes, indent) {
  if (bytes.length === 0) return '""';
  const lines = [];
  for (let at = 0; at < bytes.length; at += 24) {
    const hex = [...bytes.slice(at, at + 24)].map((b) => `\\x${b.toString(16).padStart(2, "0")}`);
    lines.push(`${indent}"${hex.join("")}"`);
  }
  return lines.length === 1 ? lines[0].trim() : `"" +\n${lines.join(" +\n")}`;
}

const rows = functions.map((f, i) => {
  const calls = [...f.calls].reduce((mask, name) => mask | (1n << BigInt(number.get(name))), 0n);
  return `\t// ${f.name}\n\t{0x${calls.toString(16)}, ${text(bodies[i], "\t\t")}},`;
});

// What a formula can call: instructions, draws, and what functions.ts exports
// but the remainder, which has an operator.
const table = [
  ["sqrt", 1, 0x9f], ["abs", 1, 0x99], ["floor", 1, 0x9c], ["ceil", 1, 0x9b], ["trunc", 1, 0x9d],
  ["min", 2, 0xa4], ["max", 2, 0xa5], ["clamp", 3, 0xa5], ["uniform", 0, number.get("uniform")], ["normal", 0, number.get("gauss")],
];
for (const [name, i] of callable) {
  const { params } = functions[i];
  if (name !== "mod" && params.every((p) => p === "f64") && params.length > 0) table.push([name, params.length, i]);
}
const head = [
  ...module.subarray(0, 8), ...section(1, parts.get(1)), ...section(3, [types.length, ...types]), ...section(5, parts.get(5)),
  ...section(6, parts.get(6)), ...section(7, [kept.length, ...kept.flat()]), ...section(8, parts.get(8)), 10,
];
const index = (name) => {
  if (!number.has(name)) throw new Error(`no function ${name}`);
  return number.get(name);
};
const source = `// Code generated by wasm/programs/formula/build.mjs. DO NOT EDIT.

package formula

// The functions of the template that the compiler knows by number.
const (
	fnRow     = ${index("row")}
	fnShape   = ${index("shape")}
	fnEven    = ${index("even")}
	fnOdd     = ${index("odd")}
	fnUniform = ${index("uniform")}
	fnGauss   = ${index("gauss")}
	fnPow     = ${index("pow")}
	fnMod     = ${index("mod")}
	// fnTable is the one function that reads the data section.
	fnTable = ${index("reduceFar")}
	// roots are the functions that every program has, as bits.
	roots = 0x${["run", "alloc", "~start"].reduce((mask, name) => mask | (1n << BigInt(index(name))), 0n).toString(16)}
)

// head is everything before the length of the code section, data is the last
// section.
const (
	head = ${text(head, "\t\t")}
	data = ${text(section(11, parts.get(11)), "\t\t")}
)

// functionNames are what a formula can call. For each, functionCodes has how many
// values it takes, and an instruction or the number of a function of the
// template. An instruction is written after every value from the second on, or
// after the only one.
var functionNames = []string{${table.map(([name]) => `"${name}"`).join(", ")}}

const functionCodes = ${text(table.flatMap((row) => row.slice(1)), "\t")}

// pieces are the functions of the template in their order.
var pieces = [...]piece{
${rows.join("\n")}
}
`;

const at = process.argv.indexOf("--out");
await writeFile(at < 0 ? join(programs, "../../sdk/formula/template_gen.go") : process.argv[at + 1], source);
console.log(`formula template  ${module.length} bytes`);
