import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { openPostgresStore } from '../../src/store/postgres/postgres-store.ts';
import { createDatabase, stopOwnServer } from '../build/postgres.ts';

after(stopOwnServer);

describe('a process that stood still', () => {
  it('does not take its database for dead: the answers were there all the time', async () => {
    const database = await createDatabase();
    const store = await openPostgresStore({ hosts: [database.url] });
    await Promise.all([store.isEmpty(), store.isEmpty(), store.check()]);
    const asked = [store.isEmpty(), store.isEmpty(), store.check()];
    const until = performance.now() + 2500;
    while (performance.now() < until);
    assert.deepEqual(await Promise.all(asked), [true, true, undefined]);
    await store.close();
    await database.drop();
  });
});
