import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import type { Account } from '../../../src/directory/users/store.ts';
import type { EmailConfirmationStart } from '../../../src/people/email/store.ts';
import type { Store } from '../../../src/store.ts';
import { anEvent, anUndo, beginConfirmation, HALF_HOUR, requestConfirmation } from './email-fixture.ts';
import { account, aFixture, DAY, digest, disable, NOW, type OpenStore, race, unique } from './given.ts';
import { aSession } from './given-sessions.ts';
import { aMail } from './mails.ts';
import { openForEach } from './open-store.ts';
import { anAct } from './users-fixture.ts';

export function emailConfirmationsContract(open: OpenStore): void {
  describe('e-mail addresses and demanded passwords', () => {
    let user: Account;
    const { store, another } = openForEach(open);
    beforeEach(async () => {
      user = account({ email: 'old@example.com', emailVerified: true, updatedAt: NOW - 7 * DAY });
      await store.provision([{ kind: 'newUser', account: user }]);
    });

    const begin = (over: Partial<EmailConfirmationStart> = {}, now = NOW) => beginConfirmation(store, over, now);
    const waitingMails = async () => (await store.takeMails(NOW + 1, NOW + 60, 100)).map(({ id }) => id);
    const present = async (sub = user.sub) => store.findUser(sub);
    const change = (over: object = {}) => ({
      sub: user.sub,
      email: 'new@example.com',
      from: 'old@example.com',
      ...over,
    });

    describe('an e-mail address that waits for its confirmation', () => {
      it('is found by its link until its time is over, and its request becomes a mail', async () => {
        const { id, tokenHash, sealed, mail, outcome } = await begin();
        assert.equal(outcome, 'started');
        const found = await store.findEmailConfirmation(tokenHash, NOW);
        assert.deepEqual([found?.id, Buffer.from(found?.sealed ?? [])], [id, sealed]);
        assert.equal(await store.findEmailConfirmation(tokenHash, NOW + HALF_HOUR), undefined);
        assert.equal(await store.findEmailConfirmation(digest(), NOW), undefined);
        assert.deepEqual(await waitingMails(), [mail.id]);
      });

      it('of another user gets the other mail, and no code', async () => {
        const { id, tokenHash, takenMail, outcome } = await begin({ loginName: 'old@example.com' });
        assert.equal(outcome, 'taken');
        assert.equal(await store.findEmailConfirmation(tokenHash, NOW), undefined);
        assert.equal(await store.attemptEmailCode({ id, limit: 5, expiresAt: NOW + 60 }, NOW), undefined);
        assert.deepEqual(await waitingMails(), [takenMail.id]);
      });

      it('of the same user gets a code', async () => {
        assert.equal((await begin({ loginName: 'old@example.com', sub: user.sub })).outcome, 'started');
      });

      it('of a user who is disabled or gone gets no mail', async () => {
        await disable(store, user);
        assert.equal((await begin({ sub: user.sub })).outcome, 'gone');
        assert.equal((await begin({ sub: 'nobody' })).outcome, 'gone');
        assert.deepEqual(await waitingMails(), []);
      });

      it('is asked for once by one entry of the queue', async () => {
        const { requestedBy } = await begin();
        const again = await begin({ requestedBy });
        assert.equal(again.outcome, 'gone');
        assert.equal(await store.findEmailConfirmation(again.tokenHash, NOW), undefined);
      });

      it('has the code and link of the newest mail, and a limited number of mails while one is good', async () => {
        const id = unique('pending');
        const first = await begin({ id });
        const second = await begin({ id });
        assert.equal(await store.findEmailConfirmation(first.tokenHash, NOW), undefined);
        assert(await store.findEmailConfirmation(second.tokenHash, NOW));
        assert.equal((await begin({ id })).outcome, 'started');
        assert.equal((await begin({ id })).outcome, 'limited');
        assert.equal((await begin({ id }, NOW + HALF_HOUR)).outcome, 'started');
      });

      it('gets a limited number of mails from all sign-ins together, taken or not', async () => {
        const outcomes = await race([store, await another()], 20, async () => (await begin()).outcome);
        assert.equal(outcomes.filter(outcome => outcome === 'started').length, 5);
        assert.equal(outcomes.filter(outcome => outcome === 'limited').length, 15);
        assert.equal((await begin({}, NOW + HALF_HOUR)).outcome, 'started');
        assert.equal((await begin({ addressKey: 'another' })).outcome, 'started');
      });

      it('attack: gets its mails for its owner whatever others asked for, and a limited number of them', async () => {
        const others = { loginName: 'old@example.com' };
        for (let each = 0; each < 5; each++) assert.equal((await begin(others)).outcome, 'taken');
        assert.equal((await begin(others)).outcome, 'limited');
        const stores = [store, await another()];
        const asked = { ...others, sub: user.sub };
        const outcomes = await race(stores, 10, async at => (await beginConfirmation(at, asked)).outcome);
        assert.equal(outcomes.filter(outcome => outcome === 'started').length, 5);
        assert.equal(outcomes.filter(outcome => outcome === 'limited').length, 5);
      });

      it('codes guessed in parallel on two nodes: exactly 5 are evaluated, also where no mail was sent', async () => {
        for (const id of [(await begin()).id, 'never sent']) {
          const attempt = (store: Store) => store.attemptEmailCode({ id, limit: 5, expiresAt: NOW + 60 }, NOW);
          const outcomes = await race([store, await another()], 40, attempt);
          assert.equal(outcomes.filter(outcome => outcome !== 'exhausted').length, 5, id);
        }
      });

      it('is purged after its end', async () => {
        await begin();
        await store.purge(NOW + DAY, 100);
        assert.equal((await begin()).outcome, 'started');
      });
    });

    describe('a confirmed sign-up', () => {
      const create = (store: Store, tokenHash: Uint8Array, made: Account) =>
        store.createConfirmedUser(tokenHash, made, NOW, anEvent('user.created', made.sub));

      it('creates the user once, of any number of nodes', async () => {
        const { tokenHash } = await begin();
        const outcomes = await race([store, await another()], 10, store =>
          create(store, tokenHash, account({ email: 'new@example.com' })),
        );
        assert.deepEqual(
          outcomes.filter(outcome => outcome !== 'ended'),
          ['created'],
        );
        assert((await store.findAccount('new@example.com'))?.emailVerified);
      });

      it('with a user name that is taken writes nothing, and the link stays good', async () => {
        const { tokenHash } = await begin();
        const outcome = await create(store, tokenHash, account({ username: user.username }));
        assert.deepEqual(outcome, { kind: 'loginTaken', loginName: user.username });
        assert.equal(await create(store, tokenHash, account()), 'created');
      });
    });

    describe('a confirmed address of a user', () => {
      const confirm = (tokenHash: Uint8Array, over: object = {}, at = store) =>
        at.confirmEmail(tokenHash, change(over), NOW, anEvent('user.email.changed', user.sub));

      it('is set and verified once, and the former address gets the way back', async () => {
        const { tokenHash } = await begin({ sub: user.sub });
        const back = anUndo();
        const stores = [store, await another()];
        const outcomes = await race(stores, 6, store => confirm(tokenHash, { undo: back }, store));
        assert.deepEqual(
          outcomes.filter(outcome => outcome !== 'ended'),
          ['confirmed'],
        );
        const { email, emailVerified } = (await present()) ?? {};
        assert.deepEqual([email, emailVerified], ['new@example.com', true]);
        assert.equal(await store.findAccount('old@example.com'), undefined);
        assert((await waitingMails()).includes(back.mail.id));
        const { sub, username } = user;
        const found = await store.findEmailUndo(back.tokenHash, NOW);
        assert.deepEqual(found, { sub, username, email: 'old@example.com' });
      });

      it('is refused if the user has another address meanwhile, or is disabled', async () => {
        const first = await begin({ sub: user.sub });
        assert.equal(await confirm(first.tokenHash, { from: 'other@example.com' }), 'ended');
        const second = await begin({ sub: user.sub });
        await disable(store, user);
        assert.equal(await confirm(second.tokenHash), 'ended');
      });

      const ends: readonly (readonly [what: string, end: () => Promise<unknown>])[] = [
        ['the user ends another session', () => store.endSessionElsewhere(user.sub, 'ended before', NOW)],
        ['the user signs out everywhere else', () => store.endOtherSessions(user.sub, 'this one', NOW)],
        ['an operator signs the user out', () => store.signOutUser(user.sub, NOW, anAct('user.signed_out', user.sub))],
        ['the command line signs the user out', () => store.endUserAccess(user.sub, NOW)],
        ['the password is another one', () => setPassword()],
      ];
      const setPassword = () => store.provision([{ kind: 'user', sub: user.sub, passwordHash: 'another', now: NOW }]);
      for (const [what, end] of ends) {
        it(`attack: is refused after ${what}, and that of another user is not`, async () => {
          const other = account();
          await store.provision([{ kind: 'newUser', account: other }]);
          const [own, others] = [await begin({ sub: user.sub }), await begin({ sub: other.sub, addressKey: 'other' })];
          await end();
          assert.equal(await store.findEmailConfirmation(own.tokenHash, NOW), undefined);
          assert.equal(await confirm(own.tokenHash), 'ended');
          assert.equal((await present())?.email, 'old@example.com');
          assert(await store.findEmailConfirmation(others.tokenHash, NOW));
        });

        it(`attack: gets no mail where its request waits in the queue until ${what}, and another one gets it`, async () => {
          const other = account();
          await store.provision([{ kind: 'newUser', account: other }]);
          const [own, others] = [
            await requestConfirmation(store, user.sub),
            await requestConfirmation(store, other.sub),
          ];
          await end();
          const stopped = await begin({ sub: user.sub, requestedBy: own });
          assert.equal(stopped.outcome, 'gone');
          assert.equal(await store.findEmailConfirmation(stopped.tokenHash, NOW), undefined);
          assert.equal((await begin({ sub: other.sub, requestedBy: others })).outcome, 'started');
          assert.equal((await begin({ sub: user.sub })).outcome, 'started', 'asked for afterwards');
        });
      }

      it('attack: mails that are made on two nodes while the user signs out everywhere: no link is good afterwards', async () => {
        const requests = await Promise.all(Array.from({ length: 10 }, () => requestConfirmation(store, user.sub)));
        const other = await another();
        const [begun] = await Promise.all([
          Promise.all(
            requests.map((requestedBy, each) =>
              beginConfirmation(each % 2 ? store : other, { sub: user.sub, requestedBy, maxMailsOfAddress: 100 }),
            ),
          ),
          store.endUserAccess(user.sub, NOW),
        ]);
        for (const { tokenHash } of begun) assert.equal(await store.findEmailConfirmation(tokenHash, NOW), undefined);
      });

      it('attack: is not asked for in a session that has ended meanwhile', async () => {
        const fixture = await aFixture(store);
        const { sid } = await aSession(store, { ...fixture, user });
        const asked = async () =>
          begin({ sub: user.sub, requestedBy: await requestConfirmation(store, user.sub, sid) });
        assert.equal((await asked()).outcome, 'started');
        await store.endSession({ sub: user.sub, sid }, NOW);
        assert.equal((await asked()).outcome, 'gone');
      });

      it('is refused if another user has it meanwhile', async () => {
        const { tokenHash } = await begin({ sub: user.sub });
        await store.provision([{ kind: 'newUser', account: account({ email: 'new@example.com' }) }]);
        assert.deepEqual(await confirm(tokenHash), { kind: 'loginTaken', loginName: 'new@example.com' });
        assert.equal((await present())?.email, 'old@example.com');
      });

      it('is the new user name where the former one was the name', async () => {
        const named = account({ username: 'Me@Example.com', email: 'me@example.com' });
        await store.provision([{ kind: 'newUser', account: named }]);
        const { tokenHash } = await begin({ sub: named.sub });
        assert.equal(await confirm(tokenHash, { sub: named.sub, from: 'me@example.com' }), 'confirmed');
        assert.equal((await present(named.sub))?.username, 'new@example.com');
        assert.equal(await store.findAccount('me@example.com'), undefined);
      });

      it('tells what a sign-in must know', async () => {
        const id = unique('pending');
        const before = await store.emailStateOf(user.sub, id, NOW);
        assert.deepEqual(
          [before?.email, before?.isSent, before?.passwordHash],
          ['old@example.com', false, user.passwordHash],
        );
        await begin({ sub: user.sub, id });
        assert.equal((await store.emailStateOf(user.sub, id, NOW))?.isSent, true);
        await disable(store, user);
        assert.equal(await store.emailStateOf(user.sub, id, NOW), undefined);
      });
    });

    describe('a password that has to be changed', () => {
      const set = (store: Store, from: string, to: string) =>
        store.replacePassword(user.sub, { from, to }, NOW, {
          event: anEvent('user.password.changed', user.sub),
          mail: aMail(unique('mail')),
        });
      const demand = () => store.provision([{ kind: 'user', sub: user.sub, requirePasswordChange: true, now: NOW }]);
      const found = async () => store.findAccount(user.username);

      it('is demanded until the user has set one, once', async () => {
        assert.equal((await found())?.requirePasswordChange, undefined);
        await demand();
        assert.equal((await found())?.requirePasswordChange, true);
        assert.equal((await present())?.requirePasswordChange, true);
        const from = user.passwordHash ?? '';
        const stores = [store, await another()];
        let count = 0;
        const outcomes = await race(stores, 6, store => set(store, from, `new hash ${count++}`));
        assert.equal(outcomes.filter(Boolean).length, 1);
        const { requirePasswordChange, passwordHash } = (await found()) ?? {};
        assert.equal(requirePasswordChange, undefined);
        assert.match(passwordHash ?? '', /^new hash/);
      });

      it('is refused where the password is another one', async () => {
        await demand();
        assert.equal(await set(store, 'another hash', 'x'), false);
        assert.equal((await found())?.passwordHash, user.passwordHash);
      });

      it('ends the sessions that the user has', async () => {
        const fixture = await aFixture(store);
        const session = await aSession(store, { ...fixture, user });
        await demand();
        assert(await set(store, user.passwordHash ?? '', 'new hash'));
        assert.equal(await store.useSession(session.idHash, NOW, NOW + 60), undefined);
      });

      it('is not demanded any more after a password that the user has set in another way', async () => {
        await demand();
        await store.changePassword(user.sub, 'chosen', NOW);
        assert.equal((await found())?.requirePasswordChange, undefined);
      });
    });
  });
}
