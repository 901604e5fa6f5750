import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { aFixture, NOW, type OpenStore, unique } from './given.ts';
import { openForEach } from './open-store.ts';

/** RFC 9126: a pushed request is taken once, by its client, while it is good. */
export function pushedRequestsContract(open: OpenStore): void {
  describe('pushed requests', () => {
    let app: string;
    const { store, another } = openForEach(open);
    beforeEach(async () => {
      ({ app } = await aFixture(store));
    });

    const push = async () => {
      const idHash = Buffer.from(unique('pushed'));
      const request = { idHash, clientId: 'web', sealed: Buffer.from('sealed'), expiresAt: NOW + 60 };
      await store.addPushedRequest(app, request);
      return idHash;
    };

    it('one of many takes it, on all nodes together', async () => {
      const idHash = await push();
      const other = await another();
      const nodes = [store, other];
      const taken = await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          (nodes[index % 2] ?? other).takePushedRequest(app, idHash, 'web', NOW + 1),
        ),
      );
      const got = taken.filter(each => each !== undefined);
      assert.deepEqual(
        got.map(each => Buffer.from(each).toString()),
        ['sealed'],
      );
    });

    it('is read as often as there is need, and is there for the one that takes it', async () => {
      const idHash = await push();
      const read = (of: string, clientId: string, now: number) => store.readPushedRequest(of, idHash, clientId, now);
      for (const now of [NOW, NOW + 59]) assert(await read(app, 'web', now));
      assert.equal(await read(app, 'other', NOW), undefined);
      assert.equal(await read('elsewhere', 'web', NOW), undefined);
      assert.equal(await read(app, 'web', NOW + 60), undefined);
      assert(await store.takePushedRequest(app, idHash, 'web', NOW));
      assert.equal(await read(app, 'web', NOW), undefined);
    });

    it('not for another client or application, and not after its end', async () => {
      const idHash = await push();
      const take = (of: string, clientId: string, now: number) => store.takePushedRequest(of, idHash, clientId, now);
      assert.equal(await take(app, 'other', NOW), undefined);
      assert.equal(await take('elsewhere', 'web', NOW), undefined);
      assert.equal(await take(app, 'web', NOW + 60), undefined);
      assert(await take(app, 'web', NOW + 59), 'what was refused has not used it up');
    });
  });
}
