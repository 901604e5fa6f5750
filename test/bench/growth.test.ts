import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type Axis, axes, readOptions } from '../../bench/growth/options.ts';

const MAIN = fileURLToPath(new URL('../../bench/growth/main.ts', import.meta.url));
const TINY = ['--rounds', '1', '--seconds', '0.1', '--connections', '4', '--tokens', '200'];

/** Sizes that show nothing but that every axis can be measured. */
const cases: Readonly<Record<Axis, { readonly sizes: string; readonly works: readonly string[] }>> = {
  tokens: { sizes: '--few 100 --many 1000', works: ['introspection', 'refresh'] },
  applications: { sizes: '--few 1 --many 3', works: ['introspection', 'refresh'] },
  users: { sizes: '--few 10 --many 100', works: ['userinfo', 'login by name'] },
  codes: { sizes: '--few 100 --many 1000', works: ['logout'] },
  workers: { sizes: '--few 1 --many 2', works: ['introspection', 'userinfo'] },
  churn: { sizes: '--few 1 --many 2 --per-hour 300', works: ['introspection', 'refresh'] },
};

describe('bench:growth', { concurrency: 2 }, () => {
  for (const axis of axes) {
    it(`measures ${axis}`, async t => {
      const { sizes, works } = cases[axis];
      const results = mkdtempSync(join(tmpdir(), 'gatehouse-growth-test-'));
      t.after(() => rmSync(results, { recursive: true, force: true }));
      const args = [MAIN, '--axis', axis, ...sizes.split(' '), ...TINY, '--results', results];
      const { stdout } = await promisify(execFile)(process.execPath, args);
      const [file = ''] = readdirSync(results);
      const { rows, memory } = JSON.parse(readFileSync(join(results, file), 'utf8'));
      assert.deepEqual(
        rows.map(({ work }: { work: string }) => work),
        works,
      );
      for (const { work, few, many, ratio } of rows) {
        assert(few > 0 && many > 0 && ratio > 0, work);
        assert.match(stdout, new RegExp(`^\\| ${work} \\| ${few} \\| ${many} \\| ${ratio.toFixed(2)} × \\|`, 'm'));
      }
      if (process.platform === 'linux') assert(memory > 50, `${memory} MB`);
    });
  }

  it('has a size for each axis, and takes one for all of them for a mistake', () => {
    assert.deepEqual(
      readOptions(['--axis', 'all', '--store', 'postgres'])?.map(({ axis, few, many }) => [axis, few, many]),
      [
        ['tokens', 10_000, 10_000_000],
        ['applications', 1, 10_000],
        ['users', 1000, 5_000_000],
        ['codes', 10_000, 1_000_000],
        ['workers', 1, 2],
        ['churn', 2, 24],
      ],
    );
    for (const wrong of ['--axis all --many 5', '--axis width', '--store mysql', '--rounds 0']) {
      assert.equal(readOptions(wrong.split(' ')), undefined, wrong);
    }
  });
});
