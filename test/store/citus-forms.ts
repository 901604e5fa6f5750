import { openOn } from '../../src/assembly/store.postgres.ts';
import { storeTables } from '../../src/assembly/store-tables.ts';
import { delegatedFunctions } from '../../src/platform/store/citus/functions.citus.ts';
import { connectDatabase } from '../../src/platform/store/postgres/database.ts';
import { hostsOf } from '../../src/platform/store/postgres/database-hosts.ts';
import { migrations } from '../../src/platform/store/postgres/migrations.ts';
import type { Store } from '../../src/store.ts';
import { createMigratedDatabase } from '../build/postgres.ts';
import type { OpenStore } from './contract/given.ts';
import { PATIENT_MS } from './postgres-database.ts';

const tables = storeTables();

/** What the metadata of a cluster says of one worker that has everything. */
const METADATA = `
  CREATE TABLE pg_dist_node AS SELECT 1 AS groupid, 'worker' AS nodename, 5432 AS nodeport, 'primary' AS noderole;
  CREATE TABLE pg_dist_shard AS SELECT 1::bigint AS shardid, 'grants'::regclass AS logicalrelid;
  CREATE TABLE pg_dist_placement AS SELECT 1::bigint AS shardid, 1 AS groupid;
  CREATE FUNCTION get_shard_id_for_distribution_column(regclass, text) RETURNS bigint LANGUAGE sql AS 'SELECT 1::bigint';
  CREATE FUNCTION citus_check_connection_to_node(text, integer) RETURNS boolean LANGUAGE sql AS 'SELECT true'`;

/** A store that runs every statement in its form for Citus, on a PostgreSQL without Citus, as if it were the only worker. */
export const openInCitusForms: OpenStore = async () => {
  const database = await createMigratedDatabase();
  for (const { create } of delegatedFunctions) await database.query(create);
  await database.query(METADATA);
  const stores: Store[] = [];
  const another = async () => {
    const db = connectDatabase(hostsOf({ hosts: [database.url], citus: true }, PATIENT_MS), tables.placements);
    await db.connect();
    const store = await openOn(db, migrations, tables);
    stores.push(store);
    return store;
  };
  const discard = async () => {
    await Promise.all(stores.map(store => store.close()));
    await database.drop();
  };
  return { store: await another(), url: database.url, another, discard };
};
