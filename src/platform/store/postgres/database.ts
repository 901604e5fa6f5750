import type { Placements } from '../citus/placement.ts';
import { WorkerPools } from '../citus/worker-pools.ts';
import type { ClusterState, StoreLoad } from '../contract.ts';
import { RolledBack } from '../faults.ts';
import { startOfOperation } from '../request-time.ts';
import type { Row } from '../row.ts';
import { OperationTimeout } from '../within-time.ts';
import { ConnectionPool, type PoolSize } from './connection-pool.ts';
import type { DatabaseHosts } from './database-hosts.ts';
import { asStoreFault } from './faults.ts';
import { end, type Hosts } from './hosts.ts';
import type { Lock } from './locks.ts';
import { againAfter, Retries } from './retries.ts';
import type { Run, Single, Statement, Value } from './statement.ts';
import { CHECK_INTERVAL_MS, isOver } from './timeouts.ts';

/**
 * The connections of one process. Few of them, with statements sent one after the other without waiting, are faster than
 * many (docs/decisions/postgres.md).
 */
const POOL: PoolSize = { reading: 2, writing: 4, transactions: 3 };

/**
 * One operation of the store. All its statements and their retries share one timeout, which counts from the arrival of the
 * request, or from the start of the operation where there is no request.
 * Every statement must be idempotent: after a lost connection its outcome is unknown, and it is run again on another connection.
 */
export interface Operation {
  readonly startedAt: number;
  readonly isCitus: boolean;
  read(statement: Statement, values?: readonly Value[]): Promise<Row[]>;
  /** One statement, in a transaction that it may share with other operations. Takes these locks, shared, before it runs. */
  write(statement: Statement, values?: readonly Value[], ...shared: readonly Lock[]): Promise<Row[]>;
  transaction<T>(work: (run: Run) => Promise<T>): Promise<T>;
}

/** Each call of read, write and transaction here is an operation of its own. */
export interface Database {
  read(statement: Statement, values?: readonly Value[]): Promise<Row[]>;
  write(statement: Statement, values?: readonly Value[]): Promise<Row[]>;
  transaction<T>(work: (run: Run) => Promise<T>): Promise<T>;
  readonly hosts: Hosts;
  readonly direct: Hosts;
  /** Statements run in their form for Citus (`onCitus`). */
  readonly isCitus: boolean;
  /** Opens all connections, so that the first requests need not wait for them. */
  connect(): Promise<void>;
  /** Starts an operation of several steps. */
  operation(startedAt?: number): Operation;
  /** A transaction for an operator's command: on a connection of its own, without a timeout. */
  longTransaction<T>(work: (run: Run) => Promise<T>): Promise<T>;
  load(): StoreLoad;
  /** Which workers of a Citus cluster answer. Undefined: it is none. */
  cluster(): ClusterState | undefined;
  isClosed(): boolean;
  close(): Promise<void>;
}

export function connectDatabase(
  { hosts, direct, isCitus }: Omit<DatabaseHosts, 'roleTimeoutMs'>,
  placements: Placements,
): Database {
  const { timeoutMs } = hosts;
  const common = new ConnectionPool(hosts, isCitus, POOL);
  const citus = isCitus ? new WorkerPools(hosts, common, placements) : undefined;
  let closed = false;
  const all = () => (citus ? [common, ...citus.all()] : [common]);
  const form = (statement: Statement) => (isCitus ? (statement.onCitus ?? statement) : statement);
  const checks = setInterval(() => {
    for (const pool of all()) pool.checkTimeouts();
  }, CHECK_INTERVAL_MS).unref();

  /** Costs one promise if there is no fault, which is nearly always. Fails at once if the request has no time left. */
  const retry = <T>(startedAt: number, attempt: () => Promise<T>): Promise<T> =>
    isOver(startedAt, timeoutMs)
      ? Promise.reject(new OperationTimeout('the time of the request is over'))
      : attempt().catch(fault => againAfter(fault, new Retries(startedAt, timeoutMs), attempt));
  const inPool = <T>(
    statement: Statement,
    values: readonly Value[] | undefined,
    use: (pool: ConnectionPool) => Promise<T>,
  ) => (citus ? inItsPool(citus, statement, values, use) : use(common));
  const read = (startedAt: number, statement: Statement, values?: readonly Value[]) =>
    retry(startedAt, () => inPool(form(statement), values, pool => pool.read(form(statement), values, startedAt)));
  const write = (startedAt: number, statement: Statement, values?: readonly Value[], shared: readonly Lock[] = []) =>
    retry(startedAt, () =>
      inPool(form(statement), values, pool => pool.write(form(statement), values, shared, startedAt)),
    );
  const inForm = <T>(work: (run: Run) => Promise<T>) => (isCitus ? (run: Run) => work(onCitus(run)) : work);
  const transaction = <T>(startedAt: number, work: (run: Run) => Promise<T>) =>
    retry(startedAt, () =>
      citus ? transactionInPools(citus, common, startedAt, inForm(work)) : common.transaction(inForm(work), startedAt),
    );

  return {
    hosts,
    direct,
    isCitus,
    connect: async () => {
      await common.connect();
      await citus?.open();
    },
    operation: (startedAt = startOfOperation()) => {
      return {
        startedAt,
        isCitus,
        read: (statement, values) => read(startedAt, statement, values),
        write: (statement, values, ...shared) => write(startedAt, statement, values, shared),
        transaction: work => transaction(startedAt, work),
      };
    },
    read: (statement, values) => read(startOfOperation(), statement, values),
    write: (statement, values) => write(startOfOperation(), statement, values),
    transaction: work => transaction(startOfOperation(), work),
    longTransaction: work => {
      const attempt = () => longTransaction(direct, inForm(work));
      const retries = new Retries(performance.now(), timeoutMs, 'conflicts only');
      return attempt().catch(fault => againAfter(fault, retries, attempt));
    },
    cluster: () => citus?.state(),
    load: () =>
      all()
        .map(pool => pool.load())
        .reduce(added),
    isClosed: () => closed,
    close: async () => {
      closed = true;
      clearInterval(checks);
      await Promise.all([common.close(), citus?.close()]);
    },
  };
}

function added(one: StoreLoad, other: StoreLoad): StoreLoad {
  return {
    connections: one.connections + other.connections,
    running: one.running + other.running,
    waiting: one.waiting + other.waiting,
  };
}

async function inItsPool<T>(
  citus: WorkerPools,
  statement: Statement,
  values: readonly Value[] | undefined,
  use: (pool: ConnectionPool) => Promise<T>,
): Promise<T> {
  const pool = await citus.poolOf(statement, values);
  citus.admit(pool);
  return use(pool);
}

/** A transaction begins as if it needed no worker. At the first statement that needs one, it begins again in the pool of that worker. */
async function transactionInPools<T>(
  citus: WorkerPools,
  common: ConnectionPool,
  startedAt: number,
  work: (run: Run) => Promise<T>,
): Promise<T> {
  for (let pool = common; ; ) {
    citus.admit(pool);
    const confined =
      (run: Run): Run =>
      async (statement, values) => {
        const needed = citus.poolWith(pool, statement, values);
        if (needed !== pool) throw new OtherPool(needed);
        return run(statement, values);
      };
    try {
      return await pool.transaction(run => work(confined(run)), startedAt);
    } catch (error) {
      if (!(error instanceof OtherPool)) throw error;
      pool = error.pool;
    }
  }
}

/** Rolls back what the transaction did so far, which is on the coordinator. */
class OtherPool extends RolledBack {
  readonly pool: ConnectionPool;
  constructor(pool: ConnectionPool) {
    super('the transaction needs a worker');
    this.pool = pool;
  }
}

/** A statement that has another form on Citus runs in it. A function there gets the application, and arrays of one value each. */
function onCitus(run: Run): Run {
  return ({ onCitus: form, ...statement }, values = []) => {
    if (!form) return run(statement, values);
    if (!form.many) return run(form, values);
    const [app = null, ...rest] = values;
    return run(form, [app, ...rest.map(value => [value as Single])]);
  };
}

async function longTransaction<T>(hosts: Hosts, work: (run: Run) => Promise<T>): Promise<T> {
  const client = await hosts.connectForMaintenance();
  try {
    await client.query('BEGIN');
    const outcome = await work(
      async (statement, values) => (await client.query({ ...statement, values: values as unknown[] })).rows,
    );
    await client.query('COMMIT');
    return outcome;
  } catch (error) {
    throw asStoreFault(error);
  } finally {
    // Without a COMMIT, the server rolls back when the connection ends.
    await end(client);
  }
}
