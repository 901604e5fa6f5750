import { after } from 'node:test';
import type { Store } from '../../../src/store/store.ts';
import type { Opened, OpenStore } from './given.ts';

/**
 * One store for many tests that each have an application and users of their own, and look at nothing else: on PostgreSQL a database of
 * its own takes longer than most tests. Called inside `describe`, at whose end the data is removed.
 */
export function sharedStore(open: OpenStore): OpenStore {
  let shared: Promise<Opened> | undefined;
  const others: Store[] = [];
  after(async () => (await shared)?.discard());
  return async () => {
    shared ??= open();
    const { store, url, another } = await shared;
    let inUse = 0;
    return {
      ...{ store, url },
      another: async () => {
        const at = inUse++;
        others[at] ??= await another();
        return others[at];
      },
      discard: async () => {},
    };
  };
}
