/**
 * `npm run test:long`: what takes long (test/long), and the random tests of `npm test` with a new seed; TEST_SEED repeats a run.
 * `npm run test:long -- test/long/races.test.ts` runs a part.
 */
import { globSync } from 'node:fs';
import { importersOf } from './test-run/imports.ts';
import { runTests } from './test-run/run-tests.ts';
import { newSeed } from './test-run/seed.ts';
import { startSharedParts } from './test-run/shared-parts.ts';

const RANDOM = 'test/build/random.ts';

process.env.TEST_SEED ??= String(newSeed());
const chosen = process.argv.slice(2);
const long = chosen.length > 0 ? chosen : globSync('test/long/**/*.test.ts').sort();
const all = globSync('test/**/*.test.ts', { exclude: ['test/citus/**', 'test/long/**'] }).sort();
const random = chosen.length > 0 ? [] : importersOf(RANDOM, all);
const { env, remove } = await startSharedParts([...long, ...random]);
const passed = await runTests({
  passes: [
    { name: '', files: long, env },
    { name: 'with a new seed', files: random, env: { ...env, TEST_LONG: 'true' } },
  ],
});
await remove();
process.exit(passed ? 0 : 1);
