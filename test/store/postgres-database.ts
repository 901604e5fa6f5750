import { openPostgresStore } from '../../src/assembly/store.postgres.ts';
import type { Store } from '../../src/store.ts';
import { storeAddress } from '../build/database-settings.ts';
import { createMigratedDatabase } from '../build/postgres.ts';
import type { OpenStore } from './contract/given.ts';

/**
 * The contract is about outcomes: a busy machine may take longer for them than a request waits, and a thousand that wait for each other take
 * long. test/store/postgres-timeouts is about time.
 */
export const PATIENT_MS = 300_000;

/** A store on a database of its own, which is one of a cluster where the tests run on Citus. */
export const openPostgresDatabase: OpenStore = async () => {
  const database = await createMigratedDatabase();
  const stores: Store[] = [];
  const another = async () => {
    const store = await openPostgresStore(storeAddress(database.url, PATIENT_MS), { timeoutMs: PATIENT_MS });
    stores.push(store);
    return store;
  };
  const discard = async () => {
    await Promise.all(stores.map(store => store.close()));
    await database.drop();
  };
  return { store: await another(), url: database.url, another, discard };
};
