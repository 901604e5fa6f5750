/**
 * `npm test`: makes sure that what the tests need is there, then runs them all, some of them on PostgreSQL too. Its last lines
 * are the tests that failed, of both passes. `npm test -- test/http` runs a part.
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
import { ON_POSTGRES, type Pass, runPass } from './test-pass.ts';

const chosen = process.argv.slice(2);
/**
 * Files at once. On the two cores of a small machine a third one runs while others wait: for a limit, a time-out, a database that is away.
 * The tests of faults load the machine themselves, and compare what they measure.
 */
const AT_ONCE = 3;
const FAULTS_AT_ONCE = 2;
const patterns = (chosen.length === 0 ? ['test'] : chosen).map(part =>
  /\.ts$/.test(part) ? part : `${part}/**/*.test.ts`,
);
const files = globSync(patterns).sort();
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
  { name: 'npm test', files: files.filter(file => !isFault(file)), atOnce: AT_ONCE, env },
  { name: 'faults', files: files.filter(isFault), atOnce: FAULTS_AT_ONCE, env },
];
if (chosen.length === 0) {
  passes.push({ name: 'on PostgreSQL', files: ON_POSTGRES, atOnce: AT_ONCE, env: { ...env, TEST_STORE: 'postgres' } });
}
const summaries = passes.filter(pass => pass.files.length > 0).flatMap(pass => runPass(pass) ?? []);
await postgres?.remove();
rsaKeys.remove();
process.stdout.write(summaries.join(''));
process.exit(summaries.length === 0 && files.length > 0 ? 0 : 1);
