import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import type { PresentedRefresh } from '../../../src/oauth/refresh/rules.ts';
import { madeBy } from '../../build/stand-in.ts';
import { aFixture, DAY, digest, NOW, type OpenStore } from './given.ts';
import { aFamily, code, presentedCode, rotation, token, tokens } from './given-tokens.ts';
import { openForSuite } from './open-store.ts';

/** Families end for good, whatever happens (row 41). */
export function refreshFamiliesContract(open: OpenStore): void {
  describe('refresh tokens of a family that ends for good (row 41)', () => {
    const { store } = openForSuite(open);
    const fixture = madeBy(before, () => aFixture(store));

    const familyTtl = 40 * DAY;
    const rotate = (...of: Parameters<typeof rotation>) => store.rotateRefreshToken(fixture.app, rotation(...of));
    const findRefresh = (hash: Uint8Array, now = NOW) => store.findRefreshToken(fixture.app, hash, now);
    const presented = (over: Partial<PresentedRefresh> = {}): PresentedRefresh => ({
      clientId: 'web',
      scope: undefined,
      rotation: true,
      grace: 30,
      familyTtl,
      ...over,
    });

    it('end with it, however often they were refreshed', async () => {
      const pair = await aFamily(store, fixture);
      const turn = rotation(pair.refresh.hash, { issuedAt: NOW + 29 * DAY, presented: presented() });
      assert.equal((await store.rotateRefreshToken(fixture.app, turn)).kind, 'rotated');
      const successor = turn.successors[0] ?? digest();
      assert.equal((await findRefresh(successor, NOW + familyTtl - 1))?.expiresAt, NOW + familyTtl);
      assert.equal(await findRefresh(successor, NOW + familyTtl), undefined);
      const late = await rotate(successor, { issuedAt: NOW + familyTtl, presented: presented() });
      assert.deepEqual(late, { kind: 'refused', verdict: 'expired' });
      const next = rotation(successor, { issuedAt: NOW + familyTtl - 1, presented: presented() });
      assert.equal((await store.rotateRefreshToken(fixture.app, next)).kind, 'rotated');
      assert.equal((await findRefresh(next.successors[0] ?? digest()))?.expiresAt, NOW + familyTtl);
    });

    it('count from the exchange of the code, not from the login before it', async () => {
      const put = code({ ...fixture.grant, authTime: NOW - 20 * DAY });
      await store.addCode(fixture.app, put);
      const pair = tokens();
      const redeemed = await store.redeemCode(fixture.app, put.codeHash, presentedCode, pair);
      assert.equal(redeemed.kind, 'redeemed');
      const turn = rotation(pair.refresh.hash, { issuedAt: NOW + 29 * DAY, presented: presented() });
      assert.equal((await store.rotateRefreshToken(fixture.app, turn)).kind, 'rotated');
      assert.equal((await findRefresh(turn.successors[0] ?? digest()))?.expiresAt, NOW + familyTtl);
    });

    it('end at once when the application is given a shorter life for families', async () => {
      const pair = await aFamily(store, fixture);
      const shorter = presented({ familyTtl: 60 });
      const late = await rotate(pair.refresh.hash, { issuedAt: NOW + 60, presented: shorter });
      assert.deepEqual(late, { kind: 'refused', verdict: 'expired' });
      assert.equal((await rotate(pair.refresh.hash, { issuedAt: NOW + 59, presented: shorter })).kind, 'rotated');
    });

    it('stay good until then where rotation is off, and no longer', async () => {
      const pair = await aFamily(store, fixture, { refresh: token(NOW + 90 * DAY) });
      const kept = presented({ rotation: false });
      for (const [at, kind] of [
        [NOW + familyTtl - 1, 'kept'],
        [NOW + familyTtl, 'refused'],
      ] as const) {
        assert.equal((await rotate(pair.refresh.hash, { issuedAt: at, presented: kept })).kind, kind);
      }
    });

    it('are prolonged by a refresh that names an API, as by any other (RFC 8707)', async () => {
      const api = 'https://api.shop.example';
      const covering = { ...fixture, grant: { ...fixture.grant, resources: [{ identifier: api, scope: [] }] } };
      const pair = await aFamily(store, covering);
      const issuedAt = NOW + 29 * DAY;
      const access = { ...token(issuedAt + 600), audience: api, scope: [] };
      const target = { namesResource: true, accessFor: () => access };
      const turn = rotation(pair.refresh.hash, { issuedAt, presented: presented(), target });
      assert.equal((await store.rotateRefreshToken(fixture.app, turn)).kind, 'rotated');
      assert(await findRefresh(turn.successors[0] ?? digest(), NOW + familyTtl - 1));
    });
  });
}
