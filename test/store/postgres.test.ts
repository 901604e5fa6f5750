import { after } from 'node:test';
import { openPostgresStore } from '../../src/store/postgres/postgres-store.ts';
import type { Store } from '../../src/store/store.ts';
import { createDatabase, stopOwnServer } from '../build/postgres.ts';
import { storeContract } from './contract/store-contract.ts';

after(stopOwnServer);

storeContract('PostgreSQL', async () => {
  const database = await createDatabase();
  const stores: Store[] = [];
  const another = async () => {
    const store = await openPostgresStore({ hosts: [database.url] });
    stores.push(store);
    return store;
  };
  const discard = async () => {
    await Promise.all(stores.map(store => store.close()));
    await database.drop();
  };
  return { store: await another(), another, discard };
});
