import { DEFAULT_TIMEOUT_MS, type WaitsFor } from '../database-timeouts.ts';
import { type Store, StoreUnavailable, StoreUnusable } from '../store.ts';
import { MARK, UNFINISHED } from '../transfer.ts';
import { accounts } from './accounts.ts';
import { consents } from './consents.ts';
import { connectDatabase, type Database } from './database.ts';
import { DatabaseClock } from './database-clock.ts';
import { deliveries } from './deliveries.ts';
import { asStoreFault, isLockTimeout } from './faults.ts';
import { end, Hosts } from './hosts.ts';
import { Listener } from './listener.ts';
import { migrate } from './migrate.ts';
import { type Migration, migrations } from './migrations.ts';
import { Partitions } from './partitions.ts';
import { purger } from './purge.ts';
import { registry } from './registry.ts';
import { sessions } from './sessions.ts';
import { signingKeys } from './signing-keys.ts';
import { statement } from './statement.ts';
import { tokens } from './tokens.ts';

export interface PostgresAddress {
  /** One address for each host; the one that takes writes is used. */
  readonly hosts: readonly string[];
}

export interface PostgresOptions {
  /** For one operation. */
  readonly timeoutMs?: number | undefined;
  readonly waitsFor?: WaitsFor;
  readonly known?: readonly Migration[];
}

export async function migratePostgres({ hosts }: PostgresAddress, options: PostgresOptions = {}): Promise<string[]> {
  const { timeoutMs = DEFAULT_TIMEOUT_MS, waitsFor, known = migrations } = options;
  try {
    return await migrate(new Hosts(hosts, timeoutMs), known, waitsFor);
  } catch (error) {
    throw asStoreFault(error);
  }
}

const COPYING = statement(`SELECT to_regclass('${MARK}') IS NOT NULL AS unfinished`);

/** The store for many nodes. The schema is brought up to date when it is opened. */
export async function openPostgresStore({ hosts }: PostgresAddress, options: PostgresOptions = {}): Promise<Store> {
  const { timeoutMs = DEFAULT_TIMEOUT_MS, waitsFor, known = migrations } = options;
  const db = connectDatabase(hosts, timeoutMs);
  try {
    await migrate(db.hosts, known, waitsFor);
    await db.connect();
    const [state] = await db.read(COPYING);
    if (state?.unfinished) throw new StoreUnusable(UNFINISHED);
    return await openOn(db, known);
  } catch (error) {
    await db.close();
    throw asStoreFault(error);
  }
}

async function openOn(db: Database, known: readonly Migration[]): Promise<Store> {
  const clock = new DatabaseClock();
  const partitions = new Partitions(db.hosts);
  const listener = new Listener(db.hosts);
  const store: Store = {
    ...registry(db, clock, listener),
    ...signingKeys(db),
    ...accounts(db),
    ...sessions(db, partitions),
    ...consents(db),
    ...deliveries(db),
    ...tokens(db, partitions),
    purge: purger(db.hosts, partitions),
    lastCompletePurge: async () => (await db.read(LAST_PURGE))[0]?.completed_at as number,
    check: () => check(db, known.length),
    load: db.load,
    clock,
    close: async () => {
      listener.close();
      await db.close();
    },
  };
  // From here on the time is the database's, also for the partitions that are created now.
  await store.registryVersion();
  await createPartitions(db.hosts, partitions, clock.now());
  return store;
}

/** For the first requests. Where somebody else is at it, those that are missing are created when they are needed. */
async function createPartitions(hosts: Hosts, partitions: Partitions, now: number): Promise<void> {
  const client = await hosts.connectForMaintenance();
  try {
    await partitions.createAhead(client, now);
  } catch (error) {
    if (!isLockTimeout(error)) throw error;
  } finally {
    await end(client);
  }
}

const LAST_PURGE = statement('SELECT completed_at FROM purge_state');

const STATE = statement(
  "SELECT max(number) AS number, current_setting('transaction_read_only') AS read_only FROM schema_migrations",
);

async function check(db: Database, known: number): Promise<void> {
  const [state] = await db.write(STATE);
  if (state?.read_only === 'on') throw new StoreUnavailable('the database is read-only');
  // A newer one is the next release's, and works with this one until the nodes are replaced.
  if ((state?.number as number) < known) throw new StoreUnavailable('the schema of the database is too old');
}
