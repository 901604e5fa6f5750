import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DatabaseSync } from 'node:sqlite';
import { after, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { freePort } from '../../scripts/free-port.ts';
import { newEvent } from '../../src/audit/events/new-event.ts';
import { createDatabase, stopOwnServer } from '../build/postgres.ts';
import { openReceiver, type Receiver } from '../build/receiver.ts';
import { addSealedEvents } from '../build/sealed-events.ts';
import { startTestServer } from '../build/test-server.ts';
import { until } from '../build/until.ts';
import { subscribe } from '../build/webhooks.ts';
import { temporaryFolder } from '../store/temporary-folder.ts';
import { type NodeProcess, PATIENT, startCluster, startNode } from './nodes.ts';

const SHIFTED_CLOCK = fileURLToPath(new URL('shifted-clock.ts', import.meta.url));
const ALLOWED = { GATEHOUSE_OUTBOUND_ALLOW: '127.0.0.1' };
/** Above the numbers that the server itself gives to events. */
const FIRST_SEQ = 1_000_001;

after(stopOwnServer);

/** A database with a subscription and so many sealed events; returns the ids of the events. */
async function given(databaseUrl: string, address: string, count: number): Promise<string[]> {
  const server = await startTestServer({ env: { DATABASE_URL: databaseUrl } });
  await subscribe(server, address, { eventTypes: ['session.ended'] });
  const events = Array.from({ length: count }, () =>
    newEvent(server.services, { type: 'session.ended', outcome: 'success', actor: { kind: 'system' } }),
  );
  await addSealedEvents(databaseUrl, events, FIRST_SEQ);
  await server.close();
  return events.map(({ id }) => id);
}

const idsOf = ({ received }: Receiver) => received.map(({ headers }) => String(headers['webhook-id']));

describe('webhooks: nodes and crashes', () => {
  it('two nodes on PostgreSQL deliver each event once when all is well', async () => {
    const database = await createDatabase();
    const receiver = await openReceiver();
    const events = await given(database.url, receiver.address, 300);
    const cluster = await startCluster({ databaseUrl: database.url, env: { ...ALLOWED, ...PATIENT } }, 2);
    await until('all are delivered', async () => {
      const [row] = await database.query("SELECT count(*) FROM webhook_deliveries WHERE state = 'delivered'");
      return Number(row?.count) === events.length;
    });
    assert.deepEqual(idsOf(receiver).sort(), [...events].sort());
    await cluster.stop();
    await receiver.down();
    await database.drop();
  });

  it('SIGTERM waits for the answer of a delivery under way, so that it is not sent twice', async () => {
    const folder = temporaryFolder();
    const databaseUrl = `sqlite:${folder.file('gatehouse.db')}`;
    const receiver = await openReceiver();
    let answer = () => {};
    const when = new Promise<void>(resolve => {
      answer = resolve;
    });
    receiver.answer({ status: 200, when });
    await given(databaseUrl, receiver.address, 1);
    const port = await freePort();
    const node = await startNode(
      { databaseUrl, env: { ...ALLOWED, LOG_LEVEL: 'info' } },
      port,
      `http://127.0.0.1:${port}`,
    );
    await until('it is under way', () => receiver.received.length === 1);
    const ended = node.stop();
    await until('the node drains', () => node.output().includes('"event":"draining"'));
    answer();
    assert.equal(await ended, 0);
    const database = new DatabaseSync(folder.file('gatehouse.db'), { readOnly: true });
    const states = database.prepare('SELECT state FROM webhook_deliveries').all();
    database.close();
    assert.deepEqual(
      states.map(({ state }) => state),
      ['delivered'],
    );
    await receiver.down();
    folder.remove();
  });

  it('kill -9 between the answer and its acknowledgement: delivered again, with the same webhook-id', async () => {
    const folder = temporaryFolder();
    const databaseUrl = `sqlite:${folder.file('gatehouse.db')}`;
    const ids: (string | undefined)[] = [];
    let isAnswered = false;
    const first = Promise.withResolvers<NodeProcess>();
    const receiver = createServer(async (incoming, outgoing) => {
      ids.push(incoming.headers['webhook-id'] as string);
      // The node is frozen, so the answer reaches its socket and no code of it. It may deliver before it is known as ready.
      if (ids.length === 1) (await first.promise).signal('SIGSTOP');
      outgoing.writeHead(200).end(() => {
        isAnswered = true;
      });
    }).listen(0, '127.0.0.1');
    await once(receiver, 'listening');
    const { port } = receiver.address() as AddressInfo;
    const [event] = await given(databaseUrl, `http://127.0.0.1:${port}/`, 1);
    const own = await freePort();
    const base = `http://127.0.0.1:${own}`;
    const node = await startNode({ databaseUrl, env: ALLOWED }, own, base);
    first.resolve(node);
    await until('it is answered', () => isAnswered);
    await node.kill();
    assert.deepEqual(ids, [event]);
    // A minute later the lease of the dead process has expired.
    const env = { ...ALLOWED, CLOCK_WRONG_BY: '61' };
    const next = await startNode({ databaseUrl, env, preload: [SHIFTED_CLOCK] }, own, base);
    await until('it is delivered again', () => ids.length > 1);
    await next.stop();
    assert.deepEqual(ids, [event, event]);
    receiver.closeAllConnections();
    receiver.close();
    folder.remove();
  });
});
