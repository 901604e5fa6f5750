import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Event } from '../../../src/audit/events/rules.ts';
import type { ChainHead, ChainState, EventFilter, NextSeals, UnsealedEvent } from '../../../src/audit/events/store.ts';
import { hex, NOW, type OpenStore, race } from './given.ts';
import { openForEach } from './open-store.ts';

let made = 0;

/** Ids sort by time, and by the order of their making. */
export function anEvent(over: Partial<Event> = {}): Event {
  const { time = NOW } = over;
  const id = `evt_${time.toString(16).padStart(8, '0')}${(++made).toString(16).padStart(6, '0')}`;
  const user = { kind: 'user', id: 'sub-1' } as const;
  return { id, time, type: 'user.login.succeeded', outcome: 'success', actor: user, subject: 'sub-1', ...over };
}

const NOTHING_BEFORE = new Uint8Array(4);
const hashOf = (seq: number) => Uint8Array.of(1, 2, seq >> 8, seq & 255);

/** Numbers without any authentication: the store keeps what it is given, and looks at none of it. */
export function numbering({ head }: Pick<ChainState, 'head'>, events: readonly UnsealedEvent[]): NextSeals {
  const first = (head?.lastSeq ?? 0) + 1;
  const seals = events.map(({ id }, index) => ({ id, seq: first + index, hash: hashOf(first + index) }));
  const last = seals.at(-1);
  const pruned = { prunedSeq: head?.prunedSeq ?? 0, prunedHash: head?.prunedHash ?? NOTHING_BEFORE };
  const lastHash = last?.hash ?? head?.lastHash ?? NOTHING_BEFORE;
  return { seals, head: { ...pruned, lastSeq: last?.seq ?? first - 1, lastHash, mac: Uint8Array.of(9) } };
}

export function eventsContract(open: OpenStore): void {
  describe('events', () => {
    const { store, another } = openForEach(open);

    const listed = async (filter: EventFilter = {}, limit = 100, after?: string) =>
      (await store.listEvents(filter, { after, limit })).map(({ id }) => id);

    it('gives an event back as it was recorded, every field of it', async () => {
      const full = anEvent({
        type: 'refresh.reused',
        outcome: 'denied',
        actor: { kind: 'client', id: 'web' },
        subject: 'sub-2',
        app: 'shop',
        clientId: 'web',
        address: '2001:db8::1',
        userAgent: 'Browser/1.0 (“quoted”)',
        requestId: 'req-1',
        details: { reason: 'reused', count: 3, nested: { list: ['a'] } },
      });
      const empty: Event = { ...anEvent(), actor: { kind: 'system' }, subject: undefined };
      await store.recordEvents([full, empty]);
      const unset = { app: undefined, clientId: undefined, address: undefined, userAgent: undefined };
      assert.deepEqual(await store.listEvents({}, { after: undefined, limit: 9 }), [
        { ...empty, ...unset, actor: { kind: 'system', id: undefined }, requestId: undefined, details: undefined },
        full,
      ]);
    });

    it('writes an event once, however often it is recorded: after a lost answer it is recorded again', async () => {
      const event = anEvent();
      await store.recordEvents([event]);
      await store.recordEvents([event, anEvent()]);
      assert.equal((await listed()).length, 2);
    });

    const filters: [string, EventFilter, Partial<Event>][] = [
      ['type', { types: ['code.replayed'] }, { type: 'code.replayed' }],
      ['several types', { types: ['code.replayed', 'token.revoked'] }, { type: 'token.revoked' }],
      ['application', { apps: ['shop'] }, { app: 'shop' }],
      ['several applications', { apps: ['shop', 'bank'] }, { app: 'bank' }],
      ['client', { clientId: 'web' }, { clientId: 'web' }],
      ['user', { user: 'sub-9' }, { subject: 'sub-9' }],
      ['operator', { operator: 'sub-8' }, { actor: { kind: 'operator', id: 'sub-8' } }],
      ['request', { requestId: 'req-7' }, { requestId: 'req-7' }],
      ['from', { from: NOW + 5 }, { time: NOW + 5 }],
      ['to, which is not included', { to: NOW }, { time: NOW - 1 }],
      ['several filters at once', { types: ['code.replayed'], apps: ['shop'] }, { type: 'code.replayed', app: 'shop' }],
    ];
    for (const [name, filter, over] of filters) {
      it(`lists by ${name}`, async () => {
        const wanted = anEvent(over);
        await store.recordEvents([anEvent(), wanted, anEvent({ app: 'other', actor: { kind: 'user', id: 'sub-8' } })]);
        assert.deepEqual(await listed(filter), [wanted.id]);
      });
    }

    it('lists newest first, and a cursor goes on where the page ended although events were added', async () => {
      const events = Array.from({ length: 7 }, (_, index) => anEvent({ time: NOW + index }));
      await store.recordEvents(events);
      const ids = events.map(({ id }) => id).reverse();
      const first = await listed({}, 3);
      await store.recordEvents([anEvent({ time: NOW + 100 })]);
      const second = await listed({}, 3, first.at(-1));
      assert.deepEqual([...first, ...second, ...(await listed({}, 3, second.at(-1)))], ids);
    });

    const chainOf = async () =>
      (await store.sealedEvents(0, 1000)).map(({ id, seq, hash }) => [seq, id, hex(hash)] as const);

    it('seals in the order of the ids, in batches, and tells the state of the chain', async () => {
      const events = [anEvent(), anEvent(), anEvent({ time: NOW - 9 })];
      await store.recordEvents(events);
      const [first] = [...events].sort((one, other) => (one.id < other.id ? -1 : 1));
      assert.deepEqual(await store.chainState(), {
        head: undefined,
        minSeq: undefined,
        maxSeq: undefined,
        unsealed: { id: first?.id, time: NOW - 9 },
      });
      assert.equal(await store.sealEvents(2, numbering), 2);
      assert.equal(await store.sealEvents(2, numbering), 1);
      assert.equal(await store.sealEvents(2, numbering), 0);
      const [one, two, three] = events.map(({ id }) => id);
      assert.deepEqual(await chainOf(), [
        [1, three, hex(hashOf(1))],
        [2, one, hex(hashOf(2))],
        [3, two, hex(hashOf(3))],
      ]);
      const { head, ...rest } = await store.chainState();
      assert.deepEqual(rest, { minSeq: 1, maxSeq: 3, unsealed: undefined });
      assert.deepEqual([head?.lastSeq, hex(head?.lastHash ?? NOTHING_BEFORE)], [3, hex(hashOf(3))]);
      assert.deepEqual(
        (await store.sealedEvents(1, 1)).map(({ seq }) => seq),
        [2],
      );
    });

    it('hands out the cells of a row as they are stored, before and after sealing', async () => {
      const event = anEvent({ app: 'shop', details: { b: 1, a: [true] } });
      await store.recordEvents([event]);
      const cells = [
        ...[event.id, NOW, 'user.login.succeeded', 'success', 'user', 'sub-1', 'sub-1', 'shop'],
        ...[null, null, null, null, '{"b":1,"a":[true]}'],
      ];
      await store.sealEvents(9, (state, events) => {
        assert.deepEqual(events, [{ id: event.id, time: NOW, cells }]);
        return numbering(state, events);
      });
      assert.deepEqual((await store.sealedEvents(0, 1))[0]?.cells, cells);
    });

    it('seals nothing, and writes no head, where the caller refuses', async () => {
      await store.recordEvents([anEvent()]);
      assert.equal(await store.sealEvents(9, () => undefined), 0);
      assert.equal((await store.chainState()).head, undefined);
    });

    it('seals each event once, without a gap, when many callers seal at once', async () => {
      const stores = [store, await another(), await another()];
      const events = Array.from({ length: 60 }, () => anEvent());
      await store.recordEvents(events);
      for (let left = 60; left > 0; ) {
        const sealed = await race(stores, 6, store => store.sealEvents(7, numbering));
        left -= sealed.reduce((sum, count) => sum + count, 0);
      }
      const chain = await chainOf();
      assert.deepEqual(
        chain.map(([seq]) => seq),
        Array.from({ length: 60 }, (_, index) => index + 1),
      );
      assert.equal(new Set(chain.map(([, id]) => id)).size, 60);
      assert.equal((await store.chainState()).head?.lastSeq, 60);
    });

    const without = (head: ChainHead, prunedSeq: number) => ({ ...head, prunedSeq, prunedHash: hashOf(prunedSeq) });

    it('prunes the beginning of the chain, up to the first event that is to be kept', async () => {
      const times = [NOW - 50, NOW - 40, NOW, NOW - 30];
      for (const time of times) {
        await store.recordEvents([anEvent({ time })]);
        await store.sealEvents(1, numbering);
      }
      await store.recordEvents([anEvent({ time: NOW - 90 })]);
      const prune = (limit: number) =>
        store.pruneEvents(NOW - 20, limit, (head, events) => without(head, events.at(-1)?.seq ?? 0));
      assert.equal(await store.pruneEvents(NOW - 20, 9, () => undefined), 0);
      assert.equal(await prune(1), 1);
      assert.equal(await prune(9), 1);
      assert.equal(await prune(9), 0, 'the third event is kept, and so is what follows it in the chain');
      assert.deepEqual(
        (await chainOf()).map(([seq]) => seq),
        [3, 4],
      );
      const { head, minSeq, unsealed } = await store.chainState();
      assert.deepEqual([head?.prunedSeq, head?.lastSeq, minSeq, unsealed?.time], [2, 4, 3, NOW - 90]);
    });

    it('prunes nothing of a store without a chain', async () => {
      await store.recordEvents([anEvent({ time: 1 })]);
      assert.equal(await store.pruneEvents(NOW, 9, () => assert.fail('nothing is sealed')), 0);
    });
  });
}
