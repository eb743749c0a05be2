#!/usr/bin/env node
// Copies the two files that a page fetches, worker.js and peer.wasm, into a
// folder of the site, for bundlers that do not carry them along.
import { copyFileSync, mkdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const FILES = ['worker.js', 'peer.wasm'];
const USAGE = `usage: shoal-assets FOLDER

Copies ${FILES.join(' and ')} into FOLDER, which is made if it is not there.
Name the folder's address in the page: run(job, { assets: '/vendor/shoal/' })`;

const args = process.argv.slice(2);
const [folder] = args;
if (args.includes('--help') || args.includes('-h')) {
  console.log(USAGE);
} else if (args.length !== 1 || folder === undefined || folder === '' || folder.startsWith('-')) {
  console.error(USAGE);
  process.exitCode = 2;
} else {
  try {
    mkdirSync(folder, { recursive: true });
    for (const name of FILES) {
      const to = join(folder, name);
      copyFileSync(fileURLToPath(new URL(`../dist/${name}`, import.meta.url)), to);
      console.log(relative('', to) || to);
    }
  } catch (e) {
    console.error(`shoal-assets: ${e instanceof Error ? e.message : e}`);
    process.exitCode = 1;
  }
}
