/**
 * `npm test`: makes sure that what the tests need is there, then runs them all. `npm test -- test/http` runs a part.
 */
import { spawnSync } from 'node:child_process';
import { ensureApache } from './apache.ts';
import { ensureChromium } from './chromium.ts';
import { ensureNginx } from './nginx.ts';
import { ensurePgbouncer } from './pgbouncer.ts';
import { startPostgres } from './postgres.ts';
import { makeRsaKeys } from './rsa-keys.ts';

const chosen = process.argv.slice(2);
/** What speaks to the store in every way there is. The whole of test/http passes with TEST_STORE=postgres, but takes minutes. */
const ON_POSTGRES = [
  ...[
    'code-grant',
    'code-replay',
    'refresh-grant',
    'refresh-family',
    'refresh-across-servers',
    'password-grant',
    'password-change',
    'imported-password',
    'introspect',
    'userinfo',
  ],
  ...[
    'revoke',
    'session',
    'consent',
    'logout',
    'backchannel-logout',
    'isolation',
    'key-rotation',
    'login-session',
    'fuzz',
  ],
].map(name => `test/http/${name}.test.ts`);
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
const nginx = ensureNginx();
if (nginx.kind === 'missing') process.stderr.write(`${nginx.advice} They are skipped.\n`);
const pgbouncer = ensurePgbouncer();
if (pgbouncer.kind === 'missing') process.stderr.write(`${pgbouncer.advice} They are skipped.\n`);
const rsaKeys = await makeRsaKeys();
// One server for all of them, each test with a database of its own. What is tested here is not the durability of the disk.
const postgres = process.env.TEST_DATABASE_URL
  ? undefined
  : await startPostgres({ settings: { fsync: 'off', max_connections: '300' } });
const env = {
  TEST_DATABASE_URL: postgres?.url,
  ...process.env,
  CHROMIUM: chromium.path,
  TEST_RSA_KEYS: rsaKeys.path,
};
const passes = (files: readonly string[], more: NodeJS.ProcessEnv = {}) =>
  spawnSync(process.execPath, ['--test', '--test-concurrency=2', '--test-timeout=180000', ...files], {
    stdio: 'inherit',
    env: { ...env, ...more },
  }).status === 0;
const passed = [passes(files)];
if (chosen.length === 0) {
  process.stdout.write('The same on PostgreSQL, through the server:\n');
  passed.push(passes(ON_POSTGRES, { TEST_STORE: 'postgres' }));
}
await postgres?.remove();
rsaKeys.remove();
process.exit(passed.every(Boolean) ? 0 : 1);
