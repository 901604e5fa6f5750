import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { LEASE_SECONDS } from '../../../src/platform/jobs/in-flight.ts';
import { deliveryTimeoutMs } from '../../../src/platform/jobs/sender.ts';

describe('a delivery to a client', () => {
  it('ends before its lease, whatever GATEHOUSE_OUTBOUND_TIMEOUT is: first its key may be fetched, then it is sent', () => {
    for (const timeoutMs of [100, 5000, 300_000]) {
      assert(2 * deliveryTimeoutMs({ timeoutMs }) <= (LEASE_SECONDS * 1000) / 2);
    }
    assert.equal(deliveryTimeoutMs({ timeoutMs: 5000 }), 5000);
  });
});
