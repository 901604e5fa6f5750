import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { installNeeds, needingFiles } from '../../scripts/test-run/needs.ts';
import { runPool } from '../../scripts/test-run/pool.ts';
import { type NotRun, Report } from '../../scripts/test-run/report.ts';
import { temporaryFolder } from '../store/temporary-folder.ts';

describe('what a run of tests tells at its end (issue 27, point 6)', () => {
  /** The closing lines of a run of these files. */
  async function closing(t: TestContext, files: readonly string[], notRun: readonly NotRun[] = []): Promise<string> {
    const folder = temporaryFolder();
    t.after(() => folder.remove());
    const paths = files.map((tests, index) => {
      const path = folder.file(`file-${index}.test.mjs`);
      writeFileSync(path, `import { before, describe, it } from 'node:test';\n${tests}`);
      return path;
    });
    let text = '';
    const report = new Report(false, written => {
      text += written;
    });
    const passes = [{ name: '', files: paths, env: { ...process.env, TEST_FILE_END_MS: '300' } }];
    await runPool(passes, {
      ...{ atOnce: 1, timeoutMs: 1000, isVerbose: false },
      ended: (pass, result, output) => report.ended(pass.name, result, output),
    });
    const before = text.length;
    report.close(notRun, ['The seed is 7.']);
    return text.slice(before).replaceAll(/[.\w/-]*file-(\d)/g, 'file-$1');
  }

  /** The lines of one section. */
  function section(text: string, title: string): string[] {
    const [, lines = ''] = text.split(`${title}:\n`);
    return (
      lines
        .split('\n\n', 1)[0]
        ?.split('\n')
        .map(line => line.trim())
        .filter(line => line !== '') ?? []
    );
  }

  const FAILING =
    "describe('a', () => { describe('b', () => {\nit('fails', () => { throw new Error('no\\nmore'); });\n it('works', () => {}); }); });";

  it('counts what passed, and names the slowest files and the seed', async t => {
    const text = await closing(t, ["describe('a', () => { it('works', () => {}); });", "it('works', () => {});"]);
    assert.match(
      text,
      /The slowest files \(and their processor time\):\n +\d+\.\d s \(\d+\.\d s\) {2}file-\d\.test\.mjs/,
    );
    assert.match(text, /The seed is 7\.\n2 passed, 0 failed, none not run, 2 files in [\d mins]+\.\n$/);
    assert.doesNotMatch(text, /Failed|Not run/);
  });

  it('names each failed test once, with its place and the first line of the reason, and not the suites around it', async t => {
    assert.deepEqual(section(await closing(t, [FAILING]), 'Failed'), ['file-0.test.mjs:3  fails: no']);
  });

  it('names a suite whose hook failed, and a test that took too long', async t => {
    const hook = "describe('a', () => { before(() => { throw new Error('no database'); }); it('x', () => {}); });\n";
    const waits = "it('waits', () => new Promise(resolve => setTimeout(resolve, 1500)));";
    const failed = section(await closing(t, [hook + waits]), 'Failed');
    assert.match(failed.join('\n'), /^file-0\.test\.mjs:2 {2}a: no database$/m);
    assert.match(failed.join('\n'), /^file-0\.test\.mjs:3 {2}waits: .*1000/m);
  });

  it('names a file that does not load, one whose process dies and one that leaves something open; the next ones run', async t => {
    const text = await closing(t, [
      "import './missing.mjs';",
      'process.kill(process.pid, "SIGKILL");',
      "it('leaves a timer', () => void setInterval(() => {}, 1000));",
      'setImmediate(() => process.exit(3));',
      "it('works', () => {});",
    ]);
    const failed = section(text, 'Failed');
    assert.equal(failed.length, 4, text);
    assert.match(failed[0] ?? '', /^file-0\.test\.mjs.*missing\.mjs/);
    assert.match(failed[1] ?? '', /^file-1\.test\.mjs {2}the file as a whole: its process ended with SIGKILL$/);
    assert.match(failed[2] ?? '', /^file-2\.test\.mjs {2}the file as a whole: .*left open: Timeout$/);
    assert.match(failed[3] ?? '', /^file-3\.test\.mjs {2}the file as a whole: its process ended with 3$/);
    assert.match(text, /^2 passed, 4 failed/m);
  });

  it('fails for an error that nothing waits for, in a test, after it and in a timer', async t => {
    const text = await closing(t, [
      "it('forgets a promise', async () => { Promise.reject(new Error('lost')); await new Promise(resolve => setTimeout(resolve, 300)); });",
      "it('forgets it after an answer', async () => { await fetch('data:,x'); Promise.reject(new Error('lost')); await new Promise(resolve => setTimeout(resolve, 300)); });",
      "it('ends before', () => { setTimeout(() => { throw new Error('late'); }, 20).ref(); });\nit('waits', () => new Promise(resolve => setTimeout(resolve, 300)));",
      "it('works', () => {});",
    ]);
    assert.deepEqual(section(text, 'Failed'), [
      'file-0.test.mjs:2  forgets a promise: an error that nothing waited for: lost',
      'file-1.test.mjs:2  forgets it after an answer: an error that nothing waited for: lost',
      'file-2.test.mjs:3  waits: an error that nothing waited for: late',
    ]);
  });

  it('names skipped and postponed tests, and files whose program is missing with how to install it', async t => {
    const tests = "it('later', { skip: 'no nginx' }, () => {});\nit('some day', { todo: true }, () => {});";
    const notRun = [
      { files: ['test/clients/apache.test.ts'], advice: 'The Apache tests need Apache (apt-get install apache2).' },
      { files: ['test/clients/apache.test.ts'], advice: 'They need nginx too.' },
    ];
    const text = await closing(t, [tests], notRun);
    assert.deepEqual(section(text, 'Not run'), [
      'file-0.test.mjs:2  later: no nginx',
      'file-0.test.mjs:3  some day',
      'The Apache tests need Apache (apt-get install apache2).',
      'test/clients/apache.test.ts',
      'They need nginx too.',
      'test/clients/apache.test.ts',
    ]);
    assert.match(text, /^0 passed, 0 failed, 2 tests and 1 file not run/m);
  });

  it('a hook of one file does not run for another, though they share a process', async t => {
    const hooked = "before(() => { globalThis.calls = (globalThis.calls ?? 0) + 1; }); it('one', () => {});";
    const other = "it('one', () => { if (globalThis.calls !== 1) throw new Error(String(globalThis.calls)); });";
    assert.match(await closing(t, [hooked, other, other]), /^3 passed, 0 failed/m);
  });
});

describe('on a machine that lacks a program (issue 27, point 5)', () => {
  const BEHIND_NGINX = 'test/platform/http/behind-nginx.test.ts';
  const OTHER = 'test/platform/config/config.test.ts';
  const missing = { kind: 'missing', advice: 'Install nginx.' } as const;

  it('the files that import its finder are left out, with what to install', () => {
    const finders = { 'scripts/nginx.ts': [() => missing] };
    assert.deepEqual(needingFiles([BEHIND_NGINX, OTHER], finders), [BEHIND_NGINX]);
    const notRun = [{ files: [BEHIND_NGINX], advice: 'Install nginx.' }];
    assert.deepEqual(installNeeds([BEHIND_NGINX, OTHER], finders), notRun);
  });

  it('this file needs none of them, though it imports what looks for all', () => {
    assert.deepEqual(needingFiles(['test/project/test-run.test.ts', OTHER]), []);
  });

  it('nothing is looked for that no file needs', () => {
    const finders = { 'scripts/nginx.ts': [() => assert.fail('it was looked for')] };
    assert.deepEqual([needingFiles([OTHER], finders), installNeeds([OTHER], finders)], [[], []]);
  });

  it('the others run while it is installed; then those that can', async t => {
    const folder = temporaryFolder();
    t.after(() => folder.remove());
    const [needs, lacks, other] = ['needs', 'lacks', 'other'].map(name => {
      const path = folder.file(`${name}.test.mjs`);
      writeFileSync(path, "import { it } from 'node:test';\nit('works', () => {});");
      return path;
    }) as [string, string, string];
    const notRun = [{ files: [lacks], advice: 'Install it.' }];
    const installed = Promise.withResolvers<readonly NotRun[]>();
    const ran: string[] = [];
    const left = await runPool([{ name: '', files: [needs, lacks, other], env: process.env }], {
      ...{ atOnce: 2, timeoutMs: 1000, isVerbose: false },
      waiting: { files: [needs, lacks], installed: installed.promise },
      ended: (_pass, { file, passed }) => {
        ran.push(`${basename(file)} ${passed}`);
        installed.resolve(notRun);
      },
    });
    assert.deepEqual([ran, left], [['other.test.mjs 1', 'needs.test.mjs 1'], notRun]);
  });
});
