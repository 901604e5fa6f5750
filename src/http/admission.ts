import type { Log } from '../observe/log.ts';

/**
 * Who is served while more comes than one process can do.
 *
 * The queue of a single-threaded server is its event loop: whatever lies in the sockets is read and worked on in one turn, and
 * what arrives meanwhile waits for the next. So how long a turn takes is how long callers wait. FULL_REQUESTS at once are
 * served however long that takes: a pool of connections that are all in use is no overload. Turns with more that take more
 * than FULL_MS and follow each other for PATIENCE_MS, FULL_TURNS of them at least, are one; a burst is none (CoDel, RFC 8289,
 * draws the same line), nor what gathered while the process was kept from its processor.
 *
 * From then on SERVED_AT_ONCE are served in a turn and at a time, and the rest is turned away. Who was turned away and comes
 * again at once is held back (hold-back.ts), or refusing would take the time of serving. It ends when nobody was turned away
 * for QUIET_MS.
 * Callers who never let off cannot be told from an overload that lasts, so now and then everybody is served, to see: after
 * FIRST_LOOK_MS, and if it was in vain, after twice as long each time.
 *
 * Where requests wait for a database elsewhere, turns are short and the queue is made of requests under way: more than
 * MOST_UNDER_WAY of them for PATIENCE_MS are an overload too. A request whose body has not come yet is not under way: it costs
 * nothing, and a few hundred of them that never end would keep everybody out.
 */
const FULL_REQUESTS = 128;
const FULL_MS = 20;
const FULL_TURNS = 3;
const PATIENCE_MS = 100;
const SERVED_AT_ONCE = 16;
const QUIET_MS = 200;
const FIRST_LOOK_MS = 1000;
const LAST_LOOK_MS = 16_000;
const MOST_UNDER_WAY = 256;

/** A supervisor that asks whether we live must not hear "busy" and restart us. */
export const NEVER_TURNED_AWAY: ReadonlySet<string> = new Set(['/healthz', '/readyz', '/metrics']);

export interface Admission {
  /**
   * Asked once for every request, when its headers are there. Who is pushy, by sending requests ahead of the answers or by
   * coming back at once after a refusal, is the first to be turned away: a few such callers could fill every turn.
   */
  admits(url: string, isPushy: boolean): boolean;
  /** One that was admitted is there with its whole body, and is worked on from now on… */
  begins(): void;
  /** …until it has its answer. */
  finished(): void;
}

export interface AdmissionDeps {
  readonly log: Log;
  readonly now?: () => number;
  /** Calls back when everything that was ready in this turn of the event loop has been seen. */
  readonly atEndOfIntake?: (end: () => void) => void;
  /** Calls back when it has been worked on, the commit that it shared included, and before the next turn begins. */
  readonly atEndOfTurn?: (end: () => void) => void;
}

export function createAdmission(deps: AdmissionDeps): Admission {
  const { log, now = () => performance.now(), atEndOfIntake = setImmediate, atEndOfTurn = setTimeout } = deps;
  const report = overloadReport(log);
  const overload = createOverload();
  let inTurn = false;
  let began = 0;
  let count = 0;
  let served = 0;
  let underWay = 0;
  let crowdedSince: number | undefined;

  const beginTurn = (at: number) => {
    inTurn = true;
    began = at;
    count = 0;
    served = 0;
    overload.beginsTurn(at);
    atEndOfIntake(endIntake);
  };
  const endIntake = () => {
    inTurn = false;
    if (count > FULL_REQUESTS) atEndOfTurn(endLongTurn);
    else overload.sawTurn(now(), false, began);
  };
  const endLongTurn = () => {
    const at = now();
    overload.sawTurn(at, at - began > FULL_MS, began);
  };
  const crowded = (at: number) => crowdedSince !== undefined && at - crowdedSince >= PATIENCE_MS;

  return {
    admits(url, isPushy) {
      const at = now();
      if (!inTurn) beginTurn(at);
      count++;
      const room = !overload.lasts || (served < SERVED_AT_ONCE && underWay < SERVED_AT_ONCE && !isPushy);
      if ((room && !crowded(at)) || NEVER_TURNED_AWAY.has(url)) {
        served++;
        return true;
      }
      overload.turnedAway(at);
      report();
      return false;
    },
    begins() {
      if (++underWay > MOST_UNDER_WAY) crowdedSince ??= now();
    },
    finished() {
      if (--underWay <= MOST_UNDER_WAY) crowdedSince = undefined;
    },
  };
}

interface Overload {
  readonly lasts: boolean;
  /** If nobody came for a while, nobody was turned away: whoever comes first after it must not be. */
  beginsTurn(at: number): void;
  sawTurn(at: number, isFull: boolean, began: number): void;
  turnedAway(at: number): void;
}

function createOverload(): Overload {
  let lasts = false;
  /** When the first of the full turns began that follow each other up to now. */
  let fullSince: number | undefined;
  let fullTurns = 0;
  let lastTurn = Number.NEGATIVE_INFINITY;
  let lastRefusal = Number.NEGATIVE_INFINITY;
  let nextLook = 0;
  let lookAfter = FIRST_LOOK_MS;

  const begin = (at: number) => {
    lasts = true;
    lastRefusal = at;
    nextLook = at + lookAfter;
    lookAfter = Math.min(2 * lookAfter, LAST_LOOK_MS);
  };
  const forgetTurns = () => {
    fullSince = undefined;
    fullTurns = 0;
  };
  const end = () => {
    lasts = false;
    forgetTurns();
  };

  return {
    get lasts() {
      return lasts;
    },
    beginsTurn(at) {
      if (!lasts || at - lastRefusal <= QUIET_MS) return;
      lookAfter = FIRST_LOOK_MS;
      end();
    },
    sawTurn(at, isFull, began) {
      // After a pause that long nobody was waiting any more.
      const isQuiet = began - lastTurn > PATIENCE_MS;
      lastTurn = at;
      if (lasts && at < nextLook) return;
      if (lasts) end();
      if (isQuiet || !isFull) forgetTurns();
      if (!isFull) return;
      fullSince ??= began;
      if (++fullTurns >= FULL_TURNS && at - fullSince >= PATIENCE_MS) begin(at);
    },
    turnedAway(at) {
      lastRefusal = at;
    },
  };
}

const REPORT_MS = 1000;

/** A line a second at the most, with the number since the last: a line for each would cost more than its answer. */
function overloadReport(log: Log): () => void {
  let count = 0;
  const say = () => {
    log.warn('overload', { turnedAway: count });
    count = 0;
  };
  return () => {
    if (count++ === 0) setTimeout(say, REPORT_MS).unref();
  };
}
