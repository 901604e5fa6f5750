import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { openPostgresStore } from '../../src/store/postgres/postgres-store.ts';
import { statement } from '../../src/store/postgres/statement.ts';
import { createDatabase, stopOwnServer } from '../build/postgres.ts';
import { frozenPostgres } from './frozen-postgres.ts';

const ONE = statement('SELECT 1 AS one');

after(stopOwnServer);

describe('a process that stood still', () => {
  it('does not take its database for dead: the answers were there all the time', async t => {
    const database = await createDatabase();
    const store = await openPostgresStore({ hosts: [database.url] });
    t.after(async () => {
      await store.close();
      await database.drop();
    });
    await Promise.all([store.isEmpty(), store.isEmpty(), store.check()]);
    const asked = [store.isEmpty(), store.isEmpty(), store.check()];
    const until = performance.now() + 2500;
    while (performance.now() < until);
    assert.deepEqual(await Promise.all(asked), [true, true, undefined]);
  });

  it('gives a database that stood still with it, as on a paused machine, the time to answer', async t => {
    const { server, db } = await frozenPostgres(t);
    const asked = [db.read(ONE), db.write(ONE)];
    const until = performance.now() + 2500;
    while (performance.now() < until);
    setTimeout(() => server.signal('SIGCONT'), 300);
    assert.deepEqual(await Promise.all(asked), [[{ one: 1 }], [{ one: 1 }]]);
  });
});
