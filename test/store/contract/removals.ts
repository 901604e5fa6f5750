import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { newEvent } from '../../../src/audit/events/new-event.ts';
import { systemRandom } from '../../../src/platform/crypto/random.ts';
import { account, aFixture, NOW, type OpenStore, unique } from './given.ts';
import { aSession } from './given-sessions.ts';
import { ALIVE, aFamily, alive, DEAD } from './given-tokens.ts';
import { openForSuite } from './open-store.ts';

export function removalsContract(open: OpenStore): void {
  describe('what apply --prune removes (admin.md, Command line)', () => {
    const { store } = openForSuite(open);

    it('an application is found no more, and its clients, keys and tokens are kept', async () => {
      const fixture = await aFixture(store);
      const { app } = fixture;
      const pair = await aFamily(store, fixture);
      await store.provision([{ kind: 'deleteApplication', app, now: NOW }]);
      assert.equal(await store.findApplication(app), undefined);
      assert(!(await store.applicationCodes()).includes(app));
      const stored = await store.findStoredApplication(app);
      assert.equal(stored?.deletedAt, NOW);
      await store.provision([{ kind: 'application', application: stored?.application ?? assert.fail() }]);
      assert(await store.findApplication(app), 'an entry restores it');
      assert.deepEqual(await alive(store, app, pair), ALIVE);
      assert.equal((await store.clientsOf(app)).length, 3);
    });

    it('the time of a deletion stays that of the first', async () => {
      const { app } = await aFixture(store);
      await store.provision([{ kind: 'deleteApplication', app, now: NOW }]);
      await store.provision([{ kind: 'deleteApplication', app, now: NOW + 5 }]);
      assert.equal((await store.findStoredApplication(app))?.deletedAt, NOW);
    });

    it('a client goes with its tokens, and those of the other clients stay', async () => {
      const fixture = await aFixture(store);
      const { app, grant } = fixture;
      const own = await aFamily(store, fixture);
      const others = await aFamily(store, { ...fixture, grant: { ...grant, clientId: 'mobile' } });
      await store.provision([{ kind: 'deleteClient', app, clientId: 'web', now: NOW }]);
      assert.equal(await store.findClient(app, 'web'), undefined);
      assert.deepEqual(await alive(store, app, own), DEAD);
      assert.deepEqual(await alive(store, app, others), ALIVE);
    });

    it('a user goes with sessions, tokens and names, which another user can have in the same change', async () => {
      const fixture = await aFixture(store);
      const { app, user } = fixture;
      const { idHash } = await aSession(store, fixture);
      const pair = await aFamily(store, fixture);
      const heir = account({ email: user.email });
      const changes = [
        { kind: 'newUser', account: heir },
        { kind: 'deleteUser', sub: user.sub, now: NOW },
      ] as const;
      assert.deepEqual(await store.provision(changes, true), { kind: 'done' });
      assert.equal((await store.findAccount(user.email ?? ''))?.sub, user.sub, 'a dry run deletes nothing');
      assert.deepEqual(await store.provision(changes), { kind: 'done' });
      assert.equal(await store.findAccount(user.username), undefined);
      assert.equal((await store.findAccount(user.email ?? ''))?.sub, heir.sub);
      assert.equal(await store.useSession(idHash, NOW, NOW + 3600), undefined);
      assert.deepEqual(await alive(store, app, pair), DEAD);
    });

    it('an operator is not removed, whatever was planned', async () => {
      const [operator, user] = [account(), account()];
      await store.provision([
        { kind: 'newUser', account: operator },
        { kind: 'newUser', account: user },
      ]);
      const event = newEvent(
        { clock: { now: () => NOW }, random: systemRandom },
        { type: 'operator.added', outcome: 'success', actor: { kind: 'system' } },
      );
      await store.changeOperator(operator.sub, () => ({
        result: undefined,
        write: { value: { role: 'auditor', applications: undefined, createdAt: NOW }, act: { event } },
      }));
      await store.provision([operator, user].map(({ sub }) => ({ kind: 'deleteUser', sub, now: NOW })));
      assert(await store.findAccount(operator.username));
      assert.equal(await store.findAccount(user.username), undefined);
    });

    it('what is not there is skipped', async () => {
      const [app, sub] = [unique('app'), unique('sub')];
      const outcome = await store.provision([
        { kind: 'deleteApplication', app, now: NOW },
        { kind: 'deleteClient', app, clientId: 'web', now: NOW },
        { kind: 'deleteUser', sub, now: NOW },
      ]);
      assert.deepEqual(outcome, { kind: 'done' });
    });
  });

  describe('all users in the order of their names', () => {
    const { store } = openForSuite(open);

    it('are read in pages, byte by byte, with the hash of the password', async () => {
      const names = ['Zoë', 'alice', 'Bob', 'bob2', 'álvaro', 'ｂｏｂ３', '~', 'a b'];
      const accounts = names.map(username => account({ username }));
      await store.provision(accounts.map(each => ({ kind: 'newUser', account: each })));
      const found = [];
      for (let after: string | undefined; ; ) {
        const page = await store.accountsAfter(after, 3);
        found.push(...page);
        after = page.at(-1)?.username;
        if (after === undefined) break;
      }
      const bytewise = (one: string, other: string) => Buffer.compare(Buffer.from(one), Buffer.from(other));
      assert.deepEqual(
        found,
        accounts.toSorted((one, other) => bytewise(one.username, other.username)),
      );
    });
  });
}
