import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const MAIN = fileURLToPath(new URL('../../bench/growth.ts', import.meta.url));

describe('bench:growth', () => {
  for (const wrong of ['--axis width', '--store mysql', '--rounds 0', '--unknown']) {
    it(`refuses ${wrong}`, async () => {
      await assert.rejects(run(process.execPath, [MAIN, ...wrong.split(' ')]), { code: 64 });
    });
  }
});
