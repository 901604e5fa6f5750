import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** Lines of tracked and new files in which this stands. git grep exits with 1 where there is none. */
function linesWith(pattern: string, ...paths: readonly string[]): string[] {
  try {
    const found = execFileSync('git', ['grep', '-nIE', '--untracked', pattern, '--', ...paths], { cwd: ROOT });
    return found.toString().trim().split('\n');
  } catch (error) {
    if ((error as { status?: number }).status === 1) return [];
    throw error;
  }
}

describe('files that may land', () => {
  it('none has the marks of a merge that was not finished', () => {
    assert.deepEqual(linesWith('^(<{7}|>{7}|[|]{7})( |$)'), []);
  });

  it('the lock file names no address of a registry', () => {
    assert.deepEqual(linesWith('"resolved":', 'package-lock.json'), []);
  });
});
