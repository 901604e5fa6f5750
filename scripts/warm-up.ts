/**
 * `npm ci` ends with this: loads the sources once, so that the first start, and the first visitor of a page, finds them compiled. Twice,
 * since what is compiled belongs to the options that V8 was started with: `npm start` has some, the other commands have none.
 */
import '../src/platform/compile-cache.ts';
import { spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { npmStart } from '../src/assembly/npm-start.ts';

const SOURCES = join(import.meta.dirname, '../src');
/** They run something when they are loaded; what they load is among the others. */
const ENTRIES = ['main.ts', 'gatehouse.ts'];

for (const file of globSync('**/*.ts', { cwd: SOURCES })) {
  if (!ENTRIES.includes(file)) await import(join(SOURCES, file));
}

if (process.execArgv.length === 0) {
  spawnSync(process.execPath, [...npmStart().options, fileURLToPath(import.meta.url)], { stdio: 'inherit' });
}
