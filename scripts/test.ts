/**
 * `npm test`: makes sure that what the tests need is there, then runs them all. `npm test -- test/http` runs a part.
 */
import { spawnSync } from 'node:child_process';
import { ensureApache } from './apache.ts';
import { ensureChromium } from './chromium.ts';

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
const run = spawnSync(process.execPath, ['--test', '--test-concurrency=2', '--test-timeout=180000', ...files], {
  stdio: 'inherit',
  env: { ...process.env, CHROMIUM: chromium.path },
});
process.exit(run.status ?? 1);
