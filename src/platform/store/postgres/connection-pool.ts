import type { StoreLoad } from '../contract.ts';
import type { Row } from '../row.ts';
import { CommitGroup } from './commit-group.ts';
import { ConnectionQueue } from './connection-queue.ts';
import type { Hosts } from './hosts.ts';
import type { Lock } from './locks.ts';
import { PipelinedConnection } from './pipelined-connection.ts';
import type { Run, Statement, Value } from './statement.ts';

/** How many connections a pool has of each kind. */
export interface PoolSize {
  readonly reading: number;
  readonly writing: number;
  readonly transactions: number;
}

type AtLeastOne<T> = readonly [T, ...T[]];

/**
 * Connections that wait for nothing but each other. A server answers the statements of a connection in their order, so one that is
 * stuck holds up those behind it. On plain PostgreSQL there is one pool; on Citus each worker has its own (platform/store/citus/worker-pools.ts).
 *
 * Reads have connections of their own, so that none waits behind the sync of a commit.
 */
export class ConnectionPool {
  readonly #reading: AtLeastOne<PipelinedConnection>;
  readonly #writing: AtLeastOne<CommitGroup>;
  readonly #exclusive: ConnectionQueue;
  readonly #all: readonly PipelinedConnection[];

  constructor(hosts: Hosts, isCitus: boolean, { reading, writing, transactions }: PoolSize) {
    const { timeoutMs } = hosts;
    const connections = (count: number) => Array.from({ length: count }, () => new PipelinedConnection(hosts));
    this.#reading = connections(reading) as unknown as AtLeastOne<PipelinedConnection>;
    this.#writing = connections(writing).map(
      one => new CommitGroup(one, { timeoutMs, isCitus }),
    ) as unknown as AtLeastOne<CommitGroup>;
    this.#exclusive = new ConnectionQueue(connections(transactions), timeoutMs);
    this.#all = [
      ...this.#reading,
      ...this.#writing.map(({ connection }) => connection),
      ...this.#exclusive.connections,
    ];
  }

  read(statement: Statement, values: readonly Value[] | undefined, startedAt: number): Promise<Row[]> {
    return leastBusy(this.#reading).run(statement, values, startedAt);
  }

  write(
    statement: Statement,
    values: readonly Value[] | undefined,
    shared: readonly Lock[],
    startedAt: number,
  ): Promise<Row[]> {
    return leastBusy(this.#writing).add([statement, values], shared, startedAt);
  }

  transaction<T>(work: (run: Run) => Promise<T>, startedAt: number): Promise<T> {
    return this.#exclusive.use(startedAt, connection => connection.transaction(work, startedAt));
  }

  async connect(): Promise<void> {
    await Promise.all(this.#all.map(connection => connection.connect()));
  }

  checkTimeouts(): void {
    for (const each of [...this.#writing, ...this.#all]) each.checkTimeouts();
  }

  load(): StoreLoad {
    return {
      connections: this.#all.filter(connection => connection.connected).length,
      running: this.#all.reduce((sum, connection) => sum + connection.size, 0),
      waiting: this.#writing.reduce((sum, group) => sum + group.waiting, this.#exclusive.waiting),
    };
  }

  /** For how long statements have been waiting without the answer to any; 0: none waits. */
  silentMs(): number {
    const busy = this.#all.filter(connection => connection.size > 0);
    return busy.length === 0 ? 0 : Math.min(...busy.map(connection => connection.silentMs()));
  }

  async close(): Promise<void> {
    await Promise.all(this.#all.map(connection => connection.close()));
  }
}

interface Choice {
  readonly size: number;
  readonly connected: boolean;
  connect(): Promise<void>;
}

/** The least busy of the open connections. The others are opened meanwhile; an operation waits only if none is open. */
function leastBusy<T extends Choice>(all: AtLeastOne<T>): T {
  let best: T | undefined;
  for (const one of all) {
    if (!one.connected) void one.connect();
    else if (best === undefined || one.size < best.size) best = one;
  }
  return best ?? all[0];
}
