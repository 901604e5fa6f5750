import { after } from 'node:test';
import { openPostgresStore } from '../../src/store/postgres/postgres-store.ts';
import type { Store } from '../../src/store/store.ts';
import { storeAddress } from '../build/database-settings.ts';
import { createMigratedDatabase, stopOwnServer } from '../build/postgres.ts';
import { storeContract } from './contract/store-contract.ts';

after(stopOwnServer);

/** The contract is about outcomes: a busy machine may take longer for them than a request waits. test/store/postgres-timeouts is about time. */
const TIMEOUT_MS = 30_000;

storeContract('PostgreSQL', async () => {
  const database = await createMigratedDatabase();
  const stores: Store[] = [];
  const another = async () => {
    const store = await openPostgresStore(storeAddress(database.url, TIMEOUT_MS), { timeoutMs: TIMEOUT_MS });
    stores.push(store);
    return store;
  };
  const discard = async () => {
    await Promise.all(stores.map(store => store.close()));
    await database.drop();
  };
  return { store: await another(), url: database.url, another, discard };
});
