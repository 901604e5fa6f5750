import { Connection } from './connection.ts';
import type { Supply } from './supply.ts';

export interface Loop {
  readonly url: string;
  readonly connections: number;
  readonly seconds: number;
  /** Requests per second whose times are fixed beforehand; undefined: each connection sends when it got its answer. */
  readonly rate: number | undefined;
  /** No more requests than this. */
  readonly most: number;
  readonly render: (value: string) => string;
  readonly supply: Supply;
}

/** What came of it: a latency in milliseconds for each good answer. */
export interface Outcome {
  readonly latencies: readonly number[];
  readonly failed: number;
  /** What the first answer that was no good said. */
  readonly complaint: string | undefined;
  readonly seconds: number;
}

const PATIENCE_MS = 20_000;
const TIMER_LATE_MS = 2;

/** The connections are there before the clock runs. */
export async function prepare(loop: Loop): Promise<{ run(): Promise<Outcome>; close(): void }> {
  let handle: (connection: Connection, status: number, text: string) => void = () => {};
  let lost: (error: Error) => void = () => {};
  const all = await Promise.all(
    Array.from({ length: loop.connections }, (_, number) =>
      Connection.open(
        number,
        loop.url,
        (connection, status, text) => handle(connection, status, text),
        error => lost(error),
      ),
    ),
  );
  const run = () =>
    new Promise<Outcome>((resolve, reject) => {
      const timer = setTimeout(
        () => reject(new Error(`${loop.url} left requests without an answer`)),
        loop.seconds * 1000 + PATIENCE_MS,
      );
      lost = reject;
      const begin = loop.rate === undefined ? closed : open;
      handle = begin(loop, all, outcome => {
        clearTimeout(timer);
        lost = () => {};
        resolve(outcome);
      });
    });
  return {
    run,
    close: () => {
      for (const connection of all) connection.close();
    },
  };
}

type Handler = (connection: Connection, status: number, text: string) => void;
type Begin = (loop: Loop, connections: readonly Connection[], done: (outcome: Outcome) => void) => Handler;

/** Every connection is always busy: how much the server can do. */
const closed: Begin = (loop, connections, done) => {
  const tally = new Tally(loop.supply);
  let sent = 0;
  let busy = connections.length;
  const end = performance.now() + loop.seconds * 1000;
  const next = (connection: Connection, now: number) => {
    const value = now < end && sent < loop.most ? loop.supply.next(connection.number) : undefined;
    if (value === undefined) {
      if (--busy === 0) done(tally.outcome());
      return;
    }
    sent++;
    connection.since = now;
    connection.send(loop.render(value));
  };
  // In the next turn, so that the caller has the handler before there is anything to handle.
  setImmediate(() => {
    for (const connection of connections) next(connection, performance.now());
  });
  return (connection, status, text) => {
    const now = performance.now();
    tally.count(connection, status, text, now);
    next(connection, now);
  };
};

/**
 * The time of every request is fixed before the first is sent, and its latency counts from then, whether or not there was a
 * connection for it: a server that stalls is not spared the requests that it kept from being sent.
 */
const open: Begin = (loop, connections, done) => {
  const tally = new Tally(loop.supply);
  const total = Math.min(loop.most, Math.round(loop.seconds * (loop.rate ?? 0)));
  const began = performance.now();
  const planned = (request: number) => began + (request * 1000) / (loop.rate ?? 1);
  const idle = connections.toReversed();
  let next = 0;
  let answered = 0;
  const sendWhatIsDue = () => {
    const now = performance.now();
    while (next < total && planned(next) <= now) {
      const connection = idle.pop();
      if (!connection) return;
      const value = loop.supply.next(connection.number);
      if (value === undefined) throw new Error('the values ran out');
      connection.since = planned(next++);
      connection.send(loop.render(value));
    }
  };
  // A timer may be late by a millisecond or two; the last of them are waited out, since this core has nothing else to do.
  const watch = () => {
    sendWhatIsDue();
    if (next === total) return;
    const spare = planned(next) - performance.now() - TIMER_LATE_MS;
    if (spare > 1) setTimeout(watch, spare);
    else setImmediate(watch);
  };
  setImmediate(watch);
  return (connection, status, text) => {
    tally.count(connection, status, text, performance.now());
    idle.push(connection);
    if (++answered === total) done(tally.outcome());
    else sendWhatIsDue();
  };
};

class Tally {
  readonly #supply: Supply;
  readonly #latencies: number[] = [];
  readonly #began = performance.now();
  #failed = 0;
  #complaint: string | undefined;

  constructor(supply: Supply) {
    this.#supply = supply;
  }

  count(connection: Connection, status: number, text: string, now: number): void {
    if (status < 400 && this.#supply.answered(connection.number, text)) {
      this.#latencies.push(now - connection.since);
      return;
    }
    this.#failed++;
    this.#complaint ??= text.slice(0, 1000);
  }

  outcome(): Outcome {
    const seconds = (performance.now() - this.#began) / 1000;
    return { latencies: this.#latencies, failed: this.#failed, complaint: this.#complaint, seconds };
  }
}
