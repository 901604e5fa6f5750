import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { after, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { aChainStore, type ChainStore, SECRET, stores } from '../../build/event-chain.ts';
import { stopOwnServer } from '../../build/postgres.ts';
import { until } from '../../build/until.ts';

after(stopOwnServer);

const PROGRAM = fileURLToPath(new URL('seal-until-killed.ts', import.meta.url));

/** Several machines may run the job at the same time, and each may die at any moment (src/audit/events/job.ts). */
for (const kind of stores) {
  describe(`nodes that seal events on ${kind}`, () => {
    const running = new Set<ChildProcess>();
    after(() => {
      for (const child of running) child.kill('SIGKILL');
    });

    async function startNode({ url }: ChainStore): Promise<ChildProcess> {
      const child = spawn(process.execPath, [PROGRAM, url, SECRET], { stdio: ['ignore', 'pipe', 'inherit'] });
      running.add(child);
      await once(child.stdout, 'data');
      return child;
    }
    async function kill(child: ChildProcess): Promise<void> {
      assert.equal(child.exitCode, null, 'a node has ended by itself');
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
      running.delete(child);
    }
    const sealed = async (chain: ChainStore) => (await chain.store.chainState()).head?.lastSeq ?? 0;

    it('three at once seal every event once, while events are recorded, and kill -9 of one leaves a chain that verifies', async () => {
      const chain = await aChainStore(kind);
      let recorded = 0;
      let recording = true;
      const record = async () => {
        while (recording) {
          // As many as keep the three busy.
          if (recorded - (await sealed(chain)) < 60) {
            await chain.record(20);
            recorded += 20;
          }
          await new Promise(resolve => setTimeout(resolve, 5));
        }
      };
      try {
        const nodes = await Promise.all([startNode(chain), startNode(chain), startNode(chain)]);
        const recorder = record();
        for (const enough of [30, 90, 150]) {
          await until(`${enough} events are sealed`, async () => (await sealed(chain)) >= enough);
          const [victim] = nodes.splice(0, 1);
          if (victim) await kill(victim);
          assert.deepEqual((await chain.verify()).findings, []);
          nodes.push(await startNode(chain));
        }
        recording = false;
        await recorder;
        await until('all are sealed', async () => (await sealed(chain)) === recorded);
        for (const node of nodes) await kill(node);
        const { events, findings } = await chain.verify();
        assert.deepEqual([events, findings], [recorded, []]);
        assert.equal((await chain.store.chainState()).unsealed, undefined);
      } finally {
        recording = false;
        for (const child of running) await kill(child);
        await chain.discard();
      }
    });
  });
}
