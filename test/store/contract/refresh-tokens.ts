import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { NO_CLAIMS } from '../../../src/oauth/authorize/claims-request.rules.ts';
import type { PresentedRefresh } from '../../../src/oauth/refresh/rules.ts';
import { madeBy } from '../../build/stand-in.ts';
import {
  aFixture,
  credentialKey,
  DAY,
  digest,
  type Fixture,
  hex,
  NOW,
  type OpenStore,
  profileOf,
  race,
} from './given.ts';
import { ALIVE, aFamily, alive, rotation } from './given-tokens.ts';
import { openForSuite } from './open-store.ts';

const presented = (over: Partial<PresentedRefresh> = {}): PresentedRefresh => ({
  clientId: 'web',
  scope: undefined,
  rotation: true,
  grace: 30,
  familyTtl: 180 * DAY,
  ...over,
});

export function refreshTokensContract(open: OpenStore): void {
  describe('refresh tokens', () => {
    const { store, another } = openForSuite(open);
    const fixture = madeBy(before, () => aFixture(store));

    const rotate = (of: Parameters<typeof rotation>, at: Fixture = fixture) =>
      store.rotateRefreshToken(at.app, rotation(...of));
    const findRefresh = (hash: Uint8Array, now = NOW) => store.findRefreshToken(fixture.app, hash, now);
    const findAccess = (hash: Uint8Array, now = NOW) => store.findAccessToken(fixture.app, hash, now);

    it('are replaced by their successor, and are not found any more, grace or not (row 41)', async () => {
      const pair = await aFamily(store, fixture);
      const turn = rotation(pair.refresh.hash, { issuedAt: NOW + 10 });
      const outcome = await store.rotateRefreshToken(fixture.app, turn);
      assert.equal(outcome.kind, 'rotated');
      assert.deepEqual(outcome.family, fixture.grant);
      assert.equal(outcome.user, undefined);
      const successor = turn.successors[0] ?? digest();
      assert.equal(hex(outcome.successor), hex(successor));
      assert.equal(await findRefresh(pair.refresh.hash, NOW + 10), undefined);
      const scope = fixture.grant.scope.join(' ');
      const found = { clientId: 'web', sub: fixture.user.sub, scope, issuedAt: NOW + 10 };
      assert.deepEqual(await findRefresh(successor), {
        ...found,
        expiresAt: turn.successorExpiresAt,
        familyStartedAt: NOW,
      });
      const login = { authTime: NOW - 5, amr: ['pwd', 'otp'] };
      assert.deepEqual(await findAccess(turn.access.hash), { ...found, expiresAt: turn.access.expiresAt, login });
      assert(await findAccess(pair.access.hash), 'the access token of before lives on');
    });

    it('give a retry within the grace period the same successor, whatever secret is newest by then (row 41)', async () => {
      const pair = await aFamily(store, fixture);
      const first = rotation(pair.refresh.hash);
      await store.rotateRefreshToken(fixture.app, first);
      const successor = first.successors[0] ?? digest();
      const retry = rotation(pair.refresh.hash, {
        issuedAt: NOW + 29,
        successors: [credentialKey(NOW + 30 * DAY), successor],
      });
      const outcome = await store.rotateRefreshToken(fixture.app, retry);
      assert(outcome.kind === 'repeated');
      assert.deepEqual(outcome.family, fixture.grant);
      assert.equal(hex(outcome.successor), hex(successor));
      assert(await findAccess(retry.access.hash), 'each retry has an access token of its own');
      assert.equal(await findRefresh(retry.successors[0] ?? digest()), undefined);
    });

    it('shown again after the grace period end the whole family (row 41)', async () => {
      const pair = await aFamily(store, fixture);
      const turn = rotation(pair.refresh.hash);
      await store.rotateRefreshToken(fixture.app, turn);
      const successor = turn.successors[0] ?? digest();
      const next = rotation(successor, { issuedAt: NOW + 20 });
      await store.rotateRefreshToken(fixture.app, next);
      const outcome = await rotate([pair.refresh.hash, { issuedAt: NOW + 30 }]);
      assert.deepEqual(outcome, { kind: 'reused', sub: fixture.user.sub });
      for (const access of [pair.access, turn.access, next.access])
        assert.equal(await findAccess(access.hash, NOW + 30), undefined);
      const newest = next.successors[0] ?? digest();
      assert.equal(await findRefresh(newest, NOW + 30), undefined);
      assert.deepEqual(await rotate([newest, { issuedAt: NOW + 31 }]), { kind: 'refused', verdict: 'invalid' });
    });

    it('with a grace period of 0 are good once', async () => {
      const pair = await aFamily(store, fixture);
      assert.equal((await rotate([pair.refresh.hash, { presented: presented({ grace: 0 }) }])).kind, 'rotated');
      const again = await rotate([pair.refresh.hash, { presented: presented({ grace: 0 }) }]);
      assert.deepEqual(again, { kind: 'reused', sub: fixture.user.sub });
    });

    it('shown again within the grace period, but after their successor was used, end the whole family (row 41)', async () => {
      const pair = await aFamily(store, fixture);
      const [second, third, fourth] = [credentialKey, credentialKey, credentialKey].map(make => make(NOW + 30 * DAY));
      assert(second && third && fourth);
      const turn = (hash: Uint8Array, successor: Uint8Array, at: number) =>
        rotate([hash, { issuedAt: NOW + at, successors: [successor] }]);
      assert.equal((await turn(pair.refresh.hash, second, 0)).kind, 'rotated');
      assert.equal((await turn(second, third, 1)).kind, 'rotated');
      // The third has not been used yet: the answer with it may have been lost.
      assert.equal((await turn(second, fourth, 2)).kind, 'repeated');
      assert.deepEqual(await turn(pair.refresh.hash, fourth, 3), { kind: 'reused', sub: fixture.user.sub });
      assert.deepEqual(await turn(third, fourth, 4), { kind: 'refused', verdict: 'invalid' });
      assert.equal(await findAccess(pair.access.hash, NOW + 4), undefined);
    });

    it('keep the family when another client, or a request for more, shows them within the grace period', async () => {
      const pair = await aFamily(store, fixture);
      await rotate([pair.refresh.hash]);
      const foreign = await rotate([pair.refresh.hash, { presented: presented({ clientId: 'other' }) }]);
      assert.deepEqual(foreign, { kind: 'refused', verdict: 'invalid' });
      const own = { ...fixture, grant: { ...fixture.grant, scope: ['openid'] as const } };
      const narrow = await aFamily(store, own);
      await rotate([narrow.refresh.hash]);
      const wider = await rotate([narrow.refresh.hash, { presented: presented({ scope: ['openid', 'email'] }) }]);
      assert.deepEqual(wider, { kind: 'scopeWider', granted: ['openid'] });
      for (const { refresh } of [pair, narrow]) assert.equal((await rotate([refresh.hash])).kind, 'repeated');
    });

    it('stay when rotation is off, as often as they are used (row 41)', async () => {
      const pair = await aFamily(store, fixture);
      for (const issuedAt of [NOW + 10, NOW + 5000]) {
        const turn = rotation(pair.refresh.hash, { issuedAt, presented: presented({ rotation: false }) });
        assert.deepEqual(await store.rotateRefreshToken(fixture.app, turn), {
          kind: 'kept',
          family: fixture.grant,
          user: undefined,
        });
        assert(await findAccess(turn.access.hash, issuedAt));
        assert(await findRefresh(pair.refresh.hash, issuedAt));
        assert.equal(await findRefresh(turn.successors[0] ?? digest(), issuedAt), undefined);
      }
    });

    it('carry the claims that were asked for one by one through every rotation', async () => {
      const claims = { userinfo: ['email'], id_token: ['acr'], sub: fixture.user.sub };
      const pair = await aFamily(store, { ...fixture, grant: { ...fixture.grant, claims } });
      const turn = rotation(pair.refresh.hash);
      const outcome = await store.rotateRefreshToken(fixture.app, turn);
      assert(outcome.kind === 'rotated');
      assert.deepEqual(outcome.family.claims, claims);
      assert.deepEqual(outcome.user, profileOf(fixture.user));
      const found = await store.findTokenUser(fixture.app, turn.access.hash, NOW);
      assert.deepEqual(found?.claims, claims);
    });

    it('bring the profile of the user along where it is wanted, and only there (row 44)', async () => {
      const pair = await aFamily(store, fixture);
      const kept = presented({ rotation: false });
      const wanted = { isAllowed: undefined };
      for (const [user, profile] of [
        [wanted, profileOf(fixture.user)],
        [undefined, undefined],
      ] as const) {
        const keep = await rotate([pair.refresh.hash, { user, presented: kept }]);
        assert(keep.kind === 'kept');
        assert.deepEqual(keep.user, profile);
      }
      for (const issuedAt of [NOW, NOW + 1]) {
        const turned = await rotate([pair.refresh.hash, { user: wanted, issuedAt }]);
        assert(turned.kind === (issuedAt === NOW ? 'rotated' : 'repeated'));
        assert.deepEqual(turned.user, profileOf(fixture.user), issuedAt === NOW ? 'the rotation' : 'its repeat');
      }
    });

    it('change nothing where the user is not allowed, and work again when the user is (docs/decisions/access.md)', async () => {
      const pair = await aFamily(store, fixture);
      const { hash } = pair.refresh;
      const asked: unknown[] = [];
      const allowing = (isAllowed: boolean) => ({
        user: {
          isAllowed: (user: unknown) => {
            asked.push(user);
            return isAllowed;
          },
        },
      });
      const refused = { kind: 'notAllowed', sub: fixture.user.sub };
      assert.deepEqual(await rotate([hash, allowing(false)]), refused);
      assert.deepEqual(
        await rotate([hash, { ...allowing(false), presented: presented({ rotation: false }) }]),
        refused,
      );
      assert.deepEqual(asked[0], profileOf(fixture.user));
      assert(await findRefresh(hash), 'not rotated');
      assert.equal(
        (await rotate([hash, { ...allowing(true), presented: presented({ rotation: false }) }])).kind,
        'kept',
      );
      assert.equal((await rotate([hash, allowing(true)])).kind, 'rotated');
      assert.deepEqual(await rotate([hash, allowing(false)]), refused, 'a retry in the grace period');
      assert.equal((await rotate([hash, allowing(true)])).kind, 'repeated');
      const late = { issuedAt: NOW + 31, ...allowing(false) };
      assert.equal((await rotate([hash, late])).kind, 'reused', 'a stolen token ends the family all the same');
      const others = await Promise.all(Array.from({ length: 4 }, () => rotate([hash, allowing(true)])));
      for (const { kind } of others) assert.equal(kind, 'refused');
    });

    it('change nothing where the access token is refused, and say for which reason (RFC 8707, RFC 9449)', async () => {
      const pair = await aFamily(store, fixture);
      for (const verdict of ['targetInvalid', 'proofMissing'] as const) {
        const target = { namesResource: true, accessFor: () => verdict };
        assert.deepEqual(await rotate([pair.refresh.hash, { target }]), { kind: 'refused', verdict });
        assert(await findRefresh(pair.refresh.hash), 'not rotated');
      }
    });

    it('rotate once however many race, where each asks whether the user is allowed', async () => {
      const pair = await aFamily(store, fixture);
      const turn = rotation(pair.refresh.hash, { user: { isAllowed: () => true } });
      const outcomes = await Promise.all(
        Array.from({ length: 8 }, () =>
          store.rotateRefreshToken(fixture.app, { ...turn, access: rotation(pair.refresh.hash).access }),
        ),
      );
      const kinds = outcomes.map(({ kind }) => kind).sort();
      assert.deepEqual(kinds, [...Array(7).fill('repeated'), 'rotated']);
    });

    it('narrow the access token, not the grant (row 39)', async () => {
      const pair = await aFamily(store, fixture);
      const turn = rotation(pair.refresh.hash, { presented: presented({ scope: ['openid'] }) });
      await store.rotateRefreshToken(fixture.app, turn);
      const successor = turn.successors[0] ?? digest();
      assert.equal((await findAccess(turn.access.hash))?.scope, 'openid');
      assert.equal((await store.findTokenUser(fixture.app, turn.access.hash, NOW))?.token.scope, 'openid');
      assert.equal((await findRefresh(successor))?.scope, fixture.grant.scope.join(' '));
      const wide = rotation(successor);
      await store.rotateRefreshToken(fixture.app, wide);
      assert.equal((await findAccess(wide.access.hash))?.scope, fixture.grant.scope.join(' '));
    });

    it('narrow what was asked for one by one too: beside its scope a narrowed token has nothing (row 39)', async () => {
      const claims = { userinfo: ['email', 'nickname'], id_token: ['acr'] };
      const grant = { ...fixture.grant, scope: ['openid', 'email'] as const, claims };
      const pair = await aFamily(store, { ...fixture, grant });
      let hash = pair.refresh.hash;
      for (const [scope, kept] of [
        [['openid'], NO_CLAIMS],
        [['email', 'openid'], claims],
        [['email'], NO_CLAIMS],
        [undefined, claims],
      ] as const) {
        const turn = rotation(hash, { presented: presented({ scope }) });
        const outcome = await store.rotateRefreshToken(fixture.app, turn);
        assert(outcome.kind === 'rotated');
        assert.deepEqual(outcome.family.claims, claims, 'the grant itself does not shrink');
        assert.deepEqual((await store.findTokenUser(fixture.app, turn.access.hash, NOW))?.claims, kept);
        hash = outcome.successor;
      }
    });

    it('are not spent by a request for more than was granted, nor by another client', async () => {
      const own = { ...fixture, grant: { ...fixture.grant, scope: ['openid'] as const } };
      const pair = await aFamily(store, own);
      const wider = await rotate([pair.refresh.hash, { presented: presented({ scope: ['openid', 'email'] }) }]);
      assert.deepEqual(wider, { kind: 'scopeWider', granted: ['openid'] });
      const foreign = await rotate([pair.refresh.hash, { presented: presented({ clientId: 'other' }) }]);
      assert.deepEqual(foreign, { kind: 'refused', verdict: 'invalid' });
      assert.deepEqual(await alive(store, fixture.app, pair), ALIVE);
    });

    it('rotated, do not end the family when another client shows them', async () => {
      const pair = await aFamily(store, fixture);
      await rotate([pair.refresh.hash]);
      await rotate([pair.refresh.hash, { issuedAt: NOW + 60, presented: presented({ clientId: 'other' }) }]);
      assert(await findAccess(pair.access.hash));
    });

    it('are unknown, expired or revoked without a trace of which family', async () => {
      assert.deepEqual(await rotate([digest()]), { kind: 'refused', verdict: 'invalid' });
      const pair = await aFamily(store, fixture);
      assert.equal(await findRefresh(pair.refresh.hash, pair.refresh.expiresAt), undefined);
      assert(await findRefresh(pair.refresh.hash, pair.refresh.expiresAt - 1));
      const late = await rotate([pair.refresh.hash, { issuedAt: pair.refresh.expiresAt }]);
      assert.deepEqual(late, { kind: 'refused', verdict: 'expired' });
    });

    it('are no access tokens, and access tokens are no refresh tokens', async () => {
      const pair = await aFamily(store, fixture);
      assert.equal(await findAccess(pair.refresh.hash), undefined);
      assert.equal(await findRefresh(pair.access.hash), undefined);
      assert.deepEqual(await rotate([pair.access.hash]), { kind: 'refused', verdict: 'invalid' });
    });

    for (const objects of [1, 2]) {
      it(`give 20 parallel callers on ${objects} store object(s) one and the same successor (row 41)`, async () => {
        const stores = objects === 1 ? [store] : [store, await another()];
        const pair = await aFamily(store, fixture);
        const successor = credentialKey(NOW + 30 * DAY);
        const calls = await race(stores, 20, async store => {
          const turn = rotation(pair.refresh.hash, { successors: [successor] });
          return { turn, outcome: await store.rotateRefreshToken(fixture.app, turn) };
        });
        const kinds = calls.map(({ outcome }) => outcome.kind).sort();
        assert.deepEqual(kinds, [...Array(19).fill('repeated'), 'rotated']);
        for (const { turn, outcome } of calls) {
          assert('successor' in outcome);
          assert.equal(hex(outcome.successor), hex(successor));
          assert(await findAccess(turn.access.hash));
        }
        assert(await findRefresh(successor));
      });
    }

    it('give callers that race under different newest secrets the successor that was written', async () => {
      const stores = [store, await another()];
      const pair = await aFamily(store, fixture);
      const outcomes = await race(stores, 20, store =>
        store.rotateRefreshToken(fixture.app, rotation(pair.refresh.hash)),
      );
      const successors = new Set(outcomes.map(outcome => ('successor' in outcome ? hex(outcome.successor) : '-')));
      assert.equal(successors.size, 1);
      assert(await findRefresh(Buffer.from([...successors].join(''), 'hex')));
    });
  });
}
