import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Account } from '../../../src/directory/users/store.ts';
import type { OperatorWrite } from '../../../src/operators/roles/store.ts';
import type { Store } from '../../../src/store.ts';
import { account, aFixture, NOW, type OpenStore, race, unique } from './given.ts';
import { ALIVE, aFamily, alive, DEAD } from './given-tokens.ts';
import { openForSuite } from './open-store.ts';
import { aCreatedUser, anAct, assertNotRecorded, assertRecorded, change, createUser, remove } from './users-fixture.ts';

/** How operators create and change users; user-deletion.ts has how they delete them. */
export function userAdministrationContract(open: OpenStore): void {
  const { store, another } = openForSuite(open);

  const created = (over: Partial<Account> = {}) => aCreatedUser(store, over);

  describe('a new user', () => {
    it('is there with its event, and can be found by all its names', async () => {
      const user = account();
      const act = anAct('user.created', user.sub);
      assert.equal(await createUser(store, user, act), 'created');
      assert.deepEqual(await store.findAccount(user.email ?? ''), user);
      await assertRecorded(store, act);
    });

    it('is refused when a login name is taken, and leaves no event', async () => {
      const user = await created();
      const act = anAct('user.created', 'x');
      const taken = { kind: 'loginTaken', loginName: user.username };
      assert.deepEqual(await createUser(store, account({ email: user.username }), act), taken);
      assert.equal(await createUser(store, account({ sub: user.sub }), act), 'subTaken');
      await assertNotRecorded(store, act);
    });

    it('of the same name, wanted by many at the same moment, is one', async () => {
      const stores = [store, await another()];
      for (let round = 0; round < 3; round++) {
        const username = unique('wanted');
        const outcomes = await race(stores, 8, at => createUser(at, account({ username })));
        assert.equal(outcomes.filter(outcome => outcome === 'created').length, 1);
        assert.equal(outcomes.filter(outcome => typeof outcome === 'object').length, 7);
      }
    });
  });

  describe('a change by an operator', () => {
    it('decides by the present user inside the transaction', async () => {
      const user = await created();
      const act = anAct('user.updated', user.sub);
      const outcome = await store.changeUser(user.sub, facts => {
        assert.equal(facts.current?.nickname, 'Al');
        return change({ profile: { nickname: 'New', picture: null } }, act)(facts);
      });
      assert.equal(outcome, 'changed');
      const found = await store.findUser(user.sub);
      assert.deepEqual([found?.nickname, found?.picture, found?.updatedAt], ['New', undefined, NOW]);
      await assertRecorded(store, act);
    });

    it('that is refused writes nothing', async () => {
      const user = await created();
      assert.equal(await store.changeUser(user.sub, () => ({ result: 'changed since' })), 'changed since');
      assert.deepEqual(await store.findAccount(user.username), user);
    });

    it('of a taken name or an unknown user writes nothing and records nothing', async () => {
      const [owner, thief] = [await created(), await created()];
      const act = anAct('user.updated', thief.sub);
      const outcome = await store.changeUser(thief.sub, change({ profile: { email: owner.username } }, act));
      assert.deepEqual(outcome, { kind: 'loginTaken', loginName: owner.username });
      assert.equal(await store.changeUser(unique('nobody'), change({}, act)), 'unknown');
      assert.deepEqual(await store.findAccount(thief.username), thief);
      await assertNotRecorded(store, act);
    });

    it('that disables, or sets a password, ends what the user holds', async () => {
      for (const write of [{ disabled: true }, { passwordHash: 'another' }, { passwordHash: null }]) {
        const fixture = await aFixture(store);
        const pair = await aFamily(store, fixture);
        assert.deepEqual(await alive(store, fixture.app, pair), ALIVE);
        const { sub } = fixture.user;
        assert.equal(await store.changeUser(sub, change(write)), 'changed');
        assert.equal((await store.findUser(sub))?.hasPassword, write.passwordHash !== null);
        assert.deepEqual(await alive(store, fixture.app, pair), DEAD);
      }
    });

    it('and others at the same moment happen one after the other: with the expected version, one of them', async () => {
      const stores = [store, await another()];
      for (let round = 0; round < 3; round++) {
        const user = await created();
        const outcomes = await race(stores, 6, at =>
          at.changeUser(user.sub, facts =>
            facts.current?.nickname === 'Al'
              ? change({ profile: { nickname: unique('n') } })(facts)
              : { result: 'changed since' },
          ),
        );
        assert.deepEqual(outcomes.sort(), ['changed', ...Array(5).fill('changed since')]);
      }
    });
  });

  describe('the last owner', () => {
    const owner = async (over: Partial<Account> = {}) => {
      const user = await created(over);
      await store.changeOperator(user.sub, () => ({
        result: undefined,
        write: {
          value: { role: 'owner', applications: undefined, createdAt: NOW },
          act: anAct('operator.added', user.sub),
        },
      }));
      return user;
    };
    const put = (sub: string, value: OperatorWrite | null, at = store) =>
      at.changeOperator(sub, () => ({ result: 'written', write: { value, act: anAct('operator.updated', sub) } }));
    const ownerOf = (applications?: string[]) => ({ role: 'owner', applications, createdAt: NOW }) as const;

    /** The tests before have left some. */
    const removeOwnersBut = async (...kept: string[]) => {
      for (const { sub } of await store.listOperators({ after: undefined, limit: 1000 }))
        if (!kept.includes(sub)) await put(sub, null);
    };

    it('is not deleted, disabled, demoted or removed, by any operation (admin.md, Who may call)', async () => {
      const { sub, username } = await owner();
      await removeOwnersBut(sub);
      await put((await created()).sub, ownerOf(['shop']));
      const user = await created({ disabled: true });
      await put(user.sub, ownerOf());
      const refused = { kind: 'lastOwner', username };
      const disabled = { kind: 'user', sub, disabled: true, now: NOW } as const;
      const entry = { account: account({ sub, username }), keepsSub: true, change: { disabled: true } };
      const event = () => anAct('configuration.applied', 'import').event;
      assert.deepEqual(await store.changeUser(sub, remove()), refused);
      assert.deepEqual(await store.changeUser(sub, change({ disabled: true })), refused);
      assert.deepEqual(await put(sub, null), refused);
      assert.deepEqual(await put(sub, { ...ownerOf(), role: 'operator' }), refused);
      assert.deepEqual(await put(sub, ownerOf(['shop'])), refused);
      for (const dryRun of [true, false]) assert.deepEqual(await store.provision([disabled], dryRun), refused);
      assert.deepEqual(await store.provision([disabled, { ...disabled, sub: user.sub }]), refused);
      assert.deepEqual(await store.checkImport([entry]), [refused]);
      assert.deepEqual(await store.importUsers([entry], event), [refused]);
      await store.provision([{ kind: 'deleteUser', sub, now: NOW }]);
      assert.equal((await store.findUser(sub))?.disabled, false);
      assert.equal((await store.findOperator(sub))?.role, 'owner');
    });

    it('of a file with two owners is the second: the first is disabled', async () => {
      const two = [await owner(), await owner()];
      await removeOwnersBut(...two.map(({ sub }) => sub));
      const entries = two.map(user => ({ account: user, keepsSub: true, change: { disabled: true } }));
      const event = () => anAct('configuration.applied', 'import').event;
      const kinds = (await store.importUsers(entries, event)).map(({ kind }) => kind);
      assert.deepEqual(kinds, ['updated', 'lastOwner']);
      assert.deepEqual(await Promise.all(two.map(async ({ sub }) => (await store.findUser(sub))?.disabled)), [
        true,
        false,
      ]);
    });

    it('stays when owners delete, disable, demote or remove each other at the same time', async () => {
      const stores = [store, await another()];
      let stays = await owner();
      await removeOwnersBut(stays.sub);
      for (let round = 0; round < 4; round++) {
        const two = [stays, await owner()];
        await owner({ disabled: true });
        const ways = [
          (sub: string, at: Store) => at.changeUser(sub, remove()),
          (sub: string, at: Store) => at.provision([{ kind: 'user', sub, disabled: true, now: NOW }]),
          (sub: string, at: Store) => put(sub, null, at),
          (sub: string, at: Store) => at.changeUser(sub, change({ disabled: true })),
        ];
        const outcomes = await Promise.all(
          two.map(({ sub }, index) => ways[(round + index) % ways.length]?.(sub, stores[index] ?? store)),
        );
        const refused = outcomes.map(outcome => typeof outcome === 'object' && outcome.kind === 'lastOwner');
        assert.deepEqual(refused.toSorted(), [false, true]);
        stays = two[refused.indexOf(true)] ?? stays;
        assert.equal((await store.findUser(stays.sub))?.disabled, false);
        assert.equal((await store.findOperator(stays.sub))?.role, 'owner');
      }
    });

    it('is gone with its role when others stay', async () => {
      const [one] = [await owner(), await owner()];
      assert.equal(await store.changeUser(one.sub, remove()), 'deleted');
      assert.equal(await store.findOperator(one.sub), undefined);
    });
  });
}
