// Builds the site into dist: the page, its script, style and fonts under names
// that change with their contents, the SDK beside it under its own names, the
// samples and the page of refusals; and of each file a .br and a .gz form.
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { errorsPage } from './errors.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, '..');
const sdk = join(root, 'js', 'dist');
const dist = join(here, 'dist');

/** What a first visit may load, compressed, beside the engine module, which has a limit of its own. */
const LIMIT = 190_000;
/** What of it may be the page's own script. */
const SCRIPT_LIMIT = 48_000;

const sdkFiles = {
  'index.min.js': 'index.js',
  'worker.js': 'worker.js',
  'worker-source.js': 'worker-source.js',
  'sources.js': 'sources.js',
  'kept.js': 'kept.js',
  'diagnose.js': 'diagnose.js',
  'peer.wasm': 'peer.wasm',
};
for (const name of Object.keys(sdkFiles)) {
  if (!existsSync(join(sdk, name))) throw new Error(`js/dist/${name} is missing: build the SDK first`);
}

// What was compressed last time and has not changed is kept: the module takes
// seconds.
const kept = new Map();
const walk = (dir) =>
  readdirSync(dir, { withFileTypes: true }).flatMap((e) =>
    e.isDirectory() ? walk(join(dir, e.name)) : [join(dir, e.name)],
  );
const sum = (bytes) => createHash('sha256').update(bytes).digest('hex');
for (const file of existsSync(dist) ? walk(dist) : []) {
  if (!existsSync(`${file}.br`) || !existsSync(`${file}.gz`)) continue;
  kept.set(sum(readFileSync(file)), { br: readFileSync(`${file}.br`), gz: readFileSync(`${file}.gz`) });
}
for (const name of existsSync(dist) ? readdirSync(dist) : []) {
  if (name !== 'README.md') rmSync(join(dist, name), { recursive: true });
}
mkdirSync(join(dist, 'samples'), { recursive: true });

/** The SDK is served once, beside the page, and not bundled. */
const external = {
  name: 'sdk',
  setup: (b) =>
    b.onResolve({ filter: /js\/src\/(index|worker-source|sources)\.js$/ }, ({ path }) => ({
      path: `../${basename(path)}`,
      external: true,
    })),
};
const { metafile } = await build({
  absWorkingDir: here,
  entryPoints: ['src/main.ts', 'src/style.css'],
  outdir: 'dist/assets',
  entryNames: 'app-[hash]',
  assetNames: '[name]-[hash]',
  bundle: true,
  minify: true,
  format: 'esm',
  target: 'es2022',
  charset: 'utf8',
  legalComments: 'none',
  loader: { '.csv': 'text', '.woff2': 'file' },
  plugins: [external],
  metafile: true,
  logLevel: 'warning',
});
const outputs = Object.keys(metafile.outputs).map((f) => relative('dist', f));
const find = (ending) => outputs.find((f) => basename(f).startsWith('app-') && f.endsWith(ending));
const script = find('.js');
const style = find('.css');
const fonts = outputs.filter((f) => f.endsWith('.woff2'));

const page = readFileSync(join(here, 'index.html'), 'utf8').replace('{{js}}', script).replace('{{css}}', style);
writeFileSync(join(dist, 'index.html'), page);
copyFileSync(join(here, 'icon.svg'), join(dist, 'icon.svg'));
for (const [from, to] of Object.entries(sdkFiles)) copyFileSync(join(sdk, from), join(dist, to));
for (const sample of [
  'nist/Michelso.csv',
  'data/flights.csv',
  'kfold/wdbc.csv',
  'text/lambda.fa',
  'text/opticks.txt',
]) {
  copyFileSync(join(root, 'examples', sample), join(dist, 'samples', basename(sample)));
}
for (const font of ['source-sans-3', 'source-serif-4']) {
  copyFileSync(
    join(here, 'node_modules', '@fontsource-variable', font, 'LICENSE'),
    join(dist, 'assets', `${font}.LICENSE.txt`),
  );
}
writeFileSync(join(dist, 'errors.html'), errorsPage(join(root, 'docs', 'errors'), style).html);

const compress = (bytes) => ({
  br: brotliCompressSync(bytes, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: 11,
      [constants.BROTLI_PARAM_LGWIN]: 24,
      [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
    },
  }),
  gz: gzipSync(bytes, { level: 9 }),
});
const sizes = new Map();
for (const file of walk(dist)) {
  if (file.endsWith('.woff2') || basename(file) === 'README.md') {
    sizes.set(relative(dist, file), statSync(file).size); // compressed already
    continue;
  }
  const bytes = readFileSync(file);
  const { br, gz } = kept.get(sum(bytes)) ?? compress(bytes);
  writeFileSync(`${file}.br`, br);
  writeFileSync(`${file}.gz`, gz);
  sizes.set(relative(dist, file), br.length);
}

const first = ['index.html', 'icon.svg', script, style, ...fonts, 'index.js', 'worker.js'];
let total = 0;
for (const file of first) {
  const size = sizes.get(file) ?? 0;
  total += size;
  console.log(`${file.padEnd(56)} ${String(size).padStart(8)} bytes`);
}
console.log(`${'a first visit, compressed'.padEnd(56)} ${String(total).padStart(8)} bytes, at most ${LIMIT}`);
console.log(`${'and the engine module'.padEnd(56)} ${String(sizes.get('peer.wasm') ?? 0).padStart(8)} bytes`);
if (total > LIMIT || (sizes.get(script) ?? 0) > SCRIPT_LIMIT) {
  console.error('the site is over its limit');
  process.exitCode = 1;
}
