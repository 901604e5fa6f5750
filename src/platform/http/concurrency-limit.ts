/**
 * Backpressure: at most MAX_CONCURRENT_REQUESTS are handled at the same time, and at most MAX_STARTS_PER_TURN are started in one turn of the event
 * loop. The others wait in a queue.
 *
 * The limit by turn counts where the processor is the bottleneck: without it, everything that lies in the sockets would be handled in one long
 * turn, and what arrives meanwhile would wait in buffers of the operating system, which do not tell for how long. The other one counts where
 * requests wait for a database.
 *
 * The queue is served oldest first. When it has been longer than TARGET_QUEUE_MS for OVERLOAD_MS without a break, the server is overloaded until
 * it is shorter again (the two times of CoDel, RFC 8289): a burst is served, a standing queue is not allowed to make every request late. During an
 * overload the newest come first, and a request that has waited for OVERLOAD_MS is rejected (503): some callers have an answer at once, instead of
 * all of them a late one. A rejection costs about a third of an answer, so no more requests are rejected in a turn than are started in it: callers
 * that retry immediately wait longer for their rejection, whether each has a connection of its own or all come through one proxy.
 */
const MAX_CONCURRENT_REQUESTS = 256;
const MAX_STARTS_PER_TURN = 128;
const OVERLOAD_STARTS_PER_TURN = 16;
const TARGET_QUEUE_MS = 10;
const OVERLOAD_MS = 100;
/** In an overload, a request that has waited for longer is not started: a newer one can still be answered in time. */
const MAX_OVERLOAD_WAIT_MS = 25;

/** As many as this are never an overload, however slow the processor is: a pool of connections may all be in use. */
const MAX_POOL_REQUESTS = 200;
/** A single long turn is no overload: the process may have been kept from its processor. */
const MIN_LATE_TURNS = 3;
/** How often the queue is looked at when nothing else happens. */
const QUEUE_CHECK_MS = 10;
/**
 * The event loop accepts one connection in a turn, so those that a proxy opens when all it has are in use would each wait for a long turn. After a
 * turn that accepted one, nothing is started in the next, for so many turns.
 */
const MAX_ACCEPT_TURNS = 16;

export interface QueuedRequest {
  /** False: the caller has gone, and there is nothing to do. */
  start(): boolean;
  /** False: the caller has gone. */
  reject(): boolean;
}

export interface ConcurrencyLimit {
  /** True: the request may start now, and `release` is called when it has its answer. */
  tryAcquire(): boolean;
  /** For a request that could not start: it is started later, with the same duty, or rejected. */
  enqueue(request: QueuedRequest): void;
  release(): void;
  /** A connection was accepted in this turn. */
  noteConnection(): void;
  load(): RequestLoad;
}

export interface RequestLoad {
  readonly running: number;
  readonly waiting: number;
}

export interface EventLoop {
  now(): number;
  /** Calls back when everything that was ready in this turn has been seen. */
  atEndOfTurn(end: () => void): void;
  after(milliseconds: number, callback: () => void): void;
}

export const nodeEventLoop: EventLoop = {
  now: () => performance.now(),
  atEndOfTurn: end => void setImmediate(end),
  after: (milliseconds, callback) => void setTimeout(callback, milliseconds).unref(),
};

export function createConcurrencyLimit(loop: EventLoop = nodeEventLoop): ConcurrencyLimit {
  const queue = new Queue();
  let running = 0;
  let startedInTurn = 0;
  let crowdedAt = Number.NEGATIVE_INFINITY;
  let lateTurns = 0;
  let lateSince = 0;
  let hasAccepted = false;
  let acceptTurns = 0;
  let isTurnOpen = false;
  let isCheckDue = false;

  const openTurn = () => {
    if (isTurnOpen) return;
    isTurnOpen = true;
    loop.atEndOfTurn(endTurn);
  };
  const endTurn = () => {
    isTurnOpen = false;
    startedInTurn = 0;
    if (isAcceptingMore()) return;
    const at = loop.now();
    const isOverloaded = isStandingQueue(at);
    startQueued(isOverloaded, at);
    if (isOverloaded) rejectExpired(at);
  };
  const noteCrowd = (at: number) => {
    if (running + queue.size > MAX_POOL_REQUESTS) crowdedAt = at;
  };
  const isStandingQueue = (at: number): boolean => {
    noteCrowd(at);
    const isLate = queue.oldestWaited(at) > TARGET_QUEUE_MS && at - crowdedAt <= OVERLOAD_MS;
    lateTurns = isLate ? lateTurns + 1 : 0;
    if (lateTurns <= 1) lateSince = at;
    return lateTurns >= MIN_LATE_TURNS && at - lateSince >= OVERLOAD_MS;
  };
  /** There may be more: nothing is started until the next turn has looked. */
  const isAcceptingMore = (): boolean => {
    acceptTurns = hasAccepted && acceptTurns < MAX_ACCEPT_TURNS ? acceptTurns + 1 : 0;
    hasAccepted = false;
    if (acceptTurns === 0) return false;
    startedInTurn = MAX_STARTS_PER_TURN;
    openTurn();
    return true;
  };
  const startQueued = (isOverloaded: boolean, at: number) => {
    const limit = isOverloaded ? OVERLOAD_STARTS_PER_TURN : MAX_STARTS_PER_TURN;
    while (running < MAX_CONCURRENT_REQUESTS && startedInTurn < limit) {
      const request = isOverloaded ? queue.takeNewest(at - MAX_OVERLOAD_WAIT_MS) : queue.takeOldest();
      if (!request) return;
      if (request.start()) noteStart();
    }
  };
  const noteStart = () => {
    running++;
    startedInTurn++;
    openTurn();
  };
  /** Where nothing could be started, rejecting delays no other request. */
  const rejectExpired = (at: number) => {
    let allowed = startedInTurn === 0 ? MAX_STARTS_PER_TURN : startedInTurn;
    while (allowed > 0 && queue.oldestWaited(at) > OVERLOAD_MS) if (queue.takeOldest()?.reject()) allowed--;
  };
  const checkLater = () => {
    if (isCheckDue) return;
    isCheckDue = true;
    loop.after(QUEUE_CHECK_MS, check);
  };
  const check = () => {
    isCheckDue = false;
    if (queue.size === 0) return;
    openTurn();
    checkLater();
  };

  return {
    tryAcquire() {
      if (queue.size > 0 || running >= MAX_CONCURRENT_REQUESTS || startedInTurn >= MAX_STARTS_PER_TURN) return false;
      noteStart();
      return true;
    },
    enqueue(request) {
      const at = loop.now();
      queue.add(request, at);
      noteCrowd(at);
      openTurn();
      checkLater();
    },
    release() {
      running--;
      if (queue.size > 0) openTurn();
    },
    noteConnection() {
      hasAccepted = true;
      openTurn();
    },
    load: () => ({ running, waiting: queue.size }),
  };
}

const COMPACT_AT = 1024;

/** Requests in the order of their arrival, taken from either end. */
class Queue {
  #requests: { readonly request: QueuedRequest; readonly since: number }[] = [];
  /** Index of the oldest; what was taken before it is dropped now and then. */
  #first = 0;

  get size(): number {
    return this.#requests.length - this.#first;
  }

  add(request: QueuedRequest, since: number): void {
    this.#requests.push({ request, since });
  }

  oldestWaited(at: number): number {
    const oldest = this.#requests[this.#first];
    return oldest ? at - oldest.since : 0;
  }

  /** Undefined: none has come since. */
  takeNewest(since: number): QueuedRequest | undefined {
    const newest = this.size === 0 ? undefined : this.#requests.at(-1);
    return newest && newest.since >= since ? this.#requests.pop()?.request : undefined;
  }

  takeOldest(): QueuedRequest | undefined {
    const taken = this.#requests[this.#first];
    if (!taken) return undefined;
    this.#first++;
    if (this.#first === this.#requests.length || this.#first >= COMPACT_AT) {
      this.#requests = this.#requests.slice(this.#first);
      this.#first = 0;
    }
    return taken.request;
  }
}
