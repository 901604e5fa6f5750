import type { Client } from 'pg';
import { StoreMisconfigured, StoreUnavailable } from '../../faults.ts';
import { asStoreFault } from './faults.ts';
import { ConnectTimeout, destroy, end, type Hosts } from './hosts.ts';

/** Which of the two connections runs the next query. Irregular, so that a round-robin pool cannot match it by chance. */
const TURNS = [0, 1, 0, 0, 1, 1, 0, 1, 1, 1, 0, 0, 0, 1, 0] as const;

/**
 * A pooler that assigns connections by transaction, such as PgBouncer with pool_mode = transaction, seems to work and does not:
 * locks and settings of a session stay in its pool, and the next node waits for them for ever. Called before anything is set or
 * locked.
 *
 * Each connection to PostgreSQL itself, or to a pooler in session mode, has a server process of its own until it is closed. In
 * transaction mode, the second connection gets the process of the first one, or the first gets another process for its next query.
 */
export async function refuseTransactionPooler(hosts: Hosts): Promise<void> {
  const one = await hosts.connectWithoutSettings();
  try {
    const other = await secondConnection(hosts);
    // If other clients use the whole pool, a query waits.
    const overdue = setTimeout(() => [one, other].forEach(each => void destroy(each)), hosts.timeoutMs);
    try {
      if (!(await haveProcessesOfTheirOwn([one, other]))) throw misconfigured();
    } catch (error) {
      throw asStoreFault(error);
    } finally {
      clearTimeout(overdue);
      await end(other);
    }
  } finally {
    await end(one);
  }
}

async function secondConnection(hosts: Hosts): Promise<Client> {
  try {
    return await hosts.connectWithoutSettings();
  } catch (error) {
    if (!(error instanceof ConnectTimeout)) throw error;
    throw new StoreUnavailable(
      'it answers on one connection, and not on a second: a pooler in between needs a pool of 12 connections for each process',
    );
  }
}

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

function misconfigured(): StoreMisconfigured {
  return new StoreMisconfigured(
    'DATABASE_URL leads to a pooler that hands out connections by transaction (PgBouncer: pool_mode = transaction). ' +
      'Gatehouse keeps locks, settings and prepared statements in its connections: use pool_mode = session, or connect to PostgreSQL directly',
  );
}
