import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { Client } from 'pg';
import { startPostgres } from '../../scripts/postgres.ts';
import { openPostgresStore } from '../../src/assembly/store.postgres.ts';
import { openSqliteStore } from '../../src/assembly/store.sqlite.ts';
import type { Store } from '../../src/store.ts';
import { foundInFiles } from './bytes.ts';
import { aFixture, application, client, NOW, signingKey, unique } from './contract/given.ts';
import { aSession } from './contract/given-sessions.ts';
import { aFamily, code } from './contract/given-tokens.ts';
import { anAct } from './contract/users-fixture.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** Applications around it, so that its rows lie on pages that others share and that were split. */
const CROWD = 300;

/** Everything that tells what the application was. Its code stays in the audit log. */
async function deleteOne(store: Store): Promise<string[]> {
  const crowd = Array.from({ length: CROWD }, () => application());
  await store.provision(
    crowd.flatMap(each => [
      { kind: 'application', application: each } as const,
      { kind: 'client', app: each.code, client: client() } as const,
    ]),
  );
  const fixture = await aFixture(store);
  const { app, user } = fixture;
  const [name, clientName] = [unique('Some Shop'), unique('Some Till')];
  // A text of several pages, which SQLite stores apart from the row.
  const uri = `https://${unique('till')}.example/${'x'.repeat(9000)}`;
  const till = client({ client_id: unique('till'), client_name: clientName, redirect_uris: [uri] });
  const present = (await store.findApplication(app)) ?? assert.fail();
  await store.provision([
    { kind: 'application', application: { ...present, name } },
    { kind: 'client', app, client: till },
  ]);
  const key = signingKey(app);
  await store.addSigningKey(key, undefined);
  const open = await aSession(store, fixture);
  await store.addCode(app, code(open.grant));
  await aFamily(store, { ...fixture, grant: open.grant });
  await store.addConsent(user.sub, app, till.client_id, ['openid'], NOW);
  await store.changeApplication(app, current => ({
    result: undefined,
    write: {
      value: { application: current?.application ?? assert.fail(), deletedAt: NOW, keys: [] },
      act: anAct('application.deleted', app),
    },
  }));
  assert((await store.findStoredApplication(app))?.deletedAt, 'it can be restored until then');
  assert.deepEqual(await store.removeDeletedApplications(NOW + 1), [app]);
  return [name, clientName, till.client_id, uri.slice(0, 30), key.kid];
}

describe('an application whose time to be restored is over, in the bytes of the database (issue 12)', () => {
  it('is not in the file of SQLite, nor in its WAL', async () => {
    const folder = temporaryFolder();
    const store = openSqliteStore(folder.file('gatehouse.db'));
    try {
      const witness = application({ name: unique('Witness') });
      await store.provision([{ kind: 'application', application: witness }]);
      const gone = await deleteOne(store);
      assert.deepEqual(foundInFiles(folder.file(''), gone), []);
      assert.equal(foundInFiles(folder.file(''), [witness.name]).length, 1, 'the search finds what is there');
    } finally {
      await store.close();
      folder.remove();
    }
  });

  it('is not in the tables of PostgreSQL after VACUUM FULL; its WAL is recycled later', async () => {
    const server = await startPostgres({ settings: { fsync: 'off' } });
    const connection = new Client({ connectionString: server.url });
    const store = await openPostgresStore({ hosts: [server.url] });
    try {
      const witness = application({ name: unique('Witness') });
      await store.provision([{ kind: 'application', application: witness }]);
      const gone = await deleteOne(store);
      await connection.connect();
      await connection.query('VACUUM FULL');
      await connection.query('CHECKPOINT');
      assert.deepEqual(foundInFiles(join(server.folder, 'base'), gone), []);
      assert(foundInFiles(join(server.folder, 'base'), [witness.name]).length > 0, 'the search finds what is there');
    } finally {
      await connection.end();
      await store.close();
      await server.remove();
    }
  });
});
