import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { NO_CLAIMS, type RequestedClaims } from '../../../src/oauth/authorize/claims-request.rules.ts';
import type { DecideOutcome, Decision, Poll, Redeem } from '../../../src/oauth/polled-grant/store.ts';
import type { Store } from '../../../src/store.ts';
import { madeBy } from '../../build/stand-in.ts';
import { aFixture, disable, type Fixture, NOW, type OpenStore, profileOf, unique } from './given.ts';
import { aSession } from './given-sessions.ts';
import { token } from './given-tokens.ts';
import { openForEach } from './open-store.ts';

/** A request of a client that polls, from `NOW` on for 600 s. */
export interface PolledRequest {
  /** The client polls with it. */
  readonly hash: Uint8Array;
  /** The person decides by it. */
  readonly key: string;
}

export interface PolledWish {
  readonly scope: string[];
  readonly resources: string[] | undefined;
  readonly claims: RequestedClaims;
}

export interface PolledKind {
  readonly name: string;
  add(store: Store, fixture: Fixture, wish: PolledWish): Promise<PolledRequest>;
  decide(store: Store, fixture: Fixture, key: string, decision: Decision, now: number): Promise<DecideOutcome>;
  poll(store: Store): Poll;
  redeem(store: Store): Redeem;
}

/** What a person approves. */
export function anApproval(
  fixture: Fixture,
  sid: string,
  over: Partial<Extract<Decision, { kind: 'approve' }>> = {},
): Decision {
  return {
    ...{ kind: 'approve', sub: fixture.user.sub, sid, authTime: NOW - 3, amr: ['pwd', 'otp'] },
    ...{ scope: ['openid', 'email'], resources: undefined, consented: ['openid', 'email'], events: [], ...over },
  };
}

/** One person decides about what a client polls for, and one poll gets the tokens: devices (RFC 8628) and backchannel requests (CIBA). */
export function polledRequestsContract(open: OpenStore, kind: PolledKind): void {
  describe(`requests that a client polls for: ${kind.name}`, () => {
    let sid: string;
    const { store, another } = openForEach(open);
    const fixture = madeBy(beforeEach, () => aFixture(store));
    beforeEach(async () => {
      ({ sid } = await aSession(store, fixture));
    });

    const add = (over: Partial<PolledWish> = {}) =>
      kind.add(store, fixture, { scope: ['openid', 'email'], resources: undefined, claims: NO_CLAIMS, ...over });
    const approval = (over: Partial<Extract<Decision, { kind: 'approve' }>> = {}) => anApproval(fixture, sid, over);
    const decide = (key: string, decision: Decision, now = NOW + 1, at: Store = store) =>
      kind.decide(at, fixture, key, decision, now);
    const poll = (hash: Uint8Array, now = NOW + 2, clientId = 'web', app = fixture.app) =>
      kind.poll(store)(app, hash, clientId, now);
    const redeem = async (hash: Uint8Array, now = NOW + 3, at: Store = store) => {
      const { grant, app } = fixture;
      const family = { ...grant, scope: ['openid', 'email'], sid: undefined };
      const tokens = { grantId: unique('grant'), issuedAt: now, access: token(now + 60), refresh: token(now + 600) };
      return { outcome: await kind.redeem(at)(app, hash, family, tokens), tokens };
    };

    it('an approved request gets the family that the person approved, and the consent is remembered', async () => {
      const { app, user } = fixture;
      await store.addConsent(user.sub, app, 'web', ['openid', 'phone'], NOW - 9);
      const { hash, key } = await add({ scope: ['openid', 'email', 'address'] });
      assert.deepEqual(await decide(key, approval()), { kind: 'done' });
      const polled = await poll(hash);
      assert(polled.kind === 'approved');
      const { sid: _, ...granted } = fixture.grant;
      assert.deepEqual(polled.family, { ...granted, sid: undefined, scope: ['openid', 'email'], authTime: NOW - 3 });
      assert.deepEqual(polled.user, profileOf(user));
      const [consent] = await store.consentsOf(user.sub);
      assert.deepEqual([...(consent?.scope ?? [])].sort(), ['email', 'openid', 'phone']);
      assert.equal((await redeem(hash)).outcome, 'redeemed');
      assert.deepEqual(await poll(hash), { kind: 'redeemed' });
      const [grant] = await store.grantsOf(user.sub, NOW + 4);
      assert.deepEqual([grant?.clientId, grant?.scope], ['web', ['openid', 'email']]);
    });

    it('an approved request gets each scope at the APIs that the person approved it for, and at no other', async () => {
      const at = (identifier: string, ...scope: string[]) => ({ identifier, scope });
      const resources = [at('https://api.example', 'list', 'read'), at('urn:files', 'list'), at('urn:empty')];
      const { hash, key } = await add({ resources: resources.map(({ identifier }) => identifier) });
      await decide(key, approval({ scope: ['openid', 'list', 'read'], resources }));
      const polled = await poll(hash);
      assert.deepEqual(polled.kind === 'approved' && polled.family.resources, resources);
    });

    it('the authorization details that it asks for get into its family (RFC 9396)', async () => {
      const claims = { ...NO_CLAIMS, authorization_details: [{ type: 'payment', amount: '1.00' }] };
      const { hash, key } = await add({ claims });
      await decide(key, approval());
      const polled = await poll(hash);
      assert.deepEqual(polled.kind === 'approved' && polled.family.claims, claims);
    });

    it('one of many redeems it, on all nodes together', async () => {
      const { hash, key } = await add();
      await decide(key, approval());
      const other = await another();
      const redeemed = await Promise.all(
        Array.from({ length: 20 }, (_, at) => redeem(hash, NOW + 3, at % 2 === 0 ? store : other)),
      );
      const winners = redeemed.filter(({ outcome }) => outcome === 'redeemed');
      assert.equal(winners.length, 1);
      const found = await Promise.all(
        redeemed.map(({ tokens }) => store.findAccessToken(fixture.app, tokens.access.hash, NOW + 4)),
      );
      assert.equal(found.filter(each => each !== undefined).length, 1);
    });

    it('one of many decides, on all nodes together, and the others are told what was decided', async () => {
      const { key, hash } = await add();
      const other = await another();
      const outcomes = await Promise.all(
        Array.from({ length: 20 }, (_, at) =>
          decide(key, at % 4 < 2 ? approval() : { kind: 'deny', events: [] }, NOW + 1, at % 2 ? other : store),
        ),
      );
      assert.equal(outcomes.filter(({ kind }) => kind === 'done').length, 1);
      const states = outcomes.flatMap(outcome => (outcome.kind === 'decided' ? [outcome.state] : []));
      assert.equal(states.length, 19);
      assert.equal(new Set(states).size, 1);
      assert.equal((await poll(hash)).kind, states[0]);
    });

    it('nobody decides after the end, or without a session', async () => {
      const { key } = await add();
      assert.deepEqual(await decide(key, approval(), NOW + 600), { kind: 'gone' });
      assert.deepEqual(await decide('no-such-code', { kind: 'deny', events: [] }), { kind: 'gone' });
      assert.deepEqual(await decide(key, approval({ sid: 'ended' })), { kind: 'signedOut' });
      await disable(store, fixture.user);
      assert.deepEqual(await decide(key, approval()), { kind: 'signedOut' });
    });

    it('not for another client or application, and not after the end', async () => {
      const { hash, key } = await add();
      await decide(key, approval());
      assert.deepEqual(await poll(hash, NOW + 2, 'other'), { kind: 'invalid' });
      assert.deepEqual(await poll(hash, NOW + 2, 'web', 'elsewhere'), { kind: 'unknown' });
      assert.deepEqual(await poll(hash, NOW + 600), { kind: 'expired' });
      assert.equal((await redeem(hash, NOW + 600)).outcome, 'gone');
      assert.equal((await redeem(hash)).outcome, 'redeemed', 'what was refused has not used it up');
    });

    it('a poll that comes too early raises the interval, on all nodes', async () => {
      const { hash } = await add();
      const other = await another();
      const at = (seconds: number, node: Store = store) => kind.poll(node)(fixture.app, hash, 'web', NOW + seconds);
      assert.deepEqual(await at(0), { kind: 'pending' });
      assert.deepEqual(await at(2, other), { kind: 'slowDown', interval: 10 });
      assert.deepEqual(await at(8), { kind: 'slowDown', interval: 15 });
      assert.deepEqual(await at(23, other), { kind: 'pending' });
    });

    it('of many polls at once one is told to wait, and the others to slow down', async () => {
      const { hash } = await add();
      const other = await another();
      const polled = await Promise.all(
        Array.from({ length: 20 }, (_, at) => kind.poll(at % 2 ? other : store)(fixture.app, hash, 'web', NOW + 1)),
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
      it(`an approval ends before its client has polled: ${what}`, async () => {
        const { hash, key } = await add();
        await decide(key, approval());
        await end(fixture);
        assert.deepEqual(await poll(hash), { kind: 'denied' });
        assert.notEqual((await redeem(hash)).outcome, 'redeemed');
      });
    }

    it('the end of the session does not end the approval', async () => {
      const { hash, key } = await add();
      await decide(key, approval());
      await store.endSession({ sub: fixture.user.sub, sid }, NOW + 2);
      assert.equal((await redeem(hash)).outcome, 'redeemed');
    });

    it('is deleted an hour after its end', async () => {
      const { hash } = await add();
      await store.purge(NOW + 600 + 3600, 1000);
      assert.deepEqual(await poll(hash, NOW + 601), { kind: 'expired' });
      await store.purge(NOW + 601 + 3600, 1000);
      assert.deepEqual(await poll(hash, NOW + 601), { kind: 'unknown' });
    });
  });
}
