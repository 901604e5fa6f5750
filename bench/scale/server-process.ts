/** A process of Gatehouse as the simulation sees it: turns of the event loop, shared lookups, group commits, password hashes. */
import type { Processor } from './stations.ts';

/** What an operation costs; microseconds of one core, but for `misses` and `bytes`. */
export interface Costs {
  readonly kind: 'read' | 'write';
  /** Of the process for each request; and to wake it, twice for a request that nothing else shares. */
  readonly node: number;
  readonly wake: number;
  /** Of the database for each statement, and for each operation in it. */
  readonly statement: number;
  readonly row: number;
  /** Statements one after the other, each with a way there and back. */
  readonly trips: number;
  /** Pages that are not in memory, and bytes of the WAL. */
  readonly misses: number;
  readonly bytes: number;
  readonly hash?: number;
}

/** The database as a process reaches it: the way there and back, its processors, its commit. */
export interface Database {
  execute(group: readonly Costs[], answered: () => void): void;
}

/** As in src/store/postgres/connection: database.ts, batch.ts, commit-group.ts. */
const READ_CONNECTIONS = 2;
const WRITE_CONNECTIONS = 4;
const MAX_GROUP_SIZE = 64;

interface Job {
  readonly costs: Costs;
  readonly answered: () => void;
}

interface Piece {
  readonly time: number;
  readonly done: () => void;
}

export class ServerProcess {
  readonly #processor: Processor;
  readonly #vary: () => number;
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
    const connections = (count: number) => Array.from({ length: count }, () => new Connection(database));
    this.#reading = connections(READ_CONNECTIONS);
    this.#writing = connections(WRITE_CONNECTIONS);
  }

  handle(costs: Costs, answered: () => void): void {
    const { hash } = costs;
    const half = () => costs.node * this.#vary() * 0.5;
    const finish = () => this.#add(half(), costs, answered);
    const ask = () => this.#ask({ costs, answered: finish });
    this.#add(half(), costs, hash === undefined ? ask : () => this.#hash(hash, ask));
  }

  /** A part of a request; `wake` is paid where the process was asleep. */
  #add(time: number, { wake }: Costs, done: () => void): void {
    this.#pieces.push({ time, done });
    if (this.#inTurn) return;
    this.#inTurn = true;
    this.#processor.run(wake, () => this.#turn());
  }

  /** Everything that is ready is done in one turn; its lookups share a statement. */
  #turn(): void {
    const pieces = this.#pieces;
    this.#pieces = [];
    let at = 0;
    const next = () => {
      const piece = pieces[at++];
      if (piece) {
        this.#processor.run(piece.time, () => {
          piece.done();
          next();
        });
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
    else leastBusy(this.#writing).add([job]);
  }

  #sendLookups(): void {
    for (let start = 0; start < this.#lookups.length; start += MAX_GROUP_SIZE) {
      leastBusy(this.#reading).sendAtOnce(this.#lookups.slice(start, start + MAX_GROUP_SIZE));
    }
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

/** Executes one group after the other. Writes wait and share the next group, lookups have been grouped by their turn. */
class Connection {
  readonly #database: Database;
  readonly #groups: Job[][] = [];
  #waiting: Job[] = [];
  #executing = false;
  size = 0;

  constructor(database: Database) {
    this.#database = database;
  }

  add(jobs: readonly Job[]): void {
    this.size += jobs.length;
    this.#waiting.push(...jobs);
    this.#next();
  }

  sendAtOnce(group: Job[]): void {
    this.size += group.length;
    this.#groups.push(group);
    this.#next();
  }

  #next(): void {
    if (this.#executing) return;
    const group = this.#groups.shift() ?? this.#waiting.splice(0, MAX_GROUP_SIZE);
    if (group.length === 0) return;
    this.#executing = true;
    this.#database.execute(
      group.map(({ costs }) => costs),
      () => {
        this.#executing = false;
        this.size -= group.length;
        for (const { answered } of group) answered();
        this.#next();
      },
    );
  }
}

function leastBusy(connections: readonly Connection[]): Connection {
  return connections.reduce((best, one) => (one.size < best.size ? one : best));
}
