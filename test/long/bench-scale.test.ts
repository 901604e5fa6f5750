import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { operations } from '../../bench/scale/assumptions.ts';
import { readRecorded } from '../../bench/scale/recorded.ts';

const run = promisify(execFile);
const MAIN = fileURLToPath(new URL('../../bench/scale.ts', import.meta.url));
const FAST = ['--requests', '500'];

describe('bench:scale --measure', () => {
  it('measures a size and predicts from it', async t => {
    const folder = mkdtempSync(join(tmpdir(), 'gatehouse-scale-test-'));
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    const file = join(folder, 'recorded.json');
    const tiny = ['--users', '2000', '--rounds', '1', '--seconds', '0.1', '--connections', '1'];
    await run(process.execPath, [MAIN, '--measure', '--quick', '--file', file, ...tiny]);
    const [size] = readRecorded(file).sizes;
    assert.equal(size?.users, 2000);
    assert.match(size?.measured ?? '', /^\d{4}-\d\d-\d\d$/);
    for (const operation of operations) {
      for (const point of size?.points[operation] ?? assert.fail('no points')) {
        assert(point.perSecond > 0 && point.p50 > 0, operation);
        if (process.platform === 'linux') assert(point.nodeUs > 0 && point.databaseUs > 0, operation);
      }
    }
    assert((size?.points.refresh[0]?.walBytes ?? 0) > 100, 'a refresh writes to the WAL');
    assert((size?.sizes.users.users_pkey ?? 0) > 0, 'an index has a size');
    // A tenth of a second in which others had the processor gives figures that no deployment is fast enough with: it says so.
    const predicted = await run(process.execPath, [MAIN, '--file', file, '--plan', '1000', ...FAST]).catch(
      ({ message }: Error) => ({ stdout: message }),
    );
    assert.match(predicted.stdout, /^\| disk, MB \| |latency/m);
  });
});
