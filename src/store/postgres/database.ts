import type { Row } from '../rows.ts';
import { type StoreLoad, StoreUnavailable } from '../store.ts';
import { CommitGroup } from './commit-group.ts';
import { asStoreFault, ConnectionLost, isConflict } from './faults.ts';
import { end, Hosts } from './hosts.ts';
import { Lane } from './lane.ts';
import type { Lock } from './locks.ts';
import type { Run, Statement, Value } from './statement.ts';

/**
 * The connections of one process. Few of them, with statements sent one after the other without waiting, are faster than
 * many (docs/decisions/postgres.md). Look-ups have lanes of their own, so that none waits behind the sync of a commit.
 */
const READING = 2;
const WRITING = 4;
const TRANSACTIONS = 3;
/** How long an operation waits for one of the lanes that only one at a time can use. */
const ACQUIRE_MS = 600;
const MOST_WAITING = 1000;
const MOST_ATTEMPTS = 3;

export interface Database {
  readonly hosts: Hosts;
  /** Makes the connections, so that the first rush finds them all. */
  connect(): Promise<void>;
  read(statement: Statement, values?: readonly Value[]): Promise<Row[]>;
  /** One statement in a transaction that it may share with others; before it runs, it shares these locks. */
  write(statement: Statement, values?: readonly Value[], ...shared: readonly Lock[]): Promise<Row[]>;
  transaction<T>(work: (run: Run) => Promise<T>): Promise<T>;
  /** The same for what an operator asks for: on a connection of its own, and for as long as it takes. */
  longTransaction<T>(work: (run: Run) => Promise<T>): Promise<T>;
  load(): StoreLoad;
  close(): Promise<void>;
}

export function connectDatabase(addresses: readonly string[]): Database {
  const hosts = new Hosts(addresses);
  const lanes = (count: number) => Array.from({ length: count }, () => new Lane(hosts)) as [Lane, ...Lane[]];
  const reading = lanes(READING);
  const writing = lanes(WRITING).map(lane => new CommitGroup(lane)) as [CommitGroup, ...CommitGroup[]];
  const exclusive = new Exclusive(lanes(TRANSACTIONS));
  const all = [...reading, ...writing.map(({ lane }) => lane), ...exclusive.lanes];
  return {
    hosts,
    connect: async () => {
      await Promise.all(all.map(lane => lane.connect()));
    },
    // A look-up can be asked again: the connection it was lost with may have been the only thing wrong.
    read: (statement, values) => {
      const askedAt = performance.now();
      return againWhenLost(() => leastBusy(reading).run(statement, values, askedAt));
    },
    write: (statement, values, ...shared) => {
      const askedAt = performance.now();
      return againAfterConflict(() => leastBusy(writing).add({ step: [statement, values], shared }, askedAt));
    },
    transaction: work => againAfterConflict(() => exclusive.use(lane => lane.transaction(work))),
    longTransaction: work => againAfterConflict(() => longTransaction(hosts, work)),
    load: () => ({
      connections: all.filter(lane => lane.connected).length,
      running: all.reduce((sum, lane) => sum + lane.size, 0),
      waiting: writing.reduce((sum, group) => sum + group.waiting, exclusive.waiting),
    }),
    close: async () => {
      await Promise.all(all.map(lane => lane.close()));
    },
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
    // Without a COMMIT, the end of the connection undoes it all.
    await end(client);
  }
}

interface Choice {
  readonly size: number;
  readonly connected: boolean;
  connect(): Promise<void>;
}

/** Of those that stand. The others are made meanwhile, and nobody waits for them as long as there is one. */
function leastBusy<T extends Choice>(all: readonly [T, ...T[]]): T {
  let best: T | undefined;
  for (const one of all) {
    if (!one.connected) void one.connect();
    else if (best === undefined || one.size < best.size) best = one;
  }
  return best ?? all[0];
}

/** For what can be done twice: whether the first was done is not known, or it may be done yet. */
export async function againWhenLost<T>(attempt: () => Promise<T>): Promise<T> {
  try {
    return await attempt();
  } catch (error) {
    if (!(error instanceof ConnectionLost)) throw error;
    return attempt();
  }
}

async function againAfterConflict<T>(attempt: () => Promise<T>): Promise<T> {
  for (let count = 1; ; count++) {
    try {
      return await attempt();
    } catch (error) {
      const { cause } = error as Error;
      if (count === MOST_ATTEMPTS || !(isConflict(error) || isConflict(cause))) throw error;
    }
  }
}

/** Lanes that one caller has for itself, handed on in the order of asking. */
class Exclusive {
  readonly lanes: readonly Lane[];
  readonly #free: Lane[];
  readonly #waiting: ((lane: Lane) => void)[] = [];

  constructor(lanes: readonly Lane[]) {
    this.lanes = lanes;
    this.#free = [...lanes];
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  async use<T>(work: (lane: Lane) => Promise<T>): Promise<T> {
    const lane = this.#free.pop() ?? (await this.#next());
    try {
      return await work(lane);
    } finally {
      const next = this.#waiting.shift();
      if (next) next(lane);
      else this.#free.push(lane);
    }
  }

  #next(): Promise<Lane> {
    if (this.#waiting.length >= MOST_WAITING) throw new StoreUnavailable('too many transactions wait for a connection');
    return new Promise((resolve, reject) => {
      const take = (lane: Lane) => {
        clearTimeout(timer);
        resolve(lane);
      };
      const timer = setTimeout(() => {
        this.#waiting.splice(this.#waiting.indexOf(take), 1);
        reject(new StoreUnavailable('no connection to the database became free in time'));
      }, ACQUIRE_MS);
      this.#waiting.push(take);
    });
  }
}
