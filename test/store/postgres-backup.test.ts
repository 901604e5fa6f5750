import assert from 'node:assert/strict';
import { after, afterEach, beforeEach, describe, it } from 'node:test';
import { Client } from 'pg';
import { openPostgresStore } from '../../src/assembly/store.postgres.ts';
import type { Store } from '../../src/store.ts';
import { createDatabase, stopOwnServer, type TestDatabase } from '../build/postgres.ts';
import { aFixture, DAY, NOW } from './contract/given.ts';
import { aSession } from './contract/given-sessions.ts';
import { ALIVE, aFamily, alive, token } from './contract/given-tokens.ts';

after(stopOwnServer);

describe('while pg_dump holds its locks', () => {
  let database: TestDatabase;
  let dump: Client;
  const stores: Store[] = [];
  const open = async () => {
    const store = await openPostgresStore(database.address);
    stores.push(store);
    return store;
  };
  beforeEach(async () => {
    database = await createDatabase();
  });
  afterEach(async () => {
    await dump?.end();
    for (const store of stores.splice(0)) await store.close();
    await database.drop();
  });

  const tablesLike = async (pattern: string): Promise<string[]> =>
    (
      await database.query(
        "SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND relname ~ $1",
        [pattern],
      )
    ).map(row => String(row.relname));
  const ended = async () => (await tablesLike('_[0-9]{10}$')).filter(name => Number(name.slice(-10)) < NOW + 10 * DAY);
  const pending = () => database.query('SELECT inhrelid::regclass FROM pg_inherits WHERE inhdetachpending');

  /** As pg_dump begins: one transaction, one snapshot, and every table locked in ACCESS SHARE until the end. */
  const startDump = async () => {
    dump = new Client(database.url);
    await dump.connect();
    await dump.query('BEGIN; SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY');
    for (const table of await tablesLike('')) await dump.query(`LOCK TABLE ${table} IN ACCESS SHARE MODE`);
  };

  /** A store with partitions of every table that ended long ago. */
  const aged = async (end = NOW + 60) => {
    const store = await open();
    const fixture = await aFixture(store);
    await aFamily(store, fixture, { access: token(end), refresh: token(end) });
    await aSession(store, fixture);
    return { store, fixture };
  };

  it('a node starts, serves, and creates the partitions that requests need', async () => {
    // By the clock of the database, which a node goes by as it starts.
    const { fixture } = await aged(Math.floor(Date.now() / 1000) - 30 * DAY);
    await startDump();
    const node = await open();
    const pair = await aFamily(node, fixture, { access: token(NOW + 400 * DAY), refresh: token(NOW + 400 * DAY) });
    assert.deepEqual(await alive(node, fixture.app, pair), ALIVE);
  });

  it('a purge leaves ended partitions for later, and says which; what can be deleted is', async () => {
    const { store, fixture } = await aged();
    const later = NOW + 20 * DAY;
    const before = await ended();
    assert(before.length > 2);
    await startDump();
    const outcome = await store.purge(later, 500);
    assert.deepEqual([...outcome.postponed].sort(), before.sort());
    assert.equal(outcome.complete, false);
    assert(outcome.deleted > 0, 'rows of tables without partitions');
    assert.deepEqual((await ended()).sort(), before.sort());
    assert.deepEqual(await pending(), [], 'a partition was left half detached');
    // Those ahead are there all the same.
    assert((await tablesLike('^access_tokens_')).some(name => Number(name.slice(-10)) > later));
    const pair = await aFamily(store, fixture, { access: token(later + 60), refresh: token(later + 60) });
    assert.deepEqual(await alive(store, fixture.app, pair, later), ALIVE);
  });

  it('nothing is forgotten: the purge after it drops what was left', async () => {
    const { store } = await aged();
    const later = NOW + 20 * DAY;
    await startDump();
    await store.purge(later, 500);
    await dump.query('COMMIT');
    const outcome = await store.purge(later, 500);
    assert.deepEqual(outcome.postponed, []);
    assert.equal(outcome.complete, true);
    assert.deepEqual(await ended(), []);
  });
});
