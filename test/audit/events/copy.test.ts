import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { pruneEvents } from '../../../src/audit/events/maintain.ts';
import { runCommand } from '../../build/command.ts';
import { aChainStore, OTHER_SECRET, SECRET, stores } from '../../build/event-chain.ts';
import { stopOwnServer } from '../../build/postgres.ts';
import { application } from '../../store/contract/given.ts';

after(stopOwnServer);

describe('gatehouse copy keeps a chain of events that verifies', () => {
  for (const from of stores) {
    for (const to of stores) {
      it(`from ${from} to ${to}: pruned, under two secrets, with events that are not sealed, and it goes on there`, async () => {
        const [source, target] = [await aChainStore(from), await aChainStore(to)];
        try {
          await source.store.provision([{ kind: 'application', application: application({ code: 'shop' }) }]);
          await source.record(6);
          await source.seal();
          const { store, clock } = source;
          const pruned = await pruneEvents({ store, ring: source.ring() }, clock.now() + 1, 2);
          assert.deepEqual(pruned, { kind: 'done', count: 2 });
          source.withSecrets(OTHER_SECRET, SECRET);
          await source.record(4, { details: { text: 'Ω, "quoted" \u0000 and \\ back' }, userAgent: 'Browser/Ω' });
          await source.seal();
          await source.record(2);
          const { code, err } = await runCommand(['copy', '--from', source.url, '--to', target.url]);
          assert.equal(code, 0, err);
          target.withSecrets(OTHER_SECRET, SECRET);
          const [before, there] = [await source.verify(), await target.verify()];
          assert.deepEqual(there, before);
          assert.deepEqual([there.events, there.findings], [8, []]);
          assert.equal(await target.seal(), 2);
          assert.deepEqual((await target.verify({ expected: before.end })).findings, []);
        } finally {
          await source.discard();
          await target.discard();
        }
      });
    }
  }
});
