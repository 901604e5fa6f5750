import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';

const TESTS = fileURLToPath(new URL('..', import.meta.url));

/** Here a time that passes is what is tested: a time limit, a database that is away, a load at its pace. */
const SUBJECTS = [
  'assembly/postgres.test.ts',
  'assembly/waiting.test.ts',
  'assembly/workers-shared-state.test.ts',
  'assembly/workers-start-and-stop.test.ts',
  'audit/events/sealing.test.ts',
  'faults/slow-database.test.ts',
  'project/test-run.test.ts',
  'store/postgres-timeouts.test.ts',
];

/** Files of tests in which a line says this, without those that may. */
function filesWith(pattern: RegExp, allowed: readonly string[] = []): string[] {
  return globSync('**/*.test.ts', { cwd: TESTS, exclude: ['long/**', 'project/deterministic.test.ts'] })
    .filter(file => !allowed.includes(file) && pattern.test(readFileSync(`${TESTS}${file}`, 'utf8')))
    .sort();
}

describe('tests are the same on every machine (CONTRIBUTING.md)', () => {
  it('random choices derive from the seed of test/build/random.ts', () => {
    assert.deepEqual(filesWith(/from 'fast-check'|Math\.random\(|interruptAfterTimeLimit/), []);
  });

  it('no time, processor time or memory is compared: what measures is in bench/', () => {
    assert.deepEqual(
      filesWith(/\b(cpuUsage|threadCpuUsage|memoryUsage)\(|assert\(performance\.now\(\) -/, SUBJECTS),
      [],
    );
  });

  it('a wait is for a condition (test/build/until.ts), not for a time', () => {
    assert.deepEqual(filesWith(/await pause\(|resolve => setTimeout\(resolve/, SUBJECTS), []);
  });
});
