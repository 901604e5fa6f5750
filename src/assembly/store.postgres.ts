import { applications } from '../directory/applications/postgres.ts';
import { users } from '../directory/users/postgres.ts';
import { queue } from '../notify/backchannel-logout/postgres.ts';
import { codes } from '../oauth/authorization-code/postgres.ts';
import { revokeReplays } from '../oauth/authorization-code/replays.postgres.ts';
import { backchannelTokens } from '../oauth/ciba/postgres.ts';
import { deviceAuthorizations } from '../oauth/device/postgres.ts';
import { refreshTokens } from '../oauth/refresh/postgres.ts';
import { coldWaitingRevocations } from '../oauth/revoke/queries.ts';
import { tokens } from '../oauth/token/postgres.ts';
import { tokenExchanges } from '../oauth/token-exchange/postgres.ts';
import { MARK, UNFINISHED } from '../operators/copy-database/store.ts';
import { consents } from '../people/consent/postgres.ts';
import { credentials } from '../people/password/postgres.ts';
import { sessions } from '../people/sessions/postgres.ts';
import { once } from '../platform/single-use/postgres.ts';
import { DEFAULT_TIMEOUT_MS, type WaitsFor } from '../platform/store/database-timeouts.ts';
import { StoreUnavailable, StoreUnusable } from '../platform/store/faults.ts';
import { connectDatabase, type Database } from '../platform/store/postgres/database.ts';
import { DatabaseClock } from '../platform/store/postgres/database-clock.ts';
import { hostsOf, type PostgresAddress } from '../platform/store/postgres/database-hosts.ts';
import { asStoreFault, isLockTimeout, isWorkerFault } from '../platform/store/postgres/faults.ts';
import { end, type Hosts } from '../platform/store/postgres/hosts.ts';
import { Listener } from '../platform/store/postgres/listener.ts';
import { migrate } from '../platform/store/postgres/migrate.postgres.ts';
import { type Migration, migrations } from '../platform/store/postgres/migrations.ts';
import { Partitions } from '../platform/store/postgres/partitions.ts';
import { statement } from '../platform/store/postgres/statement.ts';
import { purger } from '../platform/store/purge.postgres.ts';
import { outsideRequests } from '../platform/store/request-time.ts';
import { numberAfter } from '../platform/store/schema/number.ts';
import type { StoreTables } from '../platform/store/table.ts';
import type { Store } from '../store.ts';
import { coldDatabase } from './cold-database.postgres.ts';
import { earlyStore } from './early-store.ts';
import { declaredStore } from './late-store.ts';
import { storeTables } from './store-tables.ts';

export interface PostgresOptions {
  /** For one operation. */
  readonly timeoutMs?: number | undefined;
  readonly waitsFor?: WaitsFor;
  readonly known?: readonly Migration[];
  /** Instead of those of capabilities.ts. */
  readonly tables?: StoreTables | undefined;
}

export async function migratePostgres(address: PostgresAddress, options: PostgresOptions = {}): Promise<string[]> {
  const { timeoutMs = DEFAULT_TIMEOUT_MS, waitsFor, known = migrations, tables = storeTables() } = options;
  try {
    return await migrate(hostsOf(address, timeoutMs), known, tables, waitsFor);
  } catch (error) {
    throw asStoreFault(error);
  }
}

const COPYING = statement(`SELECT to_regclass('${MARK}') IS NOT NULL AS unfinished`);

/** The store for many nodes. The schema is brought up to date when it is opened. */
export async function openPostgresStore(address: PostgresAddress, options: PostgresOptions = {}): Promise<Store> {
  const { timeoutMs = DEFAULT_TIMEOUT_MS, waitsFor, known = migrations, tables = storeTables() } = options;
  const hosts = hostsOf(address, timeoutMs);
  const db = connectDatabase(hosts, tables.placements);
  try {
    await migrate(hosts, known, tables, waitsFor);
    await db.connect();
    const [state] = await db.read(COPYING);
    if (state?.unfinished) throw new StoreUnusable(UNFINISHED);
    return await openOn(db, known, tables);
  } catch (error) {
    await db.close();
    throw asStoreFault(error);
  }
}

export async function openOn(db: Database, known: readonly Migration[], tables: StoreTables): Promise<Store> {
  const clock = new DatabaseClock();
  const partitions = new Partitions(db.hosts);
  const listener = new Listener(db.direct);
  const cold = coldDatabase(db);
  const waiting = coldWaitingRevocations(cold);
  // It writes the row also when the time of the request is over.
  const replays = revokeReplays(outsideRequests(waiting));
  const store: Store = {
    ...applications(db, cold, clock, listener),
    ...declaredStore(tables.parts, cold),
    ...earlyStore(cold),
    ...users(db),
    ...credentials(db),
    ...sessions(db, cold, partitions),
    ...consents(db, cold),
    ...queue(db, cold),
    ...waiting,
    ...deviceAuthorizations(db, cold, partitions),
    ...backchannelTokens(db, partitions),
    ...codes(db, partitions, replays),
    ...tokens(db, partitions),
    ...tokenExchanges(db, partitions),
    ...refreshTokens(db, partitions, replays),
    ...once(db, partitions),
    purge: purger(db.direct, partitions, db, tables),
    cold,
    lastCompletePurge: async () => (await db.read(LAST_PURGE))[0]?.completed_at as number,
    check: () => check(db, numberAfter(known)),
    load: db.load,
    cluster: db.cluster,
    clock,
    isSharedByNodes: true,
    close: async () => {
      listener.close();
      await replays.close();
      await db.close();
    },
  };
  // Sets the clock to the time of the database, before partitions are created by it.
  await store.registryVersion();
  await createPartitions(db.direct, partitions, clock.now());
  return store;
}

/**
 * Creates partitions for the first requests. If another process holds the lock, or a worker of a cluster is down, missing ones are
 * created when they are needed.
 */
async function createPartitions(hosts: Hosts, partitions: Partitions, now: number): Promise<void> {
  const client = await hosts.connectForMaintenance();
  try {
    await partitions.createAhead(client, now);
  } catch (error) {
    if (!isLockTimeout(error) && !isWorkerFault(error)) throw error;
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
  // A newer schema is fine: that of the next release works with this one until all nodes are replaced.
  if ((state?.number as number) < known) throw new StoreUnavailable('the schema of the database is too old');
}
