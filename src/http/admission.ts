import type { Log } from '../observe/log.ts';

/**
 * Who is served while more comes than one process can do.
 *
 * The queue of a single-threaded server is its event loop: whatever lies in the sockets is read, parsed and worked on in one
 * turn, and what arrives meanwhile waits for the next. So how much a turn takes in is how long callers wait. Turns that are
 * full (more than FULL_REQUESTS and FULL_MS: either alone is also seen when all is well, a small herd of callers that
 * come together, or a processor that others use too) and follow each other for PATIENCE_MS, FULL_TURNS of them at least, are
 * an overload; a burst is none (CoDel, RFC 8289, draws the same line), nor what gathered while the process was kept from
 * its processor. From then on a turn serves the first SERVED_PER_TURN and turns the rest away,
 * which costs a fraction of serving them, so the next turn comes soon. It ends with the first turn that is not full.
 *
 * Where requests wait for a database elsewhere, turns are short and the queue is made of requests under way: more than
 * MOST_UNDER_WAY of them for PATIENCE_MS are an overload too.
 */
const FULL_REQUESTS = 64;
const FULL_MS = 5;
const FULL_TURNS = 3;
const PATIENCE_MS = 100;
const SERVED_PER_TURN = 16;
const MOST_UNDER_WAY = 256;

/** A supervisor that asks whether we live must not hear "busy" and restart us. */
export const NEVER_TURNED_AWAY: ReadonlySet<string> = new Set(['/healthz', '/readyz', '/metrics']);

export interface Admission {
  /**
   * Asked once for every request, when its headers are there. Who sends requests ahead of the answers (`isAhead`) is the
   * first to be turned away: one such caller could fill every turn.
   */
  admits(url: string, isAhead: boolean): boolean;
  /** One that was admitted has its answer. */
  finished(): void;
}

export interface AdmissionDeps {
  readonly log: Log;
  readonly now?: () => number;
  /** Calls back when everything that was ready in this turn of the event loop has been seen. */
  readonly atEndOfTurn?: (end: () => void) => void;
}

export function createAdmission(deps: AdmissionDeps): Admission {
  const { log, now = () => performance.now(), atEndOfTurn = setImmediate } = deps;
  const report = overloadReport(log);
  let inTurn = false;
  let began = 0;
  let count = 0;
  let served = 0;
  let ended = Number.NEGATIVE_INFINITY;
  /** When the first of the full turns began that follow each other up to now. */
  let fullSince: number | undefined;
  let fullTurns = 0;
  let underWay = 0;
  let crowdedSince: number | undefined;

  const beginTurn = (at: number) => {
    inTurn = true;
    began = at;
    count = 0;
    served = 0;
    // After a pause that long nobody was waiting any more.
    if (at - ended > PATIENCE_MS) {
      fullSince = undefined;
      fullTurns = 0;
    }
    atEndOfTurn(endTurn);
  };
  const endTurn = () => {
    inTurn = false;
    ended = now();
    if (count <= FULL_REQUESTS || (!overloaded(ended) && ended - began <= FULL_MS)) {
      fullSince = undefined;
      fullTurns = 0;
    } else {
      fullSince ??= began;
      fullTurns++;
    }
  };
  const overloaded = (at: number) =>
    fullSince !== undefined && fullTurns >= FULL_TURNS && at - fullSince >= PATIENCE_MS;
  const crowded = (at: number) => crowdedSince !== undefined && at - crowdedSince >= PATIENCE_MS;

  return {
    admits(url, isAhead) {
      const at = now();
      if (!inTurn) beginTurn(at);
      count++;
      const room = (served < SERVED_PER_TURN && !isAhead) || !overloaded(at);
      if ((room && !crowded(at)) || NEVER_TURNED_AWAY.has(url)) {
        served++;
        if (++underWay > MOST_UNDER_WAY) crowdedSince ??= at;
        return true;
      }
      report();
      return false;
    },
    finished() {
      if (--underWay <= MOST_UNDER_WAY) crowdedSince = undefined;
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
