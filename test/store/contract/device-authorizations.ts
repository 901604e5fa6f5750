import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { NO_CLAIMS } from '../../../src/oauth/authorize/claims-request.rules.ts';
import type { NewDeviceAuthorization } from '../../../src/oauth/device/store.ts';
import type { Store } from '../../../src/store.ts';
import { madeBy } from '../../build/stand-in.ts';
import { aFixture, credentialKey, type Fixture, NOW, type OpenStore, unique } from './given.ts';
import { openForEach } from './open-store.ts';
import { polledRequestsContract } from './polled-requests.ts';

async function addDevice(store: Store, { app }: Fixture, over: Partial<NewDeviceAuthorization> = {}) {
  const device = {
    ...{ deviceHash: credentialKey(NOW + 600), userCodeHash: unique('code'), clientId: 'web' },
    ...{ scope: ['openid', 'email'], resources: undefined, claims: NO_CLAIMS },
    ...{ address: '192.0.2.9', interval: 5 },
    ...{ createdAt: NOW, expiresAt: NOW + 600, ...over },
  };
  assert.equal(await store.addDeviceAuthorization(app, device), true);
  return device;
}

/** RFC 8628. */
export function deviceAuthorizationsContract(open: OpenStore): void {
  polledRequestsContract(open, {
    name: 'devices',
    async add(store, fixture, wish) {
      const { deviceHash, userCodeHash } = await addDevice(store, fixture, wish);
      return { hash: deviceHash, key: userCodeHash };
    },
    decide: (store, _, key, decision, now) => store.decideDevice([key], decision, now),
    poll: store => store.pollDevice,
    redeem: store => store.redeemDevice,
  });

  describe('device authorizations', () => {
    const { store } = openForEach(open);
    const fixture = madeBy(beforeEach, () => aFixture(store));
    const add = (over: Partial<NewDeviceAuthorization> = {}) => addDevice(store, fixture, over);

    it('a device is found by its user code under any secret of the ring, with what it asks for, until it expires', async () => {
      const claims = { ...NO_CLAIMS, authorization_details: [{ type: 'payment', amount: '1.00' }] };
      const { userCodeHash } = await add({ resources: ['https://api.example'], claims });
      const find = (hashes: string[], now = NOW) => store.findDevice(hashes, now);
      assert.deepEqual(await find(['other', userCodeHash]), {
        ...{ app: fixture.app, clientId: 'web', scope: ['openid', 'email'], resources: ['https://api.example'] },
        ...{ claims, address: '192.0.2.9', createdAt: NOW, state: 'pending', sub: undefined },
      });
      assert.equal(await find(['other']), undefined);
      assert.equal(await find([userCodeHash], NOW + 600), undefined);
    });

    it('two devices never share a user code, whatever their applications', async () => {
      const device = await add();
      const other = { ...device, deviceHash: credentialKey(NOW + 600) };
      const elsewhere = await aFixture(store);
      assert.equal(await store.addDeviceAuthorization(elsewhere.app, other), false);
    });
  });
}
