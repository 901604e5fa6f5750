import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import type { Store } from '../../../src/store.ts';
import { aFixture, DAY, disable, type Fixture, NOW, type Opened, type OpenStore, race } from './given.ts';
import { aSession, session } from './given-sessions.ts';
import { aFamily, alive, DEAD } from './given-tokens.ts';
import { anAct, assertNotRecorded, assertRecorded, change } from './users-fixture.ts';

const DUE = NOW + 14 * DAY;
const HASH = '$argon2id$…';
const NEW = '$argon2id$another';

/** Accounts that their users have asked to delete (shared contract "accounts", section Account pages), and the change of a password. */
export function accountDeletionsContract(open: OpenStore): void {
  let opened: Opened;
  let store: Store;
  let other: Store;
  let fixture: Fixture;
  let sub: string;
  const prepare = async () => {
    opened = await open();
    store = opened.store;
    other = await opened.another();
    fixture = await aFixture(store);
    sub = fixture.user.sub;
  };
  const discard = () => opened.discard();

  const act = (type: 'user.disabled' | 'user.enabled' | 'user.deleted' | 'user.password.changed') => anAct(type, sub);
  const mail = () => ({ id: `eml-${sub}`, sealed: new Uint8Array([1]), createdAt: NOW, expiresAt: NOW + DAY });
  const schedule = (at: Store = store) => at.scheduleDeletion(sub, DUE, NOW, act('user.disabled'));
  const keep = (at: Store = store, hash: string | undefined = HASH) =>
    at.keepAccount(sub, stored => stored === hash, NOW + 5, act('user.enabled'));
  const use = (idHash: Uint8Array) => store.useSession(idHash, NOW + 10, NOW + 3600);

  describe('an account that its user deletes', () => {
    beforeEach(prepare);
    afterEach(discard);

    it('is disabled until the day, and everything held ends with it', async () => {
      const held = await aSession(store, fixture);
      const pair = await aFamily(store, { ...fixture, grant: held.grant });
      const recorded = { ...act('user.disabled'), mail: mail() };
      assert.equal(await store.scheduleDeletion(sub, DUE, NOW, recorded), true);
      await assertRecorded(store, recorded);
      assert.equal(await store.countWaitingMails(), 1);
      for (const user of [await other.findUser(sub), await other.findAccount(fixture.user.username)]) {
        assert.deepEqual([user?.disabled, user?.deletionDue], [true, DUE]);
      }
      assert.equal(await use(held.idHash), undefined);
      assert.deepEqual(await alive(store, fixture.app, pair), DEAD);
    });

    it('is scheduled once, also on two nodes, and not for one who is disabled or does not exist', async () => {
      const outcomes = await race([store, other], 10, schedule);
      assert.equal(outcomes.filter(outcome => outcome === true).length, 1);
      const stranger = await aFixture(store);
      await disable(store, stranger.user);
      const late = act('user.disabled');
      assert.equal(await store.scheduleDeletion(stranger.user.sub, DUE, NOW, late), false);
      assert.equal(await store.scheduleDeletion('nobody', DUE, NOW, late), false);
      await assertNotRecorded(store, late);
      assert.equal((await store.findUser(stranger.user.sub))?.deletionDue, undefined);
    });

    it('attack: a sign-in that raced with it opens no session, also after the account is kept', async () => {
      const logins = Array.from({ length: 10 }, () => session(sub, { passwordHash: HASH }));
      await Promise.all([
        ...logins.slice(0, 5).map(login => other.openSession(login, NOW)),
        schedule(),
        ...logins.slice(5).map(login => other.openSession(login, NOW)),
      ]);
      for (const login of logins) assert.equal(await use(login.idHash), undefined);
      assert.equal(await keep(), true);
      for (const login of logins) assert.equal(await use(login.idHash), undefined);
      const next = session(sub, { passwordHash: HASH });
      await store.openSession(next, NOW);
      assert(await use(next.idHash));
    });

    it('is kept once by one who knows the present password, with its event', async () => {
      await schedule();
      const refused = act('user.enabled');
      assert.equal(await store.keepAccount(sub, stored => stored === 'former', NOW, refused), false);
      await assertNotRecorded(store, refused);
      assert.equal((await store.findUser(sub))?.deletionDue, DUE);
      const outcomes = await race([store, other], 6, at => keep(at));
      assert.equal(outcomes.filter(Boolean).length, 1);
      const user = await store.findUser(sub);
      assert.deepEqual([user?.disabled, user?.deletionDue], [false, undefined]);
    });

    it('is not brought back where nothing was scheduled: an operator has disabled the user', async () => {
      await disable(store, fixture.user);
      assert.equal(await keep(), false);
      assert.equal((await store.findUser(sub))?.disabled, true);
    });

    for (const disabled of [true, false]) {
      it(`attack: cannot be undone after an operator has said disabled: ${disabled}`, async () => {
        await schedule();
        await store.changeUser(sub, change({ disabled }));
        assert.equal((await store.findUser(sub))?.deletionDue, undefined);
        assert.equal(await keep(), false);
        assert.equal((await store.findUser(sub))?.disabled, disabled);
        assert.equal(await store.deleteDueAccount(sub, DUE, act('user.deleted')), false);
      });
    }

    it('another change of an operator leaves the day as it is', async () => {
      await schedule();
      await store.changeUser(sub, change({ profile: { nickname: 'Al' } }));
      assert.equal((await store.findUser(sub))?.deletionDue, DUE);
    });

    it('is deleted when its day has come, by one of two nodes, and its names are free', async () => {
      await schedule();
      assert.deepEqual(await store.dueDeletions(DUE - 1, 10), []);
      assert.equal(await store.deleteDueAccount(sub, DUE - 1, act('user.deleted')), false);
      assert.deepEqual(await store.dueDeletions(DUE, 10), [sub]);
      const outcomes = await race([store, other], 4, at => at.deleteDueAccount(sub, DUE, act('user.deleted')));
      assert.equal(outcomes.filter(Boolean).length, 1);
      assert.equal(await store.findUser(sub), undefined);
      assert.equal(await store.findAccount(fixture.user.username), undefined);
      assert.deepEqual(await store.dueDeletions(DUE, 10), []);
      const events = await store.listEvents({ user: sub, types: ['user.deleted'] }, { after: undefined, limit: 5 });
      assert.equal(events.length, 1);
    });

    it('attack: the last owner cannot leave, and of two who leave at the same moment one stays', async () => {
      const owners = [sub, (await aFixture(store)).user.sub];
      for (const owner of owners) {
        await store.changeOperator(owner, () => ({
          result: 'added',
          write: {
            value: { role: 'owner', applications: undefined, createdAt: NOW },
            act: anAct('operator.added', owner),
          },
        }));
      }
      const leave = (owner: string, at: Store) => at.scheduleDeletion(owner, DUE, NOW, anAct('user.disabled', owner));
      const outcomes = await Promise.all(owners.map((owner, index) => leave(owner, index === 0 ? store : other)));
      assert.deepEqual(outcomes.map(outcome => typeof outcome).sort(), ['boolean', 'object']);
      const staying = owners[outcomes.findIndex(outcome => typeof outcome === 'object')] ?? '';
      const user = await store.findUser(staying);
      assert.deepEqual([user?.disabled, user?.deletionDue], [false, undefined]);
      assert.deepEqual(await leave(staying, store), { kind: 'lastOwner', username: user?.username });
    });
  });

  describe('a password that its user changes', () => {
    beforeEach(prepare);
    afterEach(discard);

    it('ends everything the user holds, with its event and its mail', async () => {
      const held = await aSession(store, fixture);
      const pair = await aFamily(store, { ...fixture, grant: { ...fixture.grant, sid: undefined } });
      const changed = { ...act('user.password.changed'), mail: mail() };
      assert.equal(await store.replacePassword(sub, { from: HASH, to: NEW }, NOW, changed), true);
      await assertRecorded(store, changed);
      assert.equal(await store.countWaitingMails(), 1);
      assert.equal((await other.findAccount(fixture.user.username))?.passwordHash, NEW);
      assert.equal(await use(held.idHash), undefined);
      assert.deepEqual(await alive(store, fixture.app, pair), DEAD);
    });

    it('attack: with a former password changes nothing, and of parallel changes one counts', async () => {
      const outcomes = await race([store, other], 8, at =>
        at.replacePassword(sub, { from: HASH, to: NEW }, NOW, act('user.password.changed')),
      );
      assert.equal(outcomes.filter(Boolean).length, 1);
      const late = { ...act('user.password.changed'), mail: mail() };
      assert.equal(await store.replacePassword(sub, { from: undefined, to: 'x' }, NOW, late), false);
      await assertNotRecorded(store, late);
      assert.equal(await store.countWaitingMails(), 0);
      assert.equal((await store.findAccount(fixture.user.username))?.passwordHash, NEW);
    });

    it('may be the first', async () => {
      await store.changePassword(sub, undefined, NOW);
      const first = act('user.password.changed');
      assert.equal(await store.replacePassword(sub, { from: undefined, to: NEW }, NOW, first), true);
      assert.equal((await store.findAccount(fixture.user.username))?.passwordHash, NEW);
      assert.equal(await store.replacePassword('nobody', { from: undefined, to: NEW }, NOW, first), false);
    });
  });
}
