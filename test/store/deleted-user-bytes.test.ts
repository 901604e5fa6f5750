import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { Client } from 'pg';
import { startPostgres } from '../../scripts/postgres.ts';
import { openPostgresStore } from '../../src/assembly/store.postgres.ts';
import { openSqliteStore } from '../../src/assembly/store.sqlite.ts';
import type { Store } from '../../src/store.ts';
import { foundInFiles } from './bytes.ts';
import { account, aFixture, NOW, unique } from './contract/given.ts';
import { aSession } from './contract/given-sessions.ts';
import { aFamily, code } from './contract/given-tokens.ts';
import { anAct, createUser } from './contract/users-fixture.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** Users around it, so that its rows lie on pages that others share and that were split. */
const CROWD = 2000;

type Delete = (store: Store, sub: string) => Promise<unknown>;
const ways: Readonly<Record<string, Delete>> = {
  'by an operator': (store, sub) =>
    store.changeUser(sub, () => ({
      result: 'deleted',
      write: { value: { kind: 'delete', now: NOW }, act: anAct('user.deleted', sub) },
    })),
  'by apply --prune-users': (store, sub) => store.provision([{ kind: 'deleteUser', sub, now: NOW }]),
};

/** Everything that tells who the user was. `sub`, a random id, stays in the audit log. */
async function deleteOne(store: Store, deleteUser: Delete): Promise<string[]> {
  const crowd = Array.from({ length: CROWD }, () => account());
  const fixture = await aFixture(store);
  const { user, app } = fixture;
  const act = () => anAct('configuration.applied', 'import');
  for (const part of [crowd.slice(0, CROWD / 2), crowd.slice(CROWD / 2)]) {
    const entries = part.map(account => ({ account, keepsSub: false, change: undefined }));
    await store.importUsers(entries, () => act().event);
  }
  const open = await aSession(store, fixture);
  await store.addCode(app, code(open.grant));
  await aFamily(store, { ...fixture, grant: open.grant });
  await store.addConsent(user.sub, app, 'web', ['openid'], NOW);
  const [email, name, hash] = [unique('later@example.com'), unique('Later Name'), unique('$argon2id$later')];
  // A text of several pages, which SQLite stores apart from the row.
  const address = { formatted: `${unique('House')} ${'x'.repeat(9000)}` };
  await store.updateProfile(user.sub, { email, standardClaims: { name, address } }, NOW);
  await store.changePassword(user.sub, hash, NOW);
  await deleteUser(store, user.sub);
  assert.equal(await store.findUser(user.sub), undefined);
  return [user.username, user.email ?? '', user.phoneNumber ?? '', email, name, hash, address.formatted.slice(0, 20)];
}

for (const [way, deleteUser] of Object.entries(ways)) {
  describe(`a user deleted ${way}, in the bytes of the database`, () => {
    it('is not in the file of SQLite, nor in its WAL, from the moment the deletion is answered', async () => {
      const folder = temporaryFolder();
      const store = openSqliteStore(folder.file('gatehouse.db'));
      try {
        const witness = account();
        await createUser(store, witness);
        const gone = await deleteOne(store, deleteUser);
        assert.deepEqual(foundInFiles(folder.file(''), gone), []);
        assert.equal(foundInFiles(folder.file(''), [witness.username]).length, 1, 'the search finds what is there');
      } finally {
        await store.close();
        folder.remove();
      }
    });

    it('is not in the tables of PostgreSQL after VACUUM FULL; its WAL is recycled later', async () => {
      const server = await startPostgres({ settings: { fsync: 'off' } });
      const client = new Client({ connectionString: server.url });
      const store = await openPostgresStore({ hosts: [server.url] });
      try {
        const witness = account();
        await createUser(store, witness);
        const gone = await deleteOne(store, deleteUser);
        await client.connect();
        await client.query('VACUUM FULL');
        await client.query('CHECKPOINT');
        assert.deepEqual(foundInFiles(join(server.folder, 'base'), gone), []);
        assert(
          foundInFiles(join(server.folder, 'base'), [witness.username]).length > 0,
          'the search finds what is there',
        );
      } finally {
        await client.end();
        await store.close();
        await server.remove();
      }
    });
  });
}
