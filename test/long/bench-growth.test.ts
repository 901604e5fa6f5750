import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const MAIN = fileURLToPath(new URL('../../bench/growth.ts', import.meta.url));
const TINY = ['--rounds', '1', '--seconds', '0.1', '--connections', '4', '--tokens', '200'];

/** Sizes that show nothing but that every axis can be measured. */
const sizes = { tokens: ['--few', '100', '--many', '1000'], applications: ['--few', '1', '--many', '3'] } as const;

describe('bench:growth', { concurrency: 2 }, () => {
  for (const store of ['sqlite', 'postgres'] as const) {
    for (const axis of ['tokens', 'applications'] as const) {
      it(`measures ${axis} on ${store}`, async t => {
        const results = mkdtempSync(join(tmpdir(), 'gatehouse-growth-test-'));
        t.after(() => rmSync(results, { recursive: true, force: true }));
        const args = [MAIN, '--axis', axis, '--store', store, ...sizes[axis], ...TINY, '--results', results];
        const { stdout } = await run(process.execPath, args);
        const [file = ''] = readdirSync(results);
        const { rows, memory } = JSON.parse(readFileSync(join(results, file), 'utf8'));
        assert.deepEqual(
          rows.map(({ work }: { work: string }) => work),
          ['introspection', 'refresh'],
        );
        if (process.platform !== 'linux') return;
        for (const { work, few, many, cost } of rows) {
          assert(few > 0 && many > 0 && cost > 0, work);
          assert.match(stdout, new RegExp(`^\\| ${work} \\| ${few} \\| ${many} \\| ${cost.toFixed(2)} × \\|`, 'm'));
        }
        assert(memory > 50, `${memory} MB`);
      });
    }
  }
});
