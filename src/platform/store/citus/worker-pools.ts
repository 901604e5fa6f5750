import type { ClusterState } from '../contract.ts';
import { StoreUnavailable } from '../faults.ts';
import { ConnectionPool, type PoolSize } from '../postgres/connection-pool.ts';
import type { Hosts } from '../postgres/hosts.ts';
import type { Statement, Value } from '../postgres/statement.ts';
import type { Placements } from './placement.ts';
import { type Reach, reachIn } from './reach.ts';
import { Shards, type Worker } from './shards.ts';
import { WorkerProbe } from './worker-probe.ts';

/** For each worker, and for what needs all of them. */
const WORKER_POOL: PoolSize = { reading: 2, writing: 3, transactions: 2 };
const EVERYWHERE_POOL: PoolSize = { reading: 1, writing: 1, transactions: 2 };

const CHECK_MS = 1000;
const APPLICATIONS_MS = 30_000;

/** A pool that has been silent for longer has no more than this waiting: requests of other workers' applications need room too. */
const SILENT_MS = 250;
const MAX_WAITING_IN_SILENCE = 64;

/**
 * The pools of a cluster: every worker has connections of its own to the coordinator, so that what waits for one worker holds up nothing
 * else. While a worker does not answer its probe, what needs it fails at once.
 */
export class WorkerPools {
  readonly #hosts: Hosts;
  readonly #common: ConnectionPool;
  readonly #everywhere: ConnectionPool;
  readonly #ofWorkers = new Map<number, { readonly pool: ConnectionPool; readonly probe: WorkerProbe }>();
  readonly #shards: Shards;
  #timer: NodeJS.Timeout | undefined;
  #applicationsAt = Number.NEGATIVE_INFINITY;
  readonly #reachOf: (statement: Statement) => Reach;

  constructor(hosts: Hosts, common: ConnectionPool, placements: Placements) {
    this.#reachOf = reachIn(placements);
    this.#hosts = hosts;
    this.#common = common;
    this.#everywhere = new ConnectionPool(hosts, true, EVERYWHERE_POOL);
    this.#shards = new Shards((statement, values) => common.read(statement, values, performance.now()));
  }

  /** Before the first statement. It is known then which workers answer. */
  async open(): Promise<void> {
    await this.#refresh();
    await this.#probe();
    const check = async () => {
      // The coordinator has answered: a probe without an answer waits for its worker.
      await this.#refresh().then(
        () => void this.#probe(),
        () => {},
      );
      if (this.#timer) this.#timer = setTimeout(check, CHECK_MS).unref();
    };
    this.#timer = setTimeout(check, CHECK_MS).unref();
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    await Promise.all(this.all().map(pool => pool.close()));
  }

  /** Without the common one. */
  all(): ConnectionPool[] {
    return [this.#everywhere, ...[...this.#ofWorkers.values()].map(({ pool }) => pool)];
  }

  /** A promise where the place of the part is not known yet. */
  poolOf(statement: Statement, values: readonly Value[] = []): ConnectionPool | Promise<ConnectionPool> {
    const reach = this.#reachOf(statement);
    if (reach === 'coordinator') return this.#common;
    if (reach === 'everywhere') return this.#everywhere;
    const part = String(values[reach.partIn]);
    return this.#ofPart(part) ?? this.#shards.find([part]).then(() => this.#ofPart(part) ?? this.#everywhere);
  }

  /** The pool in which a transaction that runs in `pool` can also run this statement; the same one, if it can. */
  poolWith(pool: ConnectionPool, statement: Statement, values: readonly Value[] = []): ConnectionPool {
    const needed = this.poolOf(statement, values);
    if (needed === this.#common || needed === pool || pool === this.#everywhere) return pool;
    return pool === this.#common && needed instanceof ConnectionPool ? needed : this.#everywhere;
  }

  /** Throws where the pool's worker does not answer. */
  admit(pool: ConnectionPool): void {
    for (const worker of this.#ofWorkers.values()) {
      if (pool !== worker.pool && pool !== this.#everywhere) continue;
      if (worker.probe.isLost)
        throw new WorkerLost(`the worker ${worker.probe.address} of the database does not answer`);
    }
    if (pool === this.#common || pool.silentMs() < SILENT_MS) return;
    const { running, waiting } = pool.load();
    if (running + waiting >= MAX_WAITING_IN_SILENCE)
      throw new WorkerLost('too much waits for a worker of the database');
  }

  state(): ClusterState {
    const counts = this.#shards.countApplications();
    return {
      workers: [...this.#ofWorkers].map(([group, { probe }]) => ({
        id: group,
        address: probe.address,
        isReachable: !probe.isLost,
        applications: counts.get(group) ?? 0,
      })),
      applications: [...counts.values()].reduce((sum, count) => sum + count, 0),
    };
  }

  #ofPart(part: string): ConnectionPool | undefined {
    const group = this.#shards.groupOf(part);
    if (group === undefined) return undefined;
    return this.#ofWorkers.get(group)?.pool ?? this.#common;
  }

  async #refresh(): Promise<void> {
    await this.#shards.refresh();
    await this.#followWorkers(this.#shards.workers);
    if (performance.now() - this.#applicationsAt < APPLICATIONS_MS) return;
    this.#applicationsAt = performance.now();
    await this.#shards.findApplications();
  }

  async #probe(): Promise<void> {
    await Promise.all([...this.#ofWorkers.values()].map(({ probe }) => probe.check()));
  }

  async #followWorkers(workers: readonly Worker[]): Promise<void> {
    for (const worker of workers) {
      const present = this.#ofWorkers.get(worker.group);
      if (present) present.probe.follow(worker);
      else {
        const pool = new ConnectionPool(this.#hosts, true, WORKER_POOL);
        this.#ofWorkers.set(worker.group, { pool, probe: new WorkerProbe(pool, worker) });
      }
    }
    const groups = new Set(workers.map(({ group }) => group));
    for (const [group, { pool }] of this.#ofWorkers) {
      if (groups.has(group)) continue;
      this.#ofWorkers.delete(group);
      await pool.close();
    }
  }
}

/** What needs the worker is refused before it is sent. */
class WorkerLost extends StoreUnavailable {}
