import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import type { Event } from '../../../src/audit/events/rules.ts';
import type { HeldPasskey, NewPasskey, PasskeyUse } from '../../../src/people/passkey/store.ts';
import type { Store } from '../../../src/store.ts';
import { madeBy } from '../../build/stand-in.ts';
import { account, aFixture, aNewPasskey, credentialKey, DAY, NOW, type OpenStore, unique } from './given.ts';
import { session } from './given-sessions.ts';
import { openForEach } from './open-store.ts';
import { anAct, assertNotRecorded, assertRecorded } from './users-fixture.ts';

/** Passkeys (shared contract "accounts", section Second factors): one owner, one use of each challenge, a counter that rises. */
export function passkeysContract(open: OpenStore): void {
  describe('passkeys', () => {
    let sub: string;
    const { store, another } = openForEach(open);
    const other = madeBy(beforeEach, another);
    beforeEach(async () => {
      sub = (await aFixture(store)).user.sub;
    });

    const nodes = () => [store, other];
    const anEvent = (type: 'factor.added' | 'factor.removed' | 'factor.used'): Event => anAct(type, sub).event;
    const challenge = () => ({ challenge: unique('challenge'), challengeExpiresAt: NOW + 660 });
    const held = ({ id, credentialId, publicKey, transports, isSyncable, isBackedUp, name, signCount }: NewPasskey) =>
      ({
        ...{ id, credentialId, publicKey, transports, isSyncable, isBackedUp, name, signCount },
        ...{ createdAt: NOW, lastUsedAt: undefined },
      }) satisfies HeldPasskey;
    const add = async (passkey: NewPasskey, at = store, of = sub) => (await at.addPasskey(of, passkey, NOW)).kind;
    const aUse = ({ id }: NewPasskey, signCount: number, over: Partial<PasskeyUse> = {}): PasskeyUse => ({
      ...{ sub, id, signCount, isBackedUp: true },
      ...challenge(),
      ...over,
    });

    it('one that was removed after its proof opens no session, and records no login', async () => {
      const [kept, removed] = [aNewPasskey(), aNewPasskey()];
      await add(kept);
      await add(removed);
      await store.removePasskey(sub, removed.id, NOW);
      for (const [passkeys, isOpen] of [
        [[kept.id], true],
        [[removed.id], false],
        [[kept.id, removed.id], false],
      ] as const) {
        const login = session(sub, { passwordHash: undefined, passkeys });
        const { event } = anAct('user.login.succeeded', sub);
        await store.openSession(login, NOW, {
          succeeded: () => event,
          replaced: () => event,
          outnumbered: () => event,
        });
        assert.equal((await store.useSession(login.idHash, NOW, NOW + 60)) !== undefined, isOpen);
        if (isOpen) await assertRecorded(store, { event });
        else await assertNotRecorded(store, { event });
      }
    });

    it('one is added with its event, and with recovery codes where the user has none', async () => {
      const [first, second] = [aNewPasskey(), aNewPasskey({ name: 'Key' })];
      const event = anEvent('factor.added');
      assert.deepEqual(await store.addPasskey(sub, first, NOW, { event }), { kind: 'added', withRecoveryCodes: true });
      await assertRecorded(store, { event });
      assert.deepEqual(await store.addPasskey(sub, second, NOW), { kind: 'added', withRecoveryCodes: false });
      const byName = [...(await store.passkeysOf(sub))].sort((a, b) => b.name.localeCompare(a.name));
      assert.deepEqual(byName, [held(first), held(second)]);
      const { hasPasskey, recoveryCodesLeft } = await store.secondFactorsOf(sub);
      assert.deepEqual([hasPasskey, recoveryCodesLeft], [true, 2]);
    });

    it('is found by its id alone, with what its owner has', async () => {
      const passkey = aNewPasskey();
      await add(passkey);
      assert.deepEqual(await store.findPasskey(passkey.id), {
        ...{ sub, disabled: false, passkey: held(passkey), hasTotp: false, hasPassword: true },
        ...{ hasEmail: true, hasVerifiedEmail: true, deletionDue: undefined, requiresMfa: false },
      });
      assert.equal(await store.findPasskey('passkey_unknown'), undefined);
      assert.equal(await store.findPasskey('password'), undefined, 'no other credential is found so');
    });

    it('attack: a credential of one account cannot be registered for another, nor twice, also in parallel', async () => {
      const mallory = (await aFixture(store)).user.sub;
      const passkey = aNewPasskey();
      const outcomes = await Promise.all([
        add(passkey, store, sub),
        add({ ...passkey, ...challenge() }, other, mallory),
        add({ ...passkey, ...challenge() }, other, sub),
      ]);
      assert.deepEqual(outcomes.sort(), ['added', 'taken', 'taken']);
      const event = anEvent('factor.added');
      assert.equal((await store.addPasskey(mallory, { ...passkey, ...challenge() }, NOW, { event })).kind, 'taken');
      await assertNotRecorded(store, { event });
    });

    it('a user has at most as many as the limit, also in parallel', async () => {
      const outcomes = await Promise.all(
        Array.from({ length: 6 }, (_, each) => add(aNewPasskey({ limit: 3 }), nodes()[each % 2] as Store)),
      );
      assert.equal(outcomes.filter(kind => kind === 'added').length, 3);
      assert.equal(outcomes.filter(kind => kind === 'full').length, 3);
    });

    it('of a user who does not exist is not added', async () => {
      assert.equal(await add(aNewPasskey(), store, 'nobody'), 'noUser');
    });

    it('attack: the registration that added a passkey does not bring it back after its removal', async () => {
      const passkey = aNewPasskey();
      await add(passkey);
      await store.removePasskey(sub, passkey.id, NOW);
      assert.equal(await add(passkey), 'replayed');
      assert.deepEqual(await store.passkeysOf(sub), []);
    });

    it('a use raises the counter and notes when, with its event', async () => {
      const passkey = aNewPasskey({ signCount: 4 });
      await add(passkey);
      const event = anEvent('factor.used');
      assert.equal(await store.usePasskey(aUse(passkey, 5), NOW + 9, event), 'used');
      await assertRecorded(store, { event });
      const [used] = await store.passkeysOf(sub);
      assert.deepEqual([used?.signCount, used?.lastUsedAt, used?.isBackedUp], [5, NOW + 9, true]);
    });

    it('attack: one assertion raced on two nodes counts once', async () => {
      const passkey = aNewPasskey();
      await add(passkey);
      const use = aUse(passkey, 0);
      const outcomes = await Promise.all(
        Array.from({ length: 10 }, (_, each) => (nodes()[each % 2] as Store).usePasskey(use, NOW)),
      );
      assert.deepEqual([...new Set(outcomes)].sort(), ['replayed', 'used']);
      assert.equal(outcomes.filter(outcome => outcome === 'used').length, 1);
    });

    it('attack: a counter that does not rise is a copy (WebAuthn section 6.1.1), also raced on two nodes', async () => {
      const passkey = aNewPasskey({ signCount: 7 });
      await add(passkey);
      const event = anEvent('factor.used');
      for (const signCount of [7, 6, 0]) {
        assert.equal(await store.usePasskey(aUse(passkey, signCount), NOW, event), 'cloned', String(signCount));
      }
      await assertNotRecorded(store, { event });
      const outcomes = await Promise.all(nodes().map(node => node.usePasskey(aUse(passkey, 8), NOW)));
      assert.deepEqual(outcomes.sort(), ['cloned', 'used']);
      assert.equal(await store.usePasskey(aUse(passkey, 4_294_967_295), NOW), 'used', 'the largest counter there is');
    });

    it('an authenticator without a counter sends 0 each time', async () => {
      const passkey = aNewPasskey();
      await add(passkey);
      assert.equal(await store.usePasskey(aUse(passkey, 0), NOW), 'used');
      assert.equal(await store.usePasskey(aUse(passkey, 0), NOW), 'used');
    });

    it('one that was removed, or is of another user, is gone', async () => {
      const passkey = aNewPasskey();
      await add(passkey);
      assert.equal(await store.usePasskey(aUse(passkey, 1, { sub: 'another' }), NOW), 'gone');
      await store.removePasskey(sub, passkey.id, NOW);
      assert.equal(await store.usePasskey(aUse(passkey, 1), NOW), 'gone');
    });

    it('is renamed and removed by its owner alone', async () => {
      const mallory = (await aFixture(store)).user.sub;
      const passkey = aNewPasskey();
      await add(passkey);
      assert.equal(await store.renamePasskey(mallory, passkey.id, 'Mine'), false);
      assert.equal(await store.removePasskey(mallory, passkey.id, NOW), 'unknown');
      assert.equal(await store.renamePasskey(sub, passkey.id, 'Phone'), true);
      assert.equal((await store.passkeysOf(sub))[0]?.name, 'Phone');
      assert.equal(await store.renamePasskey(sub, 'password', 'Phone'), false);
      assert.equal(await store.removePasskey(sub, 'password', NOW), 'unknown');
      const event = anEvent('factor.removed');
      assert.equal(await store.removePasskey(sub, passkey.id, NOW, { event }), 'removed');
      await assertRecorded(store, { event });
      assert.equal(await store.removePasskey(sub, passkey.id, NOW), 'unknown');
    });

    it('recovery codes go with the last second factor, whoever removes it and in whatever order', async () => {
      const codesLeft = async () => (await store.secondFactorsOf(sub)).recoveryCodesLeft;
      const [first, second] = [aNewPasskey(), aNewPasskey()];
      await add(first);
      await add(second);
      await store.addTotp(sub, { sealedKey: 'aa', step: 1, recoveryHashes: [] }, NOW);
      assert.equal(await store.replaceRecoveryCodes(sub, ['new'], NOW), true);
      await store.removeTotp(sub, NOW);
      assert.equal(await codesLeft(), 1);
      assert.equal(await store.removeUserFactor(sub, first.id, NOW, anAct('factor.removed', sub)), true);
      assert.equal(await codesLeft(), 1);
      assert.equal(await store.replaceRecoveryCodes(sub, ['newer'], NOW), true, 'for the passkey alone');
      await store.removePasskey(sub, second.id, NOW);
      assert.equal(await codesLeft(), 0);
      assert.equal(await store.replaceRecoveryCodes(sub, ['newest'], NOW), false);
    });

    it('operators see its kind and times, and its id names no secret', async () => {
      const passkey = aNewPasskey();
      await add(passkey);
      const listed = (await store.userFactors(sub)).find(({ kind }) => kind === 'passkey');
      assert.deepEqual(listed, { id: passkey.id, kind: 'passkey', createdAt: NOW, lastUsedAt: undefined });
      assert.match(passkey.id, /^passkey_[\w-]{43}$/);
    });

    it('a session and an account tell whether the user has one, and a password', async () => {
      const { user } = await aFixture(store);
      const idHash = credentialKey(NOW + DAY);
      await store.openSession(
        {
          ...{ idHash, sid: unique('sid'), sub: user.sub, authTime: NOW, amr: ['pwd'], openedByRequest: unique('r') },
          ...{ passwordHash: undefined, idleExpiresAt: NOW + 3600, expiresAt: NOW + DAY, replaces: undefined },
          ...{ userAgent: undefined, address: '127.0.0.1' },
        },
        NOW,
      );
      const told = async () => {
        const live = await store.useSession(idHash, NOW, NOW + 3600);
        const account = await store.findAccount(user.username);
        return [live?.hasPasskey, live?.hasPassword, live?.hasTotp, account?.hasPasskey ?? false];
      };
      assert.deepEqual(await told(), [false, true, false, false]);
      await add(aNewPasskey(), store, user.sub);
      assert.deepEqual(await told(), [true, true, false, true]);
      await store.addTotp(user.sub, { sealedKey: 'aa', step: 1, recoveryHashes: [] }, NOW);
      assert.deepEqual(await told(), [true, true, true, true]);
    });

    it('keeps the user handle that its authenticator holds, and what the first use tells about its key', async () => {
      const { isSyncable: _, ...passkey } = aNewPasskey({ userHandle: 'aGFuZGxl' });
      await add(passkey);
      const found = async () => (await store.findPasskey(passkey.id))?.passkey;
      const before = await found();
      assert.deepEqual([before?.userHandle, before?.isSyncable], ['aGFuZGxl', undefined]);
      await store.usePasskey(aUse(passkey, 1, { key: { ...passkey, isSyncable: false } }), NOW);
      const after = await found();
      assert.deepEqual([after?.userHandle, after?.isSyncable, after?.name], ['aGFuZGxl', false, 'Laptop']);
      await store.usePasskey(aUse(passkey, 2), NOW);
      assert.equal((await found())?.isSyncable, false, 'a use that tells nothing new keeps it');
    });

    it('of many users are listed by user, in the order of their ids', async () => {
      const { user } = await aFixture(store);
      const mine = [aNewPasskey(), aNewPasskey()];
      for (const passkey of mine) await add(passkey);
      const [theirs] = [aNewPasskey()];
      await add(theirs, store, user.sub);
      const listed = await store.passkeysOfUsers([sub, user.sub, 'nobody']);
      const ids = (of: string) => listed.get(of)?.map(({ id }) => id);
      assert.deepEqual([ids(sub), ids(user.sub)], [mine.map(({ id }) => id).sort(), [theirs.id]]);
      assert.equal(listed.size, 2);
      assert.deepEqual((await store.passkeysOfUsers([sub])).size, 1);
    });

    it('of a file are added with the user, or to one who exists; one that the user has stays as it is', async () => {
      const record = ({
        limit: _,
        recoveryHashes: __,
        challenge: ___,
        challengeExpiresAt: ____,
        ...rest
      }: NewPasskey) => rest;
      const [first, second] = [record(aNewPasskey({ signCount: 3 })), record(aNewPasskey())];
      const user = account({ passkeys: [first] });
      assert.deepEqual(await store.provision([{ kind: 'newUser', account: user }]), { kind: 'done' });
      await store.usePasskey(aUse(aNewPasskey(first), 9, { sub: user.sub }), NOW);
      const change = { kind: 'user', sub: user.sub, now: NOW, passkeys: [first, second] } as const;
      assert.deepEqual(await store.provision([change]), { kind: 'done' });
      const counts = (await store.passkeysOf(user.sub)).map(({ id, signCount }) => [id, signCount]);
      assert.deepEqual(
        new Map(counts as [string, number][]),
        new Map([
          [first.id, 9],
          [second.id, 0],
        ]),
      );
    });

    it('attack: one of another user is not moved by a file, nothing of which is written; but one of a deleted user is free', async () => {
      const passkey = aNewPasskey();
      await add(passkey);
      const { username } = (await store.findUser(sub)) ?? {};
      const [good, thief] = [account(), account({ passkeys: [passkey] })];
      const changes = [good, thief].map(each => ({ kind: 'newUser', account: each }) as const);
      const refused = { kind: 'passkeyTaken', id: passkey.id, username };
      for (const dryRun of [true, false]) assert.deepEqual(await store.provision(changes, dryRun), refused);
      const mallory = (await aFixture(store)).user.sub;
      const change = { kind: 'user', sub: mallory, now: NOW, passkeys: [passkey] } as const;
      assert.deepEqual(await store.provision([change]), refused);
      assert.equal(await store.findAccount(good.username), undefined);
      assert.equal((await store.findPasskey(passkey.id))?.sub, sub);
      const pruned = [{ kind: 'deleteUser', sub, now: NOW } as const, ...changes];
      for (const dryRun of [true, false]) assert.deepEqual(await store.provision(pruned, dryRun), { kind: 'done' });
      assert.equal((await store.findPasskey(passkey.id))?.sub, thief.sub);
    });

    it('attack: one credential in two files that are applied at the same moment has one owner', async () => {
      for (let round = 0; round < 5; round++) {
        const passkey = aNewPasskey();
        const outcomes = await Promise.all(
          nodes().map(node => node.provision([{ kind: 'newUser', account: account({ passkeys: [passkey] }) }])),
        );
        assert.deepEqual(outcomes.map(({ kind }) => kind).sort(), ['done', 'passkeyTaken']);
      }
    });

    it('spent challenges are purged when nobody can answer them any more', async () => {
      const passkey = aNewPasskey();
      await add(passkey);
      const use = aUse(passkey, 0);
      await store.usePasskey(use, NOW);
      await store.purge(NOW + 600, 100);
      assert.equal(await store.usePasskey(use, NOW), 'replayed');
      await store.purge(NOW + 661, 100);
      assert.equal(await store.usePasskey(use, NOW), 'used');
    });
  });
}
