import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { NO_CLAIMS } from '../../../src/oauth/authorize/claims-request.rules.ts';
import type { NewDeviceAuthorization } from '../../../src/oauth/device/store.ts';
import type { Decision } from '../../../src/oauth/polled-grant/store.ts';
import { madeBy } from '../../build/stand-in.ts';
import { aFixture, credentialKey, disable, type Fixture, NOW, type OpenStore, profileOf, unique } from './given.ts';
import { aSession } from './given-sessions.ts';
import { token } from './given-tokens.ts';
import { openForEach } from './open-store.ts';

/** RFC 8628: one person decides about a device, and one poll gets the tokens. */
export function deviceAuthorizationsContract(open: OpenStore): void {
  describe('device authorizations', () => {
    let sid: string;
    const { store, another } = openForEach(open);
    const fixture = madeBy(beforeEach, () => aFixture(store));
    beforeEach(async () => {
      ({ sid } = await aSession(store, fixture));
    });

    const add = async (over: Partial<NewDeviceAuthorization> = {}) => {
      const device = {
        ...{ deviceHash: credentialKey(NOW + 600), userCodeHash: unique('code'), clientId: 'web' },
        ...{ scope: ['openid', 'email'], resources: undefined, claims: NO_CLAIMS },
        ...{ address: '192.0.2.9', interval: 5 },
        ...{ createdAt: NOW, expiresAt: NOW + 600, ...over },
      };
      assert.equal(await store.addDeviceAuthorization(fixture.app, device), true);
      return device;
    };
    const approval = (over: Partial<Extract<Decision, { kind: 'approve' }>> = {}): Decision => ({
      ...{ kind: 'approve', sub: fixture.user.sub, sid, authTime: NOW - 3, amr: ['pwd', 'otp'] },
      ...{ scope: ['openid', 'email'], resources: undefined, consented: ['openid', 'email'], events: [], ...over },
    });
    const decide = (userCodeHash: string, decision: Decision, now = NOW + 1, at = store) =>
      at.decideDevice([userCodeHash], decision, now);
    const poll = (deviceHash: Uint8Array, now = NOW + 2, clientId = 'web', app = fixture.app) =>
      store.pollDevice(app, deviceHash, clientId, now);
    const redeem = async (deviceHash: Uint8Array, now = NOW + 3, at = store) => {
      const { grant, app } = fixture;
      const family = { ...grant, scope: ['openid', 'email'], sid: undefined };
      const tokens = { grantId: unique('grant'), issuedAt: now, access: token(now + 60), refresh: token(now + 600) };
      return { outcome: await at.redeemDevice(app, deviceHash, family, tokens), tokens };
    };

    it('a device is found by its user code under any secret of the ring, until it expires', async () => {
      const { userCodeHash } = await add({ resources: ['https://api.example'] });
      const find = (hashes: string[], now = NOW) => store.findDevice(hashes, now);
      assert.deepEqual(await find(['other', userCodeHash]), {
        ...{ app: fixture.app, clientId: 'web', scope: ['openid', 'email'], resources: ['https://api.example'] },
        ...{ claims: NO_CLAIMS, address: '192.0.2.9', createdAt: NOW, state: 'pending', sub: undefined },
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

    it('an approved device gets the family that the person approved, and the consent is remembered', async () => {
      const { app, user } = fixture;
      await store.addConsent(user.sub, app, 'web', ['openid', 'phone'], NOW - 9);
      const { deviceHash, userCodeHash } = await add({ scope: ['openid', 'email', 'address'] });
      assert.deepEqual(await decide(userCodeHash, approval()), { kind: 'done' });
      const polled = await poll(deviceHash);
      assert(polled.kind === 'approved');
      const { sid: _, ...granted } = fixture.grant;
      assert.deepEqual(polled.family, { ...granted, sid: undefined, scope: ['openid', 'email'], authTime: NOW - 3 });
      assert.deepEqual(polled.user, profileOf(user));
      const [consent] = await store.consentsOf(user.sub);
      assert.deepEqual([...(consent?.scope ?? [])].sort(), ['email', 'openid', 'phone']);
      assert.equal((await redeem(deviceHash)).outcome, 'redeemed');
      assert.deepEqual(await poll(deviceHash), { kind: 'redeemed' });
      const [grant] = await store.grantsOf(user.sub, NOW + 4);
      assert.deepEqual([grant?.clientId, grant?.scope], ['web', ['openid', 'email']]);
    });

    it('an approved device gets each scope at the APIs that the person approved it for, and at no other', async () => {
      const at = (identifier: string, ...scope: string[]) => ({ identifier, scope });
      const resources = [at('https://api.example', 'list', 'read'), at('urn:files', 'list'), at('urn:empty')];
      const { deviceHash, userCodeHash } = await add({ resources: resources.map(({ identifier }) => identifier) });
      await decide(userCodeHash, approval({ scope: ['openid', 'list', 'read'], resources }));
      const polled = await poll(deviceHash);
      assert.deepEqual(polled.kind === 'approved' && polled.family.resources, resources);
    });

    it('the authorization details that it asks for are found with it, and get into its family (RFC 9396)', async () => {
      const claims = { ...NO_CLAIMS, authorization_details: [{ type: 'payment', amount: '1.00' }] };
      const { deviceHash, userCodeHash } = await add({ claims });
      assert.deepEqual((await store.findDevice([userCodeHash], NOW))?.claims, claims);
      await decide(userCodeHash, approval());
      const polled = await poll(deviceHash);
      assert.deepEqual(polled.kind === 'approved' && polled.family.claims, claims);
    });

    it('one of many redeems it, on all nodes together', async () => {
      const { deviceHash, userCodeHash } = await add();
      await decide(userCodeHash, approval());
      const other = await another();
      const redeemed = await Promise.all(
        Array.from({ length: 20 }, (_, at) => redeem(deviceHash, NOW + 3, at % 2 === 0 ? store : other)),
      );
      const winners = redeemed.filter(({ outcome }) => outcome === 'redeemed');
      assert.equal(winners.length, 1);
      const found = await Promise.all(
        redeemed.map(({ tokens }) => store.findAccessToken(fixture.app, tokens.access.hash, NOW + 4)),
      );
      assert.equal(found.filter(each => each !== undefined).length, 1);
    });

    it('one of many decides, on all nodes together, and the others are told what was decided', async () => {
      const { userCodeHash, deviceHash } = await add();
      const other = await another();
      const outcomes = await Promise.all(
        Array.from({ length: 20 }, (_, at) =>
          decide(userCodeHash, at % 4 < 2 ? approval() : { kind: 'deny', events: [] }, NOW + 1, at % 2 ? other : store),
        ),
      );
      assert.equal(outcomes.filter(({ kind }) => kind === 'done').length, 1);
      const states = outcomes.flatMap(outcome => (outcome.kind === 'decided' ? [outcome.state] : []));
      assert.equal(states.length, 19);
      assert.equal(new Set(states).size, 1);
      assert.equal((await poll(deviceHash)).kind, states[0]);
    });

    it('nobody decides after the end, or without a session', async () => {
      const { userCodeHash } = await add();
      assert.deepEqual(await decide(userCodeHash, approval(), NOW + 600), { kind: 'gone' });
      assert.deepEqual(await decide('no-such-code', { kind: 'deny', events: [] }), { kind: 'gone' });
      assert.deepEqual(await decide(userCodeHash, approval({ sid: 'ended' })), { kind: 'signedOut' });
      await disable(store, fixture.user);
      assert.deepEqual(await decide(userCodeHash, approval()), { kind: 'signedOut' });
    });

    it('not for another client or application, and not after the end', async () => {
      const { deviceHash, userCodeHash } = await add();
      await decide(userCodeHash, approval());
      assert.deepEqual(await poll(deviceHash, NOW + 2, 'other'), { kind: 'invalid' });
      assert.deepEqual(await poll(deviceHash, NOW + 2, 'web', 'elsewhere'), { kind: 'unknown' });
      assert.deepEqual(await poll(deviceHash, NOW + 600), { kind: 'expired' });
      assert.equal((await redeem(deviceHash, NOW + 600)).outcome, 'gone');
      assert.equal((await redeem(deviceHash)).outcome, 'redeemed', 'what was refused has not used it up');
    });

    it('a poll that comes too early raises the interval, on all nodes', async () => {
      const { deviceHash } = await add();
      const other = await another();
      const at = (seconds: number, node = store) => node.pollDevice(fixture.app, deviceHash, 'web', NOW + seconds);
      assert.deepEqual(await at(0), { kind: 'pending' });
      assert.deepEqual(await at(2, other), { kind: 'slowDown', interval: 10 });
      assert.deepEqual(await at(8), { kind: 'slowDown', interval: 15 });
      assert.deepEqual(await at(23, other), { kind: 'pending' });
    });

    it('of many polls at once one is told to wait, and the others to slow down', async () => {
      const { deviceHash } = await add();
      const other = await another();
      const polled = await Promise.all(
        Array.from({ length: 20 }, (_, at) =>
          (at % 2 ? other : store).pollDevice(fixture.app, deviceHash, 'web', NOW + 1),
        ),
      );
      const kinds = polled.map(({ kind }) => kind).sort();
      assert.deepEqual(kinds, ['pending', ...Array(19).fill('slowDown')]);
    });

    for (const [what, end] of [
      ['the user is disabled', (of: Fixture) => disable(store, of.user)],
      ['all access of the user ends', (of: Fixture) => store.endUserAccess(of.user.sub, NOW + 2)],
      ['the consent is withdrawn', (of: Fixture) => store.withdrawConsent(of.user.sub, of.app, 'web', NOW + 2)],
      [
        'the client is deleted',
        (of: Fixture) => store.provision([{ kind: 'deleteClient', app: of.app, clientId: 'web', now: NOW + 2 }]),
      ],
    ] as const) {
      it(`an approval ends before its device has polled: ${what}`, async () => {
        const { deviceHash, userCodeHash } = await add();
        await decide(userCodeHash, approval());
        await end(fixture);
        assert.deepEqual(await poll(deviceHash), { kind: 'denied' });
        assert.notEqual((await redeem(deviceHash)).outcome, 'redeemed');
      });
    }

    it('the end of the session does not disconnect the device', async () => {
      const { deviceHash, userCodeHash } = await add();
      await decide(userCodeHash, approval());
      await store.endSession({ sub: fixture.user.sub, sid }, NOW + 2);
      assert.equal((await redeem(deviceHash)).outcome, 'redeemed');
    });

    it('is deleted an hour after its end', async () => {
      const { deviceHash } = await add();
      await store.purge(NOW + 600 + 3600, 1000);
      assert.deepEqual(await poll(deviceHash, NOW + 601), { kind: 'expired' });
      await store.purge(NOW + 601 + 3600, 1000);
      assert.deepEqual(await poll(deviceHash, NOW + 601), { kind: 'unknown' });
    });
  });
}
