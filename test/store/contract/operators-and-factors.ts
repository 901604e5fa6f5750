import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Account } from '../../../src/directory/users/store.ts';
import type { NewInvitation } from '../../../src/people/password/resets.store.ts';
import {
  account,
  aFixture,
  aNewPasskey,
  application,
  client,
  DAY,
  digest,
  type Fixture,
  NOW,
  type OpenStore,
  race,
  unique,
} from './given.ts';
import { aSession } from './given-sessions.ts';
import { aFamily } from './given-tokens.ts';
import { openForEach } from './open-store.ts';
import { anAct, assertNotRecorded, assertRecorded, change, remove } from './users-fixture.ts';

const WEEK = 7 * DAY;

/** What operators do with accounts (issue: people's accounts): invitations, required factors, resets, another server secret. */
export function operatorsAndFactorsContract(open: OpenStore): void {
  describe('operators and factors', () => {
    const { store, another } = openForEach(open);

    const aMail = () => ({ id: unique('mail'), sealed: digest(), createdAt: NOW, expiresAt: NOW + DAY });
    const anInvitation = (): NewInvitation => ({ tokenHash: digest(), expiresAt: NOW + WEEK, mail: aMail() });
    const invited = async (): Promise<{ user: Account; invitation: NewInvitation }> => {
      const user = account({ passwordHash: undefined, emailVerified: false });
      const invitation = anInvitation();
      const act = anAct('user.created', user.sub);
      const value = { kind: 'create', account: user, invitation } as const;
      assert.equal(await store.changeUser(user.sub, () => ({ result: 'made', write: { value, act } })), 'made');
      return { user, invitation };
    };
    const accept = ({ sub }: Account, { tokenHash }: NewInvitation, on = store, now = NOW) =>
      on.resetPassword(tokenHash, 'first hash', now, { event: anAct('user.password.changed', sub).event });
    const find = ({ tokenHash }: NewInvitation, now = NOW) => store.findPasswordReset(tokenHash, now);

    it('an invitation comes with its user and its mail, and is good for its time', async () => {
      const { user, invitation } = await invited();
      const { sub, username, email } = user;
      assert.deepEqual(await find(invitation, NOW + WEEK - 1), { sub, username, email, isInvitation: true });
      assert.equal(await find(invitation, NOW + WEEK), undefined);
      assert.equal(await store.countWaitingMails(), 1);
    });

    it('an invitation sets the password once, and verifies the address', async () => {
      const { user, invitation } = await invited();
      const outcomes = await race([store, await another()], 8, on => accept(user, invitation, on));
      assert.equal(outcomes.filter(Boolean).length, 1);
      await nextTurn();
      const found = await store.findAccount(user.username);
      assert.deepEqual([found?.passwordHash, found?.emailVerified], ['first hash', true]);
      assert.equal(await store.countWaitingMails(), 1, 'no second mail');
    });

    it('a user whose name is taken is not invited: no link, no mail', async () => {
      const { user } = await invited();
      const double = account({ username: user.username, passwordHash: undefined });
      const invitation = anInvitation();
      const write = { value: { kind: 'create', account: double, invitation } as const, act: anAct('user.created', '') };
      const outcome = await store.changeUser(double.sub, () => ({ result: { kind: 'made' } as const, write }));
      assert.equal(outcome.kind, 'loginTaken');
      assert.deepEqual([await find(invitation), await store.countWaitingMails()], [undefined, 1]);
    });

    it('a new invitation replaces the one before', async () => {
      const { user, invitation } = await invited();
      const next = anInvitation();
      const act = anAct('user.invited', user.sub);
      await store.changeUser(user.sub, () => ({
        result: 1,
        write: { value: { kind: 'invite', invitation: next }, act },
      }));
      await assertRecorded(store, act);
      assert.equal(await find(invitation), undefined);
      assert.equal(await accept(user, invitation), false);
      assert.equal(await accept(user, next), true);
    });

    it('an invitation ends with its user, when the user is disabled, and with another address or password', async () => {
      for (const decide of [
        remove(),
        change({ disabled: true }),
        change({ profile: { email: 'other@example.com' } }),
        change({ passwordHash: 'set by an operator' }),
      ]) {
        const { user, invitation } = await invited();
        await store.changeUser(user.sub, decide);
        assert.equal(await find(invitation), undefined);
        assert.equal(await accept(user, invitation), false);
        await store.changeUser(user.sub, remove());
      }
    });

    it('a user who must have a second factor is known as such to logins, sessions and operators', async () => {
      const fixture = await aFixture(store);
      const { sub, username } = fixture.user;
      const { idHash } = await aSession(store, fixture);
      const seen = async () => {
        await nextTurn();
        return [
          (await store.findAccount(username))?.requiresMfa ?? false,
          (await store.useSession(idHash, NOW, NOW + 60))?.requiresMfa,
          (await store.findUser(sub))?.requiresMfa,
          (await store.accountsAfter(undefined, 10)).some(({ requiresMfa }) => requiresMfa),
        ];
      };
      assert.deepEqual(await seen(), [false, false, false, false]);
      await store.changeUser(sub, change({ requiresMfa: true }));
      assert.deepEqual(await seen(), [true, true, true, true]);
    });

    const enrol = (sub: string, sealedKey = 'aabbccdd00') =>
      store.addTotp(sub, { sealedKey, step: 1, recoveryHashes: ['one', 'two'] }, NOW);

    it('all second factors are removed at once, with one event and one mail; the password stays', async () => {
      const { user } = await aFixture(store);
      const { sub } = user;
      const none = anAct('factor.removed', sub);
      assert.equal(await store.resetUserFactors(sub, NOW, { ...none, mail: aMail() }), false);
      await assertNotRecorded(store, none);
      await enrol(sub);
      const act = anAct('factor.removed', sub);
      assert.equal(await store.resetUserFactors(sub, NOW, { ...act, mail: aMail() }), true);
      await assertRecorded(store, act);
      assert.deepEqual(
        (await store.userFactors(sub)).map(({ kind }) => kind),
        ['password'],
      );
      assert.equal(await store.countWaitingMails(), 1);
    });

    describe('the last second factor cannot be removed', () => {
      let bank: Fixture;
      let sub: string;
      beforeEach(async () => {
        const fixture = await aFixture(store);
        const app = application({ mfa: 'required' });
        await store.provision([
          { kind: 'application', application: app },
          { kind: 'client', app: app.code, client: client({ client_id: 'web' }) },
        ]);
        bank = { ...fixture, app: app.code };
        sub = fixture.user.sub;
        await enrol(sub);
      });
      const removal = () => store.removeTotp(sub, NOW);

      it('but where no application that the user uses requires one', async () => {
        assert.equal(await removal(), 'removed');
      });
      it('while such an application has a grant of the user; a revoked one does not count', async () => {
        const pair = await aFamily(store, bank);
        const event = anAct('factor.removed', sub).event;
        assert.equal(await store.removeTotp(sub, NOW, { event }), 'required');
        await assertNotRecorded(store, { event });
        assert.equal((await store.secondFactorsOf(sub)).recoveryCodesLeft, 2);
        await store.revokeUserGrant(sub, pair.grantId, NOW, anAct('grant.revoked', sub));
        assert.equal(await removal(), 'removed');
      });
      it('while such an application has a consent of the user', async () => {
        await store.addConsent(sub, bank.app, 'web', ['openid'], NOW);
        assert.equal(await removal(), 'required');
        await store.withdrawConsent(sub, bank.app, 'web', NOW);
        assert.equal(await removal(), 'removed');
      });
      it('while a session of the user has been there', async () => {
        const { sid } = await aSession(store, bank);
        await store.noteSessionClient(bank.app, 'web', sid);
        assert.equal(await removal(), 'required');
        await store.endSession({ sub, sid }, NOW);
        assert.equal(await removal(), 'removed');
      });
      it('while an operator requires one of the user', async () => {
        await store.changeUser(sub, change({ requiresMfa: true }));
        assert.equal(await removal(), 'required');
      });
      it('but where a passkey is left, which then is the last one', async () => {
        await store.changeUser(sub, change({ requiresMfa: true }));
        const passkey = aNewPasskey({ recoveryHashes: [] });
        await store.addPasskey(sub, passkey, NOW);
        assert.equal(await removal(), 'removed');
        assert.equal(await store.removePasskey(sub, passkey.id, NOW), 'required');
        assert.equal((await store.secondFactorsOf(sub)).recoveryCodesLeft, 2);
        await enrol(sub);
        assert.equal(await store.removePasskey(sub, passkey.id, NOW), 'removed');
      });
      it('by the user; an operator can', async () => {
        await aFamily(store, bank);
        assert.equal(await store.removeUserFactor(sub, 'totp', NOW, anAct('factor.removed', sub)), true);
      });
    });

    it('keys of authenticator apps are found by their server secret, and encrypted again without a loss', async () => {
      const subs = [(await aFixture(store)).user.sub, (await aFixture(store)).user.sub] as const;
      await enrol(subs[0], '0a0b0c0d11');
      await enrol(subs[1], 'ffffffff22');
      const uses = (await store.secretsInUse())
        .filter(({ totpKeys }) => totpKeys > 0)
        .map(({ id, totpKeys }) => [id, totpKeys]);
      assert.deepEqual(uses, [
        ['0a0b0c0d', 1],
        ['ffffffff', 1],
      ]);
      const others = async (...ids: string[]) =>
        (await store.totpKeysOfOtherSecrets(ids, 10)).map(({ sealedKey }) => sealedKey);
      assert.deepEqual(await others('0a0b0c0d'), ['ffffffff22']);
      assert.deepEqual(await others('0a0b0c0d', 'ffffffff', '99999999'), []);
      assert.deepEqual(await others('99999999'), ['0a0b0c0d11', 'ffffffff22']);
      assert.equal(await store.replaceTotpKey(subs[1], 'another', '0a0b0c0d33'), false);
      assert.equal(await store.replaceTotpKey(subs[1], 'ffffffff22', '0a0b0c0d33'), true);
      const { totp } = await store.secondFactorsOf(subs[1]);
      assert.deepEqual([totp?.sealedKey, totp?.lastStep], ['0a0b0c0d33', 1]);
    });
  });
}
