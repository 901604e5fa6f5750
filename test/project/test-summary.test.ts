import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { type TemporaryFolder, temporaryFolder } from '../store/temporary-folder.ts';

const REPORTER = fileURLToPath(new URL('../../scripts/test-summary.ts', import.meta.url));
const FILE_END = new URL('../../scripts/test-file-end.ts', import.meta.url).href;

describe('the summary at the end of npm test', () => {
  const summaryOf = (folder: TemporaryFolder, tests: string): string[] => {
    const file = folder.file('some.test.mjs');
    writeFileSync(file, `import { before, describe, it } from 'node:test';\n${tests}`);
    const { NODE_TEST_CONTEXT: _, ...inherited } = process.env;
    const env = { ...inherited, TEST_FILE_END_MS: '500' };
    const args = ['--import', FILE_END, '--test', `--test-reporter=${REPORTER}`, '--test-timeout=1000', file];
    const { stdout } = spawnSync(process.execPath, args, { env, encoding: 'utf8', cwd: folder.file('') });
    return stdout.split('\n').filter(line => line !== '');
  };
  const assertSummary = (
    t: { after(call: () => void): void },
    tests: string,
    expected: readonly (string | RegExp)[],
  ) => {
    const folder = temporaryFolder();
    t.after(() => folder.remove());
    const lines = summaryOf(folder, tests);
    assert.equal(lines.length, expected.length, lines.join('\n'));
    for (const [at, line] of lines.entries()) {
      const wanted = expected[at] ?? '';
      if (typeof wanted === 'string') assert.equal(line, wanted);
      else assert.match(line, wanted);
    }
  };

  it('is empty when every test passed', t => {
    assertSummary(t, "describe('a', () => { it('works', () => {}); });", []);
  });

  it('names each failed test once, with its place and the first line of the reason, and not the suites around it', t => {
    assertSummary(
      t,
      "describe('a', () => { describe('b', () => {\nit('fails', () => { throw new Error('no\\nmore'); });\n it('works', () => {}); }); });",
      ['failed  some.test.mjs:3  fails: no'],
    );
  });

  it('names a suite whose hook failed, and a test that took too long', t => {
    assertSummary(
      t,
      "describe('a', () => { before(() => { throw new Error('no database'); }); it('x', () => {}); });\n" +
        "it('waits', () => new Promise(resolve => setTimeout(resolve, 1500)));",
      [
        /^failed {2}some\.test\.mjs:2 {2}x: /,
        /^failed {2}some\.test\.mjs:2 {2}a: no database$/,
        /^failed {2}some\.test\.mjs:3 {2}waits: .*1000/,
      ],
    );
  });

  it('names a file that does not even load', t => {
    assertSummary(t, "import './missing.mjs';", [/^failed {2}some\.test\.mjs.*: /]);
  });

  it('names what failed in a file that would not end by itself, and the file if nothing else did', t => {
    const leaving = "it('leaves a timer', () => void setInterval(() => {}, 1000));\n";
    assertSummary(t, `${leaving}it('fails', () => { throw new Error('no'); });`, [
      'failed  some.test.mjs:3  fails: no',
    ]);
    assertSummary(t, leaving, [/^failed {2}some\.test\.mjs.*: test failed$/]);
  });

  it('names skipped and postponed tests: there are none in this project', t => {
    assertSummary(
      t,
      "it('later', { skip: 'no nginx' }, () => {});\nit('some day', { todo: true }, () => {});\n" +
        "describe('all of it', { skip: true }, () => { it('x', () => {}); });",
      [
        'skipped some.test.mjs:2  later: no nginx',
        'skipped some.test.mjs:3  some day',
        'skipped some.test.mjs:4  all of it',
      ],
    );
  });
});
