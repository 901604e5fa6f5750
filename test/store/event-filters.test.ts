import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { coldDatabase } from '../../src/assembly/cold-database.sqlite.ts';
import { openPostgresStore } from '../../src/assembly/store.postgres.ts';
import { coldEvents } from '../../src/audit/events/queries.ts';
import type { EventFilter } from '../../src/audit/events/store.ts';
import { type Database, openDatabase } from '../../src/platform/store/sqlite/database.ts';
import type { Store } from '../../src/store.ts';
import { createDatabase, stopOwnServer, type TestDatabase } from '../build/postgres.ts';
import { explained, recordStatements } from './postgres-plans.ts';
import { type TemporaryFolder, temporaryFolder } from './temporary-folder.ts';

/** Each filter of GET /events, and the index that has its events in the order of the list. */
const filters: readonly (readonly [name: string, filter: EventFilter, index: string])[] = [
  ['type', { types: ['client.created'] }, 'events_by_type'],
  ['application', { apps: ['bank'] }, 'events_by_app'],
  ['client', { clientId: 'till' }, 'events_by_client'],
  ['application and client', { apps: ['bank'], clientId: 'till' }, 'events_by_client'],
  ['client, from and to', { clientId: 'till', from: 1, to: 4_000_000_000 }, 'events_by_client'],
  ['user', { user: 'user2' }, 'events_by_subject'],
  ['user and type', { user: 'user2', types: ['client.created'] }, 'events_by_subject'],
  ['user, application and type', { user: 'user2', apps: ['bank'], types: ['client.created'] }, 'events_by_subject'],
  ['client and type', { clientId: 'till', types: ['client.created'] }, 'events_by_client'],
  ['application and type', { apps: ['bank'], types: ['client.created'] }, 'events_by_type'],
  ['operator', { operator: 'op2' }, 'events_by_operator'],
  ['request_id', { requestId: 'request2' }, 'events_by_request'],
];
const PAGE = { after: undefined, limit: 50 };

describe('the filters of events find by an index (admin.md, GET /events)', () => {
  describe('on SQLite', () => {
    let folder: TemporaryFolder;
    let database: Database;
    before(() => {
      folder = temporaryFolder();
      database = openDatabase(folder.file('gatehouse.db'));
    });
    after(async () => {
      await database.close();
      folder.remove();
    });

    for (const [name, filter, index] of filters) {
      it(`${name}: ${index}`, async () => {
        const statements: string[] = [];
        const prepare = (sql: string) => {
          statements.push(sql);
          return database.prepare(sql);
        };
        await coldEvents(coldDatabase({ ...database, prepare })).listEvents(filter, PAGE);
        const [statement] = statements.filter(sql => sql.includes('FROM events'));
        const plan = database.prepare(`EXPLAIN QUERY PLAN ${statement}`).all();
        const details = plan.map(({ detail }) => String(detail)).join('; ');
        assert.match(details, new RegExp(`^SEARCH events USING INDEX ${index} `));
        if (name !== 'request_id') assert.doesNotMatch(details, /TEMP B-TREE/, 'the index has the order of the list');
      });
    }
  });

  describe('on PostgreSQL, with 40,000 events', () => {
    let database: TestDatabase;
    let store: Store;
    before(async () => {
      database = await createDatabase();
      store = await openPostgresStore(database.address);
      // Nearly all events have the same values, and the oldest have the others: whatever walks through the list meets them last.
      const value = (common: string, rare: string) => `CASE WHEN n <= 20 THEN '${rare}' ELSE '${common}' END`;
      await database.query(`INSERT INTO events (id, time, type, outcome, actor_kind, actor, subject, app, client_id, request_id)
        SELECT 'evt_' || lpad(to_hex(1800000000 + n), 8, '0') || lpad(n::text, 8, '0'), 1800000000 + n,
          ${value('user.login.succeeded', 'client.created')}, 'success', 'operator', ${value('op1', 'op2')},
          ${value('user1', 'user2')}, ${value('shop', 'bank')}, ${value('web', 'till')}, ${value('request1', 'request2')}
        FROM generate_series(1, 40000) AS n`);
      await database.query('ANALYZE events');
    });
    after(async () => {
      await store?.close();
      await database?.drop();
      await stopOwnServer();
    });

    for (const [name, filter, index] of filters) {
      it(`${name}: ${index}`, async () => {
        const [statement] = await recordStatements(() => store.listEvents(filter, PAGE));
        const plan = JSON.stringify(await explained(database.url, statement ?? assert.fail()));
        assert.match(plan, new RegExp(`"Index Name":"${index}"`));
        assert.match(plan, /"Actual Rows":20\b/);
        assert.doesNotMatch(plan, /Seq Scan|"Rows Removed by Filter":\d{2}/);
      });
    }
  });
});
