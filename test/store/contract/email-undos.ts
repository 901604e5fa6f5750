import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import type { Provider } from '../../../src/directory/providers/rules.ts';
import type { Account } from '../../../src/directory/users/store.ts';
import type { Role } from '../../../src/operators/roles/store.ts';
import { anEvent, anUndo, beginConfirmation, HALF_HOUR } from './email-fixture.ts';
import { account, aFixture, aNewPasskey, DAY, digest, disable, NOW, type OpenStore, race, unique } from './given.ts';
import { aSession } from './given-sessions.ts';
import { aMail } from './mails.ts';
import { openForEach } from './open-store.ts';
import { anAct, assertNotRecorded, assertRecorded } from './users-fixture.ts';

const OLD = 'old@example.com';
const NEW = 'new@example.com';
const THIRD = 'third@example.com';
const LONG_AGO = NOW - 30 * DAY;
const A_TOTP = { sealedKey: 'key', step: 1, recoveryHashes: ['a'] };
const RACES = 200;
const DISABLING_RACES = 50;

/** The way back after a change of the e-mail address: who gets it, what ends it, and what it undoes. */
export function emailUndosContract(open: OpenStore): void {
  describe('the undo of a changed e-mail address', () => {
    let user: Account;
    let sub: string;
    const { store, another } = openForEach(open);
    beforeEach(async () => {
      user = account({ email: OLD, emailVerified: true, updatedAt: LONG_AGO });
      sub = user.sub;
      await store.provision([{ kind: 'newUser', account: user }]);
    });

    const reset = () => ({ tokenHash: digest(), expiresAt: NOW + HALF_HOUR, mail: aMail(unique('reset')) });
    /** The user changes the address, as /account/email does. */
    const change = async (email: string, from: string, now = NOW, of = sub) => {
      const { tokenHash } = await beginConfirmation(store, { sub: of, loginName: email, addressKey: unique('a') }, now);
      const undo = anUndo(now);
      const to = { sub: of, email, from, undo };
      const outcome = await store.confirmEmail(tokenHash, to, now, anEvent('user.email.changed', of));
      assert.equal(outcome, 'confirmed');
      return undo;
    };
    const undone = (tokenHash: Uint8Array, now = NOW + 10, by = store, link = reset()) =>
      by.undoEmailChange(tokenHash, now, { event: anEvent('user.email.restored', sub), reset: link });
    const pending = async (now = NOW, of = sub) => (await store.emailUndosOf(of, now)).map(({ email }) => email);
    const present = async () => store.findUser(sub);
    const sentMails = async () => (await store.takeMails(NOW + 1, NOW + 60, 100)).map(({ id }) => id);
    /** Each race has its own: to restore one would take as long as all of these. */
    const manyUsers = async (count: number) => {
      const users = Array.from({ length: count }, () => account({ updatedAt: LONG_AGO }));
      await store.provision(users.map(one => ({ kind: 'newUser', account: one })));
      return users;
    };
    const kindsOfFactors = async () => (await store.userFactors(sub)).map(({ kind }) => kind).sort();

    it('is listed without its token, for 7 days', async () => {
      const { id, tokenHash } = await change(NEW, OLD);
      const [listed, ...others] = await store.emailUndosOf(sub, NOW);
      assert.deepEqual(listed, { id, email: OLD, changedAt: NOW, expiresAt: NOW + 7 * DAY });
      assert.deepEqual(others, []);
      assert(await store.findEmailUndo(tokenHash, NOW + 7 * DAY - 1));
      assert.deepEqual(await pending(NOW + 7 * DAY), []);
      assert.equal(await store.findEmailUndo(tokenHash, NOW + 7 * DAY), undefined);
      assert.equal(await undone(tokenHash, NOW + 7 * DAY), false);
    });

    it('restores the address once, ends everything the user holds, and makes a link to a new password', async () => {
      const fixture = { ...(await aFixture(store)), user };
      const session = await aSession(store, { ...fixture, grant: { ...fixture.grant, sub } });
      const { tokenHash } = await change(NEW, OLD);
      const link = reset();
      const stores = [store, await another()];
      const outcomes = await race(stores, 6, by =>
        undone(tokenHash, NOW + 10, by, { ...link, mail: aMail(unique('m')) }),
      );
      assert.equal(outcomes.filter(Boolean).length, 1);
      const { email, emailVerified, hasPassword } = (await present()) ?? {};
      assert.deepEqual([email, emailVerified, hasPassword], [OLD, true, false]);
      assert.equal(await store.useSession(session.idHash, NOW, NOW + 60), undefined);
      assert.equal((await store.findPasswordReset(link.tokenHash, NOW + 10))?.sub, sub);
      assert.deepEqual(await pending(), []);
    });

    it('stays as it is if another user has the address meanwhile', async () => {
      const { tokenHash } = await change(NEW, OLD);
      await store.provision([{ kind: 'newUser', account: account({ email: OLD }) }]);
      assert.equal(await undone(tokenHash), false);
      assert.equal((await present())?.email, NEW);
    });

    it('is there again for an address that was restored: the user has had it for long', async () => {
      const { tokenHash } = await change(NEW, OLD);
      assert(await undone(tokenHash));
      await change(THIRD, OLD, NOW + 60);
      assert.deepEqual(await pending(), [OLD]);
    });

    describe('is for an address that was verified, and held for 7 days', () => {
      it('attack: a stranger at an address that was never verified gets neither link nor mail', async () => {
        await store.provision([{ kind: 'user', sub, profile: { emailVerified: false }, now: NOW - 20 * DAY }]);
        const { tokenHash, mail, notice } = await change(NEW, OLD);
        assert.deepEqual(await pending(), []);
        assert.equal(await undone(tokenHash), false);
        const sent = await sentMails();
        assert(!sent.includes(mail.id) && !sent.includes(notice.id));
        assert.equal((await present())?.email, NEW);
      });

      it('attack: an address that an operator calls unverified while its mail is on the way gets none', async () => {
        const { tokenHash } = await beginConfirmation(store, { sub });
        await store.provision([{ kind: 'user', sub, profile: { emailVerified: false }, now: NOW }]);
        const to = { sub, email: NEW, from: OLD, undo: anUndo() };
        await store.confirmEmail(tokenHash, to, NOW, anEvent('user.email.changed', sub));
        assert.deepEqual(await pending(), []);
      });

      const writers: readonly (readonly [who: string, write: (now: number) => Promise<string>])[] = [
        ['an operator or an apply file set', now => setEmail({ email: THIRD, emailVerified: true }, now)],
        ['a new user got', now => newUser(now)],
        ['an import brought', now => importUser(now)],
        ['the user chose', now => change(THIRD, OLD, now).then(() => sub)],
        ['the user got when there was none', now => firstAddress(now)],
      ];
      const setEmail = async (profile: object, now: number) => {
        await store.provision([{ kind: 'user', sub, profile, now }]);
        return sub;
      };
      const newUser = async (now: number) => {
        const made = account({ email: THIRD, updatedAt: now });
        await store.provision([{ kind: 'newUser', account: made }]);
        return made.sub;
      };
      const importUser = async (now: number) => {
        const made = account({ email: THIRD, updatedAt: now });
        const entry = { account: made, keepsSub: false, change: undefined };
        await store.importUsers([entry], () => anEvent('configuration.applied'));
        return made.sub;
      };
      const firstAddress = async (now: number) => {
        await setEmail({ email: null }, now);
        const { tokenHash } = await beginConfirmation(store, { sub, loginName: THIRD, addressKey: 't' }, now);
        const to = { sub, email: THIRD, from: undefined };
        await store.confirmEmail(tokenHash, to, now, anEvent('user.email.verified', sub));
        return sub;
      };
      for (const [who, write] of writers) {
        it(`attack: an address that ${who} less than 7 days ago gets no link, only a mail that says so`, async () => {
          const of = await write(NOW - 7 * DAY + 1);
          await store.revokeEmailUndos(of, NOW, anAct('user.email.undo_revoked', of));
          const { tokenHash, mail, notice } = await change(NEW, THIRD, NOW, of);
          assert.deepEqual(await pending(NOW, of), []);
          assert.equal(await undone(tokenHash), false);
          const sent = await sentMails();
          assert.deepEqual([sent.includes(mail.id), sent.includes(notice.id)], [false, true]);
        });

        it(`an address that ${who} 7 days ago gets it`, async () => {
          const of = await write(NOW - 7 * DAY);
          await store.revokeEmailUndos(of, NOW, anAct('user.email.undo_revoked', of));
          const { mail, notice } = await change(NEW, THIRD, NOW, of);
          assert.deepEqual(await pending(NOW, of), [THIRD]);
          const sent = await sentMails();
          assert.deepEqual([sent.includes(mail.id), sent.includes(notice.id)], [true, false]);
        });
      }

      it('another way to write the same address does not count as a new one', async () => {
        await setEmail({ email: 'Old@Example.com', emailVerified: true }, NOW - DAY);
        await change(NEW, 'Old@Example.com');
        assert.deepEqual(await pending(), ['Old@Example.com']);
      });
    });

    describe('belongs to the oldest verified address', () => {
      it('attack: a chain A, B, C of changes leaves the link of A alone, however long B was held', async () => {
        const first = await change(NEW, OLD);
        const second = await change(THIRD, NEW, NOW + 5);
        assert.deepEqual(await pending(), [OLD]);
        assert.equal((await store.emailUndosOf(sub, NOW))[0]?.expiresAt, NOW + 7 * DAY, 'no longer than before');
        assert.equal(await undone(second.tokenHash), false);
        assert(await undone(first.tokenHash));
        assert.equal((await present())?.email, OLD);
      });

      it('a user name that was the first address comes back with it', async () => {
        const named = account({ username: 'a@example.com', email: 'a@example.com', updatedAt: LONG_AGO });
        sub = named.sub;
        await store.provision([{ kind: 'newUser', account: named }]);
        const { tokenHash } = await change(NEW, 'a@example.com');
        await change(THIRD, NEW, NOW + 5);
        assert(await undone(tokenHash));
        assert.equal((await present())?.username, 'a@example.com');
      });

      it('changing back to it is the undo: no link is left, and none is made for the address in between', async () => {
        const first = await change(NEW, OLD);
        const second = await change('OLD@example.com', NEW, NOW + 5);
        assert.deepEqual(await pending(), []);
        assert.equal(await undone(first.tokenHash), false);
        assert.equal(await undone(second.tokenHash), false);
        assert.equal((await present())?.hasPassword, true);
        await change(THIRD, 'OLD@example.com', NOW + 60);
        assert.deepEqual(await pending(), ['OLD@example.com'], 'it counts as held for as long as before');
      });

      it('after its 7 days, the next address gets the link', async () => {
        await change(NEW, OLD);
        await change(THIRD, NEW, NOW + 7 * DAY);
        assert.deepEqual(await pending(NOW + 7 * DAY), [NEW]);
      });
    });

    describe('ends with every repair', () => {
      const LATER = NOW + 5;
      const act = () => anAct('factor.removed', sub);
      const operator = (write: object) => () => store.provision([{ kind: 'user', sub, now: LATER, ...write }]);
      const passkey = aNewPasskey();
      const repairs: readonly (readonly [what: string, repair: () => Promise<unknown>])[] = [
        ['an operator sets a password', operator({ passwordHash: 'another' })],
        ['an operator removes the password', operator({ passwordHash: null })],
        ['an operator disables the user', operator({ disabled: true })],
        ['an operator changes the address', operator({ profile: { email: THIRD, emailVerified: true } })],
        ['an operator removes the address', operator({ profile: { email: null } })],
        ['an operator calls the address unverified', operator({ profile: { emailVerified: false } })],
        ['an operator sets a key for one-time passwords', operator({ totp: 'another' })],
        ['an operator adds a passkey', operator({ passkeys: [aNewPasskey()] })],
        ['an operator removes a factor', () => store.removeUserFactor(sub, passkey.id, LATER, act())],
        ['an operator resets the factors', () => store.resetUserFactors(sub, LATER, act())],
        ['an operator signs the user out', () => store.signOutUser(sub, LATER, anAct('user.signed_out', sub))],
        ['the command line signs the user out', () => store.endUserAccess(sub, LATER)],
        ['the user changes the password', () => replacePassword()],
        ['the user resets the password', () => resetPassword()],
        ['the user adds a passkey', () => store.addPasskey(sub, aNewPasskey(), LATER)],
        ['the user removes a passkey', () => store.removePasskey(sub, passkey.id, LATER)],
        ['the user removes the authenticator app', () => store.removeTotp(sub, LATER)],
        ['the user asks for new recovery codes', () => store.replaceRecoveryCodes(sub, ['b'], LATER)],
        ['the user signs out everywhere else', () => store.endOtherSessions(sub, 'this one', LATER)],
        ['the user asks for the deletion of the account', () => scheduleDeletion()],
      ];
      const replacePassword = () => {
        const passwords = { from: user.passwordHash, to: 'another' };
        return store.replacePassword(sub, passwords, LATER, anAct('user.password.changed', sub));
      };
      const resetPassword = async () => {
        const [tokenHash, expiresAt] = [digest(), LATER + HALF_HOUR];
        const started = await store.startPasswordReset(
          {
            ...{ sub, email: NEW, tokenHash, expiresAt, maxLinks: 3, requestedBy: 'x' },
            ...{ mail: aMail(unique('m')), event: anEvent('user.password.reset.requested', sub) },
          },
          LATER,
        );
        assert(started);
        return store.resetPassword(tokenHash, 'another', LATER, anAct('user.password.changed', sub));
      };
      const scheduleDeletion = () =>
        store.scheduleDeletion(sub, NOW + 14 * DAY, LATER, { event: anEvent('user.disabled', sub) });

      for (const [what, repair] of repairs) {
        it(`attack: the link is opened after ${what}`, async () => {
          await store.addTotp(sub, A_TOTP, LONG_AGO);
          await store.addPasskey(sub, passkey, LONG_AGO);
          const { tokenHash } = await change(NEW, OLD);
          assert.deepEqual(await pending(), [OLD]);
          await repair();
          assert.deepEqual(await pending(), []);
          await operator({ disabled: false })();
          const before = await present();
          assert.equal(await undone(tokenHash), false);
          assert.deepEqual(await present(), before);
        });
      }

      it('attack: the link is opened after the user adds an authenticator app', async () => {
        const { tokenHash } = await change(NEW, OLD);
        assert(await store.addTotp(sub, A_TOTP, LATER));
        assert.equal(await undone(tokenHash), false);
        assert.deepEqual(await kindsOfFactors(), ['password', 'recovery', 'totp']);
      });

      const others: readonly (readonly [what: string, act: () => Promise<unknown>])[] = [
        ['another profile', operator({ profile: { nickname: 'Ally', phoneNumber: null } })],
        ['a better hash of the same password', () => store.replacePasswordHash(sub, user.passwordHash ?? '', 'better')],
        ['the end of one session', () => store.endSession({ sub, sid: 'one' }, LATER)],
        [
          'a wrong present password',
          () => store.replacePassword(sub, { from: 'x', to: 'y' }, LATER, anAct('user.password.changed', sub)),
        ],
        ['the same for another user', () => store.endUserAccess('another', LATER)],
      ];
      for (const [what, other] of others) {
        it(`stays after ${what}`, async () => {
          const { tokenHash } = await change(NEW, OLD);
          await other();
          assert(await undone(tokenHash));
        });
      }

      it('is revoked by an operator, with its event; nothing to revoke leaves none', async () => {
        const { tokenHash } = await change(NEW, OLD);
        const [first, second] = [anAct('user.email.undo_revoked', sub), anAct('user.email.undo_revoked', sub)];
        assert.equal(await store.revokeEmailUndos(sub, NOW, first), true);
        await assertRecorded(store, first);
        assert.equal(await undone(tokenHash), false);
        assert.equal(await store.revokeEmailUndos(sub, NOW, second), false);
        await assertNotRecorded(store, second);
      });

      it('of a user who is disabled undoes nothing', async () => {
        const { tokenHash } = await change(NEW, OLD);
        await disable(store, user);
        assert.equal(await undone(tokenHash), false);
        assert.equal((await present())?.disabled, true);
      });
    });

    describe('keeps factors', () => {
      it('attack: the factors that the user enrolled before the change survive, also those of that day', async () => {
        await store.addTotp(sub, A_TOTP, NOW - DAY);
        await store.addPasskey(sub, aNewPasskey(), NOW);
        const { tokenHash } = await change(NEW, OLD);
        assert(await undone(tokenHash));
        assert.deepEqual(await kindsOfFactors(), ['passkey', 'recovery', 'totp']);
      });

      // A factor that is added since ends the link. One that counts as newer comes from a node whose clock is ahead.
      const ahead = async () => {
        await store.addTotp(sub, A_TOTP, LONG_AGO);
        await store.addPasskey(sub, aNewPasskey(), NOW + 5);
        await store.replaceRecoveryCodes(sub, ['b'], NOW + 5);
      };

      it('but not those that were added since the change', async () => {
        await ahead();
        const { tokenHash } = await change(NEW, OLD);
        assert(await undone(tokenHash));
        assert.deepEqual(await kindsOfFactors(), ['totp']);
      });

      for (const [role, applications] of [['owner'], ['owner', ['shop']], ['operator']] as [Role, string[]?][]) {
        it(`attack: the factors of an operator with the role ${role} ${applications ?? ''}`, async () => {
          await store.changeOperator(sub, () => {
            const value = { role, applications, createdAt: NOW } as const;
            return { result: true, write: { value, act: anAct('operator.added', sub) } };
          });
          await ahead();
          const { tokenHash } = await change(NEW, OLD);
          assert(await undone(tokenHash));
          const kept = role === 'owner' ? ['passkey', 'recovery', 'totp'] : ['totp'];
          assert.deepEqual(await kindsOfFactors(), kept);
        });
      }
    });

    describe('attack: an identity provider is connected after the change', () => {
      const CORP = { id: 'corp', type: 'oidc', name: 'Corp', issuer: 'https://corp.example' } as unknown as Provider;
      const connect = async (subject: string, createdAt: number) => {
        const link = { provider: 'corp', subject, sub, label: undefined, createdAt };
        assert.equal(await store.linkUser(link, anAct('user.linked', sub)), 'linked');
      };
      const restored = async () => {
        await store.provision([{ kind: 'provider', provider: CORP }]);
        await connect('before', NOW - 1);
        const { tokenHash } = await change(NEW, OLD);
        await connect('with', NOW);
        await connect('after', NOW + 5);
        assert(await undone(tokenHash));
        return (await store.linksOf(sub)).map(({ subject }) => subject);
      };

      it('the undo removes its link, and those that were there before stay', async () => {
        assert.deepEqual(await restored(), ['before']);
      });

      it('the links of an owner stay, as the factors do', async () => {
        await store.changeOperator(sub, () => {
          const value = { role: 'owner', applications: undefined, createdAt: NOW } as const;
          return { result: true, write: { value, act: anAct('operator.added', sub) } };
        });
        assert.deepEqual(await restored(), ['after', 'before', 'with']);
      });
    });

    it(`attack: an undo races a change of the password, ${RACES} times: one of them wins`, async () => {
      const other = await another();
      for (const [attempt, one] of (await manyUsers(RACES)).entries()) {
        sub = one.sub;
        const { passwordHash: hash = '', email: was = '' } = one;
        const became = `new-${was}`;
        const { tokenHash } = await change(became, was);
        const by = attempt % 2 === 0 ? [store, other] : [other, store];
        const [isUndone, isChanged] = await Promise.all([
          undone(tokenHash, NOW + 10, by[0]),
          by[1]?.replacePassword(sub, { from: hash, to: 'new' }, NOW + 10, anAct('user.password.changed', sub)),
        ]);
        assert.notEqual(isUndone, isChanged, `attempt ${attempt}`);
        const { email, hasPassword } = (await present()) ?? {};
        assert.deepEqual([email, hasPassword], isUndone ? [was, false] : [became, true], `attempt ${attempt}`);
        assert.deepEqual(await pending(), []);
      }
    });

    it(`attack: an undo races an operator who disables the user, ${DISABLING_RACES} times: the user is disabled`, async () => {
      const other = await another();
      for (const one of await manyUsers(DISABLING_RACES)) {
        sub = one.sub;
        const { email: was = '' } = one;
        const became = `new-${was}`;
        const { tokenHash } = await change(became, was);
        const link = reset();
        const [isUndone] = await Promise.all([undone(tokenHash, NOW + 10, other, link), disable(store, one)]);
        assert.equal((await present())?.disabled, true);
        assert.equal((await present())?.email, isUndone ? was : became);
        assert.equal(await store.findPasswordReset(link.tokenHash, NOW + 10), undefined);
      }
    });
  });
}
