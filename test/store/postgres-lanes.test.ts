import assert from 'node:assert/strict';
import { after, afterEach, beforeEach, describe, it } from 'node:test';
import { Hosts } from '../../src/store/postgres/hosts.ts';
import { Lane } from '../../src/store/postgres/lane.ts';
import { openPostgresStore } from '../../src/store/postgres/postgres-store.ts';
import { createDatabase, stopOwnServer, type TestDatabase } from '../build/postgres.ts';
import { aFamily, alive, aScene, DEAD, NOW } from './contract/given.ts';

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
    await new Promise(resolve => setTimeout(resolve, 100));
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
