import assert from 'node:assert/strict';
import { copyFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { describe, it } from 'node:test';
import { openPostgresStore } from '../../../src/assembly/store.postgres.ts';
import { openSqliteStore } from '../../../src/assembly/store.sqlite.ts';
import { storeTables } from '../../../src/assembly/store-tables.ts';
import { openSqliteTarget } from '../../../src/operators/copy-database/sqlite.ts';
import type { Store } from '../../../src/store.ts';
import { isActive } from '../../build/client.ts';
import type { TestDatabase } from '../../build/postgres.ts';
import { account, application, client } from '../../store/contract/given.ts';
import { addAccessTokens, copy, killWhen, summary, tokensInPostgres, useCopyFixture } from './copy-fixture.ts';

/** So many that a copy can be killed in the middle. */
const TOKENS = 25_000;
/** Of two batches. */
const FEW = 3000;
const CHANGED = /an unfinished copy of this store as it was before: --continue .*, --start-over /;
const UNFINISHED = /unfinished copy/;

/** One side of a copy, with its store opened as a server opens it. */
interface Side {
  readonly url: string;
  open(): Promise<Store>;
  /** How many access tokens have arrived. */
  tokens(): Promise<number>;
}

describe('gatehouse copy of a database that changes (issue 26 point D.2)', () => {
  const { folder, emptyPostgres, openOn, lived, held } = useCopyFixture();
  let count = 0;
  const onSqlite = (path = folder.file(`side-${++count}.db`)): Side => ({
    url: `sqlite:${path}`,
    open: async () => openSqliteStore(path),
    tokens: async () => {
      try {
        const connection = new DatabaseSync(path, { readOnly: true });
        const row = connection.prepare('SELECT count(*) AS count FROM access_tokens').get();
        connection.close();
        return Number(row?.count);
      } catch {
        // It is not there yet.
        return 0;
      }
    },
  });
  const onPostgres = (database: TestDatabase): Side => ({
    url: database.url,
    open: () => openPostgresStore({ hosts: [database.url] }),
    tokens: () => tokensInPostgres(database),
  });
  const aSource = (tokens: number) => {
    const path = folder.file(`source-${++count}.db`);
    copyFileSync(lived.path, path);
    addAccessTokens(path, tokens);
    return onSqlite(path);
  };
  const directions: Readonly<Record<string, (tokens: number) => Promise<readonly [source: Side, target: Side]>>> = {
    'SQLite to PostgreSQL': async tokens => [aSource(tokens), onPostgres(await emptyPostgres())],
    'PostgreSQL to SQLite': async tokens => {
      const source = onPostgres(await emptyPostgres());
      assert.equal((await copy(aSource(tokens).url, source.url)).code, 0);
      return [source, onSqlite()];
    },
  };

  /**
   * Of every kind: rows come, change, go, and a unique value changes places. The new user stands behind all users who have been copied, and
   * the login name, which refers to the user, before all names.
   */
  const change = async ({ open }: Side) => {
    const store = await open();
    const now = Math.floor(Date.now() / 1000);
    const [code, username] = [`new-${++count}`, `a-${count}`];
    const [alice, bob] = [await store.findAccount('alice'), await store.findAccount('bob')];
    assert(alice && bob);
    const [one, two] = [alice.email ?? '', bob.email ?? ''];
    const renamed = (sub: string, email: string | null) =>
      ({ kind: 'user', sub, profile: { email, nickname: `changed ${count}` }, now }) as const;
    await store.provision([
      { kind: 'application', application: application({ code }) },
      {
        kind: 'client',
        app: code,
        client: client({ client_id: 'added', secret_hash: undefined, token_endpoint_auth_method: 'none' }),
      },
      { kind: 'deleteClient', app: 'shop', clientId: 'asking', now },
      { kind: 'newUser', account: account({ sub: `zzz-${count}`, username }) },
      renamed(alice.sub, null),
      renamed(bob.sub, one),
    ]);
    await store.provision([renamed(alice.sub, two)]);
    const erin = await store.findAccount('erin');
    if (erin) await store.provision([{ kind: 'deleteUser', sub: erin.sub, now }]);
    await store.close();
    return username;
  };

  const isComplete = async (out: string, target: Side) => {
    for (const [table, source, there, digest] of summary(out)) {
      assert.equal(source, there, `${table}`);
      assert.match(digest ?? '', /^[0-9a-f]{16}$/, `${table}`);
    }
    const server = await openOn(target.url);
    assert(await isActive(server, held.fromSession.access_token));
    return server.services.store;
  };
  const isUnfinished = ({ open }: Side) => assert.rejects(open, UNFINISHED, 'a server started on it');

  for (const [name, make] of Object.entries(directions)) {
    for (const option of ['--continue', '--start-over']) {
      it(`${name}: killed in the middle, then changed, it is complete after ${option}`, async () => {
        const [source, target] = await make(TOKENS);
        const arrived = await killWhen(source.url, target.url, target.tokens, TOKENS / 4);
        assert(arrived < TOKENS, 'it was killed at its end');
        const added = await change(source);
        const refused = await copy(source.url, target.url);
        assert.equal(refused.code, 65);
        assert.match(refused.err, CHANGED);
        assert.equal(await target.tokens(), arrived, 'a refusal changes nothing');
        const { code, out, err } = await copy(source.url, target.url, option);
        assert.equal(code, 0, err);
        assert.match(err, option === '--continue' ? /users: \d+ rows removed/ : /starting over/);
        const store = await isComplete(out, target);
        assert(await store.findAccount(added));
        assert.equal(await store.findAccount('erin'), undefined);
        assert.equal(await store.findClient('shop', 'asking'), undefined);
      });
    }

    it(`${name}: with a server that writes, it says so first, ends unfinished, and --continue brings the rest`, async () => {
      const [source, target] = await make(FEW);
      const store = await source.open();
      const now = Math.floor(Date.now() / 1000);
      const node = { host: 'gate-1', port: 3000, version: '1', startedAt: now };
      await store.noteNode({ ...node, seenAt: now });
      let isCopying = true;
      const writing = (async () => {
        for (let at = 0; isCopying; at++) {
          const code = `busy-${at}`;
          await store.provision([{ kind: 'application', application: application({ code }) }]);
          await store.noteNode({ ...node, seenAt: Math.floor(Date.now() / 1000) });
        }
      })();
      const first = await copy(source.url, target.url);
      isCopying = false;
      await writing;
      assert.equal(first.code, 65, first.err);
      assert.match(first.err, /^a server serves from the source: gate-1:3000, seen \d+ s ago\n.*--continue/);
      assert(first.err.indexOf('gate-1') < first.err.indexOf('rows copied'), 'it was told too late');
      assert.match(
        first.err,
        /applications: \d+ rows in the source, \d+ in the target\n(.*\n)*Stop its server .*--continue/,
      );
      await isUnfinished(target);
      await store.removeNode(node);
      await store.close();
      const { code, out, err } = await copy(source.url, target.url, '--continue');
      assert.equal(code, 0, err);
      await isComplete(out, target);
    });

    for (const option of ['--continue', '--start-over']) {
      it(`${name}: ${option} is refused for a target that is no unfinished copy of this source`, async () => {
        const [source, target] = await make(FEW);
        const other = await target.open();
        await other.provision([{ kind: 'application', application: application({ code: 'other' }) }]);
        await other.close();
        const refused = await copy(source.url, target.url, option);
        assert.deepEqual([refused.code, refused.out], [65, '']);
        assert.match(refused.err, /the target holds other data/);
        const again = await target.open();
        assert.deepEqual(await again.applicationCodes(), ['other']);
        await again.close();
      });
    }
  }

  for (const option of ['--continue', '--start-over']) {
    it(`${option} is refused for the unfinished copy of another store`, async () => {
      const path = folder.file(`of-another-${option}.db`);
      const target = openSqliteTarget(path, storeTables());
      await target.begin(`${'0'.repeat(64)} key-of-another`);
      await target.close();
      const refused = await copy(lived.url, `sqlite:${path}`, option);
      assert.deepEqual([refused.code, refused.out], [65, '']);
      assert.match(refused.err, /the unfinished copy of another store/);
    });
  }

  it('both options together show how it is used, and exit 64', async () => {
    const { code, err } = await copy(lived.url, `sqlite:${folder.file('unused.db')}`, '--continue', '--start-over');
    assert.equal(code, 64);
    assert.match(err, /^Usage: gatehouse copy /);
  });
});
