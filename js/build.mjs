// Builds the package into dist: the worker as one flat file, the same file as
// text for pages that start workers from a blob, the API readable, minified and
// with everything inside it, the declarations, and a copy of the engine module.
// Prints the sizes that count.
import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { build } from 'esbuild';

const here = dirname(fileURLToPath(import.meta.url));
const dist = join(here, 'dist');
const engine = join(here, '..', 'wasm', 'dist', 'peer.wasm');
const { version } = JSON.parse(readFileSync(join(here, 'package.json'), 'utf8'));

/** Parts that a page fetches only when it needs them, each a file of its own. They share no class with the rest. */
const LATER = ['diagnose', 'kept', 'sources', 'threads'];
const external = ['./worker-source.js', ...LATER.map((name) => `./${name}.js`)];

/** What a page downloads to call run(), beside the engine module. */
const LIMIT = 15 * 1024;

rmSync(dist, { recursive: true, force: true });
mkdirSync(dist);

const common = {
  absWorkingDir: here,
  bundle: true,
  target: 'es2022',
  legalComments: 'none',
  logLevel: 'warning',
  charset: 'utf8',
};

await build({
  ...common,
  entryPoints: ['src/worker/main.ts'],
  outfile: 'dist/worker.js',
  format: 'iife',
  minify: true,
});
const worker = readFileSync(join(dist, 'worker.js'), 'utf8').trimEnd();
if (/^\s*(import|export)\b/m.test(worker)) throw new Error('worker.js is not flat');
const workerSource = `export const source = ${JSON.stringify(worker)};\n`;
writeFileSync(join(dist, 'worker-source.js'), workerSource);

const define = { PACKAGE_VERSION: JSON.stringify(version), CARRIED: 'false' };

for (const [outfile, minify] of [
  ['dist/index.js', false],
  ['dist/index.min.js', true],
]) {
  await build({
    ...common,
    entryPoints: ['src/index.ts'],
    outfile,
    minify,
    format: 'esm',
    external,
    define,
  });
}

for (const name of LATER) {
  await build({
    ...common,
    entryPoints: [`src/${name}.ts`],
    outfile: `dist/${name}.js`,
    format: 'esm',
    minify: true,
    define,
  });
}

execFileSync(join(here, 'node_modules', '.bin', 'tsc'), ['-p', 'tsconfig.build.json'], { cwd: here, stdio: 'inherit' });

// What TypeScript reads of the entries that are no modules of this API.
writeFileSync(join(dist, 'worker.d.ts'), '/** A script for a worker. It exports nothing. */\nexport {};\n');
writeFileSync(
  join(dist, 'peer.wasm.d.ts'),
  `/** The address of the file, from a bundler that is told to carry it. */
declare const address: string;
export default address;
`,
);

copyFileSync(join(here, '..', 'LICENSE'), join(dist, 'LICENSE'));

if (existsSync(engine)) {
  copyFileSync(engine, join(dist, 'peer.wasm'));
  await buildInline();
} else {
  console.warn('there is no wasm/dist/peer.wasm yet: build it, then build this again');
}

/** Builds the API with the worker script and the engine module inside it. */
async function buildInline() {
  const packed = gzipSync(readFileSync(engine), { level: 9 }).toString('base64');
  const contents = {
    'worker-source.js': workerSource,
    'engine-source.js': `export const engine = '${packed}';\n`,
  };
  await build({
    ...common,
    entryPoints: ['src/index.ts'],
    outfile: 'dist/inline.js',
    minify: true,
    format: 'esm',
    define: { ...define, CARRIED: 'true' },
    plugins: [
      {
        name: 'carry',
        setup(b) {
          b.onResolve({ filter: /\/(worker|engine)-source\.js$/ }, ({ path }) => ({
            path: path.slice(2),
            namespace: 'carry',
          }));
          b.onLoad({ filter: /.*/, namespace: 'carry' }, ({ path }) => ({ contents: contents[path] }));
        },
      },
    ],
  });
  const text = readFileSync(join(dist, 'inline.js'), 'utf8');
  if (/import\.meta|import\(["'`]\.|new URL\(["'`]\.\//.test(text)) throw new Error('inline.js refers to other files');
}

// What is left of the API in a page that only runs jobs, as a bundler leaves it.
const { outputFiles } = await build({
  ...common,
  stdin: { contents: "export { combine, job, Refusal, run, split } from './src/index.ts';", resolveDir: here },
  format: 'esm',
  minify: true,
  write: false,
  external,
  define,
});

const brotli = (bytes) =>
  brotliCompressSync(bytes, {
    params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT },
  }).length;
const print = (what, size, note = '') =>
  console.log(`${what.padEnd(24)} ${String(size).padStart(6)} bytes brotli${note}`);

const script = brotli(outputFiles[0].contents);
const thread = brotli(readFileSync(join(dist, 'worker.js')));
print('run() and what it needs', script);
print('worker.js', thread);
print('to call run()', script + thread, `, at most ${LIMIT}`);
print('index.min.js, everything', brotli(readFileSync(join(dist, 'index.min.js'))));
if (existsSync(join(dist, 'inline.js'))) print('inline.js, with engine', brotli(readFileSync(join(dist, 'inline.js'))));
if (script + thread > LIMIT) {
  console.error('the scripts that a page needs to call run() are over their limit');
  process.exitCode = 1;
}
