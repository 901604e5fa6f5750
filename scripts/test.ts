/**
 * `npm test`: makes sure that what the tests need is there, then runs them all. `npm test -- test/http` runs a part.
 */
import { spawnSync } from 'node:child_process';
import { ensureApache } from './apache.ts';
import { ensureChromium } from './chromium.ts';
import { startPostgres } from './postgres.ts';

const chosen = process.argv.slice(2);
const files =
  chosen.length === 0
    ? ['test/**/*.test.ts']
    : chosen.map(part => (/\.ts$/.test(part) ? part : `${part}/**/*.test.ts`));
const chromium = ensureChromium();
if (chromium.kind === 'missing') {
  process.stderr.write(`${chromium.advice}\n`);
  process.exit(69);
}
// Before the tests, whose time is limited; without it theirs are skipped, and say so.
const apache = ensureApache();
if (apache.kind === 'missing') process.stderr.write(`${apache.advice} They are skipped.\n`);
// One server for all of them, each test with a database of its own. What is tested here is not the durability of the disk.
const postgres = process.env.TEST_DATABASE_URL
  ? undefined
  : await startPostgres({ settings: { fsync: 'off', max_connections: '300' } });
const run = spawnSync(process.execPath, ['--test', '--test-concurrency=2', '--test-timeout=180000', ...files], {
  stdio: 'inherit',
  env: { TEST_DATABASE_URL: postgres?.url, ...process.env, CHROMIUM: chromium.path },
});
await postgres?.remove();
process.exit(run.status ?? 1);
