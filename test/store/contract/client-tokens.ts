import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import type { TokenFamily } from '../../../src/oauth/token/store.ts';
import { madeBy } from '../../build/stand-in.ts';
import { aFixture, disable, NOW, type OpenStore, unique } from './given.ts';
import { token } from './given-tokens.ts';
import { openForSuite } from './open-store.ts';

/** On Citus more may be refused while a worker has not answered for a quarter of a second (platform/store/citus/worker-pools.ts). */
const AT_ONCE = 60;

const API = 'https://api.shop.example';

/** Tokens with which a client acts for itself: `sub` is its client_id, and there is no user (oauth/token/subject.rules.ts). */
export function clientTokensContract(open: OpenStore): void {
  describe('tokens of a client that acts for itself (RFC 6749 section 4.4)', () => {
    const { store } = openForSuite(open);
    const fixture = madeBy(before, () => aFixture(store));

    const familyOf = (clientId: string): TokenFamily => ({
      ...{ clientId, sub: clientId, scope: ['orders:read'], resources: [{ identifier: API, scope: ['orders:read'] }] },
      ...{ authTime: NOW, amr: [], sid: undefined, claims: { userinfo: [], id_token: [] } },
    });
    const issue = async (clientId: string, app = fixture.app) => {
      const access = { ...token(NOW + 600), audience: API, scope: ['orders:read'] };
      const tokens = { grantId: unique('grant'), issuedAt: NOW, access, refresh: undefined };
      const outcome = await store.addTokenFamily(app, familyOf(clientId), tokens);
      return { outcome, access };
    };
    const find = (hash: Uint8Array, app = fixture.app, now = NOW) => store.findAccessToken(app, hash, now);

    it('are found until they expire, with the client as subject, and have no user', async () => {
      const { outcome, access } = await issue('web');
      assert.equal(outcome, 'issued');
      const { login: _, ...found } = (await find(access.hash)) ?? assert.fail();
      assert.deepEqual(found, {
        ...{ clientId: 'web', sub: 'web', scope: 'orders:read', audience: API },
        ...{ issuedAt: NOW, expiresAt: NOW + 600 },
      });
      assert.equal(await store.findTokenUser(fixture.app, access.hash, NOW), undefined);
      assert.equal(await find(access.hash, fixture.app, NOW + 600), undefined);
    });

    it('are unknown to another application', async () => {
      const other = await aFixture(store);
      const { access } = await issue('web');
      assert.equal(await find(access.hash, other.app), undefined);
    });

    it('are revoked by their own client only', async () => {
      const { access } = await issue('web');
      await store.revokeAccessToken(fixture.app, access.hash, 'other');
      assert(await find(access.hash));
      await store.revokeAccessToken(fixture.app, access.hash, 'web');
      assert.equal(await find(access.hash), undefined);
    });

    it('do not end with a user', async () => {
      const { user } = fixture;
      const { access } = await issue('web');
      await store.endUserAccess(user.sub, NOW);
      await disable(store, user);
      assert(await find(access.hash));
    });

    it('of many clients and applications at the same moment are each their own, and a client that is gone gets none', async () => {
      const other = await aFixture(store);
      const wanted = Array.from({ length: 200 }, (_, n) => ({
        clientId: ['web', 'mobile', 'nobody'][n % 3] as string,
        app: n % 2 ? fixture.app : other.app,
      }));
      const issued: Awaited<ReturnType<typeof issue>>[] = [];
      for (let from = 0; from < wanted.length; from += AT_ONCE) {
        const some = wanted.slice(from, from + AT_ONCE);
        issued.push(...(await Promise.all(some.map(({ clientId, app }) => issue(clientId, app)))));
      }
      for (const [n, { clientId, app }] of wanted.entries()) {
        const { outcome, access } = issued[n] ?? assert.fail();
        assert.equal(outcome, clientId === 'nobody' ? 'clientGone' : 'issued');
        const found = await find(access.hash, app);
        assert.equal(found?.clientId, clientId === 'nobody' ? undefined : clientId);
        assert.equal(await find(access.hash, app === fixture.app ? other.app : fixture.app), undefined);
      }
    });

    it('end with their client, and a deleted client gets none', async () => {
      const [gone, stays] = [await issue('mobile'), await issue('web')];
      await store.deleteClient(fixture.app, 'mobile', NOW);
      assert.equal(await find(gone.access.hash), undefined);
      assert(await find(stays.access.hash));
      const late = await issue('mobile');
      assert.equal(late.outcome, 'clientGone');
      assert.equal(await find(late.access.hash), undefined);
    });
  });
}
