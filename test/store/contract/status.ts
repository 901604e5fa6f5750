import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Act } from '../../../src/audit/acts/store.ts';
import type { SealedKey } from '../../../src/oauth/signing-keys/store.ts';
import type { Node } from '../../../src/operators/overview/store.ts';
import { account, application, client, DAY, NOW, type OpenStore, signingKey, unique } from './given.ts';
import { openForSuite } from './open-store.ts';

const SYSTEM = { kind: 'system' } as const;
const aNode = (over: Partial<Node> = {}): Node => ({
  host: 'one.example',
  port: 3000,
  version: '1.0.0',
  startedAt: NOW - DAY,
  seenAt: NOW,
  ...over,
});

export function statusContract(open: OpenStore): void {
  describe('status', () => {
    const { store } = openForSuite(open);

    const nodes = async () => {
      await nextTurn();
      return store.listNodes(10);
    };

    it('a node has one row, which is renewed', async () => {
      await store.noteNode(aNode());
      await store.noteNode(aNode({ host: 'two.example', seenAt: NOW - 10 }));
      const renewed = aNode({ version: '1.1.0', startedAt: NOW, seenAt: NOW + 60 });
      await store.noteNode(renewed);
      assert.deepEqual(await nodes(), [renewed, aNode({ host: 'two.example', seenAt: NOW - 10 })]);
      assert.deepEqual(await store.listNodes(1), [renewed]);
    });

    it('a process that stops removes its own row, and not that of its successor', async () => {
      await store.noteNode(aNode({ startedAt: NOW + 1 }));
      await store.removeNode(aNode({ startedAt: NOW }));
      assert.equal((await nodes()).length, 2);
      await store.removeNode(aNode({ startedAt: NOW + 1 }));
      assert.deepEqual(
        (await nodes()).map(({ host }) => host),
        ['two.example'],
      );
    });

    it('a node that was not seen for a day is purged', async () => {
      await store.noteNode(aNode({ host: 'old.example', seenAt: NOW - DAY - 1 }));
      await store.purge(NOW, 100);
      assert.deepEqual(
        (await nodes()).map(({ host }) => host),
        ['two.example'],
      );
    });

    it('of the links for the first owner the newest counts, until it expires', async () => {
      const [former, newest] = [new Uint8Array(32).fill(1), new Uint8Array(32).fill(2)];
      assert.equal(await store.isOwnerLink(former, NOW), false);
      await store.replaceOwnerLink(former, NOW + 10);
      assert.deepEqual([await store.isOwnerLink(former, NOW), await store.isOwnerLink(newest, NOW)], [true, false]);
      await store.replaceOwnerLink(newest, NOW + 10);
      assert.deepEqual([await store.isOwnerLink(former, NOW), await store.isOwnerLink(newest, NOW)], [false, true]);
      assert.deepEqual(
        [await store.isOwnerLink(newest, NOW + 9), await store.isOwnerLink(newest, NOW + 10)],
        [true, false],
      );
    });

    it('the database says what it is, how large, and its last migration', async () => {
      const { kind, version, sizeBytes, migration } = await store.describeDatabase();
      assert(kind === 'sqlite' || kind === 'postgres');
      assert.match(version, /^\d+\.\d+/);
      assert(sizeBytes > 100_000, String(sizeBytes));
      assert(migration >= 9);
    });

    it('keys are found by the newest of their application and algorithm, without those that are retired or deleted', async () => {
      const [old, renewed, gone] = [application({ code: 'b-old' }), application(), application()];
      await store.provision([old, renewed, gone].map(each => ({ kind: 'application', application: each })));
      const made = async (app: string, signFrom: number, after?: SealedKey) => {
        const key = signingKey(app, { signFrom });
        await store.addSigningKey(key, after?.kid);
        return key;
      };
      const { alg } = await made(old.code, NOW - 80 * DAY);
      await made(renewed.code, NOW + DAY, await made(renewed.code, NOW - 90 * DAY));
      await made(gone.code, NOW - 100 * DAY);
      const act = {
        event: { id: 'evt_00000000ad', time: NOW, type: 'application.deleted', outcome: 'success', actor: SYSTEM },
      } satisfies Act;
      await store.changeApplication(gone.code, current => {
        assert(current);
        return { result: undefined, write: { value: { ...current, deletedAt: NOW, keys: [] }, act } };
      });
      await nextTurn();
      assert.deepEqual(await store.newestKeysBefore(NOW, 10), [{ app: old.code, alg, signFrom: NOW - 80 * DAY }]);
      assert.deepEqual(await store.newestKeysBefore(NOW - 80 * DAY, 10), []);
    });

    it('clients are listed in the order of application and id, all or those of some applications, without deleted ones', async () => {
      const [one, two] = [application({ code: 'm-one' }), application({ code: 'm-two' })];
      await store.provision([
        ...[one, two].map(each => ({ kind: 'application', application: each }) as const),
        ...['b', 'a'].map(id => ({ kind: 'client', app: 'm-two', client: client({ client_id: id }) }) as const),
        { kind: 'client', app: 'm-one', client: client({ client_id: 'z' }) },
      ]);
      const listed = async (...given: Parameters<typeof store.firstClients>) =>
        (await store.firstClients(...given)).map(({ app, client: { client_id } }) => `${app}/${client_id}`);
      assert.deepEqual(await listed(['m-one', 'm-two'], 10), ['m-one/z', 'm-two/a', 'm-two/b']);
      assert.deepEqual(await listed(['m-two'], 1), ['m-two/a']);
      assert.deepEqual(await listed([], 10), []);
      const all = await listed(undefined, 1000);
      assert.deepEqual(
        all.filter(each => each.startsWith('m-')),
        ['m-one/z', 'm-two/a', 'm-two/b'],
      );
    });

    it('operators with a single factor are those who are enabled, have no other, and need none', async () => {
      const names = ['single', 'totp', 'required', 'off'].map(unique);
      const users = names.map(username =>
        account({ username, requiresMfa: username === names[2], disabled: username === names[3] }),
      );
      await store.provision(users.map(each => ({ kind: 'newUser', account: each })));
      for (const [at, { sub }] of users.entries()) {
        const event = {
          id: `evt_00000000b${at}`,
          time: NOW,
          type: 'operator.added',
          outcome: 'success',
          actor: SYSTEM,
        } as const;
        const write = { value: { role: 'operator', applications: undefined, createdAt: NOW }, act: { event } } as const;
        await store.changeOperator(sub, () => ({ result: undefined, write }));
      }
      const totp = { sealedKey: 'aabbccdd00', step: 1, recoveryHashes: ['x'] };
      assert(await store.addTotp(users[1]?.sub ?? '', totp, NOW));
      assert.deepEqual(
        (await store.operatorsWithSingleFactor(10)).map(({ username }) => username),
        names.slice(0, 1),
      );
      assert.deepEqual(await store.operatorsWithSingleFactor(0), []);
    });

    it('queues are counted up to a limit', async () => {
      const before = await store.queueLengths(10_000);
      const { unsealedEvents } = before;
      assert.deepEqual(before, { logoutNotices: 0, webhookDeliveries: 0, unsealedEvents, mails: 0 });
      const event = { time: NOW, type: 'user.created', outcome: 'success', actor: SYSTEM } as const;
      const ids = ['evt_00000000aa', 'evt_00000000ab', 'evt_00000000ac'];
      await store.recordEvents(ids.map(id => ({ ...event, id })));
      await nextTurn();
      assert.equal((await store.queueLengths(10_000)).unsealedEvents, before.unsealedEvents + ids.length);
      assert.equal((await store.queueLengths(2)).unsealedEvents, 2);
    });
  });
}
