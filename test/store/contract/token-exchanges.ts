import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import type { Event } from '../../../src/audit/events/rules.ts';
import type { TokenFamily } from '../../../src/oauth/token/store.ts';
import type { ExchangedToken } from '../../../src/oauth/token-exchange/store.ts';
import { madeBy } from '../../build/stand-in.ts';
import { account, aFixture, client, credentialKey, disable, NOW, type OpenStore, unique } from './given.ts';
import { aSession } from './given-sessions.ts';
import { tokens } from './given-tokens.ts';
import { openForSuite } from './open-store.ts';

const STOCK = 'https://stock.shop.example';

/** Tokens that another token was exchanged for (RFC 8693). */
export function tokenExchangesContract(open: OpenStore): void {
  describe('tokens that another token was exchanged for (RFC 8693)', () => {
    const { store, another } = openForSuite(open);
    const fixture = madeBy(before, () => aFixture(store));

    const aUser = async () => {
      const user = account();
      await store.provision([{ kind: 'newUser', account: user }]);
      return user;
    };
    const subjectOf = async (over: Partial<TokenFamily> = {}, end = NOW + 3600) => {
      const given = tokens({ access: { hash: credentialKey(end), expiresAt: end } });
      await store.addTokenFamily(fixture.app, { ...fixture.grant, ...over }, given);
      return given;
    };
    const exchanged = (over: Partial<ExchangedToken> = {}): ExchangedToken => {
      const expiresAt = over.expiresAt ?? NOW + 600;
      return {
        ...{ hash: credentialKey(expiresAt), expiresAt, issuedAt: NOW, clientId: 'mobile', audience: STOCK },
        ...{ scope: ['stock:read'], exchange: { depth: 1, act: { sub: 'mobile', client_id: 'mobile' } } },
        ...over,
      };
    };
    const add = async (subject: Uint8Array, over: Partial<ExchangedToken> = {}, app = fixture.app) => {
      const token = exchanged(over);
      return { token, outcome: await store.addExchangedToken(app, subject, token) };
    };
    const find = (hash: Uint8Array, now = NOW) => store.findAccessToken(fixture.app, hash, now);

    it('have the subject and the login of the other one, and audience, scope, client, end and actor of their own', async () => {
      const { access } = await subjectOf();
      const { token, outcome } = await add(access.hash);
      assert.equal(outcome, 'issued');
      assert.deepEqual(await find(token.hash), {
        ...{ clientId: 'mobile', sub: fixture.user.sub, scope: 'stock:read', audience: STOCK },
        ...{ issuedAt: NOW, expiresAt: NOW + 600, exchange: token.exchange },
        login: { authTime: fixture.grant.authTime, amr: fixture.grant.amr },
      });
      assert.equal(await find(token.hash, NOW + 600), undefined);
      assert(await find(access.hash), 'the other one stays');
    });

    it('an event is written with them, and none where nothing was exchanged', async () => {
      const { access } = await subjectOf();
      const event = (): Event => ({
        ...{ id: unique('evt'), time: NOW, type: 'token.exchanged', outcome: 'success' },
        ...{ actor: { kind: 'client', id: 'mobile' }, subject: fixture.user.sub, app: fixture.app },
      });
      const [written, refused] = [event(), event()];
      await store.addExchangedToken(fixture.app, access.hash, exchanged(), written);
      await store.addExchangedToken(fixture.app, credentialKey(NOW + 600), exchanged(), refused);
      const found = await store.listEvents({ types: ['token.exchanged'] }, { after: undefined, limit: 10 });
      assert.deepEqual(
        found.map(({ id }) => id),
        [written.id],
      );
    });

    for (const [what, subject] of [
      ['is unknown', async () => credentialKey(NOW + 600)],
      ['has expired', async () => (await subjectOf({}, NOW)).access.hash],
      ['ends before the new one would', async () => (await subjectOf({}, NOW + 599)).access.hash],
      [
        'was revoked',
        async () => {
          const { access } = await subjectOf();
          await store.revokeAccessToken(fixture.app, access.hash, 'web');
          return access.hash;
        },
      ],
      [
        'has a revoked grant',
        async () => {
          const { access, refresh } = await subjectOf();
          await store.revokeRefreshToken(fixture.app, refresh.hash, 'web', NOW);
          return access.hash;
        },
      ],
      [
        'has a disabled user',
        async () => {
          const user = await aUser();
          const { access } = await subjectOf({ sub: user.sub });
          await disable(store, user);
          return access.hash;
        },
      ],
    ] as const) {
      it(`are not written where the subject token ${what}`, async () => {
        const { token, outcome } = await add(await subject());
        assert.equal(outcome, 'subjectGone');
        assert.equal(await find(token.hash), undefined);
      });
    }

    it('are not written for a token of another application', async () => {
      const other = await aFixture(store);
      const { access } = await subjectOf();
      assert.equal((await add(access.hash, {}, other.app)).outcome, 'subjectGone');
    });

    it('end with the grant of the subject token', async () => {
      const { access, refresh } = await subjectOf();
      const { token } = await add(access.hash);
      await store.revokeRefreshToken(fixture.app, refresh.hash, 'web', NOW);
      assert.equal(await find(token.hash), undefined);
    });

    it('end with the session and with the user', async () => {
      const user = await aUser();
      const { sid } = await aSession(store, { ...fixture, user });
      const [inSession, without] = [await subjectOf({ sub: user.sub, sid }), await subjectOf({ sub: user.sub })];
      const [first, second] = [await add(inSession.access.hash), await add(without.access.hash)];
      await store.endSession({ sub: user.sub, sid }, NOW);
      assert.equal(await find(first.token.hash), undefined);
      assert(await find(second.token.hash));
      await disable(store, user);
      assert.equal(await find(second.token.hash), undefined);
    });

    it('end when the subject token is revoked, and those that they were exchanged for end too; others stay', async () => {
      const [{ access }, other] = [await subjectOf(), await subjectOf()];
      const first = await add(access.hash);
      const second = await add(first.token.hash, { exchange: { depth: 2 } });
      const stays = await add(other.access.hash);
      await store.revokeAccessToken(fixture.app, access.hash, 'mobile');
      assert(await find(second.token.hash), 'not its client');
      await store.revokeAccessToken(fixture.app, access.hash, 'web');
      for (const { token } of [first, second]) assert.equal(await find(token.hash), undefined);
      assert(await find(stays.token.hash));
    });

    it('and a revocation of the subject token at the same time leave none alive, whichever comes first', async () => {
      const stores = [store, await another()] as const;
      for (let round = 0; round < 24; round++) {
        const [exchanging, revoking] = round % 2 === 0 ? stores : [stores[1], stores[0]];
        const { access } = await subjectOf();
        const first = round % 3 === 0 ? await add(access.hash) : undefined;
        const tokens = [exchanged(), exchanged(), exchanged()];
        const subject = first?.token.hash ?? access.hash;
        const exchange = () => tokens.map(token => exchanging.addExchangedToken(fixture.app, subject, token));
        const revoke = () => revoking.revokeAccessToken(fixture.app, access.hash, 'web');
        await Promise.all(round % 4 < 2 ? [...exchange(), revoke()] : [revoke(), ...exchange()]);
        for (const { hash } of tokens) assert.equal(await find(hash), undefined, `round ${round}`);
      }
    });

    it('are revoked by the client that exchanged, alone', async () => {
      const { access } = await subjectOf();
      const { token } = await add(access.hash);
      await store.revokeAccessToken(fixture.app, token.hash, 'web');
      assert(await find(token.hash));
      await store.revokeAccessToken(fixture.app, token.hash, 'mobile');
      assert.equal(await find(token.hash), undefined);
      assert(await find(access.hash));
    });

    it('of a client that acts for itself have no login, and no user can be meant', async () => {
      const { access } = await subjectOf({ sub: 'web', clientId: 'web', amr: [] });
      const first = await add(access.hash);
      const found = await find(first.token.hash);
      assert.deepEqual([found?.sub, found?.login], ['web', undefined]);
      const second = await add(first.token.hash, { exchange: { depth: 2 } });
      assert.equal(second.outcome, 'issued');

      // A client that was registered under the sub of a user must not become that user by an exchange.
      const clientId = fixture.user.sub;
      await store.provision([{ kind: 'client', app: fixture.app, client: client({ client_id: clientId }) }]);
      const impostor = await subjectOf({ sub: clientId, clientId });
      assert.equal((await add(impostor.access.hash)).outcome, 'subjectGone');
    });

    it('end with their client, which gets no more of them, and with them those that they were exchanged for', async () => {
      const { access } = await subjectOf();
      const first = await add(access.hash);
      const second = await add(first.token.hash, { clientId: 'web', exchange: { depth: 2 } });
      await store.deleteClient(fixture.app, 'mobile', NOW);
      for (const { token } of [first, second]) assert.equal(await find(token.hash), undefined);
      assert(await find(access.hash));
      const late = await add(access.hash);
      assert.equal(late.outcome, 'clientGone');
      assert.equal(await find(late.token.hash), undefined);
    });
  });
}
