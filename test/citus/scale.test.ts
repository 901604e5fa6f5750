import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { operations } from '../../bench/scale/assumptions.ts';
import { FILE, readRecorded } from '../../bench/scale/recorded.ts';

const run = promisify(execFile);
const MAIN = fileURLToPath(new URL('../../bench/scale.ts', import.meta.url));

it('bench:scale measures coordinator and workers apart, and keeps what it does not measure', async t => {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-scale-test-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'recorded.json');
  cpSync(FILE, file);
  const tiny = ['--applications', '3', '--workers', '2', '--rounds', '1', '--seconds', '0.1', '--connections', '1,4'];
  await run(process.execPath, [MAIN, '--measure', '--citus', '--file', file, ...tiny]);
  const [before, after] = [readRecorded(), readRecorded(file)];
  assert.deepEqual(after.sizes, before.sizes);
  for (const operation of operations.filter(name => name !== 'password')) {
    const points = after.citus?.points[operation] ?? [];
    assert(
      points.length > (before.citus?.points[operation].length ?? 0),
      `${operation} has points of 3 applications too`,
    );
    const measured = points.filter(({ applications }) => applications === 3);
    assert.deepEqual(
      measured.map(({ connections }) => connections),
      [1, 4],
    );
    for (const point of measured) {
      assert(point.coordinatorUs > 0 && point.workerUs > 0, `${operation} needs both: ${JSON.stringify(point)}`);
      assert(point.calls > 0, operation);
    }
  }
  const writes = after.citus?.referenceWrites.find(({ workers }) => workers === 2);
  assert(
    (writes?.coordinatorUs ?? 0) > 0 && (writes?.workerUs ?? 0) > 0,
    'a reference table is written on every machine',
  );
});
