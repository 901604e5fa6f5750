import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, it } from 'node:test';
import { coldDatabase } from '../../src/assembly/cold-database.sqlite.ts';
import { openSqliteStore } from '../../src/assembly/store.sqlite.ts';
import { storeTables } from '../../src/assembly/store-tables.ts';
import { openSqliteSource } from '../../src/operators/copy-database/sqlite.ts';
import { consents } from '../../src/people/consent/sqlite.ts';
import { sessions } from '../../src/people/sessions/sqlite.ts';
import { type Database, openDatabase } from '../../src/platform/store/sqlite/database.ts';
import type { Store } from '../../src/store.ts';
import { aFixture, DAY, hex, NOW } from './contract/given.ts';
import { code } from './contract/given-tokens.ts';
import { type TemporaryFolder, temporaryFolder } from './temporary-folder.ts';

describe('a consent withdrawn in SQLite, whose codes are not touched', () => {
  let folder: TemporaryFolder;
  let store: Store;
  before(() => {
    folder = temporaryFolder();
    store = openSqliteStore(folder.file('gatehouse.db'));
  });
  after(async () => {
    await store.close();
    folder.remove();
  });

  it('takes them along: a copy to another store, which knows nothing of it, leaves them out', async () => {
    const { app, user, grant } = await aFixture(store);
    const [former, present] = [code(grant), code(grant)];
    await store.addCode(app, former);
    await store.withdrawConsent(user.sub, app, grant.clientId, NOW);
    await store.addCode(app, present);
    const source = openSqliteSource(folder.file('gatehouse.db'));
    const table = storeTables().copied.find(({ name }) => name === 'codes') ?? assert.fail();
    const at = table.columns.findIndex(({ name }) => name === 'code_hash');
    const copied: string[] = [];
    for await (const rows of source.rows(table)) copied.push(...rows.map(row => hex(row[at] as Uint8Array)));
    await source.close();
    assert.deepEqual(copied, [hex(present.codeHash)]);
  });

  const countRemembered = (sub: string) => {
    const connection = new DatabaseSync(folder.file('gatehouse.db'), { readOnly: true });
    const row = connection.prepare('SELECT count(*) AS count FROM withdrawn_consents WHERE sub = ?').get(sub);
    connection.close();
    return row?.count;
  };

  it('is remembered for as long as a code lives, and not for ever', async () => {
    const { app, user, grant } = await aFixture(store);
    await store.withdrawConsent(user.sub, app, grant.clientId, NOW);
    await store.purge(NOW + 301, 100);
    assert.equal(countRemembered(user.sub), 1);
    await store.purge(NOW + DAY, 100);
    assert.equal(countRemembered(user.sub), 0);
  });

  it('attack: withdrawals from clients that do not exist fill no table', async () => {
    const { app, user, grant } = await aFixture(store);
    await store.withdrawConsent(user.sub, app, 'x'.repeat(60_000), NOW);
    await store.withdrawConsent(user.sub, 'no such application', grant.clientId, NOW);
    assert.equal(countRemembered(user.sub), 0);
  });
});

describe('statements of the embedded store', () => {
  let folder: TemporaryFolder;
  let path: string;
  let database: Database;
  before(async () => {
    folder = temporaryFolder();
    path = folder.file('gatehouse.db');
    await openSqliteStore(path).close();
    database = openDatabase(path);
  });
  after(async () => {
    await database.close();
    folder.remove();
  });

  /** How SQLite runs every statement that is prepared, one line for each table it looks at. */
  const plansOf = async (prepare: (recording: Database) => unknown): Promise<string[]> => {
    const statements: string[] = [];
    await prepare({
      ...database,
      prepare: sql => {
        statements.push(sql);
        return database.prepare(sql);
      },
    });
    return statements.flatMap(sql =>
      database
        .prepare(`EXPLAIN QUERY PLAN ${sql}`)
        .all()
        .map(row => String(row.detail)),
    );
  };

  it('that open, use, list and end sessions walk over no table', async () => {
    const plans = await plansOf(recording => sessions(recording, coldDatabase(recording)).sessionsOf('nobody', NOW));
    assert.deepEqual(plans.filter(isWalk), []);
  });

  it('that give, list and withdraw consents walk over no table', async () => {
    const own = await plansOf(recording => consents(recording, coldDatabase(database)));
    const listing = await plansOf(async recording => {
      const { consentsOf, grantsOf } = consents(database, coldDatabase(recording));
      await consentsOf('nobody');
      await grantsOf('nobody', NOW);
    });
    const walks = [...own, ...listing].filter(isWalk);
    assert.deepEqual(walks, []);
    assert.deepEqual(
      own.filter(detail => /\bcodes\b/.test(detail)),
      [],
    );
  });

  it('that revoke codes walk over the live ones only', async () => {
    const onCodes = (await plansOf(coldDatabase)).filter(detail => /\bcodes\b/.test(detail));
    assert(onCodes.length > 0);
    for (const detail of onCodes)
      assert.match(detail, /^SEARCH codes USING PRIMARY KEY \(code_hash>\?( AND code_hash<\?)?\)$/);
  });
});

/** What a statement makes itself is no table: the values of an array, and the rows of a recursion. */
function isWalk(detail: string): boolean {
  return detail.startsWith('SCAN') && !/^SCAN (json_each|derived|d)\b/.test(detail);
}
