// Bundles the tests and runs them with Node's own runner. Names given as
// arguments choose tests: node test/run.mjs run feed
import { spawnSync } from 'node:child_process';
import { readdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const out = join(root, '.test');
const chosen = process.argv.slice(2);
const names = readdirSync(join(root, 'test'))
  .filter((f) => f.endsWith('.test.ts'))
  .map((f) => f.slice(0, -'.test.ts'.length))
  .filter((n) => chosen.length === 0 || chosen.includes(n));

rmSync(out, { recursive: true, force: true });
await build({
  absWorkingDir: root,
  entryPoints: names.map((n) => `test/${n}.test.ts`),
  outdir: '.test',
  outExtension: { '.js': '.mjs' },
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  external: ['shoal'], // what is built, as its users get it
  sourcemap: 'inline',
  logLevel: 'warning',
});
const files = names.map((n) => join('.test', `${n}.test.mjs`));
const { status } = spawnSync(process.execPath, ['--enable-source-maps', '--test', ...files], {
  cwd: root,
  stdio: 'inherit',
});
process.exitCode = status ?? 1;
