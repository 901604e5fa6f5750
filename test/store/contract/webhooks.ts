import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { EventType } from '../../../src/events.ts';
import type { Webhook } from '../../../src/notify/webhooks/store.ts';
import type { Store } from '../../../src/store.ts';
import { addSealedEvents, eventTypesOf } from '../../build/sealed-events.ts';
import { NOW, type OpenStore, race } from './given.ts';
import { openForEach } from './open-store.ts';
import { anEvent, aWebhook, enqueue, put, webhook } from './webhooks-fixture.ts';

export function webhooksContract(open: OpenStore): void {
  describe('webhooks: subscriptions', () => {
    const opened = openForEach(open);
    const { store, another } = opened;

    it('are found as they were added, by every process', async () => {
      const other = await another();
      const all = await aWebhook(store);
      const some = await aWebhook(store, {
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
      const stores = [store, await another()];
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
      assert.equal((await store.listWebhooks({ limit: 100, after: undefined })).length, 3);
    });

    it('change by a function of the current row: no change is lost in a race', async () => {
      const stores = [store, await another()];
      const { id } = await aWebhook(store, { description: '' });
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
      assert.equal((await store.findWebhook(id))?.description, 'x'.repeat(10));
    });

    it('stay as they are when the function writes nothing, and leave no event', async () => {
      const added = await aWebhook(store);
      const written = await eventTypesOf(opened.url, 'sub-1');
      const refuse = ({ current }: { current: Webhook | undefined }) => ({ result: current?.id });
      assert.equal(await store.changeWebhook(added.id, refuse, NOW), added.id);
      assert.equal(await store.changeWebhook('whk_unknown', refuse, NOW), undefined);
      assert.deepEqual(await store.findWebhook(added.id), added);
      assert.deepEqual(await eventTypesOf(opened.url, 'sub-1'), written);
    });

    it('leave an event of every change, in the same transaction', async () => {
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
      const [gone, kept] = [await aWebhook(store), await aWebhook(store)];
      await addSealedEvents(opened.url, [anEvent()], 1);
      for (const { id } of [gone, kept]) assert.equal((await enqueue(store, id)).length, 1);
      await put(store, gone.id, null);
      assert.equal(await store.findWebhook(gone.id), undefined);
      assert.deepEqual(await store.listDeliveries(gone.id, { limit: 10, after: undefined }), []);
      assert.equal((await store.listDeliveries(kept.id, { limit: 10, after: undefined })).length, 1);
    });
  });
}
