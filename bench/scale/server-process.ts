/** A process of Gatehouse as the simulation sees it: turns of the event loop, shared lookups, group commits, password hashes. */
import type { Processor } from './stations.ts';

/** What an operation costs; microseconds of one core, but for `misses` and `bytes`. */
export interface Costs {
  readonly kind: 'read' | 'write';
  /** Of the process for each request; and to wake it, twice for a request that nothing else shares. */
  readonly node: number;
  readonly wake: number;
  /** Of the database for each statement, and for each operation in it; on Citus of the worker. */
  readonly statement: number;
  readonly row: number;
  /** The same of the coordinator of Citus. */
  readonly coordinator?: { readonly statement: number; readonly row: number };
  /** Statements one after the other, each with a way there and back. */
  readonly trips: number;
  /** Pages that are not in memory, and bytes of the WAL. */
  readonly misses: number;
  readonly bytes: number;
  readonly hash?: number;
}

/** An operation of the application with this number. */
export interface Call {
  readonly costs: Costs;
  readonly application: number;
}

/** The database as a process reaches it. */
export interface Database {
  connect(): Backend;
  /** Only operations of one application share a statement: on Citus. */
  readonly isByApplication: boolean;
  /** So far. */
  statements(): number;
}

/** The process of the database that serves a connection: what is sent is done in its order. */
export interface Backend {
  execute(group: readonly Call[], answered: () => void): void;
}

/** As in src/platform/store/postgres: database.ts, batch.ts, commit-group.ts. */
const READ_CONNECTIONS = 2;
const WRITE_CONNECTIONS = 4;
const MAX_GROUP_SIZE = 64;

interface Job extends Call {
  readonly answered: () => void;
}

interface Piece {
  readonly time: number;
  readonly done: () => void;
}

export class ServerProcess {
  readonly #processor: Processor;
  readonly #vary: () => number;
  readonly #isByApplication: boolean;
  readonly #reading: Connection[];
  readonly #writing: Connection[];
  readonly #maxHashes: number;
  #pieces: Piece[] = [];
  #lookups: Job[] = [];
  #inTurn = false;
  #hashes: Piece[] = [];
  #hashing = 0;

  constructor(processor: Processor, database: Database, vary: () => number, maxHashes: number) {
    this.#processor = processor;
    this.#vary = vary;
    this.#maxHashes = maxHashes;
    this.#isByApplication = database.isByApplication;
    const connections = (count: number) => Array.from({ length: count }, () => new Connection(database));
    this.#reading = connections(READ_CONNECTIONS);
    this.#writing = connections(WRITE_CONNECTIONS);
  }

  handle({ costs, application }: Call, answered: () => void): void {
    const { hash } = costs;
    const half = () => costs.node * this.#vary() * 0.5;
    const finish = () => this.#add(half(), costs, answered);
    const ask = () => this.#ask({ costs, application, answered: finish });
    this.#add(half(), costs, hash === undefined ? ask : () => this.#hash(hash, ask));
  }

  /** A part of a request; `wake` is paid where the process was asleep. */
  #add(time: number, { wake }: Costs, done: () => void): void {
    this.#pieces.push({ time, done });
    if (this.#inTurn) return;
    this.#inTurn = true;
    this.#processor.run(wake, () => this.#turn(), this);
  }

  /** Everything that is ready is done in one turn; its lookups share a statement. */
  #turn(): void {
    const pieces = this.#pieces;
    this.#pieces = [];
    let at = 0;
    const next = () => {
      const piece = pieces[at++];
      if (piece) {
        const done = () => {
          piece.done();
          next();
        };
        this.#processor.run(piece.time, done, this);
        return;
      }
      this.#sendLookups();
      if (this.#pieces.length > 0) this.#turn();
      else this.#inTurn = false;
    };
    next();
  }

  #ask(job: Job): void {
    if (job.costs.kind === 'read') this.#lookups.push(job);
    else leastBusy(this.#writing).add(job);
  }

  #sendLookups(): void {
    for (const lookups of this.#isByApplication ? byStatement(this.#lookups) : [this.#lookups])
      for (let start = 0; start < lookups.length; start += MAX_GROUP_SIZE)
        leastBusy(this.#reading).send(lookups.slice(start, start + MAX_GROUP_SIZE));
    this.#lookups = [];
  }

  /** On a thread of its own, which shares the processor; a few at a time. */
  #hash(time: number, done: () => void): void {
    this.#hashes.push({ time, done });
    this.#startHashes();
  }

  #startHashes(): void {
    while (this.#hashing < this.#maxHashes && this.#hashes.length > 0) {
      const { time, done } = this.#hashes.shift() as Piece;
      this.#hashing++;
      this.#processor.run(time, () => {
        this.#hashing--;
        done();
        this.#startHashes();
      });
    }
  }
}

/** Lookups are sent at once, writes wait for those before them and share the next commit. */
class Connection {
  readonly #backend: Backend;
  readonly #isByApplication: boolean;
  #waiting: Job[] = [];
  #committing = 0;
  size = 0;

  constructor(database: Database) {
    this.#backend = database.connect();
    this.#isByApplication = database.isByApplication;
  }

  add(job: Job): void {
    this.size++;
    this.#waiting.push(job);
    if (this.#committing === 0) this.#commit();
  }

  send(group: readonly Job[]): void {
    this.size += group.length;
    this.#execute(group);
  }

  #commit(): void {
    const jobs = this.#waiting.splice(0, MAX_GROUP_SIZE);
    if (jobs.length === 0) return;
    // On Citus each statement is a transaction of its own.
    const groups = this.#isByApplication ? byStatement(jobs) : [jobs];
    this.#committing = groups.length;
    for (const group of groups)
      this.#execute(group, () => {
        if (--this.#committing === 0) this.#commit();
      });
  }

  #execute(group: readonly Job[], after = () => {}): void {
    this.#backend.execute(group, () => {
      this.size -= group.length;
      for (const { answered } of group) answered();
      after();
    });
  }
}

/** Equal operations of one application. */
function byStatement(jobs: readonly Job[]): Job[][] {
  const groups: Job[][] = [];
  for (const job of jobs) {
    const group = groups.find(([one]) => one?.costs === job.costs && one.application === job.application);
    if (group) group.push(job);
    else groups.push([job]);
  }
  return groups;
}

function leastBusy(connections: readonly Connection[]): Connection {
  return connections.reduce((best, one) => (one.size < best.size ? one : best));
}
