/** Jobs that one node does at a time for all of a deployment: how many rows they manage in a second, however many nodes there are. */
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';
import { openStore } from '../../src/assembly/open-store.ts';
import { APP, CLIENT_ID, SCOPE } from '../fixture.ts';
import { provisionGatehouse, startGatehouse } from '../servers/gatehouse.ts';
import { databaseUrl, GATEHOUSE, openPlace, storeAddress } from '../servers/place.ts';
import type { Recorded } from './recorded.ts';

const ROWS = 20_000;
const BATCH = 500;
const AGENT = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Safari/537.36';

export async function measureJobs(): Promise<Recorded['jobs']> {
  const place = await openPlace('postgres', { max_wal_size: '4GB' });
  const db = new Client({ connectionString: databaseUrl(place.postgres ?? { url: '' }, GATEHOUSE) });
  try {
    await provisionGatehouse(place, []);
    await db.connect();
    const purgedPerSecond = await measurePurge(db, () => openStore(storeAddress(place, GATEHOUSE), {}));
    const { stop } = await startGatehouse(place);
    const sealing = await measureSealing(db);
    await stop();
    return { purgedPerSecond, ...sealing };
  } finally {
    await db.end();
    await place.close();
  }
}

/** Of token families, the most frequent rows that are not dropped with a partition. */
async function measurePurge(db: Client, open: () => ReturnType<typeof openStore>): Promise<number> {
  const now = Math.floor(Date.now() / 1000);
  await db.query(`INSERT INTO grants (app, grant_id, client_id, sub, scope, auth_time, amr, sid, expires_at, started_at)
    SELECT '${APP}', substr(md5('g' || n), 1, 22), '${CLIENT_ID}', substr(md5('u' || n), 1, 22), '${SCOPE}', 1, 'pwd',
      substr(md5('s' || n), 1, 22), 1000 + n, 1 FROM generate_series(1, ${ROWS}) AS n`);
  const store = await open();
  const began = performance.now();
  let deleted = 0;
  for (let complete = false; !complete; ) {
    const outcome = await store.purge(now, BATCH);
    deleted += outcome.deleted;
    complete = outcome.complete;
  }
  const seconds = (performance.now() - began) / 1000;
  await store.close();
  return deleted / seconds;
}

/** The running server seals what it finds. */
async function measureSealing(db: Client): Promise<Pick<Recorded['jobs'], 'sealedPerSecond' | 'sealWalBytes'>> {
  const unsealed = async () => Number((await db.query('SELECT count(*) AS n FROM events WHERE seq IS NULL')).rows[0].n);
  const position = async () => Number((await db.query("SELECT pg_current_wal_lsn() - '0/0'::pg_lsn AS at")).rows[0].at);
  await db.query(`INSERT INTO events (id, time, type, outcome, actor_kind, actor, subject, app, client_id, address, user_agent, request_id,
      details)
    SELECT 'evt_' || lpad(to_hex(1000000 + n), 8, '0') || substr(md5(n::text), 1, 26), 1000000 + n, 'user.login.succeeded', 'success',
      'user', substr(md5('u' || n), 1, 22), substr(md5('u' || n), 1, 22), '${APP}', '${CLIENT_ID}', '192.0.2.7', '${AGENT}',
      'request-' || n, '{"amr":["pwd"]}' FROM generate_series(1, ${ROWS}) AS n`);
  let first = await unsealed();
  while (first === ROWS) {
    await pause(5);
    first = await unsealed();
  }
  if (first === 0) throw new Error('all events were sealed before the first look');
  const [began, from] = [performance.now(), await position()];
  let left = first;
  while (left > 0) {
    await pause(20);
    left = await unsealed();
  }
  const seconds = (performance.now() - began) / 1000;
  return { sealedPerSecond: first / seconds, sealWalBytes: ((await position()) - from) / first };
}
