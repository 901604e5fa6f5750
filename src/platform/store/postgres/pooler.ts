import { randomBytes } from 'node:crypto';
import type { Client } from 'pg';
import { StoreMisconfigured, StoreUnavailable } from '../faults.ts';
import { asStoreFault, sqlState } from './faults.ts';
import { ConnectTimeout, destroy, end, type Hosts } from './hosts.ts';
import { missingRoleSettings } from './role-settings.ts';

/** Which of the two connections runs the next query. Irregular, so that a round-robin pool cannot match it by chance. */
const TURNS = [0, 1, 0, 0, 1, 1, 0, 1, 1, 1, 0, 0, 0, 1, 0] as const;

/** How many connections of a pool are asked for their settings at the same time, and how often. */
const SAMPLE = 4;
const ROUNDS = 25;

/** Of PgBouncer, for BEGIN with pool_mode = statement; without a ROLLBACK, since there is no transaction. */
const PROTOCOL_VIOLATION = '08P01';

export type AddressSetting = 'DATABASE_URL' | 'DATABASE_LISTEN_URL';

/**
 * A pooler that assigns connections by transaction, such as PgBouncer with pool_mode = transaction, seems to work and does not:
 * locks and settings of a session stay in its pool, and the next node waits for them for ever. Called before anything is set or
 * locked.
 */
export async function refuseTransactionPooler(hosts: Hosts, setting: AddressSetting = 'DATABASE_URL'): Promise<void> {
  await withPair(hosts, async pair => {
    if (!(await haveProcessesOfTheirOwn(pair))) throw new StoreMisconfigured(refusals[setting]);
  });
}

/**
 * Behind a pooler by transaction, requests need prepared statements that follow the client to whichever connection it gets, and
 * the settings of the role on each connection. Called after the role has its settings: this opens connections of the pool.
 */
export async function checkPooler(hosts: Hosts, direct: Hosts): Promise<void> {
  const wanted = await using(direct, identityOf);
  await withPair(hosts, async ([one, other]) => {
    refuseOther(await identityOf(one), wanted);
    if (await haveProcessesOfTheirOwn([one, other])) return;
    if (!(await keepsPreparedStatements(one))) throw new StoreMisconfigured(NO_PREPARED_STATEMENTS);
  });
  await replaceOldConnections(hosts);
}

/**
 * Connections that the pooler made before the role had its settings do not have them. One that has not is ended by the query that
 * found it, so no other client has it at that time; the pooler makes a new one. The pooler uses idle connections before it makes
 * one, so in the end all that are idle were asked.
 */
async function replaceOldConnections(hosts: Hosts): Promise<void> {
  let names: string[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const missing = await Promise.all(Array.from({ length: SAMPLE }, () => using(hosts, endIfOld)));
    names = [...new Set(missing.flat())];
    if (names.length === 0) return;
  }
  throw new StoreUnavailable(`${OLD_CONNECTIONS} (${names.join(', ')})`);
}

async function endIfOld(client: Client): Promise<string[]> {
  await client.query('BEGIN');
  const missing = await missingRoleSettings(client);
  // The transaction keeps the connection; its end is reported as an error.
  if (missing.length > 0) await client.query('SELECT pg_terminate_backend(pg_backend_pid())').catch(() => {});
  else await client.query('COMMIT');
  return missing;
}

async function using<T>(hosts: Hosts, work: (client: Client) => Promise<T>): Promise<T> {
  const client = await hosts.connectWithoutSettings();
  // If other clients use the whole pool, a query waits.
  const overdue = setTimeout(() => destroy(client), hosts.timeoutMs);
  try {
    return await work(client);
  } catch (error) {
    throw asStoreFault(error);
  } finally {
    clearTimeout(overdue);
    await end(client);
  }
}

async function withPair(hosts: Hosts, work: (pair: readonly [Client, Client]) => Promise<void>): Promise<void> {
  await using(hosts, async one => {
    try {
      await using(hosts, other => work([one, other]));
    } catch (error) {
      throw error instanceof ConnectTimeout ? new StoreUnavailable(NO_SECOND_CONNECTION) : error;
    }
  });
}

/**
 * Each connection to PostgreSQL itself, or to a pooler in session mode, has a server process of its own until it is closed. In
 * transaction mode, the second connection gets the process of the first one, or the first gets another process for its next query.
 */
async function haveProcessesOfTheirOwn(pair: readonly [Client, Client]): Promise<boolean> {
  const known: (number | undefined)[] = [undefined, undefined];
  for (const turn of TURNS) {
    const process = await processOf(pair[turn]);
    known[turn] ??= process;
    if (process !== known[turn] || process === known[1 - turn]) return false;
  }
  return true;
}

async function processOf(client: Client): Promise<number> {
  return (await client.query('SELECT pg_backend_pid() AS pid')).rows[0].pid;
}

type Identity = Readonly<Record<'role' | 'database' | 'server', string>>;

async function identityOf(client: Client): Promise<Identity> {
  const { rows } = await client.query(
    `SELECT current_user AS role, current_database() AS database,
            extract(epoch FROM pg_postmaster_start_time())::text AS server`,
  );
  return rows[0];
}

/** The settings of the role, and what is listened to, are of use only in the same database, with the same role. */
function refuseOther(pooled: Identity, direct: Identity): void {
  const other = (['role', 'database', 'server'] as const).find(name => pooled[name] !== direct[name]);
  if (other) {
    throw new StoreMisconfigured(
      `DATABASE_URL and DATABASE_LISTEN_URL must lead to the same database of the same server with the same role; the ${other} is another one`,
    );
  }
}

/** A pooler that keeps them gives them names of its own: the name of the client is unknown to the server. */
async function keepsPreparedStatements(client: Client): Promise<boolean> {
  const name = `gatehouse-probe-${randomBytes(8).toString('hex')}`;
  try {
    await client.query('BEGIN');
  } catch (error) {
    if (sqlState(error) === PROTOCOL_VIOLATION) throw new StoreMisconfigured(BY_STATEMENT);
    throw error;
  }
  await client.query({ name, text: 'SELECT 1' });
  const { rows } = await client.query('SELECT FROM pg_prepared_statements WHERE name = $1', [name]);
  if (rows.length > 0) await client.query(`DEALLOCATE "${name}"`);
  await client.query('COMMIT');
  return rows.length === 0;
}

const BY_TRANSACTION =
  'leads to a pooler that hands out connections by transaction (PgBouncer: pool_mode = transaction)';

const refusals: Readonly<Record<AddressSetting, string>> = {
  DATABASE_URL:
    `DATABASE_URL ${BY_TRANSACTION}. This needs PgBouncer 1.21 or later with max_prepared_statements, and DATABASE_LISTEN_URL, ` +
    'an address of the same database without the pooler; otherwise use pool_mode = session, or connect to PostgreSQL directly',
  DATABASE_LISTEN_URL: `DATABASE_LISTEN_URL ${BY_TRANSACTION}. It must lead to PostgreSQL directly: locks, settings and LISTEN need a connection of their own`,
};

const NO_PREPARED_STATEMENTS =
  'DATABASE_URL leads to a pooler by transaction that does not keep prepared statements: ' +
  'use PgBouncer 1.21 or later with max_prepared_statements above 0, or pool_mode = session';

const BY_STATEMENT =
  'DATABASE_URL leads to a pooler that hands out connections by statement: use pool_mode = transaction or session';

const OLD_CONNECTIONS =
  'connections of the pooler do not have the settings of the role: see whether connect_query changes them, ' +
  'and run RECONNECT on the console of PgBouncer';

const NO_SECOND_CONNECTION =
  'it answers on one connection, and not on a second: a pooler in session mode needs a pool of 12 connections for each process';
