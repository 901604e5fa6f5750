import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Account } from '../../../src/directory/users/store.ts';
import { aFixture, NOW, type OpenStore, race, unique } from './given.ts';
import { aSession, session } from './given-sessions.ts';
import { aFamily, alive, code, DEAD, presentedCode, rotation, tokens } from './given-tokens.ts';
import { openForSuite } from './open-store.ts';
import { aCreatedUser, anAct, assertRecorded, change, remove } from './users-fixture.ts';

/** What a deleted user leaves behind: nothing. */
export function userDeletionContract(open: OpenStore): void {
  const { store, another } = openForSuite(open);

  const created = (over: Partial<Account> = {}) => aCreatedUser(store, over);
  const deleted = (sub: string) => store.changeUser(sub, remove());

  describe('a deleted user', () => {
    it('is gone with names, credentials, sessions, grants, codes, tokens and consents', async () => {
      const other = await another();
      const fixture = await aFixture(store);
      const { user, app } = fixture;
      const open = await aSession(store, fixture);
      const one = code(open.grant);
      await store.addCode(app, one);
      const families = [await aFamily(store, { ...fixture, grant: open.grant }), await aFamily(store, fixture)];
      await store.addConsent(user.sub, app, 'web', ['openid'], NOW);
      const act = anAct('user.deleted', user.sub);
      assert.equal(await store.changeUser(user.sub, remove(act)), 'deleted');
      for (const at of [store, other]) {
        assert.equal(await at.findUser(user.sub), undefined);
        for (const name of [user.username, user.email, user.phoneNumber])
          assert.equal(await at.findAccount(name ?? ''), undefined);
        assert.equal(await at.useSession(open.idHash, NOW, NOW + 60), undefined);
        for (const pair of families) {
          assert.deepEqual(await alive(at, app, pair), DEAD);
          assert.notEqual((await at.rotateRefreshToken(app, rotation(pair.refresh.hash))).kind, 'rotated');
        }
        assert.equal((await at.redeemCode(app, one.codeHash, presentedCode, tokens())).kind, 'unknown');
        assert.deepEqual(await at.consentsOf(user.sub), []);
        assert.deepEqual(await at.grantsOf(user.sub, NOW), []);
      }
      await assertRecorded(store, act);
    });

    it('leaves its names to others, who inherit nothing', async () => {
      const user = await created();
      await deleted(user.sub);
      const heir = await created({ username: user.username, email: user.email, passwordHash: undefined });
      assert.equal((await store.findAccount(user.email ?? ''))?.sub, heir.sub);
      assert.equal((await store.findAccount(user.username))?.passwordHash, undefined);
    });

    it('gets nothing for a login that was under way', async () => {
      const fixture = await aFixture(store);
      await deleted(fixture.user.sub);
      const [late, pair] = [session(fixture.user.sub), tokens()];
      await store.openSession(late, NOW);
      await store.addTokenFamily(fixture.app, { ...fixture.grant, sid: undefined }, pair);
      assert.equal(await store.useSession(late.idHash, NOW, NOW + 60), undefined);
      assert.deepEqual(await alive(store, fixture.app, pair), DEAD);
    });

    it('stays when the decision refuses it, and is unknown afterwards', async () => {
      const user = await created();
      assert.equal(await store.changeUser(user.sub, () => ({ result: 'changed since' })), 'changed since');
      assert.deepEqual(await store.findAccount(user.username), user);
      assert.deepEqual([await deleted(user.sub), await deleted(user.sub)], ['deleted', 'unknown']);
    });

    it('is deleted once, of two deletions at the same moment', async () => {
      const stores = [store, await another()];
      for (let round = 0; round < 3; round++) {
        const { sub } = await created();
        const outcomes = await race(stores, 4, at => at.changeUser(sub, remove()));
        assert.deepEqual(outcomes.sort(), ['deleted', 'unknown', 'unknown', 'unknown']);
      }
    });

    it('does not come back by a change or a login at the same moment', async () => {
      const other = await another();
      for (let round = 0; round < 6; round++) {
        const fixture = await aFixture(store);
        const { user, app, grant } = fixture;
        const pair = tokens();
        const work = [
          () => other.changeUser(user.sub, change({ profile: { email: unique('m@x') } })),
          () => deleted(user.sub),
          () => other.addTokenFamily(app, { ...grant, sid: undefined }, pair),
          () => store.updateProfile(user.sub, { nickname: 'x' }, NOW),
        ];
        await Promise.all((round % 2 === 0 ? work : work.toReversed()).map(each => each()));
        assert.equal(await store.findUser(user.sub), undefined);
        assert.equal(await store.findAccount(user.username), undefined);
        assert.deepEqual(await alive(store, app, pair), DEAD);
      }
    });
  });
}
