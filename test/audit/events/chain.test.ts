import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import { pruneEvents, sealEvents } from '../../../src/audit/events/maintain.ts';
import type { Finding } from '../../../src/audit/events/verify.ts';
import { aChainStore, type ChainStore, OTHER_SECRET, SECRET, stores } from '../../build/event-chain.ts';
import { stopOwnServer } from '../../build/postgres.ts';

after(stopOwnServer);

const DAY = 86_400;
const places = (findings: readonly Finding[]) => findings.map(({ kind, seq }) => `${kind} ${seq ?? ''}`.trim());

for (const kind of stores) {
  describe(`tampering with the chain of events on ${kind} ("verify finds an altered, removed or inserted row and says where")`, () => {
    let chain: ChainStore;
    before(async () => {
      chain = await aChainStore(kind);
      await chain.record(12);
      await chain.seal(5);
      await chain.seal(5);
      await chain.seal(5);
      await chain.tamper('CREATE TABLE events_before AS SELECT * FROM events');
      await chain.tamper('CREATE TABLE chain_before AS SELECT * FROM event_chain');
    });
    after(() => chain.discard());
    afterEach(async () => {
      for (const [table, copy] of [
        ['events', 'events_before'],
        ['event_chain', 'chain_before'],
      ]) {
        await chain.tamper(`DELETE FROM ${table}`);
        await chain.tamper(`INSERT INTO ${table} SELECT * FROM ${copy}`);
      }
    });

    const found = async (sql: string | readonly string[]) => {
      for (const each of [sql].flat()) await chain.tamper(each);
      return places((await chain.verify()).findings);
    };

    it('verifies what was not touched, and says how far it goes', async () => {
      const { events, from, to, end, findings } = await chain.verify();
      assert.deepEqual([events, from, to, end?.seq, findings], [12, chain.clock.now(), chain.clock.now(), 12, []]);
      assert.match(end?.hash ?? '', /^[0-9a-f]{72}$/);
    });

    const altered: [string, string][] = [
      ['id', `id = 'evt_6b49d200000000'`],
      ['time', 'time = time + 1'],
      ['type', `type = 'user.login.failed'`],
      ['outcome', `outcome = 'failure'`],
      ['actor_kind', `actor_kind = 'operator'`],
      ['actor', `actor = 'sub-2'`],
      ['subject', 'subject = NULL'],
      ['app', `app = 'bank'`],
      ['client_id', `client_id = 'mobile'`],
      ['address', `address = '192.0.2.2'`],
      ['user_agent', `user_agent = ''`],
      ['request_id', `request_id = 'req-99'`],
      ['details', `details = '{"amr": ["pwd"]}'`],
      ['details, to what is no JSON', `details = 'gone'`],
    ];
    for (const [column, change] of altered) {
      for (const seq of [1, 7, 12]) {
        it(`${column} altered in event ${seq} of 12`, async () => {
          assert.deepEqual(await found(`UPDATE events SET ${change} WHERE seq = ${seq}`), [`altered ${seq}`]);
        });
      }
    }

    const bytes = (hex: string) => (kind === 'SQLite' ? `x'${hex}'` : `'\\x${hex}'::bytea`);

    it('the hash altered: of the event, and of the one that was sealed after it', async () => {
      assert.deepEqual(
        await found(`UPDATE events SET hash = (SELECT hash FROM events_before WHERE seq = 3) WHERE seq = 7`),
        ['altered 7', 'altered 8'],
      );
    });

    it('the last hash altered, also to one of no secret', async () => {
      assert.deepEqual(await found(`UPDATE events SET hash = ${bytes('00')} WHERE seq = 12`), [
        'unknownSecret 12',
        'altered 12',
      ]);
    });

    it('the number altered: the event is not where it was', async () => {
      assert.deepEqual(await found('UPDATE events SET seq = 40 WHERE seq = 12'), ['missing 12', 'inserted 13']);
    });

    for (const [name, condition, place] of [
      ['the first', 'seq = 1', 'missing 1'],
      ['one in the middle', 'seq = 7', 'missing 7'],
      ['several in the middle', 'seq BETWEEN 5 AND 8', 'missing 5'],
      ['the last', 'seq = 12', 'missing 12'],
      ['all', 'true', 'missing 1'],
    ]) {
      it(`removed: ${name}`, async () =>
        assert.deepEqual(await found(`DELETE FROM events WHERE ${condition}`), [place]));
    }

    it('removed, and the numbers after it moved up', async () => {
      const drop = kind === 'SQLite' ? [] : ['DROP INDEX events_by_seq'];
      const renumber = Array.from(
        { length: 5 },
        (_, index) => `UPDATE events SET seq = ${7 + index} WHERE seq = ${8 + index}`,
      );
      const places = await found([...drop, 'DELETE FROM events WHERE seq = 7', ...renumber]);
      assert.deepEqual(places.slice(0, 2), ['altered 7', 'altered 8']);
      assert.equal(places.at(-1), 'missing 12');
    });

    it('two events swapped', async () => {
      const swap = ['seq = 99 WHERE seq = 4', 'seq = 4 WHERE seq = 9', 'seq = 9 WHERE seq = 99'];
      const places = await found(swap.map(change => `UPDATE events SET ${change}`));
      assert.deepEqual(places, ['altered 4', 'altered 5', 'altered 9', 'altered 10']);
    });

    const insert = (id: string, seq: string) =>
      `INSERT INTO events SELECT '${id}', time, type, outcome, actor_kind, actor, subject, app, client_id, address, user_agent,
        request_id, details, ${seq}, hash FROM events_before WHERE seq = 5`;

    it('inserted after the end of the chain, and before its beginning', async () => {
      assert.deepEqual(await found(insert('evt_after', '13')), ['inserted 13']);
      assert.deepEqual(await found([insert('evt_before', '0')]), ['inserted 0', 'inserted 13']);
    });

    it('inserted in place of another', async () => {
      assert.deepEqual(await found(['DELETE FROM events WHERE seq = 6', insert('evt_instead', '6')]), [
        'altered 6',
        'altered 7',
      ]);
    });

    it('the seal of an event taken off: it is missing where it was', async () => {
      assert.deepEqual(await found('UPDATE events SET seq = NULL, hash = NULL WHERE seq = 3'), ['missing 3']);
    });

    for (const change of [
      'last_seq = 11',
      'pruned_seq = 3',
      `last_hash = ${bytes('00')}`,
      `pruned_hash = ${bytes('00')}`,
    ]) {
      it(`the head altered: ${change}`, async () => {
        assert.equal((await found(`UPDATE event_chain SET ${change}`))[0], 'head');
      });
    }

    it('the head removed', async () => assert.deepEqual(await found('DELETE FROM event_chain'), ['head']));

    it('the head restored to an older one: the events after it give it away', async () => {
      await chain.record(3);
      await chain.seal();
      const restore = ['DELETE FROM event_chain', 'INSERT INTO event_chain SELECT * FROM chain_before'];
      assert.deepEqual(await found(restore), ['inserted 13']);
      const outcome = await sealEvents({ store: chain.store, ring: chain.ring() }, 10);
      assert.equal(outcome.kind, 'broken', 'and nothing is sealed on top of it');
    });

    it('the whole log restored to an older state: only an end that was kept elsewhere shows it', async () => {
      await chain.record(3);
      await chain.seal();
      const { end } = await chain.verify();
      const restore = [
        'DELETE FROM event_chain',
        'INSERT INTO event_chain SELECT * FROM chain_before',
        'DELETE FROM events WHERE seq > 12',
      ];
      assert.deepEqual(await found(restore), [], 'the older state is a chain too');
      assert.deepEqual(places((await chain.verify({ expected: end })).findings), ['restored 12']);
      await chain.record(5);
      await chain.seal();
      assert.deepEqual(places((await chain.verify({ expected: end })).findings), ['restored 15']);
    });

    it('an end that was kept is found again when the chain has grown', async () => {
      const { end } = await chain.verify();
      await chain.record(3);
      await chain.seal();
      assert.deepEqual((await chain.verify({ expected: end })).findings, []);
    });

    it('an event that is not sealed is a finding after five minutes', async () => {
      const [event] = await chain.record(1);
      chain.clock.advance(300);
      assert.deepEqual((await chain.verify()).findings, []);
      chain.clock.advance(1);
      const { findings } = await chain.verify();
      assert.deepEqual(
        findings.map(({ kind, id }) => [kind, id]),
        [['unsealed', event?.id]],
      );
    });

    it('a chain whose head was altered, or whose beginning is damaged, is neither continued nor pruned', async () => {
      await chain.record(1);
      const parts = { store: chain.store, ring: chain.ring() };
      await chain.tamper(`UPDATE events SET subject = 'sub-9' WHERE seq = 2`);
      const damaged = await pruneEvents(parts, chain.clock.now() + 1, 10);
      assert.deepEqual(damaged, { kind: 'broken', reason: 'event number 2 is not what was sealed' });
      await chain.tamper('DELETE FROM events WHERE seq = 1');
      const cut = await pruneEvents(parts, chain.clock.now() + 1, 10);
      assert.deepEqual(cut, { kind: 'broken', reason: 'event number 1 is missing' });
      await chain.tamper('UPDATE event_chain SET pruned_seq = 1');
      for (const outcome of [await sealEvents(parts, 10), await pruneEvents(parts, chain.clock.now() + 1, 10)]) {
        assert.deepEqual(outcome, { kind: 'broken', reason: 'the head of the chain is not authentic' });
      }
      await chain.tamper('DELETE FROM event_chain');
      assert.deepEqual(await sealEvents(parts, 10), { kind: 'broken', reason: 'the head of the chain is missing' });
    });
  });

  describe(`the life of a chain on ${kind}`, () => {
    let chain: ChainStore;
    before(async () => {
      chain = await aChainStore(kind);
    });
    after(() => chain.discard());

    it('nothing at all is a chain that has not begun', async () => {
      assert.deepEqual(await chain.verify(), {
        events: 0,
        from: undefined,
        to: undefined,
        end: undefined,
        findings: [],
      });
    });

    it('pruned, it verifies, and goes on; a removed event after the pruned ones is found', async () => {
      for (let day = 0; day < 5; day++) {
        await chain.record(4);
        await chain.seal();
        chain.clock.advance(DAY);
      }
      const { store, clock } = chain;
      const prune = () => pruneEvents({ store, ring: chain.ring() }, clock.now() - 3 * DAY, 3);
      const counts: number[] = [];
      for (let count = 3; count === 3; counts.push(count)) {
        const outcome = await prune();
        count = outcome.kind === 'done' ? outcome.count : assert.fail(outcome.reason);
      }
      assert.deepEqual(counts, [3, 3, 2]);
      const pruned = await chain.verify();
      assert.deepEqual([pruned.events, pruned.from, pruned.findings], [12, clock.now() - 3 * DAY, []]);
      await chain.record(2);
      await chain.seal();
      assert.deepEqual((await chain.verify()).events, 14);
      await chain.tamper('CREATE TABLE ninth AS SELECT * FROM events WHERE seq = 9');
      await chain.tamper('DELETE FROM events WHERE seq = 9');
      assert.deepEqual(places((await chain.verify()).findings), ['missing 9']);
      await chain.tamper('INSERT INTO events SELECT * FROM ninth');
    });

    it('pruned completely, it goes on at the same number', async () => {
      const { store, clock } = chain;
      await pruneEvents({ store, ring: chain.ring() }, clock.now() + 1, 1000);
      const { events, end, findings } = await chain.verify();
      assert.deepEqual([events, end?.seq, findings], [0, 22, []]);
      await chain.record(1);
      await chain.seal();
      assert.deepEqual((await chain.verify()).end?.seq, 23);
    });

    it('the secret replaced: both parts verify while both are listed, and the old part cannot without the old one', async () => {
      chain.withSecrets(OTHER_SECRET, SECRET);
      await chain.record(3);
      await chain.seal();
      assert.deepEqual((await chain.verify()).findings, []);
      chain.withSecrets(OTHER_SECRET);
      const { findings } = await chain.verify();
      assert.deepEqual(places(findings), ['unknownSecret 23']);
      await chain.tamper(`UPDATE events SET subject = 'x' WHERE seq = 25`);
      assert.deepEqual(places((await chain.verify()).findings), ['unknownSecret 23', 'altered 25']);
      const { store, clock } = chain;
      const outcome = await pruneEvents({ store, ring: chain.ring() }, clock.now() + 1, 2);
      assert.deepEqual(outcome, { kind: 'done', count: 2 }, 'what cannot be verified any more can be pruned');
    });

    it('the secret lost: the chain stops until an operator lets it go on, and goes on under the next one', async () => {
      const lost = await aChainStore(kind);
      await lost.record(3);
      await lost.seal();
      lost.withSecrets(OTHER_SECRET);
      await lost.record(2);
      const parts = { store: lost.store, ring: lost.ring() };
      const reason = 'the head of the chain was made with a secret that GATEHOUSE_SECRET does not list';
      assert.deepEqual(await sealEvents(parts, 10), { kind: 'broken', reason });
      assert.deepEqual(await sealEvents(parts, 10, { lostSecret: true }), { kind: 'done', count: 2 });
      assert.deepEqual(places((await lost.verify()).findings), ['unknownSecret 1']);
      await lost.record(1);
      assert.equal(await lost.seal(), 1);
      await lost.tamper('UPDATE event_chain SET last_seq = 5');
      const forged = await sealEvents(parts, 10, { lostSecret: true });
      assert.deepEqual(forged, { kind: 'broken', reason: 'the head of the chain is not authentic' });
      await lost.discard();
    });
  });
}
