import type { Client } from 'pg';
import { StoreMisconfigured, StoreUnavailable } from '../../faults.ts';
import { asStoreFault } from './faults.ts';
import { ConnectTimeout, destroy, end, type Hosts } from './hosts.ts';

/** The two of them by turns, not in a pattern that a pool which goes round could follow. Others may get in between. */
const TURNS = [0, 1, 0, 0, 1, 1, 0, 1, 1, 1, 0, 0, 0, 1, 0] as const;

/**
 * A pooler that hands out connections by transaction, such as PgBouncer with pool_mode = transaction, seems to work and does
 * not: locks and settings of a session stay behind in its pool, and the next node waits for them for ever. To be called before
 * anything is set or locked.
 *
 * Each connection to PostgreSQL itself, or to a pooler that keeps sessions, has a server process for itself for as long as it
 * stands. By transaction, the second connection is given the process that the first one had, or the first has another one next.
 */
export async function refuseTransactionPooler(hosts: Hosts): Promise<void> {
  const one = await hosts.connectWithoutSettings();
  try {
    const other = await secondConnection(hosts);
    // Where the whole pool is taken by others, a query waits.
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
