import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import type { Event, EventType } from '../../../src/protocol/event.ts';
import type { Store } from '../../../src/store/store.ts';
import type { NewDelivery, Webhook } from '../../../src/store/webhooks.ts';
import { addSealedEvents, eventTypesOf } from '../../build/sealed-events.ts';
import { digest, NOW, type Opened, type OpenStore, race, unique } from './given.ts';

export function webhook(over: Partial<Webhook> = {}): Webhook {
  return {
    id: unique('whk'),
    app: undefined,
    url: 'https://receiver.example/hook',
    description: 'Billing',
    eventTypes: undefined,
    ordered: false,
    sealedSecrets: new Uint8Array(digest()),
    pauseReason: undefined,
    failingSince: undefined,
    createdAt: NOW,
    ...over,
  };
}

export function anEvent(over: Partial<Event> = {}): Event {
  return {
    id: unique('evt'),
    time: NOW,
    type: 'user.login.succeeded',
    outcome: 'success',
    actor: { kind: 'user', id: 'sub-1' },
    subject: 'sub-1',
    app: 'shop',
    clientId: 'web',
    address: '192.0.2.7',
    userAgent: 'Browser/1',
    requestId: unique('req'),
    details: { amr: ['pwd'] },
    ...over,
  };
}

/** Writes without a condition. */
export function put(store: Store, id: string, value: Webhook | null, event = anEvent({ type: 'webhook.updated' })) {
  return store.changeWebhook(id, () => ({ result: 'done', write: { value, act: { event } } }), NOW);
}

/** Its body is the event, so that a test sees what the store read. */
export function deliveryOf(event: Event): NewDelivery {
  return { id: unique('dlv'), eventId: event.id, type: event.type, body: JSON.stringify(event) };
}

export async function aWebhook(store: Store, over: Partial<Webhook> = {}): Promise<Webhook> {
  const added = webhook(over);
  assert.equal(await put(store, added.id, added), 'done');
  return added;
}

const LIMITS = { events: 100, waiting: 100 };

/** Enqueues what there is, and returns the ids of the events. */
export async function enqueue(store: Store, id: string, limits = LIMITS): Promise<string[]> {
  const events: string[] = [];
  await store.enqueueDeliveries(id, limits, NOW, event => {
    events.push(event.id);
    return deliveryOf(event);
  });
  return events;
}

export function webhooksContract(open: OpenStore): void {
  describe('webhooks: subscriptions', () => {
    let opened: Opened;
    beforeEach(async () => {
      opened = await open();
    });
    afterEach(() => opened.discard());

    it('are found as they were added, by every process', async () => {
      const other = await opened.another();
      const all = await aWebhook(opened.store);
      const some = await aWebhook(opened.store, {
        app: 'shop',
        eventTypes: ['user.login.failed', 'session.ended'],
        ordered: true,
        pauseReason: 'operator',
      });
      assert.deepEqual(await other.findWebhook(all.id), all);
      assert.deepEqual(await other.findWebhook(some.id), some);
      assert.equal(await other.findWebhook('whk_unknown'), undefined);
    });

    it('are listed in pages in the order of their ids, all or those of some applications', async () => {
      const { store } = opened;
      for (const id of ['whk_d', 'whk_a', 'whk_c', 'whk_b', 'whk_B'])
        await aWebhook(store, { id, app: id === 'whk_a' || id === 'whk_d' ? 'shop' : undefined });
      const ids = async (page: Parameters<Store['listWebhooks']>[0]) =>
        (await store.listWebhooks(page)).map(({ id }) => id);
      assert.deepEqual(await ids({ limit: 3, after: undefined }), ['whk_B', 'whk_a', 'whk_b']);
      assert.deepEqual(await ids({ limit: 3, after: 'whk_b' }), ['whk_c', 'whk_d']);
      assert.deepEqual(await ids({ limit: 3, after: undefined, among: ['shop', 'bank'] }), ['whk_a', 'whk_d']);
      assert.deepEqual(await ids({ limit: 3, after: undefined, among: [] }), []);
    });

    it('are counted in the transaction: no more are added than allowed, also at the same time', async () => {
      const stores = [opened.store, await opened.another()];
      const outcomes = await race(stores, 8, store => {
        const value = webhook();
        return store.changeWebhook<boolean>(
          value.id,
          ({ subscriptions }) =>
            subscriptions < 3 ? { result: true, write: { value, act: { event: anEvent() } } } : { result: false },
          NOW,
        );
      });
      assert.equal(outcomes.filter(outcome => outcome === true).length, 3);
      assert.equal((await opened.store.listWebhooks({ limit: 100, after: undefined })).length, 3);
    });

    it('change by a function of the current row: no change is lost in a race', async () => {
      const stores = [opened.store, await opened.another()];
      const { id } = await aWebhook(opened.store, { description: '' });
      await race(stores, 10, store =>
        store.changeWebhook(
          id,
          ({ current }) => {
            assert(current);
            const value = { ...current, description: `${current.description}x` };
            return { result: undefined, write: { value, act: { event: anEvent({ type: 'webhook.updated' }) } } };
          },
          NOW,
        ),
      );
      assert.equal((await opened.store.findWebhook(id))?.description, 'x'.repeat(10));
    });

    it('stay as they are when the function writes nothing, and leave no event', async () => {
      const { store } = opened;
      const added = await aWebhook(store);
      const written = await eventTypesOf(opened.url, 'sub-1');
      const refuse = ({ current }: { current: Webhook | undefined }) => ({ result: current?.id });
      assert.equal(await store.changeWebhook(added.id, refuse, NOW), added.id);
      assert.equal(await store.changeWebhook('whk_unknown', refuse, NOW), undefined);
      assert.deepEqual(await store.findWebhook(added.id), added);
      assert.deepEqual(await eventTypesOf(opened.url, 'sub-1'), written);
    });

    it('leave an event of every change, in the same transaction', async () => {
      const { store } = opened;
      const added = webhook();
      const event = (type: EventType, id: string) => anEvent({ id, type, subject: added.id });
      await put(store, added.id, added, event('webhook.created', 'evt_1'));
      await put(store, added.id, added, event('webhook.updated', 'evt_2'));
      await put(store, added.id, null, event('webhook.deleted', 'evt_3'));
      const types = ['webhook.created', 'webhook.updated', 'webhook.deleted'];
      assert.deepEqual(await eventTypesOf(opened.url, added.id), types);
      const faulty = { ...added, url: null as unknown as string };
      await assert.rejects(put(store, added.id, faulty, event('webhook.created', 'evt_4')));
      assert.deepEqual(await eventTypesOf(opened.url, added.id), types);
    });

    it('change in every field', async () => {
      const { store } = opened;
      const { id } = await aWebhook(store);
      const next = webhook({
        id,
        app: 'bank',
        url: 'https://other.example/',
        description: '',
        eventTypes: ['key.rotated'],
        ordered: true,
        pauseReason: 'operator',
      });
      await put(store, id, next);
      assert.deepEqual(await store.findWebhook(id), next);
    });

    it('are deleted with their deliveries, and those of others stay', async () => {
      const { store } = opened;
      const [gone, kept] = [await aWebhook(store), await aWebhook(store)];
      await addSealedEvents(opened.url, [anEvent()], 1);
      for (const { id } of [gone, kept]) assert.equal((await enqueue(store, id)).length, 1);
      await put(store, gone.id, null);
      assert.equal(await store.findWebhook(gone.id), undefined);
      assert.deepEqual(await store.listDeliveries(gone.id, { limit: 10, after: undefined }), []);
      assert.equal((await store.listDeliveries(kept.id, { limit: 10, after: undefined })).length, 1);
    });
  });

  describe('webhooks: fan-out of sealed events', () => {
    let opened: Opened;
    beforeEach(async () => {
      opened = await open();
    });
    afterEach(() => opened.discard());
    const seal = (events: readonly Event[], firstSeq: number) => addSealedEvents(opened.url, events, firstSeq);
    const some = (count: number, over: Partial<Event> = {}) => Array.from({ length: count }, () => anEvent(over));
    const ids = (events: readonly Event[]) => events.map(({ id }) => id);

    it('begins with the first event that was sealed after the subscription', async () => {
      await seal(some(3), 1);
      const { id } = await aWebhook(opened.store);
      assert.deepEqual(await opened.store.webhookWork(NOW), []);
      const after = some(2);
      await seal(after, 4);
      assert.deepEqual(await enqueue(opened.store, id), ids(after));
      assert.deepEqual(await enqueue(opened.store, id), []);
    });

    it('reads every field of an event', async () => {
      const { store } = opened;
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
      const { store } = opened;
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
      const { id } = await aWebhook(opened.store);
      const events = [anEvent({ app: undefined }), anEvent({ app: 'shop' }), anEvent({ app: 'bank' })];
      await seal(events, 1);
      assert.deepEqual(await enqueue(opened.store, id), ids(events));
    });

    it('enqueues each event once, whichever nodes do it at the same time', async () => {
      const stores = [opened.store, await opened.another()];
      const { id } = await aWebhook(opened.store);
      const events = some(40);
      await seal(events, 1);
      const limits = { events: 3, waiting: 100 };
      await race(stores, 20, store => enqueue(store, id, limits));
      const enqueued = (await opened.store.listDeliveries(id, { limit: 100, after: undefined })).map(
        ({ eventId }) => eventId,
      );
      assert.deepEqual([...enqueued].sort(), ids(events).sort());
    });

    it('stops when as many deliveries wait as allowed, and goes on at the same event afterwards', async () => {
      const { store } = opened;
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
      const { id } = await aWebhook(opened.store);
      const left = some(2);
      await seal(left, 1001);
      assert.deepEqual(await enqueue(opened.store, id, { events: 1, waiting: 100 }), ids(left).slice(0, 1));
      assert.deepEqual(await enqueue(opened.store, id), ids(left).slice(1));
    });

    it('waits while the subscription is paused, and loses nothing', async () => {
      const { store } = opened;
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
      const { store } = opened;
      const { id } = await aWebhook(store);
      // The event of its own creation is in the table, without a number.
      assert.deepEqual(await store.webhookWork(NOW), []);
      assert.deepEqual(await enqueue(store, id), []);
    });
  });
}
