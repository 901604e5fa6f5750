import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { OperationTimeout, withinTime } from '../../src/platform/store/within-time.ts';

describe('work that several requests share (DATABASE_TIMEOUT)', () => {
  it('is waited for no longer by a request whose time is over, without a complaint of the runtime', async () => {
    const warnings: Error[] = [];
    const note = (warning: Error) => void warnings.push(warning);
    process.on('warning', note);
    const { promise, resolve } = Promise.withResolvers<string>();
    await assert.rejects(withinTime(promise, performance.now() - 1000, 500), OperationTimeout);
    const patient = withinTime(promise, performance.now(), 60_000);
    resolve('done');
    assert.equal(await patient, 'done');
    await setImmediate();
    process.off('warning', note);
    assert.deepEqual(warnings, []);
  });
});
