/**
 * Backpressure: at most MAX_CONCURRENT_REQUESTS are handled at the same time, and at most MAX_STARTS_PER_TURN are started in one turn of the event
 * loop. The others wait in a queue. A request that has waited for MAX_QUEUE_MS is rejected (503).
 *
 * The limit by turn counts where the processor is the bottleneck: without it, everything that lies in the sockets would be handled in one long
 * turn, and what arrives meanwhile would wait where nobody can see for how long. The other one counts where requests wait for a database.
 *
 * The queue is served oldest first. While requests are being rejected, the newest come first: some callers have an answer at once, instead of
 * all of them a late one. A rejection costs about a third of an answer, so no more requests are rejected in a turn than are started in it: callers
 * that retry immediately wait longer for their rejection, whether each has a connection of its own or all come through one proxy.
 */
const MAX_CONCURRENT_REQUESTS = 256;
const MAX_STARTS_PER_TURN = 128;
const OVERLOAD_STARTS_PER_TURN = 16;
const MAX_QUEUE_MS = 100;

/** A single long turn is no overload: the process may have been kept from its processor. */
const MIN_QUEUE_TURNS = 3;
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

const nodeEventLoop: EventLoop = {
  now: () => performance.now(),
  atEndOfTurn: end => void setImmediate(end),
  after: (milliseconds, callback) => void setTimeout(callback, milliseconds).unref(),
};

export function createConcurrencyLimit(loop: EventLoop = nodeEventLoop): ConcurrencyLimit {
  const queue = new Queue();
  let running = 0;
  let startedInTurn = 0;
  let turnsWithQueue = 0;
  let overloadedUntil = Number.NEGATIVE_INFINITY;
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
    turnsWithQueue = queue.size === 0 ? 0 : turnsWithQueue + 1;
    if (queue.size === 0) return;
    const at = loop.now();
    if (turnsWithQueue >= MIN_QUEUE_TURNS && queue.oldestWaited(at) > MAX_QUEUE_MS) overloadedUntil = at + MAX_QUEUE_MS;
    // What can be started in this very turn is no overload: newest first, a few callers could keep others waiting for ever.
    const isOverloaded =
      at < overloadedUntil && (queue.size > MAX_STARTS_PER_TURN || running === MAX_CONCURRENT_REQUESTS);
    startQueued(isOverloaded, at);
    if (isOverloaded) rejectExpired(at);
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
      const request = isOverloaded ? queue.takeNewest(at - MAX_QUEUE_MS) : queue.takeOldest();
      if (!request) return;
      if (request.start()) noteStart();
    }
  };
  const noteStart = () => {
    running++;
    startedInTurn++;
    openTurn();
  };
  /** Where nothing could be started, rejecting takes the time of nobody. */
  const rejectExpired = (at: number) => {
    let allowed = startedInTurn === 0 ? MAX_STARTS_PER_TURN : startedInTurn;
    while (allowed > 0 && queue.oldestWaited(at) > MAX_QUEUE_MS) if (queue.takeOldest()?.reject()) allowed--;
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
      queue.add(request, loop.now());
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
