/**
 * Backpressure: at most MAX_CONCURRENT_REQUESTS are handled at the same time, of which MAX_STARTS_PER_TURN are started in one turn of the event
 * loop. The others wait in a queue, for MAX_QUEUE_MS at most, and are then rejected (503).
 *
 * The limit by turn is what counts where the processor is the bottleneck: without it, everything that lies in the sockets would be handled in
 * one long turn, and what arrives meanwhile would wait where nobody can see for how long. The other counts where requests wait for a database.
 *
 * The queue is served oldest first. Every MAX_QUEUE_MS it is compared with what was started in that time: if it was longer than what is
 * started in TARGET_QUEUE_MS, the server is overloaded for the next MAX_QUEUE_MS. It then serves the newest first, a few in a turn: some
 * callers have an answer at once, instead of all of them a late one. A short burst is served either way.
 *
 * A rejection costs about a third of what an answer costs, and callers that retry immediately could keep the server busy with nothing else.
 * So there is one for every two requests started, and in a large overload requests wait longer than MAX_QUEUE_MS for theirs. That slows
 * such callers down whether each has a connection of its own or all come through one proxy.
 */
const MAX_CONCURRENT_REQUESTS = 256;
const MAX_STARTS_PER_TURN = 128;
const OVERLOAD_STARTS_PER_TURN = 16;
const MAX_QUEUE_MS = 100;
const TARGET_QUEUE_MS = 10;
const MIN_TURNS = 3;
const REJECTIONS_PER_START = 0.5;
/** Where nothing is started, for instance because the database does not answer. */
const MIN_REJECTIONS_PER_MS = 1;

/**
 * The event loop accepts one connection in a turn, so those that a proxy opens when all it has are in use would wait for a long turn each, unseen.
 * After a turn that accepted one, nothing is started in the next, for so many turns.
 */
const MAX_ACCEPT_TURNS = 16;

/** How often the queue is looked at when nothing else happens. */
const QUEUE_CHECK_MS = 10;

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

const nodeEventLoop: EventLoop = {
  now: () => performance.now(),
  atEndOfTurn: end => void setImmediate(end),
  after: (milliseconds, callback) => void setTimeout(callback, milliseconds).unref(),
};

export function createConcurrencyLimit(loop: EventLoop = nodeEventLoop): ConcurrencyLimit {
  const queue = new Queue();
  const overload = new OverloadDetector();
  const rejections = new RejectionBudget();
  let running = 0;
  let startedInTurn = 0;
  let startedInAll = 0;
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
    if (queue.size === 0) return;
    const at = loop.now();
    overload.endTurn(startedInAll, at);
    const unused = startQueued(overload.isOverloaded, at);
    if (overload.isStanding) rejectExpired(unused, at);
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
  /** How many more could have been started. Those that have waited for too long are not, in an overload. */
  const startQueued = (isOverloaded: boolean, at: number): number => {
    const limit = isOverloaded ? OVERLOAD_STARTS_PER_TURN : MAX_STARTS_PER_TURN;
    let places = Math.min(MAX_CONCURRENT_REQUESTS - running, limit);
    while (places > 0) {
      const request = isOverloaded ? queue.takeNewest(at - MAX_QUEUE_MS) : queue.takeOldest();
      if (!request) break;
      if (!request.start()) continue;
      places--;
      noteStart();
    }
    return places;
  };
  const noteStart = () => {
    running++;
    startedInTurn++;
    startedInAll++;
    openTurn();
  };
  /** Where nothing else is to be done, it costs nothing. */
  const rejectExpired = (unused: number, at: number) => {
    let allowed = Math.max(unused, rejections.allowed(startedInAll, at));
    while (queue.oldestWaited(at) > MAX_QUEUE_MS) {
      if (allowed <= 0) {
        if (unused > 0) openTurn();
        return;
      }
      if (queue.takeOldest()?.reject()) allowed--;
    }
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
      if (queue.size === 0) overload.beginQueue(startedInAll, at);
      queue.add(request, at);
      // As many as are started in a turn are never too many, however slow the processor is.
      overload.grow(running + queue.size - MAX_STARTS_PER_TURN);
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

/** How many may be rejected since it was last asked. */
class RejectionBudget {
  #startedBefore = 0;
  #since = 0;

  allowed(started: number, at: number): number {
    const forTime = Math.ceil(Math.min(at - this.#since, MAX_QUEUE_MS) * MIN_REJECTIONS_PER_MS);
    const forStarts = (started - this.#startedBefore) * REJECTIONS_PER_START;
    this.#startedBefore = started;
    this.#since = at;
    return Math.max(forTime, forStarts);
  }
}

/** Compares, every MAX_QUEUE_MS, the longest queue of that time with the number of requests started in it. */
class OverloadDetector {
  #isOverloaded = false;
  #since = 0;
  #startedBefore = 0;
  #longest = 0;
  #turns = 0;
  #lastTurn = Number.NEGATIVE_INFINITY;

  /** After a time without a queue there is nothing to compare with. */
  beginQueue(started: number, at: number): void {
    if (at - this.#lastTurn <= MAX_QUEUE_MS) return;
    this.#isOverloaded = false;
    this.#turns = 0;
    this.#beginInterval(started, at);
  }

  /** Whenever a request has to wait: how many are more than can be started in a turn. */
  grow(excess: number): void {
    if (excess > this.#longest) this.#longest = excess;
  }

  /** At the end of each turn with a queue. */
  endTurn(started: number, at: number): void {
    this.#turns++;
    this.#lastTurn = at;
    const elapsed = at - this.#since;
    if (elapsed < MAX_QUEUE_MS || !this.isStanding) return;
    this.#isOverloaded = this.#longest > (TARGET_QUEUE_MS * (started - this.#startedBefore)) / elapsed;
    this.#beginInterval(started, at);
  }

  #beginInterval(started: number, at: number): void {
    this.#since = at;
    this.#startedBefore = started;
    this.#longest = 0;
  }

  get isOverloaded(): boolean {
    return this.#isOverloaded;
  }

  /** A single turn that took long tells nothing: the process may have been kept from its processor. */
  get isStanding(): boolean {
    return this.#turns >= MIN_TURNS;
  }
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
