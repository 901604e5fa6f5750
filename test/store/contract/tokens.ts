import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { madeBy } from '../../build/stand-in.ts';
import { aFixture, DAY, digest, disable, hex, NOW, type OpenStore, profileOf } from './given.ts';
import { ALIVE, aFamily, alive, DEAD, rotation, token } from './given-tokens.ts';
import { openForSuite } from './open-store.ts';

export function tokensContract(open: OpenStore): void {
  describe('access tokens and revocation', () => {
    const { store, another } = openForSuite(open);
    const fixture = madeBy(before, () => aFixture(store));

    it('an access token is found until it expires, with its user', async () => {
      const claims = { userinfo: ['email'], id_token: ['acr'] };
      const pair = await aFamily(store, { ...fixture, grant: { ...fixture.grant, claims } });
      const token = await store.findAccessToken(fixture.app, pair.access.hash, pair.access.expiresAt - 1);
      assert(token);
      const { login, ...ofToken } = token;
      assert.deepEqual(login, { authTime: NOW - 5, amr: ['pwd', 'otp'] });
      assert.deepEqual(await store.findTokenUser(fixture.app, pair.access.hash, NOW), {
        token: ofToken,
        user: profileOf(fixture.user),
        claims,
        ...{ authTime: NOW - 5, amr: 'pwd otp' },
      });
      assert.equal(await store.findAccessToken(fixture.app, pair.access.hash, pair.access.expiresAt), undefined);
      assert.equal(await store.findTokenUser(fixture.app, pair.access.hash, pair.access.expiresAt), undefined);
    });

    it('a grant without a refresh token has its access token (the implicit flow)', async () => {
      const access = token(NOW + 60);
      await store.addTokenFamily(fixture.app, fixture.grant, {
        grantId: hex(digest()),
        issuedAt: NOW,
        access,
        refresh: undefined,
      });
      assert(await store.findAccessToken(fixture.app, access.hash, NOW));
    });

    it('an access token is revoked alone (RFC 7009 section 2.1)', async () => {
      const pair = await aFamily(store, fixture);
      await store.revokeAccessToken(fixture.app, pair.access.hash, 'web');
      assert.deepEqual(await alive(store, fixture.app, pair), { access: false, user: false, refresh: true });
    });

    it('a refresh token takes its family along, and only that (RFC 7009 section 2.1)', async () => {
      const [pair, bystander] = [await aFamily(store, fixture), await aFamily(store, fixture)];
      await store.revokeRefreshToken(fixture.app, pair.refresh.hash, 'web', NOW);
      assert.deepEqual(await alive(store, fixture.app, pair), DEAD);
      assert.deepEqual(await store.rotateRefreshToken(fixture.app, rotation(pair.refresh.hash)), {
        kind: 'refused',
        verdict: 'invalid',
      });
      assert.deepEqual(await alive(store, fixture.app, bystander), ALIVE);
    });

    it('a rotated refresh token takes the family along too: the client may have missed the successor', async () => {
      const pair = await aFamily(store, fixture);
      const turn = rotation(pair.refresh.hash);
      await store.rotateRefreshToken(fixture.app, turn);
      await store.revokeRefreshToken(fixture.app, pair.refresh.hash, 'web', NOW);
      assert.equal(await store.findRefreshToken(fixture.app, turn.successors[0] ?? digest(), NOW), undefined);
      assert.equal(await store.findAccessToken(fixture.app, turn.access.hash, NOW), undefined);
    });

    it('only its own client may revoke a token', async () => {
      const pair = await aFamily(store, fixture);
      await store.revokeAccessToken(fixture.app, pair.access.hash, 'other');
      await store.revokeRefreshToken(fixture.app, pair.refresh.hash, 'other', NOW);
      await store.revokeAccessToken(fixture.app, digest(), 'web');
      await store.revokeRefreshToken(fixture.app, digest(), 'web', NOW);
      assert.deepEqual(await alive(store, fixture.app, pair), ALIVE);
    });

    it('a disabled user has no live token from the moment that is acknowledged, on every store object', async () => {
      const other = await another();
      const own = await aFixture(store);
      const pair = await aFamily(store, own);
      assert.deepEqual(await alive(other, own.app, pair), ALIVE);
      await disable(store, own.user);
      for (const at of [store, other]) {
        assert.deepEqual(await alive(at, own.app, pair), DEAD);
        assert.deepEqual(await at.rotateRefreshToken(own.app, rotation(pair.refresh.hash)), {
          kind: 'refused',
          verdict: 'invalid',
        });
      }
      assert.deepEqual(await alive(store, fixture.app, await aFamily(store, fixture)), ALIVE);
    });

    it('tokens that were on their way when the user was disabled are dead on arrival', async () => {
      const own = await aFixture(store);
      await disable(store, own.user);
      const pair = await aFamily(store, own);
      assert.deepEqual(await alive(store, own.app, pair), DEAD);
      assert.deepEqual(await store.rotateRefreshToken(own.app, rotation(pair.refresh.hash)), {
        kind: 'refused',
        verdict: 'invalid',
      });
    });

    it('the tokens of a disabled user do not come back when the user is enabled again, and new ones work', async () => {
      const own = await aFixture(store);
      const pair = await aFamily(store, own);
      const rotated = await aFamily(store, own);
      const turn = rotation(rotated.refresh.hash);
      await store.rotateRefreshToken(own.app, turn);
      const successor = turn.successors[0] ?? digest();
      await disable(store, own.user);
      await disable(store, own.user, false);
      assert.deepEqual(await alive(store, own.app, pair), DEAD);
      for (const hash of [pair.refresh.hash, rotated.refresh.hash, successor]) {
        const outcome = await store.rotateRefreshToken(own.app, rotation(hash));
        assert.deepEqual(outcome, { kind: 'refused', verdict: 'invalid' });
      }
      assert.deepEqual(await alive(store, own.app, await aFamily(store, own)), ALIVE);
    });

    it('a family lives as long as its newest token', async () => {
      const pair = await aFamily(store, fixture);
      let token = pair.refresh.hash;
      for (const day of [29, 58, 87]) {
        const turn = rotation(token, { issuedAt: NOW + day * DAY });
        assert.equal((await store.rotateRefreshToken(fixture.app, turn)).kind, 'rotated');
        token = turn.successors[0] ?? digest();
      }
      assert(await store.findRefreshToken(fixture.app, token, NOW + 116 * DAY));
    });
  });
}
