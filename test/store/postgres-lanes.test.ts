import assert from 'node:assert/strict';
import { after, afterEach, beforeEach, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { Hosts } from '../../src/store/postgres/hosts.ts';
import { EXCUSE_MS, Lane, PATIENCE_MS, WATCH_MS } from '../../src/store/postgres/lane.ts';
import { openPostgresStore } from '../../src/store/postgres/postgres-store.ts';
import { statement } from '../../src/store/postgres/statement.ts';
import { StoreUnavailable } from '../../src/store/store.ts';
import { createDatabase, stopOwnServer, type TestDatabase } from '../build/postgres.ts';
import { aFamily, alive, aScene, DEAD, NOW } from './contract/given.ts';
import { frozenPostgres } from './frozen-postgres.ts';

const NOTHING = statement('SELECT 1');

after(stopOwnServer);

describe('connections to PostgreSQL', () => {
  let database: TestDatabase;
  beforeEach(async () => {
    database = await createDatabase();
  });
  afterEach(() => database.drop());

  const connections = async () => {
    const [row] = await database.query(
      "SELECT count(*)::int AS count FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'gatehouse'",
    );
    return row?.count;
  };

  it('that come about after they were closed do not stay', async () => {
    const lane = new Lane(new Hosts([database.url]));
    const connecting = lane.connect();
    await lane.close();
    await connecting;
    await pause(100);
    assert.equal(await connections(), 0);
  });

  it('do not limit the time of what an operator asks for: a client with very many grants can be deleted', async () => {
    const store = await openPostgresStore({ hosts: [database.url] });
    const scene = await aScene(store);
    const pair = await aFamily(store, scene);
    // Stands for millions of them: every grant of this client takes its time.
    await database.query(`CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN PERFORM pg_sleep(2); RETURN NEW; END $$`);
    await database.query('CREATE TRIGGER slow BEFORE UPDATE ON grants FOR EACH ROW EXECUTE FUNCTION slow()');
    assert.equal(await store.deleteClient(scene.app, 'web', NOW), true);
    assert.deepEqual(await alive(store, scene.app, pair), DEAD);
    await store.close();
  });
});

describe('a frozen PostgreSQL', () => {
  it('is waited for no longer by who asked a little later: not once for the answer and once more to connect', async t => {
    const { db } = await frozenPostgres(t);
    const asked: Promise<number>[] = [];
    const took = async (operation: () => Promise<unknown>) => {
      const began = performance.now();
      await assert.rejects(operation(), StoreUnavailable);
      return performance.now() - began;
    };
    let lag = 0;
    for (let time = 0; time < 40; time++) {
      for (let each = 0; each < 4; each++) asked.push(took(() => db.write(NOTHING)));
      asked.push(took(() => db.read(NOTHING)));
      const paused = performance.now();
      await pause(50);
      lag = Math.max(lag, performance.now() - paused - 50);
    }
    const slowest = Math.max(...(await Promise.all(asked)));
    t.diagnostic(
      `the slowest was told after ${Math.round(slowest)} ms; this process stood still for ${Math.round(lag)} ms`,
    );
    // A process that stood still excuses its database, and is late itself.
    const excuse = lag > 3 * WATCH_MS ? EXCUSE_MS : 0;
    assert(slowest < PATIENCE_MS + 300 + lag + excuse, `${slowest} ms`);
  });
});
