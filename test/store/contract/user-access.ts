import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { TokenFamily } from '../../../src/oauth/token/store.ts';
import type { NewSession } from '../../../src/people/sessions/store.ts';
import type { Store } from '../../../src/store.ts';
import { aFixture, DAY, disable, type Fixture, NOW, type OpenStore } from './given.ts';
import { aSession, session } from './given-sessions.ts';
import { ALIVE, aFamily, alive, code, DEAD, presentedCode, rotation, token, tokens } from './given-tokens.ts';
import { sessionsFixture } from './sessions-fixture.ts';

const REFUSED = { kind: 'refused', verdict: 'invalid' };
const EXPIRED = { kind: 'refused', verdict: 'expired' };
const OLD = '$argon2id$…';
const NEW = '$argon2id$another';

/** What a user's sessions, codes and grants end with beside themselves: a changed password, or an operator's word. */
export function userAccessContract(open: OpenStore): void {
  const { store, another, fixture, prepareEach, use } = sessionsFixture(open);

  const changePassword = (at: Store = store, { user }: Fixture = fixture) => at.changePassword(user.sub, NEW, NOW);
  const redeem = (codeHash: Uint8Array, app = fixture.app) => store.redeemCode(app, codeHash, presentedCode, tokens());

  /** Everything that a user who signed in, also by the password grant, can hold. */
  const holdings = async (of: Fixture = fixture) => {
    const opened = await aSession(store, of);
    const withoutSession: TokenFamily = { ...of.grant, sid: undefined };
    const codes = [code(opened.grant), code(withoutSession)];
    for (const each of codes) await store.addCode(of.app, each);
    return {
      session: opened,
      codes,
      families: [await aFamily(store, { ...of, grant: opened.grant }), await aFamily(store, of), await direct(of)],
    };
  };
  const direct = (of: Fixture) => aFamily(store, { ...of, grant: { ...of.grant, sid: undefined } });
  type Holdings = Awaited<ReturnType<typeof holdings>>;

  const assertEnded = async ({ session, codes, families }: Holdings, at: Store = store) => {
    assert.equal(await use(session.idHash, NOW, at), undefined);
    assert.deepEqual(await at.sessionsOf(fixture.user.sub, NOW), []);
    for (const pair of families) {
      assert.deepEqual(await alive(at, fixture.app, pair), DEAD);
      assert.deepEqual(await at.rotateRefreshToken(fixture.app, rotation(pair.refresh.hash)), REFUSED);
    }
    for (const { codeHash } of codes) assert.deepEqual(await redeem(codeHash), EXPIRED);
  };
  const assertAlive = async ({ session, codes, families }: Holdings, of: Fixture = fixture) => {
    assert(await use(session.idHash));
    for (const pair of families) assert.deepEqual(await alive(store, of.app, pair), ALIVE);
    for (const { codeHash } of codes) assert.equal((await redeem(codeHash, of.app)).kind, 'redeemed');
  };
  const queuedNotices = async () =>
    (await store.takeLogoutNotices(NOW + DAY, NOW + 2 * DAY, 1000)).map(({ clientId, sid }) => `${clientId} ${sid}`);

  for (const [by, end] of [
    ['a changed password', () => changePassword()],
    ['the same password set again', () => store.changePassword(fixture.user.sub, OLD, NOW)],
    [
      'an apply file that names a password',
      () => store.provision([{ kind: 'user', sub: fixture.user.sub, passwordHash: NEW, now: NOW }]),
    ],
    ['an operator that disables the user', () => disable(store, fixture.user)],
    ['the operator', () => store.endUserAccess(fixture.user.sub, NOW)],
  ] as const) {
    describe(`everything a user holds, ended by ${by}`, () => {
      prepareEach();

      it('is dead on every store object: sessions, codes and grants, with and without a session', async () => {
        const other = await another();
        const held = await holdings();
        await end();
        await assertEnded(held, other);
        await assertEnded(held);
      });

      it('queues one logout notice for each client of each session', async () => {
        const { session } = await holdings();
        await end();
        await end();
        assert.deepEqual(await queuedNotices(), [`web ${session.sid}`]);
      });

      it('is nothing of another user', async () => {
        const bob = await aFixture(store);
        const held = await holdings(bob);
        await end();
        await assertAlive(held, bob);
      });
    });
  }

  describe('the list of clients that hold a grant of the user', () => {
    prepareEach();

    const granted = async (now = NOW) =>
      (await store.grantsOf(fixture.user.sub, now))
        .map(({ app, clientId, scope }) => `${app} ${clientId} ${scope.join(',')}`)
        .sort();
    const give = async (over: Partial<TokenFamily>, lasting = 3600) => {
      const pair = tokens({ access: token(NOW + 60), refresh: token(NOW + lasting) });
      await store.addTokenFamily(fixture.app, { ...fixture.grant, sid: undefined, ...over }, pair);
      return pair;
    };

    it('has each with each scope once, and nothing of another user', async () => {
      assert.deepEqual(await granted(), []);
      await give({ scope: ['openid'] });
      await give({ scope: ['openid'] });
      await give({ scope: ['openid', 'email'] });
      await give({ scope: ['openid'], clientId: 'mobile' });
      await holdings(await aFixture(store));
      const { app } = fixture;
      assert.deepEqual(await granted(), [`${app} mobile openid`, `${app} web openid`, `${app} web openid,email`]);
    });

    it('says since when', async () => {
      const at = (issuedAt: number) => tokens({ issuedAt, access: token(NOW + 60), refresh: token(NOW + 3600) });
      for (const time of [NOW - 50, NOW - 90, NOW]) {
        await store.addTokenFamily(fixture.app, { ...fixture.grant, sid: undefined }, at(time));
      }
      assert.deepEqual(
        (await store.grantsOf(fixture.user.sub, NOW)).map(({ since }) => since),
        [NOW - 90],
      );
    });

    it('says what was asked for claim by claim', async () => {
      const claims = { userinfo: ['email'], id_token: [] };
      await give({ scope: ['openid'], claims });
      assert.deepEqual((await store.grantsOf(fixture.user.sub, NOW))[0]?.claims, claims);
    });

    it('says which APIs they cover, and has grants for others apart', async () => {
      const at = (identifier: string, ...scope: string[]) => ({ identifier, scope });
      const of = [
        [at('https://api.example', 'read'), at('urn:files')],
        [at('https://api.example', 'read'), at('urn:files', 'read')],
      ];
      for (const resources of [undefined, ...of, ...of]) await give({ scope: ['read'], resources });
      const covered = (await store.grantsOf(fixture.user.sub, NOW)).map(({ resources }) => resources);
      const sorted = covered.sort(
        (one, other) => JSON.stringify(one ?? '').length - JSON.stringify(other ?? '').length,
      );
      assert.deepEqual(sorted, [...of, undefined]);
    });

    it('has none that was revoked or withdrawn, and none that ended, at the latest a day after its last token', async () => {
      const revoked = await give({ scope: ['email'] });
      await give({ clientId: 'mobile' });
      await give({ clientId: 'other' }, 3600);
      await store.revokeRefreshToken(fixture.app, revoked.refresh.hash, 'web', NOW);
      await store.withdrawConsent(fixture.user.sub, fixture.app, 'mobile', NOW);
      assert.equal((await granted()).length, 1);
      assert.equal((await granted(NOW + 3599)).length, 1);
      assert.deepEqual(await granted(NOW + 3600 + DAY), []);
    });
  });

  describe('a password that changes', () => {
    prepareEach();

    it('leaves nothing to a login that proved the former one, however late it comes', async () => {
      await changePassword();
      const late = session(fixture.user.sub, { passwordHash: OLD });
      const pair = tokens();
      assert.equal(await store.openSession(late, NOW), 'opened');
      await store.addTokenFamily(fixture.app, { ...fixture.grant, sid: undefined }, pair, { passwordHash: OLD });
      assert.equal(await use(late.idHash), undefined);
      assert.deepEqual(await alive(store, fixture.app, pair), DEAD);
    });

    it('and logins with the former one at the same moment leave nothing alive, whichever comes first', async () => {
      const stores = [store, await another()] as const;
      for (let round = 0; round < 6; round++) {
        const own = await aFixture(store);
        const late: NewSession = session(own.user.sub, { passwordHash: OLD });
        const pair = tokens();
        const [early, other] = round % 2 === 0 ? stores : [stores[1], stores[0]];
        const work = [
          () => changePassword(early, own),
          () => other.openSession(late, NOW),
          () => other.addTokenFamily(own.app, { ...own.grant, sid: undefined }, pair, { passwordHash: OLD }),
        ];
        await Promise.all((round < 3 ? work : work.toReversed()).map(each => each()));
        assert.equal(await use(late.idHash), undefined);
        assert.deepEqual(await alive(store, own.app, pair), DEAD);
      }
    });

    it('accepts the new one', async () => {
      await changePassword();
      const next = session(fixture.user.sub, { passwordHash: NEW });
      const pair = tokens();
      await store.openSession(next, NOW);
      await store.addTokenFamily(fixture.app, { ...fixture.grant, sid: undefined }, pair, { passwordHash: NEW });
      assert(await use(next.idHash));
      assert.deepEqual(await alive(store, fixture.app, pair), ALIVE);
    });

    it('ends what was held also when it is taken away altogether', async () => {
      const held = await holdings();
      assert.equal(await store.changePassword(fixture.user.sub, undefined, NOW), true);
      assert.equal((await store.findAccount(fixture.user.username))?.passwordHash, undefined);
      await assertEnded(held);
    });
  });

  describe('a password that does not change', () => {
    prepareEach();

    it('ends nothing, whatever else of the user changes', async () => {
      const held = await holdings();
      await store.updateProfile(fixture.user.sub, { email: 'new@example.com', nickname: null }, NOW);
      await disable(store, fixture.user, false);
      await assertAlive(held);
    });

    it('is kept as it is stored by an apply file that does not name it', async () => {
      const held = await holdings();
      await store.provision([{ kind: 'user', sub: fixture.user.sub, profile: { nickname: 'New' }, now: NOW }]);
      const found = await store.findAccount(fixture.user.username);
      assert.deepEqual([found?.nickname, found?.passwordHash], ['New', OLD]);
      await assertAlive(held);
    });
  });

  describe('a stored hash that is replaced by a better one of the same password', () => {
    prepareEach();

    it('is the one to prove from then on, and ends nothing', async () => {
      const held = await holdings();
      assert.equal(await store.replacePasswordHash(fixture.user.sub, OLD, NEW), true);
      assert.equal((await store.findAccount(fixture.user.username))?.passwordHash, NEW);
      await assertAlive(held);
    });

    it('stays when it is not the one that was proved any more', async () => {
      await changePassword();
      assert.equal(await store.replacePasswordHash(fixture.user.sub, OLD, 'late'), false);
      assert.equal((await store.findAccount(fixture.user.username))?.passwordHash, NEW);
    });
  });
}
