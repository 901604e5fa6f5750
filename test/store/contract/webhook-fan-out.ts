import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Event } from '../../../src/audit/events/rules.ts';
import type { EventType } from '../../../src/events.ts';
import { addSealedEvents } from '../../build/sealed-events.ts';
import { NOW, type OpenStore, race, unique } from './given.ts';
import { openForEach } from './open-store.ts';
import { anEvent, aWebhook, enqueue, put } from './webhooks-fixture.ts';

/** How a sealed event becomes a delivery for each subscription that wants it. */
export function webhookFanOutContract(open: OpenStore): void {
  describe('webhooks: fan-out of sealed events', () => {
    const opened = openForEach(open);
    const { store, another } = opened;
    const seal = (events: readonly Event[], firstSeq: number) => addSealedEvents(opened.url, events, firstSeq);
    const some = (count: number, over: Partial<Event> = {}) => Array.from({ length: count }, () => anEvent(over));
    const ids = (events: readonly Event[]) => events.map(({ id }) => id);

    it('begins with the first event that was sealed after the subscription', async () => {
      await seal(some(3), 1);
      const { id } = await aWebhook(store);
      assert.deepEqual(await store.webhookWork(NOW), []);
      const after = some(2);
      await seal(after, 4);
      assert.deepEqual(await enqueue(store, id), ids(after));
      assert.deepEqual(await enqueue(store, id), []);
    });

    it('reads every field of an event', async () => {
      const { id } = await aWebhook(store);
      const full = anEvent();
      const bare: Event = {
        id: unique('evt'),
        time: NOW,
        type: 'events.dropped',
        outcome: 'failure',
        actor: { kind: 'system' },
      };
      await seal([full, bare], 1);
      await enqueue(store, id);
      const bodies = (await store.listDeliveries(id, { limit: 10, after: undefined })).map(({ body }) =>
        JSON.parse(body),
      );
      const byId = (wanted: string) => bodies.find(body => body.id === wanted);
      assert.deepEqual([byId(full.id), byId(bare.id)], [full, bare]);
    });

    it('leaves out other applications and other types, and does not look at them again', async () => {
      const { id } = await aWebhook(store, { app: 'shop', eventTypes: ['session.ended', 'key.rotated'] });
      const cases: [app: string | undefined, type: EventType, isFor: boolean][] = [
        ['shop', 'session.ended', true],
        ['bank', 'session.ended', false],
        [undefined, 'session.ended', false],
        ['shop', 'user.login.failed', false],
        ['shop', 'key.rotated', true],
      ];
      const events = cases.map(([app, type]) => anEvent({ app, type }));
      await seal(events, 1);
      const wanted = events.filter((_, index) => cases[index]?.[2]);
      assert.deepEqual(await enqueue(store, id), ids(wanted));
      assert.deepEqual(
        (await store.webhookWork(NOW)).map(({ isBehind }) => isBehind),
        [false],
      );
    });

    it('of an application without a name gets the events of all', async () => {
      const { id } = await aWebhook(store);
      const events = [anEvent({ app: undefined }), anEvent({ app: 'shop' }), anEvent({ app: 'bank' })];
      await seal(events, 1);
      assert.deepEqual(await enqueue(store, id), ids(events));
    });

    it('enqueues each event once, whichever nodes do it at the same time', async () => {
      const stores = [store, await another()];
      const { id } = await aWebhook(store);
      const events = some(40);
      await seal(events, 1);
      const limits = { events: 3, waiting: 100 };
      await race(stores, 20, store => enqueue(store, id, limits));
      const enqueued = (await store.listDeliveries(id, { limit: 100, after: undefined })).map(({ eventId }) => eventId);
      assert.deepEqual([...enqueued].sort(), ids(events).sort());
    });

    it('stops when as many deliveries wait as allowed, and goes on at the same event afterwards', async () => {
      const { id } = await aWebhook(store, { eventTypes: ['session.ended'] });
      const events = some(4, { type: 'session.ended' }).flatMap(event => [anEvent(), event]);
      await seal(events, 1);
      const limits = { events: 100, waiting: 3 };
      const wanted = ids(events.filter(({ type }) => type === 'session.ended'));
      assert.deepEqual(await enqueue(store, id, limits), wanted.slice(0, 3));
      assert.deepEqual(await enqueue(store, id, limits), []);
      const [one] = (await store.takeDeliveries(id, NOW, NOW + 60, 1))?.deliveries ?? [];
      await store.finishDelivery(id, one?.id ?? '', 200, NOW);
      assert.deepEqual(await enqueue(store, id, limits), wanted.slice(3));
    });

    it('goes on with what is left when the first events were pruned', async () => {
      const { id } = await aWebhook(store);
      const left = some(2);
      await seal(left, 1001);
      assert.deepEqual(await enqueue(store, id, { events: 1, waiting: 100 }), ids(left).slice(0, 1));
      assert.deepEqual(await enqueue(store, id), ids(left).slice(1));
    });

    it('waits while the subscription is paused, and loses nothing', async () => {
      const paused = await aWebhook(store, { pauseReason: 'operator' });
      const { id } = paused;
      const events = some(2);
      await seal(events, 1);
      assert.deepEqual(await store.webhookWork(NOW), []);
      assert.deepEqual(await enqueue(store, id), []);
      await put(store, id, { ...paused, pauseReason: undefined });
      assert.deepEqual(await enqueue(store, id), ids(events));
    });

    it('does not see events that are not sealed yet', async () => {
      const { id } = await aWebhook(store);
      // The event of its own creation is in the table, without a number.
      assert.deepEqual(await store.webhookWork(NOW), []);
      assert.deepEqual(await enqueue(store, id), []);
    });
  });
}
