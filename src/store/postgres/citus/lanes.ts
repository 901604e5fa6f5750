import { StoreUnavailable } from '../../faults.ts';
import type { ClusterState } from '../../store.ts';
import type { Hosts } from '../connection/hosts.ts';
import { Lane, type LaneSize } from '../connection/lane.ts';
import type { Statement, Value } from '../connection/statement.ts';
import { reachOf } from './reach.ts';
import { Shards, type Worker } from './shards.ts';
import { WorkerProbe } from './worker-probe.ts';

/** For each worker, and for what needs all of them. */
const WORKER_LANE: LaneSize = { reading: 2, writing: 3, transactions: 2 };
const EVERYWHERE_LANE: LaneSize = { reading: 1, writing: 1, transactions: 2 };

const CHECK_MS = 1000;
const APPLICATIONS_MS = 30_000;

/** A lane that has been silent for longer has no more than this waiting: requests of other workers' applications need room too. */
const SILENT_MS = 250;
const MAX_WAITING_IN_SILENCE = 64;

/**
 * The lanes of a cluster: every worker has connections of its own to the coordinator, so that what waits for one worker holds up nothing
 * else. While a worker does not answer its probe, what needs it fails at once.
 */
export class CitusLanes {
  readonly #hosts: Hosts;
  readonly #common: Lane;
  readonly #everywhere: Lane;
  readonly #ofWorkers = new Map<number, { readonly lane: Lane; readonly probe: WorkerProbe }>();
  readonly #shards: Shards;
  #timer: NodeJS.Timeout | undefined;
  #applicationsAt = Number.NEGATIVE_INFINITY;

  constructor(hosts: Hosts, common: Lane) {
    this.#hosts = hosts;
    this.#common = common;
    this.#everywhere = new Lane(hosts, true, EVERYWHERE_LANE);
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
    await Promise.all(this.all().map(lane => lane.close()));
  }

  /** Without the common one. */
  all(): Lane[] {
    return [this.#everywhere, ...[...this.#ofWorkers.values()].map(({ lane }) => lane)];
  }

  /** A promise where the place of the part is not known yet. */
  laneOf(statement: Statement, values: readonly Value[] = []): Lane | Promise<Lane> {
    const reach = reachOf(statement);
    if (reach === 'coordinator') return this.#common;
    if (reach === 'everywhere') return this.#everywhere;
    const part = String(values[reach.partIn]);
    return this.#ofPart(part) ?? this.#shards.find([part]).then(() => this.#ofPart(part) ?? this.#everywhere);
  }

  /** The lane in which a transaction that runs in `lane` can also run this statement; the same one, if it can. */
  laneWith(lane: Lane, statement: Statement, values: readonly Value[] = []): Lane {
    const needed = this.laneOf(statement, values);
    if (needed === this.#common || needed === lane || lane === this.#everywhere) return lane;
    return lane === this.#common && needed instanceof Lane ? needed : this.#everywhere;
  }

  /** Throws where the lane's worker does not answer. */
  admit(lane: Lane): void {
    for (const worker of this.#ofWorkers.values()) {
      if (lane !== worker.lane && lane !== this.#everywhere) continue;
      if (worker.probe.isLost)
        throw new WorkerLost(`the worker ${worker.probe.address} of the database does not answer`);
    }
    if (lane === this.#common || lane.silentMs() < SILENT_MS) return;
    const { running, waiting } = lane.load();
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

  #ofPart(part: string): Lane | undefined {
    const group = this.#shards.groupOf(part);
    if (group === undefined) return undefined;
    return this.#ofWorkers.get(group)?.lane ?? this.#common;
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
        const lane = new Lane(this.#hosts, true, WORKER_LANE);
        this.#ofWorkers.set(worker.group, { lane, probe: new WorkerProbe(lane, worker) });
      }
    }
    const groups = new Set(workers.map(({ group }) => group));
    for (const [group, { lane }] of this.#ofWorkers) {
      if (groups.has(group)) continue;
      this.#ofWorkers.delete(group);
      await lane.close();
    }
  }
}

/** What needs the worker is refused before it is sent. */
export class WorkerLost extends StoreUnavailable {}
