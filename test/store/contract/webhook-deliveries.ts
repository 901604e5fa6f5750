import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import type { Delivery, DeliveryFacts, NewDelivery, Webhook } from '../../../src/notify/webhooks/store.ts';
import type { Store } from '../../../src/store.ts';
import { addSealedEvents, eventTypesOf } from '../../build/sealed-events.ts';
import { DAY, NOW, type OpenStore, race } from './given.ts';
import { openForEach } from './open-store.ts';
import { anEvent, aWebhook, deliveryOf, enqueue, eventsOf, put, the } from './webhooks-fixture.ts';

const LEASE = 60;
const ALL = { limit: 9, after: undefined };

export function webhookDeliveriesContract(open: OpenStore): void {
  describe('webhooks: deliveries', () => {
    let firstSeq: number;
    const opened = openForEach(open);
    const { store, another } = opened;
    beforeEach(async () => {
      firstSeq = 1;
    });

    /** A subscription with so many deliveries; returns the ids of their events in the order of the chain. */
    const queued = async (count: number, over: Partial<Webhook> = {}) => {
      const { id } = await aWebhook(store, over);
      const events = Array.from({ length: count }, () => anEvent());
      await addSealedEvents(opened.url, events, firstSeq);
      firstSeq += count;
      await enqueue(store, id);
      return { id, events: events.map(event => event.id) };
    };
    const take = async (id: string, now = NOW, limit = 100, at: Store = store) =>
      (await at.takeDeliveries(id, now, now + LEASE, limit))?.deliveries ?? [];
    const fail = (delivery: Delivery, retryAt: number | undefined, now = NOW, pause = () => undefined) =>
      store.failDelivery({ ...delivery, status: 500, reason: 'status 500', retryAt }, now, pause);
    /** Adds a delivery out of order. */
    const add = (webhookId: string, delivery: NewDelivery, now = NOW, at: Store = store) =>
      at.requestDelivery(
        webhookId,
        undefined,
        () => ({ result: 'done', write: { value: { kind: 'add', delivery }, act: { event: anEvent() } } }),
        now,
      );
    const resumed = (id: string, now: number) =>
      store.changeWebhook(
        id,
        ({ current }) => {
          assert(current);
          const value = { ...current, pauseReason: undefined };
          return { result: undefined, write: { value, act: { event: anEvent() } } };
        },
        now,
      );
    const hasWork = async (now: number) => (await store.webhookWork(now)).length > 0;

    it('of other applications go when the subscription is given to one, finished or not, and those of its own stay', async () => {
      const current = await aWebhook(store);
      const events = ['shop', 'bank', 'shop', undefined, 'bank'].map(app => anEvent({ app }));
      await addSealedEvents(opened.url, events, firstSeq);
      firstSeq += events.length;
      await enqueue(store, current.id);
      const other = await queued(1);
      const idsOf = (app: string) => events.filter(event => event.app === app).map(({ id }) => id);
      for (const { id } of await take(current.id, NOW, 2)) await store.finishDelivery(current.id, id, 200, NOW);
      const givenTo = async (app: string | undefined) => {
        await put(store, current.id, { ...current, app });
        return eventsOf(await store.listDeliveries(current.id, ALL));
      };
      assert.equal((await givenTo(undefined)).length, 5);
      assert.deepEqual(await givenTo('shop'), idsOf('shop').sort());
      assert.deepEqual(await givenTo(undefined), idsOf('shop').sort(), 'it is for more events: none is lost');
      assert.deepEqual(await givenTo('bank'), []);
      assert.deepEqual(eventsOf(await store.listDeliveries(other.id, ALL)), other.events, 'of another subscription');
    });

    it('are taken with their subscription, and counted', async () => {
      const { id, events } = await queued(1);
      assert.deepEqual(await store.webhookWork(NOW), [{ id, isFailing: false, isBehind: false, hasDue: true }]);
      const taken = await store.takeDeliveries(id, NOW, NOW + LEASE, 10);
      assert.deepEqual(taken?.webhook, await store.findWebhook(id));
      const { id: _, body, ...rest } = the(taken?.deliveries ?? []);
      assert.equal(JSON.parse(body).id, events[0]);
      assert.deepEqual(rest, {
        webhookId: id,
        eventId: events[0],
        type: 'user.login.succeeded',
        state: 'pending',
        attempts: 1,
        dueAt: NOW + LEASE,
        status: undefined,
        reason: undefined,
        createdAt: NOW,
        finishedAt: undefined,
      });
      assert.equal(await hasWork(NOW), false);
    });

    it('are leased to one node; when the lease is over a node can take them again, with one attempt more', async () => {
      const other = await another();
      const { id } = await queued(1);
      const first = the(await take(id));
      for (const at of [store, other]) assert.deepEqual(await take(id, NOW + LEASE - 1, 10, at), []);
      const second = the(await take(id, NOW + LEASE, 10, other));
      assert.deepEqual([second.id, second.attempts], [first.id, 2]);
    });

    it('are never taken by two, on two store objects', async () => {
      const stores = [store, await another()];
      const { id, events } = await queued(30);
      const all = (await race(stores, 20, store => take(id, NOW, 2, store))).flat();
      assert.deepEqual(eventsOf(all), [...events].sort());
    });

    it('of another subscription are not taken', async () => {
      const [one, two] = [await queued(1), await queued(2)];
      // The events of the second were enqueued for the second alone.
      assert.deepEqual(eventsOf(await take(one.id)), [...one.events].sort());
      assert.deepEqual(eventsOf(await take(two.id)), [...two.events].sort());
    });

    it('in order: only the oldest unfinished one, on every node, until it is finished', async () => {
      const stores = [store, await another()];
      const { id, events } = await queued(3, { ordered: true });
      for (const event of events) {
        const taken = (await race(stores, 6, store => take(id, NOW, 10, store))).flat();
        const delivery = the(taken);
        assert.equal(delivery.eventId, event);
        assert.equal(await hasWork(NOW), false);
        await store.finishDelivery(id, delivery.id, 200, NOW);
      }
      assert.deepEqual(await take(id), []);
    });

    it('in order: one that was postponed holds up the others until it is taken or given up', async () => {
      const { id, events } = await queued(2, { ordered: true });
      await fail(the(await take(id)), NOW + 500);
      assert.equal(await hasWork(NOW + 499), false);
      assert.deepEqual(await take(id, NOW + 499), []);
      assert.equal(await hasWork(NOW + 500), true);
      const again = the(await take(id, NOW + 500));
      assert.deepEqual([again.eventId, again.attempts], [events[0], 2]);
      await fail(again, undefined);
      assert.equal(the(await take(id, NOW + 500)).eventId, events[1]);
    });

    it('in order: a test and a repetition do not wait for their turn, nor hold it up', async () => {
      const { id, events } = await queued(2, { ordered: true });
      await fail(the(await take(id)), NOW + 500);
      const test = deliveryOf(anEvent());
      assert.equal(await add(id, test), 'done');
      assert.equal(await hasWork(NOW), true);
      assert.equal(the(await take(id)).id, test.id);
      await store.finishDelivery(id, test.id, 200, NOW);
      await store.finishDelivery(id, the(await take(id, NOW + 500)).id, 200, NOW + 500);
      assert.equal(the(await take(id, NOW + 501)).eventId, events[1]);
    });

    it('that failed come back when they are due, with status and reason, and not before', async () => {
      const { id } = await queued(1);
      const first = the(await take(id));
      assert.deepEqual(await fail(first, NOW + 300), { paused: false });
      assert.deepEqual(await take(id, NOW + 299), []);
      const { attempts, status, reason, state } = the(await take(id, NOW + 300));
      assert.deepEqual(
        { attempts, status, reason, state },
        { attempts: 2, status: 500, reason: 'status 500', state: 'pending' },
      );
    });

    it('that were delivered never come back', async () => {
      const { id } = await queued(1);
      const { id: delivery } = the(await take(id));
      await store.finishDelivery(id, delivery, 204, NOW + 3);
      assert.deepEqual(await take(id, NOW + DAY), []);
      const { state, status, reason, dueAt, finishedAt } = the(await store.listDeliveries(id, ALL));
      assert.deepEqual(
        { state, status, reason, dueAt, finishedAt },
        { state: 'delivered', status: 204, reason: undefined, dueAt: undefined, finishedAt: NOW + 3 },
      );
    });

    it('that were given up never come back', async () => {
      const { id } = await queued(1);
      await fail(the(await take(id)), undefined, NOW + 7);
      assert.deepEqual(await take(id, NOW + DAY), []);
      const { state, finishedAt } = the(await store.listDeliveries(id, ALL));
      assert.deepEqual([state, finishedAt], ['failed', NOW + 7]);
    });

    it('keep the report of the newer attempt, when that of an attempt with an expired lease comes late', async () => {
      const { id } = await queued(1);
      const first = the(await take(id));
      const second = the(await take(id, NOW + LEASE));
      await fail(first, NOW + DAY, NOW + LEASE);
      assert.equal(the(await store.listDeliveries(id, ALL)).dueAt, second.dueAt);
      await store.finishDelivery(id, first.id, 200, NOW + LEASE);
      await fail(second, NOW + DAY, NOW + LEASE);
      assert.equal(the(await store.listDeliveries(id, ALL)).state, 'delivered');
    });

    it('failing since: the first failure counts, a success ends it', async () => {
      const { id } = await queued(3);
      const [one, two, three] = await take(id);
      assert(one && two && three);
      await fail(one, NOW + 900, NOW + 10);
      await fail(two, NOW + 900, NOW + 20);
      assert.equal((await store.findWebhook(id))?.failingSince, NOW + 10);
      assert.equal((await store.webhookWork(NOW + 900))[0]?.isFailing, true);
      await store.finishDelivery(id, three.id, 200, NOW + 30);
      assert.equal((await store.findWebhook(id))?.failingSince, undefined);
    });

    it('pausing: the decision sees the failure, its event is written, nothing is taken any more', async () => {
      const { id } = await queued(2);
      const [one, two] = await take(id);
      assert(one && two);
      await fail(one, NOW + 100, NOW + 10);
      const event = anEvent({ type: 'webhook.paused', subject: id });
      const seen: (number | undefined)[] = [];
      const attempt = { ...two, status: undefined, reason: 'no answer', retryAt: NOW + 100 };
      const outcome = await store.failDelivery(attempt, NOW + 20, ({ failingSince }) => {
        seen.push(failingSince);
        return { reason: 'failing', event };
      });
      assert.deepEqual(outcome, { paused: true });
      assert.deepEqual(seen, [NOW + 10]);
      assert.deepEqual(await eventTypesOf(opened.url, id), ['webhook.paused']);
      assert.equal((await store.findWebhook(id))?.pauseReason, 'failing');
      assert.equal(await hasWork(NOW + DAY), false);
      assert.equal(await store.takeDeliveries(id, NOW + DAY, NOW + 2 * DAY, 10), undefined);
    });

    it('resuming: everything that waits is due at once, with new attempts, and the failures are forgotten', async () => {
      const { id, events } = await queued(2);
      for (const delivery of await take(id)) {
        const attempt = { ...delivery, status: 500, reason: 'status 500', retryAt: NOW + DAY };
        await store.failDelivery(attempt, NOW, () => ({ reason: 'failing', event: anEvent() }));
      }
      await resumed(id, NOW + 50);
      assert.equal((await store.findWebhook(id))?.failingSince, undefined);
      const taken = await take(id, NOW + 50);
      assert.deepEqual(eventsOf(taken), [...events].sort());
      assert.deepEqual(
        taken.map(({ attempts }) => attempts),
        [1, 1],
      );
    });

    it('are listed newest first, in pages, by state', async () => {
      const { id } = await aWebhook(store);
      for (const name of ['dlv_1', 'dlv_2', 'dlv_3', 'dlv_4']) await add(id, { ...deliveryOf(anEvent()), id: name });
      await store.finishDelivery(id, 'dlv_3', 200, NOW);
      const ids = async (page: Parameters<Store['listDeliveries']>[1]) =>
        (await store.listDeliveries(id, page)).map(({ id }) => id);
      assert.deepEqual(await ids({ limit: 2, after: undefined }), ['dlv_4', 'dlv_3']);
      assert.deepEqual(await ids({ limit: 2, after: 'dlv_3' }), ['dlv_2', 'dlv_1']);
      assert.deepEqual(await ids({ ...ALL, state: 'pending' }), ['dlv_4', 'dlv_2', 'dlv_1']);
      assert.deepEqual(await ids({ ...ALL, state: 'delivered' }), ['dlv_3']);
      const other = await aWebhook(store);
      assert.deepEqual(await store.listDeliveries(other.id, ALL), []);
      assert.equal(await store.findDelivery(other.id, 'dlv_1'), undefined);
      assert.equal((await store.findDelivery(id, 'dlv_1'))?.id, 'dlv_1');
    });

    it('asked for: the decision sees the subscription, the delivery and how many wait', async () => {
      const { id } = await queued(3);
      const [done] = await take(id);
      assert(done);
      await store.finishDelivery(id, done.id, 200, NOW);
      const facts = (webhookId: string, delivery: string | undefined) =>
        store.requestDelivery<DeliveryFacts>(webhookId, delivery, seen => ({ result: seen }), NOW);
      const webhook = await store.findWebhook(id);
      const delivery = await store.findDelivery(id, done.id);
      assert.deepEqual(await facts(id, done.id), { webhook, delivery, waiting: 2 });
      assert.deepEqual(await facts(id, undefined), { webhook, delivery: undefined, waiting: 2 });
      const other = await aWebhook(store);
      assert.deepEqual(await facts(other.id, done.id), { webhook: other, delivery: undefined, waiting: 0 });
      assert.deepEqual(await facts('whk_unknown', done.id), { webhook: undefined, delivery: undefined, waiting: 0 });
    });

    it('asked for: one that waits is due at once, and its event is written', async () => {
      const { id } = await queued(1);
      const first = the(await take(id));
      await fail(first, NOW + DAY);
      const event = anEvent({ type: 'webhook.redelivered', subject: id });
      const write = { value: { kind: 'dueNow' }, act: { event } } as const;
      assert.equal(await store.requestDelivery(id, first.id, () => ({ result: 'done', write }), NOW + 5), 'done');
      assert.equal(the(await take(id, NOW + 5)).id, first.id);
      assert.deepEqual(await eventTypesOf(opened.url, id), ['webhook.redelivered']);
    });

    it('are purged 30 days after they were finished; those that wait stay', async () => {
      const { id } = await queued(3);
      const [one, two] = await take(id);
      assert(one && two);
      await store.finishDelivery(id, one.id, 200, NOW);
      await fail(two, undefined, NOW + DAY);
      await store.purge(NOW + 30 * DAY, 100);
      assert.equal((await store.listDeliveries(id, ALL)).length, 3);
      await store.purge(NOW + 30 * DAY + 1, 100);
      assert.equal((await store.listDeliveries(id, ALL)).length, 2);
      await store.purge(NOW + 300 * DAY, 100);
      assert.deepEqual(
        (await store.listDeliveries(id, ALL)).map(({ state }) => state),
        ['pending'],
      );
    });
  });
}
