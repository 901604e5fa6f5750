import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import type { ReplayedFamily } from '../../../src/oauth/revoke/store.ts';
import { madeBy } from '../../build/stand-in.ts';
import { anEvent } from './events.ts';
import { aFixture, NOW, type OpenStore, race } from './given.ts';
import { ALIVE, aFamily, alive, DEAD } from './given-tokens.ts';
import { openForEach } from './open-store.ts';

export function waitingRevocationsContract(open: OpenStore): void {
  describe('revocations that wait (RFC 6749 section 4.1.2, RFC 9700 section 4.14.2)', () => {
    const { store, another } = openForEach(open);
    const fixture = madeBy(beforeEach, () => aFixture(store));

    const replayed = (grantId: string, over: Partial<ReplayedFamily> = {}): ReplayedFamily => ({
      part: fixture.app,
      grantId,
      replayedAt: NOW,
      event: anEvent({ type: 'code.replayed', outcome: 'denied', app: fixture.app, details: { revoked: true } }),
      ...over,
    });
    const grantsAt = async (now: number, limit = 100) =>
      (await store.takeRevocations(now, now + 60, limit)).map(({ grantId }) => grantId).sort();
    const events = async () => {
      const listed = await store.listEvents({ types: ['code.replayed'] }, { after: undefined, limit: 9 });
      return listed.map(({ id }) => id);
    };

    it('gives back what was added, once for each family, and counts the attempts', async () => {
      const waiting = replayed('a', { unlessIssued: Uint8Array.of(1, 2, 3) });
      await store.addRevocation(waiting);
      await store.addRevocation(replayed('a', { replayedAt: NOW + 1 }));
      assert.equal(await store.countWaitingRevocations(), 1);
      const [first] = await store.takeRevocations(NOW, NOW + 60, 10);
      const { unlessIssued, event, ...rest } = first ?? assert.fail();
      assert.deepEqual(rest, { part: fixture.app, app: fixture.app, grantId: 'a', replayedAt: NOW, attempts: 1 });
      assert.deepEqual([...(unlessIssued ?? [])], [1, 2, 3]);
      assert.equal(JSON.stringify(event), JSON.stringify(waiting.event));
      const [second] = await store.takeRevocations(NOW + 60, NOW + 120, 10);
      assert.equal(second?.attempts, 2);
    });

    it('gives each to one of many that take at the same time, until the lease ends', async () => {
      for (let index = 0; index < 20; index++) await store.addRevocation(replayed(`grant-${index}`));
      const taken = await race([store, await another()], 8, store => store.takeRevocations(NOW, NOW + 60, 5));
      const all = taken.flat().map(({ grantId }) => grantId);
      assert.equal(new Set(all).size, all.length);
      assert.deepEqual(await grantsAt(NOW + 59), []);
      assert.equal((await grantsAt(NOW + 60)).length, 20);
    });

    it('gives those first that failed least often: many that cannot be finished hold up no new one', async () => {
      for (let index = 0; index < 5; index++) await store.addRevocation(replayed(`failing-${index}`));
      assert.equal((await grantsAt(NOW)).length, 5);
      await store.addRevocation(replayed('new', { replayedAt: NOW + 3600 }));
      assert.deepEqual(await grantsAt(NOW + 3600, 1), ['new']);
    });

    it('is finished with its event and deleted; again it changes nothing', async () => {
      const pair = await aFamily(store, fixture);
      const family = replayed(pair.grantId);
      await store.addRevocation(family);
      assert.deepEqual(await alive(store, fixture.app, pair), ALIVE);
      await race([store, await another()], 4, each => each.finishRevocation(family));
      assert.deepEqual(await alive(store, fixture.app, pair), DEAD);
      assert.deepEqual(await events(), [family.event?.id]);
      assert.equal(await store.countWaitingRevocations(), 0);
      await store.addRevocation(family);
      await store.finishRevocation(family);
      assert.deepEqual(await events(), [family.event?.id]);
      assert.equal(await store.countWaitingRevocations(), 0);
    });

    it('records no event for a family that has ended by other means', async () => {
      const pair = await aFamily(store, fixture);
      await store.revokeRefreshToken(fixture.app, pair.refresh.hash, 'web', NOW);
      const family = replayed(pair.grantId);
      await store.addRevocation(family);
      await store.finishRevocation(family);
      assert.deepEqual(await events(), []);
      assert.equal(await store.countWaitingRevocations(), 0);
    });

    it('leaves the family whose token the request itself has rotated: its answer was lost', async () => {
      const pair = await aFamily(store, fixture);
      const family = replayed(pair.grantId, { unlessIssued: pair.access.hash });
      await store.addRevocation(family);
      await store.finishRevocation(family);
      assert.deepEqual(await alive(store, fixture.app, pair), ALIVE);
      assert.deepEqual(await events(), []);
      assert.equal(await store.countWaitingRevocations(), 0);
    });

    it('is deleted with its application', async () => {
      await store.addRevocation(replayed('a'));
      await store.provision([{ kind: 'deleteApplication', app: fixture.app, now: NOW }]);
      assert.deepEqual(await store.removeDeletedApplications(NOW + 1), [fixture.app]);
      assert.equal(await store.countWaitingRevocations(), 0);
    });
  });
}
