import { coldAccountDeletions } from '../cold/account-deletions.ts';
import { coldIdempotentAnswers } from '../cold/acts.ts';
import { coldClientRegistrations } from '../cold/client-registrations.ts';
import { coldEmailConfirmations } from '../cold/email-confirmations.ts';
import { coldEmailUndos } from '../cold/email-undos.ts';
import { coldEvents } from '../cold/events.ts';
import { coldFailedAttempts } from '../cold/failed-attempts.ts';
import { coldMails } from '../cold/mails.ts';
import { coldOperators } from '../cold/operators.ts';
import { coldPasskeys } from '../cold/passkeys.ts';
import { coldPasswordResets } from '../cold/password-resets.ts';
import { coldProvisioning } from '../cold/provisioning.ts';
import { coldPushedRequests } from '../cold/pushed-requests.ts';
import { coldRefusals } from '../cold/refusals.ts';
import { coldSecondFactors } from '../cold/second-factors.ts';
import { coldSigningKeys } from '../cold/signing-keys.ts';
import { coldStatistics } from '../cold/statistics.ts';
import { coldStatus } from '../cold/status.ts';
import { coldTrustedBrowsers } from '../cold/trusted-browsers.ts';
import { coldUserAdministration } from '../cold/user-administration.ts';
import { coldUserHoldings } from '../cold/user-holdings.ts';
import { coldWaitingRevocations } from '../cold/waiting-revocations.ts';
import { coldDeliveries } from '../cold/webhook-deliveries.ts';
import { coldSubscriptions } from '../cold/webhooks.ts';
import { DEFAULT_TIMEOUT_MS, type WaitsFor } from '../database-timeouts.ts';
import { StoreUnavailable, StoreUnusable } from '../faults.ts';
import type { Store } from '../store.ts';
import { MARK, UNFINISHED } from '../transfer.ts';
import { applications } from './applications.ts';
import { codes } from './codes.ts';
import { coldDatabase } from './cold-database.ts';
import { connectDatabase, type Database } from './connection/database.ts';
import { DatabaseClock } from './connection/database-clock.ts';
import { hostsOf, type PostgresAddress } from './connection/database-hosts.ts';
import { asStoreFault, isLockTimeout, isWorkerFault } from './connection/faults.ts';
import { end, type Hosts } from './connection/hosts.ts';
import { Listener } from './connection/listener.ts';
import { statement } from './connection/statement.ts';
import { consents } from './consents.ts';
import { credentials } from './credentials.ts';
import { deviceAuthorizations } from './device-authorizations.ts';
import { once } from './once.ts';
import { purger } from './purge.ts';
import { queue } from './queue.ts';
import { refreshTokens } from './refresh-tokens.ts';
import { revokeReplays } from './replays.ts';
import { migrate } from './schema/migrate.ts';
import { type Migration, migrations } from './schema/migrations.ts';
import { Partitions } from './schema/partitions.ts';
import { sessions } from './sessions.ts';
import { tokenExchanges } from './token-exchanges.ts';
import { tokens } from './tokens.ts';
import { users } from './users.ts';

export interface PostgresOptions {
  /** For one operation. */
  readonly timeoutMs?: number | undefined;
  readonly waitsFor?: WaitsFor;
  readonly known?: readonly Migration[];
}

export async function migratePostgres(address: PostgresAddress, options: PostgresOptions = {}): Promise<string[]> {
  const { timeoutMs = DEFAULT_TIMEOUT_MS, waitsFor, known = migrations } = options;
  try {
    return await migrate(hostsOf(address, timeoutMs), known, waitsFor);
  } catch (error) {
    throw asStoreFault(error);
  }
}

const COPYING = statement(`SELECT to_regclass('${MARK}') IS NOT NULL AS unfinished`);

/** The store for many nodes. The schema is brought up to date when it is opened. */
export async function openPostgresStore(address: PostgresAddress, options: PostgresOptions = {}): Promise<Store> {
  const { timeoutMs = DEFAULT_TIMEOUT_MS, waitsFor, known = migrations } = options;
  const hosts = hostsOf(address, timeoutMs);
  const db = connectDatabase(hosts);
  try {
    await migrate(hosts, known, waitsFor);
    await db.connect();
    const [state] = await db.read(COPYING);
    if (state?.unfinished) throw new StoreUnusable(UNFINISHED);
    return await openOn(db, known);
  } catch (error) {
    await db.close();
    throw asStoreFault(error);
  }
}

export async function openOn(db: Database, known: readonly Migration[]): Promise<Store> {
  const clock = new DatabaseClock();
  const partitions = new Partitions(db.hosts);
  const listener = new Listener(db.direct);
  const cold = coldDatabase(db);
  const waiting = coldWaitingRevocations(cold);
  const replays = revokeReplays(waiting);
  const store: Store = {
    ...applications(db, cold, clock, listener),
    ...coldProvisioning(cold),
    ...coldUserAdministration(cold),
    ...coldUserHoldings(cold),
    ...coldAccountDeletions(cold),
    ...coldSigningKeys(cold),
    ...coldOperators(cold),
    ...coldIdempotentAnswers(cold),
    ...coldRefusals(cold),
    ...coldEvents(cold),
    ...coldStatistics(cold),
    ...coldStatus(cold),
    ...users(db, cold),
    ...credentials(db, cold),
    ...coldSecondFactors(cold),
    ...coldFailedAttempts(cold),
    ...coldTrustedBrowsers(cold),
    ...coldPasskeys(cold),
    ...sessions(db, cold, partitions),
    ...consents(db, cold),
    ...queue(db, cold),
    ...coldSubscriptions(cold),
    ...coldDeliveries(cold),
    ...coldMails(cold),
    ...waiting,
    ...coldPasswordResets(cold),
    ...coldPushedRequests(cold),
    ...deviceAuthorizations(db, cold, partitions),
    ...coldClientRegistrations(cold),
    ...coldEmailConfirmations(cold),
    ...coldEmailUndos(cold),
    ...codes(db, partitions, replays),
    ...tokens(db, partitions),
    ...tokenExchanges(db, partitions),
    ...refreshTokens(db, partitions, replays),
    ...once(db, partitions),
    purge: purger(db.direct, partitions, db),
    lastCompletePurge: async () => (await db.read(LAST_PURGE))[0]?.completed_at as number,
    check: () => check(db, known.length),
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
