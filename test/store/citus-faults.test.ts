import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DatabaseError } from 'pg';
import { StoreUnavailable } from '../../src/platform/store/faults.ts';
import { asStoreFault, isWorkerFault } from '../../src/platform/store/postgres/faults.ts';
import { Retries } from '../../src/platform/store/postgres/retries.ts';

/** As the coordinator of a Citus cluster reports it: without a SQLSTATE of its own. */
function reported(message: string): unknown {
  const error = new DatabaseError(message, message.length, 'error');
  return asStoreFault(Object.assign(error, { severity: 'ERROR', code: 'XX000' }));
}

describe('faults of a Citus cluster that pass when the operation is repeated', () => {
  for (const message of [
    'failure on connection marked as essential: 127.0.0.1:5432',
    'cannot execute a distributed query from a query on a shard',
    'connection to the remote node gatehouse@127.0.0.1:5432 failed with the following error: Connection refused',
  ]) {
    it(message, () => {
      const fault = reported(message);
      assert(fault instanceof StoreUnavailable);
      assert(isWorkerFault(fault));
      const retries = new Retries(performance.now(), 60_000);
      assert.deepEqual(
        [1, 2, 3].map(() => retries.allowedAfter(fault)),
        [true, true, false],
        'three attempts in all',
      );
      assert.equal(new Retries(performance.now() - 60_000, 60_000).allowedAfter(fault), false, 'no time is left');
    });
  }

  it('another fault of the server is not repeated', () => {
    const fault = reported('could not read block 7');
    assert.equal(isWorkerFault(fault), false);
    assert.equal(new Retries(performance.now(), 60_000).allowedAfter(fault), false);
  });
});
