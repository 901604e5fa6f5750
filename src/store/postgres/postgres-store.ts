import { type Store, StoreUnavailable } from '../store.ts';
import { MARK, UNFINISHED } from '../transfer.ts';
import { accounts } from './accounts.ts';
import { consents } from './consents.ts';
import { connectDatabase, type Database } from './database.ts';
import { DatabaseClock } from './database-clock.ts';
import { deliveries } from './deliveries.ts';
import { asStoreFault } from './faults.ts';
import { Hosts } from './hosts.ts';
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

export async function migratePostgres({ hosts }: PostgresAddress): Promise<string[]> {
  try {
    return await migrate(new Hosts(hosts), migrations);
  } catch (error) {
    throw asStoreFault(error);
  }
}

const COPYING = statement(`SELECT to_regclass('${MARK}') IS NOT NULL AS unfinished`);

/** The store for many nodes. The schema is brought up to date when it is opened. */
export async function openPostgresStore({ hosts }: PostgresAddress, known = migrations): Promise<Store> {
  const db = connectDatabase(hosts);
  try {
    await migrate(db.hosts, known);
    await db.connect();
    const [state] = await db.read(COPYING);
    if (state?.unfinished) throw new StoreUnavailable(UNFINISHED);
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
    check: () => check(db, known.length),
    load: db.load,
    clock,
    close: async () => {
      listener.close();
      await db.close();
    },
  };
  // From here on the time is the database's, also for the partitions that are made now.
  await store.registryVersion();
  await store.purge(clock.now(), 0);
  return store;
}

const STATE = statement(
  "SELECT max(number) AS number, current_setting('transaction_read_only') AS read_only FROM schema_migrations",
);

async function check(db: Database, known: number): Promise<void> {
  const [state] = await db.write(STATE);
  if (state?.read_only === 'on') throw new StoreUnavailable('the database is read-only');
  // A newer one is the next release's, and works with this one until the nodes are replaced.
  if ((state?.number as number) < known) throw new StoreUnavailable('the schema of the database is too old');
}
