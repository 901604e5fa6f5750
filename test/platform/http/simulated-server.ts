import { createConcurrencyLimit } from '../../../src/platform/http/concurrency-limit.ts';

/**
 * A server of one thread, its event loop and its callers, in simulated time: what the concurrency limit does is the same on every machine.
 * In each turn one connection is accepted and all requests that have arrived are read; those that may start are worked on at the end of the turn, as those are that share
 * a commit, or when a database has answered.
 */
export interface Simulation {
  /** Milliseconds of processor time: to accept a connection, to read a request, to answer it, to reject it. */
  readonly acceptMs?: number;
  readonly readMs?: number;
  readonly serveMs?: number;
  readonly rejectMs?: number;
  /** How long a database elsewhere takes for each, beside the processor time; undefined: there is none. */
  readonly databaseMs?: number;
  /** At which time the whole process stands still, and for how long. */
  readonly stall?: { readonly atMs: number; readonly forMs: number };
  readonly callers: readonly Callers[];
  readonly forMs: number;
}

/** A number of callers in a period. Each sends its next request when it has its answer, after a pause if one is given. */
export interface Callers {
  readonly count: number;
  readonly pauseMs?: number;
  readonly fromMs?: number;
  readonly untilMs?: number;
  /** They have a connection already, unless this says so. */
  readonly mustConnect?: boolean;
}

export interface Answered {
  /** When it was sent, and how long the answer took. */
  readonly at: number;
  readonly tookMs: number;
  readonly isRejected: boolean;
}

const NETWORK_MS = 0.2;

export function simulate(simulation: Simulation): Answered[] {
  const {
    acceptMs = 0.05,
    readMs = 0.015,
    serveMs = 0.085,
    rejectMs = 0.02,
    databaseMs,
    callers,
    forMs,
    stall,
  } = simulation;
  let now = 0;
  const ends: (() => void)[] = [];
  const work: (() => void)[] = [];
  const arrivals = new Agenda();
  const connections = new Agenda();
  const timers = new Agenda();
  const answered: Answered[] = [];
  const limit = createConcurrencyLimit({
    now: () => now,
    atEndOfTurn: end => void ends.push(end),
    after: (milliseconds, callback) => timers.add(now + milliseconds, callback),
  });

  const answer = (caller: Callers, at: number, isRejected: boolean) => {
    answered.push({ at, tookMs: now + NETWORK_MS - at, isRejected });
    const next = now + NETWORK_MS + (caller.pauseMs ?? 0);
    if (next < (caller.untilMs ?? forMs)) ask(caller, next);
  };
  const ask = (caller: Callers, at: number) => arrivals.add(at + NETWORK_MS, () => read(caller, at));
  const connect = (caller: Callers, at: number) =>
    connections.add(at + NETWORK_MS, () => {
      now += acceptMs;
      limit.noteConnection();
      arrivals.add(now, () => read(caller, at));
    });
  const read = (caller: Callers, at: number) => {
    now += readMs;
    const finish = () => {
      now += serveMs;
      limit.release();
      answer(caller, at, false);
    };
    const start = () => {
      if (databaseMs === undefined) work.push(finish);
      else arrivals.add(now + databaseMs, finish);
      return true;
    };
    const reject = () => {
      now += rejectMs;
      answer(caller, at, true);
      return true;
    };
    if (limit.tryAcquire()) start();
    else limit.enqueue({ start, reject });
  };
  const takeAll = <T>(list: T[]) => list.splice(0);

  for (const caller of callers) {
    const begin = caller.mustConnect ? connect : ask;
    for (let count = 0; count < caller.count; count++) begin(caller, (caller.fromMs ?? 0) + count * 0.001);
  }
  let isStalled = false;
  while (now < forMs) {
    if (stall && !isStalled && now >= stall.atMs) {
      isStalled = true;
      now += stall.forMs;
    }
    timers.run(now);
    connections.run(now, 1);
    arrivals.run(now);
    for (const finish of takeAll(work)) finish();
    for (const end of takeAll(ends)) end();
    if (work.length === 0 && ends.length === 0)
      now = Math.max(now, Math.min(connections.next(), arrivals.next(), timers.next(), forMs));
  }
  return answered;
}

/** What is to happen at which time, in that order. */
class Agenda {
  #items: { at: number; run: () => void }[] = [];

  add(at: number, run: () => void): void {
    let index = this.#items.length;
    while (index > 0 && (this.#items[index - 1]?.at ?? 0) > at) index--;
    this.#items.splice(index, 0, { at, run });
  }

  next(): number {
    return this.#items[0]?.at ?? Number.POSITIVE_INFINITY;
  }

  /** All that were due when it began, or some of them. */
  run(now: number, most = Number.POSITIVE_INFINITY): void {
    const later = this.#items.findIndex(({ at }) => at > now);
    const due = later < 0 ? this.#items.length : later;
    for (const { run } of this.#items.splice(0, Math.min(due, most))) run();
  }
}
