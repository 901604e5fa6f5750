import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { account, aFixture, application, client, NOW, type OpenStore, unique } from './given.ts';
import { aSession } from './given-sessions.ts';
import { openForSuite } from './open-store.ts';

export function provisioningContract(open: OpenStore): void {
  describe('provisioning', () => {
    const { store, another } = openForSuite(open);

    it('writes nothing when a login name belongs to another user, and names it', async () => {
      const wanted = unique('wanted@example.com');
      const [owner, thief, friend] = [account({ email: wanted }), account({ email: wanted }), account()];
      await store.provision([{ kind: 'newUser', account: owner }]);
      const app = application();
      const version = await store.registryVersion();
      const outcome = await store.provision([
        { kind: 'application', application: app },
        { kind: 'newUser', account: friend },
        { kind: 'newUser', account: thief },
      ]);
      assert.deepEqual(outcome, { kind: 'loginTaken', loginName: wanted });
      assert.equal(await store.findApplication(app.code), undefined);
      assert.equal(await store.findAccount(friend.username), undefined);
      assert.equal(await store.findAccount(thief.username), undefined);
      assert.equal((await store.findAccount(wanted))?.sub, owner.sub);
      assert.equal(await store.registryVersion(), version);
    });

    it('writes nothing when one change cannot be written', async () => {
      const app = application();
      const changes = [
        { kind: 'application', application: app },
        { kind: 'client', app: unique('nowhere'), client: client() },
      ] as const;
      await assert.rejects(store.provision(changes));
      assert.equal(await store.findApplication(app.code), undefined);
    });

    it('lets two users swap their e-mail addresses in one batch', async () => {
      const [one, two] = [account(), account()];
      const [first, second] = [unique('a@example.com'), unique('b@example.com')];
      await store.provision([
        { kind: 'newUser', account: { ...one, email: first } },
        { kind: 'newUser', account: { ...two, email: second } },
      ]);
      const swap = [
        { kind: 'user', sub: one.sub, profile: { email: second }, now: NOW },
        { kind: 'user', sub: two.sub, profile: { email: first }, now: NOW },
      ] as const;
      assert.deepEqual(await store.provision(swap), { kind: 'done' });
      assert.equal((await store.findAccount(first))?.sub, two.sub);
      assert.equal((await store.findAccount(second))?.sub, one.sub);
      assert.equal((await store.findAccount(second))?.email, second);
    });

    it('calls a name taken that two users of one batch claim, and writes nothing', async () => {
      const shared = unique('shared');
      const [one, two] = [account({ email: shared }), account({ email: shared })];
      const outcome = await store.provision([
        { kind: 'newUser', account: one },
        { kind: 'newUser', account: two },
      ]);
      assert.deepEqual(outcome, { kind: 'loginTaken', loginName: shared });
      assert.equal(await store.findAccount(one.username), undefined);
    });

    it('as a dry run writes nothing and says what the real one would', async () => {
      const [owner, fresh] = [account(), account()];
      await store.provision([{ kind: 'newUser', account: owner }]);
      const app = application();
      const version = await store.registryVersion();
      const good = [
        { kind: 'application', application: app },
        { kind: 'client', app: app.code, client: client() },
        { kind: 'newUser', account: fresh },
        {
          kind: 'user',
          sub: owner.sub,
          profile: { nickname: 'Changed', username: unique('renamed') },
          disabled: true,
          passwordHash: 'changed',
          now: NOW,
        },
      ] as const;
      const bad = [...good, { kind: 'newUser', account: account({ email: fresh.username }) } as const];
      assert.deepEqual(await store.provision(good, true), { kind: 'done' });
      assert.deepEqual(await store.provision(bad, true), { kind: 'loginTaken', loginName: fresh.username });
      assert.equal(await store.findApplication(app.code), undefined);
      assert.equal(await store.findClient(app.code, 'web'), undefined);
      assert.equal(await store.findAccount(fresh.username), undefined);
      assert.deepEqual(await store.findAccount(owner.username), owner);
      assert.equal(await store.registryVersion(), version);
      assert.deepEqual(await store.provision(good), { kind: 'done' });
    });

    it('as a dry run finds a login name that another user in the store has', async () => {
      const owner = account();
      await store.provision([{ kind: 'newUser', account: owner }]);
      const thief = [{ kind: 'newUser', account: account({ email: owner.username }) } as const];
      assert.deepEqual(await store.provision(thief, true), { kind: 'loginTaken', loginName: owner.username });
      assert.equal((await store.findAccount(owner.username))?.sub, owner.sub);
    });

    it('as a dry run of disabling a user ends nothing', async () => {
      const fixture = await aFixture(store);
      const { idHash } = await aSession(store, fixture);
      await store.provision([{ kind: 'user', sub: fixture.user.sub, disabled: true, now: NOW }], true);
      assert(await store.useSession(idHash, NOW, NOW + 3600));
    });

    it('lets one of two racing store objects have a login name', async () => {
      const stores = [store, await another()];
      const shared = unique('shared');
      const outcomes = await Promise.all(
        stores.map(store => store.provision([{ kind: 'newUser', account: account({ username: shared }) }])),
      );
      assert.deepEqual(outcomes.map(({ kind }) => kind).sort(), ['done', 'loginTaken']);
    });
  });
}
