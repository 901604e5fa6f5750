import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Event } from '../../../src/audit/events/rules.ts';
import type { Account } from '../../../src/directory/users/store.ts';
import type { PasswordResetStart } from '../../../src/people/password/resets.store.ts';
import { account, aFixture, DAY, digest, disable, NOW, type OpenStore, race, unique } from './given.ts';
import { aSession } from './given-sessions.ts';
import { aMail } from './mails.ts';
import { openForEach } from './open-store.ts';

const HALF_HOUR = 1800;
const MAX_LINKS = 3;
const anEvent = (type: Event['type'], sub: string): Event => ({
  id: unique('evt'),
  time: NOW,
  type,
  outcome: 'success',
  actor: { kind: 'user', id: sub },
  subject: sub,
});

export function passwordResetsContract(open: OpenStore): void {
  describe('a link to a new password', () => {
    let user: Account;
    const { store, another } = openForEach(open);
    beforeEach(async () => {
      user = account();
      await store.provision([{ kind: 'newUser', account: user }]);
    });

    const start = async (changes: Partial<PasswordResetStart> = {}, now = NOW) => {
      const { sub, email = '' } = user;
      const tokenHash = digest();
      const requestedBy = unique('forgotten');
      await store.addMail(aMail(requestedBy), 1000);
      const made: PasswordResetStart = {
        sub,
        email,
        tokenHash,
        expiresAt: now + HALF_HOUR,
        maxLinks: MAX_LINKS,
        mail: aMail(unique('mail')),
        requestedBy,
        event: anEvent('user.password.reset.requested', sub),
        ...changes,
      };
      const isStarted = await store.startPasswordReset(made, now);
      return { isStarted, tokenHash: made.tokenHash };
    };
    const find = (tokenHash: Uint8Array, now = NOW) => store.findPasswordReset(tokenHash, now);
    const reset = (tokenHash: Uint8Array, hash = 'new hash', at = store, now = NOW) =>
      at.resetPassword(tokenHash, hash, now, {
        event: anEvent('user.password.changed', user.sub),
        mail: aMail(unique('mail')),
      });
    const storedHash = async () => (await store.findAccount(user.username))?.passwordHash;
    const eventTypes = async () =>
      (await store.listEvents({}, { after: undefined, limit: 10 })).map(({ type }) => type);

    it('is found until its time is over, and its request becomes a mail', async () => {
      const { isStarted, tokenHash } = await start();
      assert.equal(isStarted, true);
      const { sub, username, email } = user;
      const found = { sub, username, email, isInvitation: false };
      assert.deepEqual(await find(tokenHash), found);
      assert.deepEqual(await find(tokenHash, NOW + HALF_HOUR - 1), found);
      assert.equal(await find(tokenHash, NOW + HALF_HOUR), undefined);
      assert.equal(await find(digest()), undefined);
      assert.equal(await store.countWaitingMails(), 1);
      assert.deepEqual(await eventTypes(), ['user.password.reset.requested']);
    });

    it('sets the password, queues a mail and writes the event', async () => {
      const { tokenHash } = await start();
      assert.equal(await reset(tokenHash), true);
      assert.equal(await storedHash(), 'new hash');
      assert.equal(await store.countWaitingMails(), 2);
      assert.deepEqual((await eventTypes()).sort(), ['user.password.changed', 'user.password.reset.requested']);
    });

    it('ends the sessions of the user', async () => {
      const fixture = await aFixture(store);
      user = fixture.user;
      const { idHash } = await aSession(store, fixture);
      const { tokenHash } = await start();
      await reset(tokenHash);
      await nextTurn();
      assert.equal(await store.useSession(idHash, NOW, NOW + 60), undefined);
    });

    it('is good once', async () => {
      const { tokenHash } = await start();
      assert.equal(await reset(tokenHash, 'first'), true);
      assert.equal(await reset(tokenHash, 'second'), false);
      assert.equal(await storedHash(), 'first');
    });

    it('raced by many on two nodes, is good once', async () => {
      const { tokenHash } = await start();
      const stores = [store, await another()];
      let caller = 0;
      const outcomes = await race(stores, 12, async store => {
        const hash = `hash ${caller++}`;
        return (await reset(tokenHash, hash, store)) ? hash : undefined;
      });
      const winners = outcomes.filter(hash => hash !== undefined);
      assert.equal(winners.length, 1);
      await nextTurn();
      assert.equal(await storedHash(), winners[0]);
    });

    it('is not good after its time', async () => {
      const { tokenHash } = await start();
      assert.equal(await reset(tokenHash, 'late', store, NOW + HALF_HOUR), false);
      assert.equal(await storedHash(), user.passwordHash);
    });

    it('of an older request ends with the newer one', async () => {
      const [older, newer] = [await start(), await start()];
      assert.equal(await find(older.tokenHash), undefined);
      assert.equal(await reset(older.tokenHash), false);
      assert.equal(await reset(newer.tokenHash), true);
    });

    const ends: readonly (readonly [string, () => Promise<unknown>])[] = [
      ['another password', () => store.changePassword(user.sub, 'changed', NOW)],
      ['no password', () => store.changePassword(user.sub, undefined, NOW)],
      ['another e-mail address', () => store.updateProfile(user.sub, { email: unique('x@example.com') }, NOW)],
      ['disabling the user', () => disable(store, user)],
      ['deleting the user', () => store.provision([{ kind: 'deleteUser', sub: user.sub, now: NOW }])],
    ];
    for (const [change, make] of ends) {
      it(`ends with ${change} in between`, async () => {
        const { tokenHash } = await start();
        await make();
        assert.equal(await find(tokenHash), undefined);
        assert.equal(await reset(tokenHash), false);
      });
    }

    it('survives a change of another field', async () => {
      const { tokenHash } = await start();
      await store.updateProfile(user.sub, { nickname: 'New' }, NOW);
      assert.equal(await reset(tokenHash), true);
    });

    it('is made for nobody who is disabled, unverified, gone, or has another address by now', async () => {
      await store.updateProfile(user.sub, { emailVerified: false }, NOW);
      assert.equal((await start()).isStarted, false);
      await store.updateProfile(user.sub, { emailVerified: true }, NOW);
      assert.equal((await start({ email: 'former@example.com' })).isStarted, false);
      await disable(store, user);
      assert.equal((await start()).isStarted, false);
      assert.equal((await start({ sub: 'nobody' })).isStarted, false);
      assert.equal(await store.countWaitingMails(), 0, 'the requests are done');
      assert.deepEqual(await eventTypes(), []);
    });

    it('is made a few times while the newest is good, and again when that has expired', async () => {
      const started: boolean[] = [];
      for (let minute = 0; minute < 5; minute++) started.push((await start({}, NOW + minute * 60)).isStarted);
      assert.deepEqual(started, [true, true, true, false, false]);
      const newest = NOW + 2 * 60;
      assert.equal((await start({}, newest + HALF_HOUR - 1)).isStarted, false);
      assert.equal((await start({}, newest + HALF_HOUR)).isStarted, true);
    });

    it('is purged when it has expired', async () => {
      const { tokenHash } = await start();
      await store.purge(NOW + DAY, 100);
      assert.equal(await find(tokenHash, NOW), undefined);
    });
  });
}
