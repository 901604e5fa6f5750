import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import type { Event } from '../../../src/audit/events/rules.ts';
import type { NewSession } from '../../../src/people/sessions/store.ts';
import type { Store } from '../../../src/store.ts';
import { madeBy } from '../../build/stand-in.ts';
import { aFixture, aNewPasskey, NOW, type OpenStore, unique } from './given.ts';
import { session as aNewSession } from './given-sessions.ts';
import { openForEach } from './open-store.ts';
import { anAct, assertNotRecorded, assertRecorded } from './users-fixture.ts';

const STEP = 60_000_000;
const KEY = { sealedKey: 'aabbccdd00', step: STEP };
const CODES = ['hash-1', 'hash-2', 'hash-3'];
const LIMIT = 5;

/** Second factors (shared contract "accounts", section Second factors): what may happen once happens once, on any number of nodes. */
export function secondFactorsContract(open: OpenStore): void {
  describe('second factors', () => {
    let sub: string;
    const { store, another } = openForEach(open);
    const other = madeBy(beforeEach, another);
    beforeEach(async () => {
      sub = (await aFixture(store)).user.sub;
    });

    const nodes = () => [store, other];
    const anEvent = (type: 'factor.added' | 'factor.removed' | 'factor.used'): Event => anAct(type, sub).event;
    const enrol = () => store.addTotp(sub, { ...KEY, recoveryHashes: CODES }, NOW);
    const attempt = (at: Store, signIn: string) =>
      at.attemptSecondFactor({ signIn, sub, limit: LIMIT, expiresAt: NOW + 600 });

    it('a key is added once, with recovery codes and its event', async () => {
      const event = anEvent('factor.added');
      assert.deepEqual(await store.addTotp(sub, { ...KEY, recoveryHashes: CODES }, NOW, { event }), {
        withRecoveryCodes: true,
      });
      await assertRecorded(store, { event });
      assert.deepEqual(await store.secondFactorsOf(sub), {
        totp: { sealedKey: KEY.sealedKey, lastStep: STEP, createdAt: NOW, lastUsedAt: undefined },
        hasPasskey: false,
        recoveryCodesLeft: 3,
      });
      const second = anEvent('factor.added');
      assert.equal(
        await store.addTotp(sub, { ...KEY, sealedKey: 'other', recoveryHashes: [] }, NOW, { event: second }),
        undefined,
      );
      await assertNotRecorded(store, { event: second });
      assert.equal((await store.secondFactorsOf(sub)).totp?.sealedKey, KEY.sealedKey);
    });

    it('recovery codes that the user has stay, and the outcome says that the new ones were not stored', async () => {
      assert.equal((await store.addPasskey(sub, aNewPasskey({ recoveryHashes: ['mine'] }), NOW)).kind, 'added');
      assert.deepEqual(await enrol(), { withRecoveryCodes: false });
      assert.equal((await store.secondFactorsOf(sub)).recoveryCodesLeft, 1);
    });

    it('of a user who does not exist are not added', async () => {
      assert.equal(await store.addTotp('nobody', { ...KEY, recoveryHashes: CODES }, NOW), undefined);
    });

    it('attack: parallel guesses on two nodes: exactly the allowed number is evaluated', async () => {
      await enrol();
      const signIn = unique('sign-in');
      const outcomes = await Promise.all(
        Array.from({ length: 200 }, (_, each) => attempt(nodes()[each % 2] as Store, signIn)),
      );
      assert.equal(outcomes.filter(outcome => outcome !== 'exhausted').length, LIMIT);
      assert.notEqual(await attempt(store, unique('sign-in')), 'exhausted', 'another sign-in has its own count');
    });

    it('an attempt reads what the code is compared with, and the hash of the password', async () => {
      await enrol();
      const read = await attempt(store, unique('sign-in'));
      assert(read !== 'exhausted');
      assert.deepEqual(
        [read.passwordHash, read.totp?.sealedKey, read.totp?.lastStep, read.recoveryCodesLeft],
        ['$argon2id$…', KEY.sealedKey, STEP, 3],
      );
    });

    it('counts of attempts are purged after their sign-in has ended', async () => {
      const signIn = unique('sign-in');
      for (let each = 0; each < LIMIT; each++) await attempt(store, signIn);
      assert.equal(await attempt(store, signIn), 'exhausted');
      await store.purge(NOW + 601, 100);
      assert.notEqual(await attempt(store, signIn), 'exhausted');
    });

    it('attack: one code raced on two nodes is accepted once (RFC 6238 section 5.2)', async () => {
      await enrol();
      const use = { ...KEY, step: STEP + 1 };
      const accepted = await Promise.all(
        Array.from({ length: 20 }, (_, each) => (nodes()[each % 2] as Store).acceptTotpStep(sub, use, NOW + 30)),
      );
      assert.equal(accepted.filter(Boolean).length, 1);
      assert.equal((await store.secondFactorsOf(sub)).totp?.lastUsedAt, NOW + 30);
    });

    it('a code of an earlier step, or of a key that was replaced, is not accepted', async () => {
      await enrol();
      assert.equal(await store.acceptTotpStep(sub, KEY, NOW), false, 'the step that confirmed the key');
      assert.equal(await store.acceptTotpStep(sub, { ...KEY, step: STEP - 1 }, NOW), false);
      assert.equal(await store.acceptTotpStep(sub, { sealedKey: 'former', step: STEP + 5 }, NOW), false);
      assert.equal(await store.acceptTotpStep(sub, { ...KEY, step: STEP + 5 }, NOW), true);
    });

    it('attack: a recovery code raced on two nodes is good once, and says how many are left', async () => {
      await enrol();
      const events: Event[] = [];
      const spent = await Promise.all(
        Array.from({ length: 20 }, (_, each) =>
          (nodes()[each % 2] as Store).spendRecoveryCode(sub, 'hash-2', NOW, left => {
            const event = { ...anEvent('factor.used'), details: { left } };
            events.push(event);
            return event;
          }),
        ),
      );
      assert.deepEqual(
        spent.filter(left => left !== undefined),
        [2],
      );
      assert.equal(await store.spendRecoveryCode(sub, 'hash-2', NOW), undefined);
      assert.equal(await store.spendRecoveryCode(sub, 'unknown', NOW), undefined);
      assert.equal(await store.spendRecoveryCode(sub, '', NOW), undefined);
      assert.equal(await store.spendRecoveryCode(sub, 'hash-1', NOW), 1);
      assert.equal(await store.spendRecoveryCode(sub, 'hash-3', NOW), 0);
      assert.equal((await store.secondFactorsOf(sub)).recoveryCodesLeft, 0);
      assert.equal(await store.spendRecoveryCode(sub, '', NOW), undefined);
    });

    it('recovery codes are replaced as a whole, and only where there is something to recover', async () => {
      assert.equal(await store.replaceRecoveryCodes(sub, ['new'], NOW), false);
      await enrol();
      assert.equal(await store.replaceRecoveryCodes(sub, ['new'], NOW, { event: anEvent('factor.added') }), true);
      assert.equal(await store.spendRecoveryCode(sub, 'hash-1', NOW), undefined);
      assert.equal(await store.spendRecoveryCode(sub, 'new', NOW), 0);
    });

    it('a removed key takes its recovery codes with it, by the user or by an operator', async () => {
      await enrol();
      const event = anEvent('factor.removed');
      assert.equal(await store.removeTotp(sub, NOW, { event }), 'removed');
      await assertRecorded(store, { event });
      assert.deepEqual(await store.secondFactorsOf(sub), { totp: undefined, hasPasskey: false, recoveryCodesLeft: 0 });
      assert.equal(await store.removeTotp(sub, NOW), 'unknown');
      await enrol();
      assert.deepEqual(
        (await store.userFactors(sub)).map(({ kind }) => kind),
        ['password', 'recovery', 'totp'],
      );
      assert.equal(await store.removeUserFactor(sub, 'totp', NOW, anAct('factor.removed', sub)), true);
      assert.deepEqual(await store.secondFactorsOf(sub), { totp: undefined, hasPasskey: false, recoveryCodesLeft: 0 });
    });

    describe('and sessions', () => {
      const session = (over: Partial<NewSession> = {}): NewSession => aNewSession(sub, over);
      const use = (idHash: Uint8Array) => store.useSession(idHash, NOW, NOW + 3600);

      it('a session tells whether its user has a key', async () => {
        const first = session();
        await store.openSession(first, NOW);
        assert.equal((await use(first.idHash))?.hasTotp, false);
        await enrol();
        assert.equal((await use(first.idHash))?.hasTotp, true);
      });

      it('one that steps up replaces the live session of the same user and keeps its sid', async () => {
        const first = session();
        await store.openSession(first, NOW);
        const next = session({ replaces: first.idHash, stepsUp: true, amr: ['pwd', 'otp', 'mfa'] });
        assert.equal(await store.openSession(next, NOW), 'opened');
        const live = await use(next.idHash);
        assert.deepEqual([live?.sid, live?.amr], [first.sid, ['pwd', 'otp', 'mfa']]);
        assert.equal(await use(first.idHash), undefined);
      });

      it('attack: a session that has ended is not revived by stepping it up', async () => {
        const first = session();
        await store.openSession(first, NOW);
        await store.endUserAccess(sub, NOW);
        const next = session({ replaces: first.idHash, stepsUp: true });
        assert.equal(await store.openSession(next, NOW), 'ended');
        assert.equal(await use(next.idHash), undefined);
        const without = session({ stepsUp: true });
        assert.equal(await store.openSession(without, NOW), 'ended');
      });
    });
  });
}
