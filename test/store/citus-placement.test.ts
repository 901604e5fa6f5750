import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { migratePostgres } from '../../src/assembly/store.postgres.ts';
import { storeTables } from '../../src/assembly/store-tables.ts';
import { PROFILE_COLUMNS } from '../../src/directory/users/rows.store.ts';
import { profileTypes } from '../../src/platform/store/citus/column-types.ts';
import { COLOCATED_WITH } from '../../src/platform/store/citus/placement.ts';
import { createMigratedDatabase, stopOwnServer, type TestDatabase } from '../build/postgres.ts';

after(stopOwnServer);

const { placements } = storeTables();

describe('placement on a Citus cluster', () => {
  let database: TestDatabase;
  after(() => database.drop());

  it('names every table of the schema, and no other', async () => {
    database = await createMigratedDatabase();
    const tables = await database.query(
      `SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition`,
    );
    assert.deepEqual(Object.keys(placements).sort(), tables.map(({ relname }) => relname).sort());
  });

  it('distributes a table by a column that its keys begin with, or contain: a key counts on one worker alone', async () => {
    const keys = await database.query(
      `SELECT indrelid::regclass::text AS "table", array_agg(attname::text) AS columns FROM pg_index
       JOIN pg_attribute ON attrelid = indrelid AND attnum = ANY (indkey) WHERE indisunique GROUP BY indexrelid, indrelid`,
    );
    for (const [table, placement] of Object.entries(placements)) {
      if (typeof placement === 'string') continue;
      const own = keys.filter(key => key.table === table);
      assert.ok(own.length > 0, `${table} has no key`);
      for (const { columns } of own) assert.ok((columns as string[]).includes(placement.by), `${table}: ${columns}`);
    }
  });

  it('places a table with another that is distributed alike, and before it', () => {
    const names = Object.keys(placements);
    for (const [table, placement] of Object.entries(placements)) {
      if (typeof placement === 'string' || placement.colocateWith === undefined) continue;
      assert.deepEqual(placements[placement.colocateWith], { by: placement.by }, table);
      assert.ok(names.indexOf(placement.colocateWith) < names.indexOf(table), table);
    }
    assert.deepEqual(placements[COLOCATED_WITH], { by: 'app' });
  });

  it('gives the functions the columns of a profile in the order in which rows are read', () => {
    assert.equal(Object.keys(profileTypes).join(', '), PROFILE_COLUMNS);
  });

  it('is refused on a database that has no Citus, with what to do', async () => {
    await assert.rejects(
      migratePostgres({ hosts: [database.url], citus: true }),
      /GATEHOUSE_CITUS is true, and the database has no extension citus.*CREATE EXTENSION citus/,
    );
  });
});
