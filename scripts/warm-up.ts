/**
 * `npm ci` ends with this: loads the sources once, so that the first start, and the first visitor of a page, finds them compiled. Twice,
 * since what is compiled belongs to the options that V8 was started with: `npm start` has some, the other commands have none.
 * With the name of a folder it does the same for the package in it, which is bundled (the image is built so).
 */
import { type SpawnSyncOptions, spawnSync } from 'node:child_process';
import { existsSync, globSync } from 'node:fs';
import { extname, join, resolve } from 'node:path';
import { npmStart } from '../src/assembly/npm-start.ts';

const [folder = join(import.meta.dirname, '..'), isLoading] = process.argv.slice(2);
const root = resolve(folder);
const [sources, pattern] = existsSync(join(root, 'src')) ? ['src', '**/*.ts'] : ['dist', '*.js'];
/** They run something when they are loaded; what they load is among the others. */
const ENTRIES = /^(main|gatehouse)\.[jt]s$/;

if (isLoading === undefined) {
  compile([], ['gatehouse', '--help'], 0);
  // A wrong setting ends the server before it opens anything.
  compile(npmStart().options, ['main'], 78, { PORT: 'none' });
} else await loadSources();

/** In processes with these options: the sources, and then the program that is started so, whose exit code is known. */
function compile(options: readonly string[], [entry, ...args]: readonly string[], code: number, settings = {}): void {
  const program = join(root, sources, `${entry}${extname(pattern)}`);
  const isCompiled =
    run([...options, import.meta.filename, root, 'loading'], { stdio: 'inherit' }) === 0 &&
    run([...options, program, ...args], { stdio: 'ignore' }, settings) === code;
  if (!isCompiled) process.exitCode = 1;
}

/** With the cache of src/platform/compile-cache.ts, also where the environment names one of the user. */
function run(args: readonly string[], options: SpawnSyncOptions, settings = {}): number | null {
  const cache = join(root, 'node_modules/.cache/gatehouse');
  const env = { ...process.env, NODE_COMPILE_CACHE: cache, NODE_COMPILE_CACHE_PORTABLE: '1', ...settings };
  return spawnSync(process.execPath, args, { ...options, env }).status;
}

async function loadSources(): Promise<void> {
  for (const file of globSync(pattern, { cwd: join(root, sources) })) {
    if (!ENTRIES.test(file)) await import(join(root, sources, file));
  }
}
