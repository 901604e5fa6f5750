/**
 * `npm ci` ends with this: loads the sources once, so that the first start, and the first visitor of a page, finds them compiled. Twice,
 * since what is compiled belongs to the options that V8 was started with: `npm start` has some, the other commands have none.
 * With the name of a folder it does the same for the package in it, which is bundled (the image is built so).
 */
import { spawnSync } from 'node:child_process';
import { existsSync, globSync } from 'node:fs';
import { enableCompileCache } from 'node:module';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { npmStart } from '../src/assembly/npm-start.ts';

const root = resolve(process.argv[2] ?? join(import.meta.dirname, '..'));
// As src/platform/compile-cache.ts does it, before any of them is loaded.
enableCompileCache({ directory: join(root, 'node_modules/.cache/gatehouse'), portable: true });

const [folder, pattern] = existsSync(join(root, 'src')) ? ['src', '**/*.ts'] : ['dist', '*.js'];
/** They run something when they are loaded; what they load is among the others. */
const ENTRIES = /^(main|gatehouse)\.[jt]s$/;

for (const file of globSync(pattern, { cwd: join(root, folder) })) {
  if (!ENTRIES.test(file)) await import(join(root, folder, file));
}

if (process.execArgv.length === 0) {
  spawnSync(process.execPath, [...npmStart().options, fileURLToPath(import.meta.url), root], { stdio: 'inherit' });
}
