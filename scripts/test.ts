/**
 * `npm test`: makes sure that what the tests need is there, then runs them all, some of them on PostgreSQL too. Its last lines
 * are the tests that failed, of all passes. `npm test -- test/http` runs a part.
 */
import { globSync } from 'node:fs';
import { ensureApache } from './apache.ts';
import { ensureChromium } from './chromium.ts';
import { ensureGuidePrograms } from './guide-programs.ts';
import { ensureNginx } from './nginx.ts';
import { ensurePgbouncer, ensureRecentPgbouncer } from './pgbouncer-program.ts';
import { startPostgres } from './postgres.ts';
import { makeRsaKeys } from './rsa-keys.ts';
import { ensureSystemdAnalyze } from './systemd.ts';
import { AT_ONCE, FAULTS_AT_ONCE, ON_POSTGRES, type Pass, runPasses } from './test-passes.ts';

const chosen = process.argv.slice(2);
const patterns = (chosen.length === 0 ? ['test'] : chosen).map(part =>
  /\.ts$/.test(part) ? part : `${part}/**/*.test.ts`,
);
// The tests of a Citus cluster are those of `npm run test:citus`.
const files = globSync(patterns, { exclude: ['test/citus/**'] }).sort();
if (files.length === 0) process.stderr.write(`There is no test in ${chosen.join(' ')}.\n`);
// Before the tests, whose time is limited. A part may do without: a test whose program is missing fails, and says what to do.
const programs = [
  ensureChromium(),
  ensureApache(),
  ensureNginx(),
  ensurePgbouncer(),
  ensureRecentPgbouncer(),
  ensureGuidePrograms(),
];
// Its test does without where it cannot be installed.
ensureSystemdAnalyze();
const missing = programs.filter(program => program.kind === 'missing');
for (const { advice } of missing) process.stderr.write(`${advice}\n`);
if (missing.length > 0 && chosen.length === 0) process.exit(69);
const rsaKeys = await makeRsaKeys();
// One server for all of them, each test with a database of its own. What is tested here is not the durability of the disk.
const postgres = process.env.TEST_DATABASE_URL
  ? undefined
  : await startPostgres({ settings: { fsync: 'off', max_connections: '300' } });
const env = { TEST_DATABASE_URL: postgres?.url, ...process.env, TEST_RSA_KEYS: rsaKeys.path };
const isFault = (file: string) => /\btest\/faults\b/.test(file);
const passes: Pass[] = [
  { name: 'npm test', files: files.filter(file => !isFault(file)), atOnce: AT_ONCE, env: {} },
  { name: 'faults', files: files.filter(isFault), atOnce: FAULTS_AT_ONCE, env: {} },
];
if (chosen.length === 0) {
  passes.push({ name: 'on PostgreSQL', files: ON_POSTGRES, atOnce: AT_ONCE, env: { TEST_STORE: 'postgres' } });
}
const passed = runPasses(passes, env);
await postgres?.remove();
rsaKeys.remove();
process.exit(passed && files.length > 0 ? 0 : 1);
