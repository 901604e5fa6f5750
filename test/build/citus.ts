import {
  copyCitusDatabase,
  createCitusDatabase,
  dropCitusDatabase,
  renameCitusDatabase,
  setOnCitusDatabase,
} from '../../scripts/citus.ts';
import { storeTables } from '../../src/assembly/store-tables.ts';
import { delegatedFunctions } from '../../src/platform/store/citus/functions.citus.ts';
import type { PostgresAddress } from '../../src/platform/store/postgres/database-hosts.ts';

/** `npm run test:citus` sets it: TEST_DATABASE_URL is then the coordinator of a Citus cluster. */
export const onCitus = process.env.TEST_CITUS === 'true';

/** What a server on this database needs in its environment beside DATABASE_URL. */
export function citusSettings(databaseUrl: string | undefined): Record<string, string> {
  if (!onCitus || !/^postgres/.test(databaseUrl ?? '')) return {};
  return { GATEHOUSE_CITUS: 'true', GATEHOUSE_CITUS_SPREAD: process.env.TEST_CITUS_SPREAD ?? '' };
}

export function postgresAddress(...hosts: string[]): PostgresAddress {
  return { hosts, ...(onCitus && { citus: true }) };
}

/** What a database with tables is made from, beside the schema. */
export const citusSchema = onCitus ? [storeTables().placements, delegatedFunctions] : [];

/** Few: each partition of a distributed table is as many tables, and each is made by a connection to a worker. */
const TEST_SHARDS = 4;

async function createOnCitus(server: string, name: string): Promise<void> {
  await createCitusDatabase(server, name);
  await setOnCitusDatabase(server, name, 'citus.shard_count', String(TEST_SHARDS));
}

/** The same acts on the databases of a cluster as on those of one server. */
export const citusDatabases = {
  create: createOnCitus,
  copy: copyCitusDatabase,
  drop: dropCitusDatabase,
  rename: renameCitusDatabase,
};
