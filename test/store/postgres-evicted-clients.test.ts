/** A registration that nobody used makes room for another one; a first user at the same moment keeps it. */
import assert from 'node:assert/strict';
import { after, afterEach, beforeEach, describe, it } from 'node:test';
import { Client } from 'pg';
import { openPostgresStore } from '../../src/assembly/store.postgres.ts';
import { DEFAULT_TIMEOUT_MS } from '../../src/platform/store/database-timeouts.ts';
import type { Store } from '../../src/store.ts';
import { storeAddress } from '../build/database-settings.ts';
import { createMigratedDatabase, stopOwnServer, type TestDatabase } from '../build/postgres.ts';
import { until } from '../build/until.ts';
import { isWaitingSql } from '../faults/lock-waits.ts';
import { aFixture, client, NOW } from './contract/given.ts';
import { anAct } from './contract/users-fixture.ts';

after(stopOwnServer);

describe('self-registered clients that make room', () => {
  let database: TestDatabase;
  let store: Store;
  let app: string;
  beforeEach(async () => {
    database = await createMigratedDatabase();
    store = await openPostgresStore(storeAddress(database.url), { timeoutMs: DEFAULT_TIMEOUT_MS });
    ({ app } = await aFixture(store));
  });
  afterEach(async () => {
    await store.close();
    await database.drop();
  });

  const register = (id: string, createdAt: number) =>
    store.registerClient(app, {
      ...{ client: client({ client_id: id, origin: 'dynamic_registration' }), tokenHash: Buffer.from(id), createdAt },
      ...{ maxClients: 1, unusedSince: NOW - 3600, event: anAct('client.created', id).event },
      deleted: (_, evicted) => anAct('client.deleted', evicted).event,
    });

  it('one whose first use is not committed yet stays', async () => {
    assert.equal(await register('old', NOW - 7200), 'registered');
    const user = new Client({ connectionString: database.url });
    await user.connect();
    await user.query('BEGIN');
    await user.query(`UPDATE client_registrations SET used_at = ${NOW} WHERE client_id = 'old'`);
    let isOver = false;
    const registering = register('new', NOW).finally(() => {
      isOver = true;
    });
    await until('the registration is decided, or waits', async () => {
      return isOver || (await database.query(isWaitingSql))[0]?.result === true;
    });
    await user.query('COMMIT');
    await user.end();
    assert.equal(await registering, 'full');
    assert.equal((await store.findRegistration(app, 'old'))?.usedAt, NOW);
    assert(await store.findClient(app, 'old'));
  });
});
