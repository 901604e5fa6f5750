import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { aFixture, aNewPasskey, DAY, NOW, type OpenStore, unique } from './given.ts';
import { session } from './given-sessions.ts';
import { aMail } from './mails.ts';
import { openForEach } from './open-store.ts';
import { anAct, assertNotRecorded, assertRecorded } from './users-fixture.ts';

/** Browsers that skip the second factor (shared contract "accounts", Second factors). */
export function trustedBrowsersContract(open: OpenStore): void {
  describe('trusted browsers', () => {
    let sub: string;
    let passwordHash: string | undefined;
    const { store } = openForEach(open);
    beforeEach(async () => {
      ({ sub, passwordHash } = (await aFixture(store)).user);
    });

    const aBrowser = (over: object = {}) => ({
      id: unique('browser'),
      tokenHash: unique('hash'),
      sub,
      userAgent: 'Agent/1',
      createdAt: NOW,
      expiresAt: NOW + 30 * DAY,
      passwordHash,
      ...over,
    });
    const trust = async (over: object = {}, limit = 10) => {
      const browser = aBrowser(over);
      assert.equal(await store.trustBrowser(browser, limit), true);
      return browser;
    };
    const isTrusted = (tokenHash: string, of = sub, now = NOW) => store.isTrustedBrowser(of, [tokenHash, 'x'], now);

    it('are recognised by their token, for their user, until they expire', async () => {
      const browser = aBrowser();
      const { event } = anAct('browser.trusted', sub);
      assert.equal(await store.trustBrowser(browser, 10, event), true);
      await assertRecorded(store, { event });
      assert.equal(await isTrusted(browser.tokenHash), true);
      assert.equal(await isTrusted('another'), false);
      assert.equal(await isTrusted(browser.tokenHash, 'another'), false, 'another user');
      assert.equal(await store.isTrustedBrowser(sub, [], NOW), false);
      assert.equal(await isTrusted(browser.tokenHash, sub, browser.expiresAt), false);
      assert.deepEqual(await store.trustedBrowsersOf(sub, browser.expiresAt), []);
    });

    it('are listed, the newest first, with their last use', async () => {
      const first = await trust();
      const second = await trust({ createdAt: NOW + 1, userAgent: undefined });
      await isTrusted(first.tokenHash, sub, NOW + 2 * DAY);
      await isTrusted(first.tokenHash, sub, NOW + 2 * DAY + 60);
      const { id, userAgent, createdAt, expiresAt } = first;
      assert.deepEqual(await store.trustedBrowsersOf(sub, NOW), [
        { id: second.id, userAgent: undefined, createdAt: NOW + 1, lastUsedAt: undefined, expiresAt },
        { id, userAgent, createdAt, lastUsedAt: NOW + 2 * DAY, expiresAt },
      ]);
    });

    it('are bounded: the oldest ends', async () => {
      const browsers = [];
      for (let at = 0; at < 5; at++) browsers.push(await trust({ createdAt: NOW + at }, 3));
      const kept = await store.trustedBrowsersOf(sub, NOW);
      assert.deepEqual(
        kept.map(({ id }) => id),
        browsers
          .slice(2)
          .map(({ id }) => id)
          .reverse(),
      );
    });

    it('are withdrawn by their user alone, with an event', async () => {
      const browser = await trust();
      const [{ event }, other] = [anAct('browser.distrusted', sub), anAct('browser.distrusted', sub)];
      assert.equal(await store.distrustBrowser('another', browser.id, other.event), false);
      await assertNotRecorded(store, other);
      assert.equal(await store.distrustBrowser(sub, browser.id, event), true);
      await assertRecorded(store, { event });
      assert.equal(await isTrusted(browser.tokenHash), false);
    });

    const ends: readonly (readonly [what: string, end: () => Promise<unknown>])[] = [
      ['a changed password', () => store.changePassword(sub, 'another hash', NOW)],
      ['signing out everywhere', () => store.endUserAccess(sub, NOW)],
      ['the removal of the second factor', () => store.removeTotp(sub, NOW)],
      ['the removal of a passkey', () => store.removePasskey(sub, passkey.id, NOW)],
      ['the removal of a passkey by an operator', () => removeFactor(passkey.id)],
      ['the removal of the authenticator app by an operator', () => removeFactor('totp')],
      ['the removal of the recovery codes by an operator', () => removeFactor('recovery')],
      ['new recovery codes', () => store.replaceRecoveryCodes(sub, ['b'], NOW)],
      ['a reset of the factors by an operator', () => store.resetUserFactors(sub, NOW, anAct('factor.removed', sub))],
    ];
    const passkey = aNewPasskey();
    const removeFactor = (id: string) => store.removeUserFactor(sub, id, NOW, anAct('factor.removed', sub));
    for (const [what, end] of ends) {
      it(`end with ${what}`, async () => {
        await store.addTotp(sub, { sealedKey: 'aa', step: 1, recoveryHashes: ['a'] }, NOW);
        await store.addPasskey(sub, passkey, NOW);
        const browser = await trust({ totpKey: 'aa' });
        assert.equal(await isTrusted(browser.tokenHash), true);
        await end();
        assert.equal(await isTrusted(browser.tokenHash), false);
      });
    }

    it('attack: a browser is not trusted by a password that has changed meanwhile', async () => {
      const late = aBrowser();
      await store.changePassword(sub, 'another hash', NOW);
      const { event } = anAct('browser.trusted', sub);
      assert.equal(await store.trustBrowser(late, 10, event), false);
      await assertNotRecorded(store, { event });
      assert.equal(await isTrusted(late.tokenHash), false);
    });

    it('attack: a browser is not trusted by a second factor that was removed or replaced meanwhile', async () => {
      await store.addTotp(sub, { sealedKey: 'aa', step: 1, recoveryHashes: [] }, NOW);
      const late = aBrowser({ totpKey: 'aa' });
      await store.removeTotp(sub, NOW);
      const { event } = anAct('browser.trusted', sub);
      assert.equal(await store.trustBrowser(late, 10, event), false, 'removed');
      await store.addTotp(sub, { sealedKey: 'bb', step: 1, recoveryHashes: [] }, NOW);
      assert.equal(await store.trustBrowser(late, 10, event), false, 'replaced');
      await assertNotRecorded(store, { event });
      assert.equal(await isTrusted(late.tokenHash), false);
    });

    describe('a mail about a new browser', () => {
      const notice = async (now = NOW) => {
        const [mail, entry] = [aMail(unique('mail')), aMail(unique('entry'))];
        await store.addMail(entry, 1000);
        const note = { sub, mail, maxPerDay: 2, requestedBy: entry.id };
        return { note, queued: await store.noteNewBrowser(note, now) };
      };

      it('is not sent for the first sign-in, then twice a day, in place of its entry', async () => {
        const queued = [];
        for (const now of [NOW, NOW, NOW + 1, NOW + 2, NOW + DAY]) queued.push((await notice(now)).queued);
        assert.deepEqual(queued, [false, true, true, false, true]);
        assert.equal(await store.countWaitingMails(), 3);
      });

      it('is queued once, also if two processes do it', async () => {
        await notice();
        const { note } = await notice();
        assert.equal(await store.noteNewBrowser({ ...note, mail: aMail(unique('mail')) }, NOW), false);
        assert.equal(await store.countWaitingMails(), 1);
      });

      it('its entry comes with the session, if that is opened', async () => {
        const right = { ...session(sub), passwordHash, mail: aMail(unique('entry')) };
        await store.openSession(right, NOW);
        assert.equal(await store.countWaitingMails(), 1);
        await store.openSession({ ...session(sub), passwordHash: 'a former one', mail: aMail(unique('entry')) }, NOW);
        assert.equal(await store.countWaitingMails(), 1);
      });
    });

    it('are purged when they have expired', async () => {
      await trust({ expiresAt: NOW + 10 });
      await store.purge(NOW + 11, 100);
      assert.deepEqual(await store.trustedBrowsersOf(sub, NOW), []);
    });
  });
}
