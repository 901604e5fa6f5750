/**
 * `npm ci` ends with this: loads the sources once, so that the first start finds them compiled. Twice, since what is compiled
 * belongs to the options that V8 was started with: `npm start` has some, the other commands have none.
 */
import '../src/compile-cache.ts';
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { npmStart } from '../src/cli/npm-start.ts';

const { loadCommands } = await import('../src/cli/commands.ts');
await loadCommands();
// What those load only when it is needed.
await import('../src/cli/workers.ts');
await import('../src/demo/seed.ts');
await import('../src/store/sqlite/sqlite-store.ts');
await import('../src/store/postgres/postgres-store.ts');

if (process.execArgv.length === 0) {
  spawnSync(process.execPath, [...npmStart().options, fileURLToPath(import.meta.url)], { stdio: 'inherit' });
}
