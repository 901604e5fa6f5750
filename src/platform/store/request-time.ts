import { AsyncLocalStorage } from 'node:async_hooks';

/**
 * The time of a request: all operations of the store that run for it share one timeout (DATABASE_TIMEOUT), which counts from its
 * arrival, by performance.now(). In jobs and commands, and in what goes on after the answer, it counts from the start of each operation.
 *
 * Every function between an endpoint and the database would otherwise hand it down.
 */
interface RequestTime {
  readonly receivedAt: number;
  isAnswered: boolean;
}

const current = new AsyncLocalStorage<RequestTime>();

/** Returns the promise of `answer` itself: every request would pay for one more. */
export function withinRequest<T>(receivedAt: number, answer: () => Promise<T>): Promise<T> {
  const time: RequestTime = { receivedAt, isAnswered: false };
  const answering = current.run(time, answer);
  const end = () => {
    time.isAnswered = true;
  };
  answering.then(end, end);
  return answering;
}

/** For work that several requests share, and for what has to be done also when the time of the request is over. */
export function outsideRequest<T>(work: () => T): T {
  return current.exit(work);
}

/** The same for all operations of a store: for a part of the server that serves several requests at once. */
export function outsideRequests<Store extends object>(store: Store): Store {
  const operations = store as Readonly<Record<string, unknown>>;
  const members = Object.entries(operations).map(([name, member]) => {
    const call = (...args: unknown[]) =>
      outsideRequest(() => (operations[name] as (...args: unknown[]) => unknown)(...args));
    return [name, typeof member === 'function' ? call : member];
  });
  return Object.fromEntries(members) as Store;
}

/** From when the timeout of an operation counts that starts now. */
export function startOfOperation(): number {
  const time = current.getStore();
  return time && !time.isAnswered ? time.receivedAt : performance.now();
}
