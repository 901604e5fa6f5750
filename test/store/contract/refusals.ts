import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import type { StoredRefusal } from '../../../src/audit/refusals/store.ts';
import { madeBy } from '../../build/stand-in.ts';
import { aFixture, CALLBACK, credentialKey, DAY, disable, NOW, type OpenStore, race, unique } from './given.ts';
import { aFamily, code, presentedCode, rotation, tokens } from './given-tokens.ts';
import { openForSuite } from './open-store.ts';

function aRefusal(over: Partial<StoredRefusal> = {}): StoredRefusal {
  return { requestId: unique('request'), app: 'shop', time: NOW, reason: 'codeExpired', data: '{"a":"…"}', ...over };
}

export function refusalsContract(open: OpenStore): void {
  describe('refusals', () => {
    const { store, another } = openForSuite(open);
    const fixture = madeBy(before, () => aFixture(store));

    const keptOf = async (refusals: readonly StoredRefusal[]) => {
      const found = await Promise.all(refusals.map(({ requestId }) => store.findRefusal(requestId)));
      return found.filter(one => one !== undefined);
    };

    it('are found by their request id, as they were written', async () => {
      const [first, second] = [aRefusal(), aRefusal({ app: '', data: '{"path":"/王"}' })];
      assert.equal(await store.addRefusals([first, second], 10), 2);
      assert.deepEqual(await store.findRefusal(first.requestId), first);
      assert.deepEqual(await store.findRefusal(second.requestId), second);
      assert.equal(await store.findRefusal('unknown'), undefined);
    });

    it('are written once when a batch is written again', async () => {
      const one = aRefusal({ app: unique('app') });
      await store.addRefusals([one], 10);
      await store.addRefusals([one], 10);
      assert.deepEqual(await keptOf([one]), [one]);
    });

    it('are at most so many for an application and minute, whoever writes them', async () => {
      const app = unique('app');
      const stores = [store, await another()];
      const batches = Array.from({ length: 6 }, () =>
        Array.from({ length: 3 }, () => aRefusal({ app, time: NOW + 60 })),
      );
      const written = await race(stores, batches.length, store =>
        store.addRefusals(batches.pop() as StoredRefusal[], 10),
      );
      assert.equal(
        written.reduce((sum, count) => sum + count, 0),
        10,
      );
      const later = [
        aRefusal({ app, time: NOW + 119 }),
        aRefusal({ app, time: NOW + 120 }),
        aRefusal({ time: NOW + 60 }),
      ];
      assert.equal(await store.addRefusals(later, 10), 2);
      assert.deepEqual(await keptOf(later), later.slice(1));
    });

    it('are trimmed to the newest of an application', async () => {
      const app = unique('app');
      const all = Array.from({ length: 5 }, (_, at) => aRefusal({ app, time: NOW + at }));
      const other = aRefusal({ app: unique('app'), time: NOW - 10 });
      await store.addRefusals([...all, other], 10);
      await store.trimRefusals(app, 5);
      assert.equal((await keptOf(all)).length, 5);
      await store.trimRefusals(app, 2);
      assert.deepEqual(await keptOf([...all, other]), [...all.slice(-2), other]);
    });

    it('are listed newest first, by application and reason, in pages that stand still', async () => {
      const [app, other] = [unique('app'), unique('app')];
      const all = Array.from({ length: 6 }, (_, at) =>
        // Two of each second: the request id decides between them.
        aRefusal({ app, time: NOW + Math.floor(at / 2), reason: at < 4 ? 'codeExpired' : 'scopeInvalid' }),
      );
      const foreign = aRefusal({ app: other, time: NOW + 9 });
      await store.addRefusals([...all, foreign], 10);
      const newestFirst = [...all].sort((a, b) => b.time - a.time || (a.requestId < b.requestId ? 1 : -1));
      const { listRefusals } = store;
      const page = (after: StoredRefusal | undefined, limit: number) => listRefusals({ apps: [app] }, { after, limit });
      const first = await page(undefined, 3);
      assert.deepEqual(first, newestFirst.slice(0, 3));
      await store.addRefusals([aRefusal({ app, time: NOW + 60 })], 10);
      assert.deepEqual(await page(first[2], 9), newestFirst.slice(3));
      const whole = { after: undefined, limit: 9 };
      assert.deepEqual(
        await listRefusals(
          { apps: [app], reason: 'scopeInvalid' },
          { ...whole, after: { time: NOW + 5, requestId: '' } },
        ),
        newestFirst.slice(0, 2),
      );
      assert.deepEqual(await listRefusals({ apps: [other, 'nowhere'] }, whole), [foreign]);
      assert.deepEqual(await listRefusals({ apps: [] }, whole), []);
      assert(
        (await listRefusals({}, { ...whole, limit: 500 })).some(({ requestId }) => requestId === foreign.requestId),
      );
    });

    it('are purged after seven days', async () => {
      const app = unique('app');
      const [old, kept] = [aRefusal({ app, time: NOW - 7 * DAY - 1 }), aRefusal({ app, time: NOW - 7 * DAY })];
      await store.addRefusals([old, kept], 10);
      await store.purge(NOW, 100);
      assert.deepEqual(await keptOf([old, kept]), [kept]);
    });

    it('a code is described with its client, its end and its redemption, also to another application', async () => {
      const put = code(fixture.grant, { codeChallenge: undefined });
      await store.addCode(fixture.app, put);
      const described = {
        app: fixture.app,
        clientId: 'web',
        redirectUri: CALLBACK,
        codeChallenge: undefined,
        expiresAt: NOW + 300,
        isRedeemed: false,
        redeemedAt: undefined,
        user: 'enabled',
        isSessionEnded: false,
      } as const;
      assert.deepEqual(await store.describeCode(put.codeHash), described);
      await store.redeemCode(fixture.app, put.codeHash, presentedCode, tokens({ issuedAt: NOW + 7 }));
      const redeemed = { ...described, isRedeemed: true, redeemedAt: NOW + 7 };
      assert.deepEqual(await store.describeCode(put.codeHash), redeemed);
      assert.equal(await store.describeCode(credentialKey(NOW)), undefined);
    });

    it('tokens are described with their family, rotation and revocation', async () => {
      const pair = await aFamily(store, fixture);
      const common = { app: fixture.app, clientId: 'web', scope: fixture.grant.scope.join(' '), user: 'enabled' };
      const live = { ...common, isRevoked: false, revokedAt: undefined };
      const access = { ...live, expiresAt: pair.access.expiresAt };
      const refresh = { ...live, expiresAt: pair.refresh.expiresAt, rotatedAt: undefined, familyStartedAt: NOW };
      assert.deepEqual(await store.describeAccessToken(pair.access.hash), access);
      assert.deepEqual(await store.describeRefreshToken(pair.refresh.hash), refresh);
      await store.rotateRefreshToken(fixture.app, rotation(pair.refresh.hash, { issuedAt: NOW + 5 }));
      await store.revokeRefreshToken(fixture.app, pair.refresh.hash, 'web', NOW + 9);
      const revoked = { isRevoked: true, revokedAt: NOW + 9 };
      assert.deepEqual(await store.describeAccessToken(pair.access.hash), { ...access, ...revoked });
      assert.deepEqual(await store.describeRefreshToken(pair.refresh.hash), {
        ...refresh,
        ...revoked,
        rotatedAt: NOW + 5,
      });
      assert.equal(await store.describeAccessToken(credentialKey(NOW)), undefined);
      assert.equal(await store.describeRefreshToken(credentialKey(NOW)), undefined);
    });

    it('a user is enabled, disabled or deleted', async () => {
      const { user } = await aFixture(store);
      assert.equal(await store.describeUser(user.sub), 'enabled');
      await disable(store, user);
      assert.equal(await store.describeUser(user.sub), 'disabled');
      assert.equal(await store.describeUser('nobody'), 'deleted');
    });

    it('names of clients are found in every application', async () => {
      const name = unique('client');
      const { app } = await aFixture(store, name);
      assert.deepEqual(await store.applicationsWithClient(name), [app]);
      assert.deepEqual(await store.applicationsWithClient('nobody'), []);
      assert.deepEqual(await store.clientIds(app, 10), [name, 'mobile', 'other']);
      assert.deepEqual(await store.clientIds(app, 1), [name]);
    });
  });
}
