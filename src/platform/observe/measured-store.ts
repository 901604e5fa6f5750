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

/** Wraps the store so that the duration of every operation is recorded. The caller gets the store's own promise: no extra wait. */
export function measuredStore(store: Store, times: StoreTimes): Store {
  const members = Object.entries(store).map(([name, member]) => {
    const isTimed = typeof member === 'function' && !Object.hasOwn(untimed, name);
    return [name, isTimed ? timed(store, member, times.addOperation(name)) : member];
  });
  return Object.fromEntries(members);
}

type Call = (...args: unknown[]) => Promise<unknown>;

function timed(store: Store, operation: Call, entry: ReturnType<StoreTimes['addOperation']>): Call {
  return (...args) => {
    const startedAt = performance.now();
    const outcome = operation.apply(store, args);
    const record = () => entry.times.observe(performance.now() - startedAt);
    outcome.then(record, () => {
      entry.failed++;
      record();
    });
    return outcome;
  };
}
