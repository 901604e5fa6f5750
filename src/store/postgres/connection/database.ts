import type { Row } from '../../rows.ts';
import type { StoreLoad } from '../../store.ts';
import { OperationTimeout } from '../../within-time.ts';
import { CommitGroup } from './commit-group.ts';
import { ConnectionQueue } from './connection-queue.ts';
import type { DatabaseHosts } from './database-hosts.ts';
import { asStoreFault, ConnectionLost, ConnectionSilent, isConflict, isLockTimeout } from './faults.ts';
import { end, type Hosts } from './hosts.ts';
import type { Lock } from './locks.ts';
import { PipelinedConnection } from './pipelined-connection.ts';
import type { Run, Single, Statement, Value } from './statement.ts';
import { CHECK_INTERVAL_MS, isOver } from './timeouts.ts';

/**
 * The connections of one process. Few of them, with statements sent one after the other without waiting, are faster than
 * many (docs/decisions/postgres.md). Reads have connections of their own, so that none waits behind the sync of a commit.
 */
const READ_CONNECTIONS = 2;
const WRITE_CONNECTIONS = 4;
const TRANSACTION_CONNECTIONS = 3;
const MAX_ATTEMPTS = 3;

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
  read(statement: Statement, values?: readonly Value[], receivedAt?: number): Promise<Row[]>;
  write(statement: Statement, values?: readonly Value[], receivedAt?: number): Promise<Row[]>;
  transaction<T>(work: (run: Run) => Promise<T>, receivedAt?: number): Promise<T>;
  readonly hosts: Hosts;
  readonly direct: Hosts;
  /** Statements run in their form for Citus (`onCitus`). */
  readonly isCitus: boolean;
  /** Opens all connections, so that the first requests need not wait for them. */
  connect(): Promise<void>;
  /** Starts an operation of several steps. */
  operation(receivedAt?: number): Operation;
  /** A transaction for an operator's command: on a connection of its own, without a timeout. */
  longTransaction<T>(work: (run: Run) => Promise<T>): Promise<T>;
  load(): StoreLoad;
  close(): Promise<void>;
}

export function connectDatabase({ hosts, direct, isCitus }: Omit<DatabaseHosts, 'roleTimeoutMs'>): Database {
  const { timeoutMs } = hosts;
  const form = (statement: Statement) => (isCitus ? (statement.onCitus ?? statement) : statement);
  const connections = (count: number) =>
    Array.from({ length: count }, () => new PipelinedConnection(hosts)) as [
      PipelinedConnection,
      ...PipelinedConnection[],
    ];
  const reading = connections(READ_CONNECTIONS);
  const writing = connections(WRITE_CONNECTIONS).map(one => new CommitGroup(one, { timeoutMs, isCitus })) as [
    CommitGroup,
    ...CommitGroup[],
  ];
  const exclusive = new ConnectionQueue(connections(TRANSACTION_CONNECTIONS), timeoutMs);
  const all = [...reading, ...writing.map(({ connection }) => connection), ...exclusive.connections];
  const checks = setInterval(() => {
    for (const each of [...writing, ...all]) each.checkTimeouts();
  }, CHECK_INTERVAL_MS).unref();

  /** Costs one promise if there is no fault, which is nearly always. Fails at once if the request has no time left. */
  const retry = <T>(startedAt: number, attempt: () => Promise<T>): Promise<T> =>
    isOver(startedAt, timeoutMs)
      ? Promise.reject(new OperationTimeout('the time of the request is over'))
      : attempt().catch(fault => againAfter(fault, new Retries(startedAt, timeoutMs), attempt));
  const read = (startedAt: number, statement: Statement, values?: readonly Value[]) =>
    retry(startedAt, () => leastBusy(reading).run(form(statement), values, startedAt));
  const write = (startedAt: number, statement: Statement, values?: readonly Value[], shared: readonly Lock[] = []) =>
    retry(startedAt, () => leastBusy(writing).add([form(statement), values], shared, startedAt));
  const inForm = <T>(work: (run: Run) => Promise<T>) => (isCitus ? (run: Run) => work(onCitus(run)) : work);
  const transaction = <T>(startedAt: number, work: (run: Run) => Promise<T>) =>
    retry(startedAt, () => exclusive.use(startedAt, connection => connection.transaction(inForm(work), startedAt)));

  return {
    hosts,
    direct,
    isCitus,
    connect: async () => {
      await Promise.all(all.map(connection => connection.connect()));
    },
    operation: (startedAt = performance.now()) => {
      return {
        startedAt,
        isCitus,
        read: (statement, values) => read(startedAt, statement, values),
        write: (statement, values, ...shared) => write(startedAt, statement, values, shared),
        transaction: work => transaction(startedAt, work),
      };
    },
    read: (statement, values, startedAt = performance.now()) => read(startedAt, statement, values),
    write: (statement, values, startedAt = performance.now()) => write(startedAt, statement, values),
    transaction: (work, startedAt = performance.now()) => transaction(startedAt, work),
    longTransaction: work => {
      const attempt = () => longTransaction(direct, inForm(work));
      const retries = new Retries(performance.now(), timeoutMs, 'conflicts only');
      return attempt().catch(fault => againAfter(fault, retries, attempt));
    },
    load: () => ({
      connections: all.filter(connection => connection.connected).length,
      running: all.reduce((sum, connection) => sum + connection.size, 0),
      waiting: writing.reduce((sum, group) => sum + group.waiting, exclusive.waiting),
    }),
    close: async () => {
      clearInterval(checks);
      await Promise.all(all.map(connection => connection.close()));
    },
  };
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

interface Choice {
  readonly size: number;
  readonly connected: boolean;
  connect(): Promise<void>;
}

/** The least busy of the open connections. The others are opened meanwhile; an operation waits only if none is open. */
function leastBusy<T extends Choice>(all: readonly [T, ...T[]]): T {
  let best: T | undefined;
  for (const one of all) {
    if (!one.connected) void one.connect();
    else if (best === undefined || one.size < best.size) best = one;
  }
  return best ?? all[0];
}

async function againAfter<T>(fault: unknown, retries: Retries, attempt: () => Promise<T>): Promise<T> {
  for (let last = fault; ; ) {
    if (!retries.allowedAfter(last)) throw last;
    try {
      return await attempt();
    } catch (next) {
      last = next;
    }
  }
}

/** Decides after which faults an operation is tried again, while it has time left. */
class Retries {
  readonly #startedAt: number;
  readonly #timeoutMs: number;
  readonly #conflictsOnly: boolean;
  #connectionFaults = 0;
  /** Since the last fault of a connection. */
  #others = 0;

  constructor(startedAt: number, timeoutMs: number, conflictsOnly?: 'conflicts only') {
    this.#startedAt = startedAt;
    this.#timeoutMs = timeoutMs;
    this.#conflictsOnly = conflictsOnly !== undefined;
  }

  allowedAfter(fault: unknown): boolean {
    const again =
      fault instanceof ConnectionSilent || fault instanceof ConnectionLost
        ? !this.#conflictsOnly && this.#afterConnectionFault(fault)
        : this.#afterConflict(fault);
    return again && !isOver(this.#startedAt, this.#timeoutMs);
  }

  /** The connection may have been the only thing wrong. */
  #afterConnectionFault(fault: unknown): boolean {
    this.#others = 0;
    this.#connectionFaults++;
    return fault instanceof ConnectionSilent || this.#connectionFaults === 1;
  }

  /** After a conflict there are MAX_ATTEMPTS attempts in all; after lock_timeout there are more, while there is time. */
  #afterConflict(fault: unknown): boolean {
    this.#others++;
    return isLockTimeout(fault) || (isConflict(fault) && this.#others < MAX_ATTEMPTS);
  }
}
