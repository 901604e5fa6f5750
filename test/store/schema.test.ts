import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { migratePostgres } from '../../src/assembly/store.postgres.ts';
import { storeTables } from '../../src/assembly/store-tables.ts';
import { migrations as ofPostgres } from '../../src/platform/store/postgres/migrations.ts';
import { partitionedTables } from '../../src/platform/store/postgres/partitions.ts';
import { readSchema } from '../../src/platform/store/schema/number.ts';
import { connect } from '../../src/platform/store/sqlite/database.ts';
import { migrations as ofSqlite } from '../../src/platform/store/sqlite/migrations.ts';
import { createDatabase, stopOwnServer } from '../build/postgres.ts';
import { postgresCatalog, sqliteCatalog } from './schema-catalog.ts';

/**
 * The catalogs of schema number 30, as the migrations from before the first release made them. A file that makes another schema needs a
 * migration. With the first one, keep the files of number 30 beside this test, apply the migrations to databases made from them, and
 * compare those with databases made from the files of that day.
 */
const NUMBER_30 = {
  sqlite: '354229e516e1b704a7f976c018c1a5a4efe655b4671f205e53dc467ba4c77c19',
  postgres: '9a645afefbeac14274fdfe97bab93aae3de8b9a67896bfb28b6dccd6861fca34',
};

const CHANGED = 'The file of the schema has changed: databases that exist need a migration.';

const { copied: tables, placements, further } = storeTables();

/** Their declarations say why. */
const NOT_COPIED =
  'registry_version purge_state statistics_writers nodes failed_attempts owner_link pushed_requests device_authorizations'.split(
    ' ',
  );

const fingerprint = (lines: readonly string[]) => hash('sha256', lines.map(line => `${line}\n`).join(''));

/** A table has a comment of its own: what it holds, and when its rows go. */
function commentless(sql: string): string[] {
  return [...sql.matchAll(/^(.*)\nCREATE (?:UNLOGGED )?TABLE (?:IF NOT EXISTS )?(\w+)/gm)]
    .filter(([, above]) => !above?.startsWith('-- '))
    .map(([, , name]) => name ?? '');
}

function tablesIn(sql: string): string[] {
  return [...sql.matchAll(/^CREATE (?:UNLOGGED )?TABLE (?:IF NOT EXISTS )?(\w+)/gm)]
    .map(([, name]) => name ?? '')
    .sort();
}

const columnsIn = (catalog: readonly string[]) =>
  new Set(catalog.flatMap(line => /^column (\w+\.\w+) /.exec(line)?.[1] ?? []));
/** Tables that the files do not have are created by their declarations. */
const inFile = tables.filter(({ name }) => further.every(table => table.name !== name));
const copied = inFile.map(({ name }) => name);
const copiedColumns = inFile.flatMap(({ name, columns }) => columns.map(column => `${name}.${column.name}`));

describe('the schema of SQLite', () => {
  const { connection } = connect(':memory:');
  const catalog = sqliteCatalog(connection);
  connection.close();

  it('is that of the file, which changes only with a migration', () => {
    assert.equal(ofSqlite.length, ofPostgres.length, 'both stores have the same numbers');
    assert.equal(fingerprint(catalog), NUMBER_30.sqlite, CHANGED);
  });

  it('has a comment for each table', () => assert.deepEqual(commentless(readSchema('sqlite')), []));

  it('has the tables and columns that are copied, and no others but those that need not be', () => {
    assert.deepEqual(tablesIn(readSchema('sqlite')), [...copied, ...NOT_COPIED, 'withdrawn_consents'].sort());
    assert.deepEqual(
      copiedColumns.filter(column => !columnsIn(catalog).has(column)),
      [],
    );
  });
});

describe('the schema of PostgreSQL', () => {
  let catalog: string[];
  before(async () => {
    const database = await createDatabase();
    // Tables of capabilities that the file does not have are no part of what a migration brings about.
    await migratePostgres(database.address, { tables: { ...storeTables(), further: [] } });
    catalog = await postgresCatalog(database);
    await database.drop();
  });
  after(stopOwnServer);

  it('is that of the file, which changes only with a migration', () =>
    assert.equal(fingerprint(catalog), NUMBER_30.postgres, CHANGED));

  it('has a comment for each table', () => assert.deepEqual(commentless(readSchema('postgres')), []));

  it('has the tables and columns that are copied, and no others but those that need not be', () => {
    assert.deepEqual(tablesIn(readSchema('postgres')), [...copied, ...NOT_COPIED, 'schema_migrations'].sort());
    assert.deepEqual(
      copiedColumns.filter(column => !columnsIn(catalog).has(column)),
      [],
    );
  });

  it('has a place on Citus for each table, and is partitioned where the purge drops partitions', () => {
    const created = further.flatMap(({ create }) => tablesIn(create.postgres));
    assert.deepEqual([...tablesIn(readSchema('postgres')), ...created].sort(), Object.keys(placements).sort());
    const partitioned = catalog.flatMap(line => /^relation (\w+) p p .* RANGE /.exec(line)?.[1] ?? []);
    assert.deepEqual(partitioned, [...partitionedTables].sort());
  });
});
