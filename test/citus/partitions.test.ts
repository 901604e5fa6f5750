import assert from 'node:assert/strict';
import { after, afterEach, beforeEach, describe, it } from 'node:test';
import { openPostgresStore } from '../../src/assembly/store.postgres.ts';
import type { Store } from '../../src/store.ts';
import { createMigratedDatabase, stopOwnServer, type TestDatabase } from '../build/postgres.ts';
import { aFixture, DAY, NOW, race } from '../store/contract/given.ts';
import { aSession } from '../store/contract/given-sessions.ts';
import { ALIVE, aFamily, alive, code, token } from '../store/contract/given-tokens.ts';

const YEAR = 365 * DAY;

describe('partitions of distributed tables', () => {
  let database: TestDatabase;
  const stores: Store[] = [];
  const open = async () => {
    const store = await openPostgresStore(database.address, { timeoutMs: 30_000 });
    stores.push(store);
    return store;
  };
  beforeEach(async () => {
    database = await createMigratedDatabase();
  });
  afterEach(async () => {
    for (const store of stores.splice(0)) await store.close();
    await database.drop();
  });
  after(stopOwnServer);

  /** The times at which the partitions of this table begin, and how many of their shards the workers have. */
  const partitionsOf = async (table: string) => {
    const rows = await database.query(
      `SELECT right(table_name::text, 10)::bigint AS start, count(*)::int AS shards FROM citus_shards
       WHERE table_name::text ~ $1 GROUP BY 1 ORDER BY 1`,
      [`^${table}_[0-9]{10}$`],
    );
    return rows.map(({ start, shards }) => ({ start: Number(start), shards: Number(shards) }));
  };
  const shardsOf = async (table: string) =>
    (
      await database.query('SELECT count(*)::int AS shards FROM pg_dist_shard WHERE logicalrelid = $1::regclass', [
        table,
      ])
    )[0]?.shards;
  /** The tables of the workers that belong to a partition of this name. */
  const tablesOfWorkers = async (partition: string) =>
    (
      await database.query('SELECT result FROM run_command_on_workers($1)', [
        `SELECT count(*) FROM pg_class WHERE relname LIKE '${partition}_%' AND relkind = 'r'`,
      ])
    ).map(({ result }) => Number(result));

  it('have a shard for each shard of their table', async () => {
    await open();
    for (const table of ['codes', 'access_tokens', 'refresh_tokens']) {
      const partitions = await partitionsOf(table);
      assert(partitions.length > 0, `${table} has no partition`);
      for (const { shards } of partitions) assert.equal(shards, await shardsOf(table), table);
    }
  });

  it('far ahead are made when first needed, by many at once on several nodes', async () => {
    const three = [await open(), await open(), await open()];
    const fixture = await aFixture(three[0] as Store);
    const families = await race(three, 12, store =>
      aFamily(store, fixture, { access: token(NOW + YEAR), refresh: token(NOW + 10 * YEAR) }),
    );
    for (const pair of families) assert.deepEqual(await alive(three[1] as Store, fixture.app, pair), ALIVE);
  });

  it('whose rows have ended go from every worker, and what lives stays', async () => {
    const store = await open();
    const fixture = await aFixture(store);
    const old = await aFamily(store, fixture, { access: token(NOW + 60), refresh: token(NOW + 60) });
    await store.addCode(fixture.app, code(fixture.grant));
    await aSession(store, fixture);
    const living = await aFamily(store, fixture, { access: token(NOW + 30 * DAY), refresh: token(NOW + 30 * DAY) });
    const [oldest] = await partitionsOf('access_tokens');
    const ended = `access_tokens_${oldest?.start}`;
    assert((await tablesOfWorkers(ended)).every(count => count > 0));
    const later = NOW + 20 * DAY;
    while ((await store.purge(later, 500)).deleted > 0);
    for (const { start } of await partitionsOf('access_tokens')) assert(start + DAY > later, `${start} has ended`);
    assert((await tablesOfWorkers(ended)).every(count => count === 0));
    assert.deepEqual(await alive(store, fixture.app, living, later), ALIVE);
    assert.equal(await store.findAccessToken(fixture.app, old.access.hash, NOW), undefined);
  });
});
