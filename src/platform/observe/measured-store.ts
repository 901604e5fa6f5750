import type { Store } from '../../store.ts';
import type { StoreTimes } from './instruments.ts';

type Operation = {
  [Name in keyof Store]: Store[Name] extends (...args: never[]) => unknown ? Name : never;
}[keyof Store];

type Timed = {
  [Name in Operation]: ReturnType<Store[Name]> extends Promise<unknown> ? Name : never;
}[Operation];

/** What returns no promise, and the end of the store. The type makes a missing one a compile error. */
const untimed: Readonly<Record<Exclude<Operation, Timed> | 'close', true>> = {
  load: true,
  cluster: true,
  onRegistryChange: true,
  close: true,
};

export type Call = (...args: unknown[]) => Promise<unknown>;

/** Wraps every operation that somebody waits for. */
export function withEachOperation(store: Store, wrap: (name: string, call: Call) => Call): Store {
  const members = Object.entries(store).map(([name, member]) => {
    const isTimed = typeof member === 'function' && !Object.hasOwn(untimed, name);
    return [name, isTimed ? wrap(name, member.bind(store)) : member];
  });
  return Object.fromEntries(members);
}

/** Wraps the store so that the duration of every operation is recorded. The caller gets the store's own promise: no extra wait. */
export function measuredStore(store: Store, times: StoreTimes): Store {
  return withEachOperation(store, (name, call) => {
    const entry = times.addOperation(name);
    return (...args) => {
      const startedAt = performance.now();
      const outcome = call(...args);
      const record = () => entry.times.observe(performance.now() - startedAt);
      outcome.then(record, () => {
        entry.failed++;
        record();
      });
      return outcome;
    };
  });
}
