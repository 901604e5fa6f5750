import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { basename, parse } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, it } from 'node:test';
import { openPostgresStore } from '../../../src/assembly/store.postgres.ts';
import { openSqliteStore } from '../../../src/assembly/store.sqlite.ts';
import { storeTables } from '../../../src/assembly/store-tables.ts';
import { openSqliteSource, openSqliteTarget } from '../../../src/operators/copy-database/sqlite.ts';
import { SCHEMA_NUMBER } from '../../../src/platform/store/sqlite/migrations.ts';
import { get, isActive, post, redeem, refresh, revoke, userinfo } from '../../build/client.ts';
import { runCommand } from '../../build/command.ts';
import { delivered } from '../../build/delivered.ts';
import { anApplication, aUser } from '../../build/fixture.ts';
import { signedIn, tokensOf } from '../../build/people.ts';
import { TEST_SECRET } from '../../build/test-server.ts';
import { authorizationUrl, Visitor } from '../../build/visitor.ts';
import { as } from '../../oauth/token-exchange/token-exchange-fixture.ts';
import { application } from '../../store/contract/given.ts';
import { addAccessTokens, chainOf, copy, killWhenCopied, summary, useCopyFixture } from './copy-fixture.ts';

const UNFINISHED = /unfinished copy: run "gatehouse copy" again/;

describe('gatehouse copy', () => {
  const { folder, databases, emptyPostgres, openOn, lived, held, sessionOf } = useCopyFixture();
  const migrate = (url: string) => runCommand(['migrate'], { DATABASE_URL: url, GATEHOUSE_SECRET: TEST_SECRET });

  it('moves every table, and what was handed out before is good afterwards', async () => {
    const target = await emptyPostgres();
    const { code, out, err } = await copy(lived.url, target.url);
    assert.equal(code, 0, err);
    for (const [table, source, there, digest] of summary(out)) {
      assert.equal(source, there);
      assert.match(digest ?? '', /^[0-9a-f]{16}$/);
      assert(Number(source) > 0, `nothing in ${table}: the test is about nothing`);
    }
    assert.match(out, /needs the GATEHOUSE_SECRET that the source had.*gatehouse\.secret/);

    const server = await openOn(target.url);
    for (const set of [held.fromSession, held.direct, held.rotated]) assert(await isActive(server, set.access_token));
    assert.equal((await userinfo(server, held.fromSession.access_token)).json.email, 'alice@example.com');
    assert.equal(await isActive(server, held.revoked.access_token), false);
    const chain = chainOf(server);
    assert(await isActive(chain, held.exchanged, as('stock-api')));
    await revoke(chain, { token: held.subject });
    assert.equal(await isActive(chain, held.exchanged, as('stock-api')), false, 'it still knows where it came from');
    assert.equal(await server.services.store.useOnce(held.usedId, Buffer.alloc(8)), false, 'a jti stays used');
    assert.equal((await refresh(server, held.rotated.refresh_token)).status, 200);
    assert.equal((await redeem(server, held.code)).status, 200);
    assert.equal((await redeem(server, held.code)).status, 400, 'the code was good a second time');
    assert.match(held.codeOfEnded, /^gac_/);
    assert.equal((await redeem(server, held.codeOfEnded)).status, 400, 'the code of an ended session was good');
    assert.deepEqual((await get(`${server.at()}/jwks`)).json.keys, held.keys);
    const browser = new Visitor(server.base);
    for (const [name, value] of held.cookies) browser.cookies.set(name, value);
    assert(
      delivered(await browser.go(authorizationUrl(server, { prompt: 'none' }))).fields.code,
      'the session is gone',
    );
    assert(delivered(await browser.go(authorizationUrl(server, { prompt: 'none', client_id: 'asking' }))).fields.code);
    await signedIn(server, 'bob');
    assert.equal((await post(`${server.at()}/token`, {}, { auth: 'Basic eA==' })).status, 401);
  });

  it('numbers logout notices behind those that came along', async () => {
    const target = await emptyPostgres();
    assert.equal((await copy(lived.url, target.url)).code, 0);
    const ids = async () => (await target.query('SELECT id FROM logout_notices')).map(row => row.id);
    const before = await ids();
    assert(before.length > 0);
    const server = await openOn(target.url);
    await tokensOf(server, await signedIn(server, 'bob'));
    await server.services.store.endSession(await sessionOf(server, 'bob'), server.services.clock.now());
    assert.equal(new Set(await ids()).size, before.length + 1);
  });

  it('goes back to SQLite with the same digests, and from PostgreSQL to PostgreSQL', async () => {
    const [first, second] = [await emptyPostgres(), await emptyPostgres()];
    const there = await copy(lived.url, first.url);
    const across = await copy(first.url, second.url);
    assert.equal(across.code, 0, across.err);
    const back = await copy(second.url, `sqlite:${folder.file('back.db')}`);
    assert.equal(back.code, 0, back.err);
    assert.deepEqual(summary(across.out), summary(there.out));
    assert.deepEqual(summary(back.out), summary(there.out));
    const server = await openOn(`sqlite:${folder.file('back.db')}`);
    assert(await isActive(server, held.fromSession.access_token));
  });

  it('takes users to SQLite who were added on PostgreSQL, where a password has no state of a passkey', async () => {
    const source = await emptyPostgres();
    const server = await openOn(source.url);
    const users = [aUser({ username: 'carol', email: null, phone_number: null })];
    await server.provision({ applications: [anApplication()], users });
    const { code, err } = await copy(source.url, `sqlite:${folder.file('from-postgres.db')}`);
    assert.equal(code, 0, err);
    await signedIn(await openOn(`sqlite:${folder.file('from-postgres.db')}`), 'carol');
  });

  it('reads and compares byte by byte, also where the database sorts by the rules of a language', async () => {
    const { url } = await emptyPostgres();
    const name = `gatehouse_icu_${randomBytes(6).toString('hex')}`;
    const [database] = databases;
    await database?.query(`CREATE DATABASE ${name} TEMPLATE template0 LOCALE_PROVIDER icu ICU_LOCALE 'en-US'`);
    try {
      const path = folder.file('names.db');
      const store = openSqliteStore(path);
      for (const code of ['a-b', 'ab', 'a_b', 'abc', 'a0', 'b-', 'b']) {
        await store.provision([{ kind: 'application', application: application({ code }) }]);
      }
      await store.close();
      const ran = await copy(`sqlite:${path}`, Object.assign(new URL(url), { pathname: `/${name}` }).href);
      assert.equal(ran.code, 0, ran.err);
    } finally {
      await database?.query(`DROP DATABASE ${name} WITH (FORCE)`);
    }
  });

  it('exits 65 and says where when what arrived is not what was sent', async () => {
    const target = await emptyPostgres();
    assert.equal((await migrate(target.url)).code, 0);
    await target.query(`CREATE FUNCTION spoil() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN NEW.nickname = 'spoiled'; RETURN NEW; END $$`);
    await target.query('CREATE TRIGGER spoil BEFORE INSERT ON users FOR EACH ROW EXECUTE FUNCTION spoil()');
    const { code, out, err } = await copy(lived.url, target.url);
    assert.equal(code, 65);
    assert.match(err, /users: 4 rows on both sides, but not the same/);
    assert.match(out, /users +4 +4 +DIFFERS/);
  });

  it('goes on after kill -9 in the middle, again and again, and doubles nothing', async t => {
    const path = folder.file('many.db');
    copyFileSync(lived.path, path);
    const ROWS = 60_000;
    addAccessTokens(path, ROWS);
    const target = await emptyPostgres();
    const counts: number[] = [];
    for (const share of [0, 0.3, 0.6]) {
      const count = await killWhenCopied(`sqlite:${path}`, target, share * ROWS);
      counts.push(count);
    }
    const { code, out, err } = await copy(`sqlite:${path}`, target.url);
    assert.equal(code, 0, err);
    assert.match(err, /going on with the copy that was begun/);
    const row = summary(out).find(([table]) => table === 'access_tokens');
    assert(Number(row?.[1]) >= ROWS);
    assert.equal(row?.[1], row?.[2]);
    t.diagnostic(`killed with ${counts.join(', ')} of ${row?.[1]} access tokens copied`);
    assert.equal(new Set(counts).size, counts.length, 'a later run got no further');

    const again = await copy(`sqlite:${path}`, target.url);
    assert.equal(again.code, 0, 'a copy that was killed after its last step is complete');
    assert.deepEqual(summary(again.out), summary(out));
  });

  describe('refuses, and changes nothing:', () => {
    const refused = async (from: string, to: string, reason: RegExp, expected = 65) => {
      const { code, out, err } = await copy(from, to);
      assert.match(err, reason);
      assert.deepEqual([code, out], [expected, '']);
    };
    const otherStore = async (name: string) => {
      const store = openSqliteStore(folder.file(name));
      await store.provision([{ kind: 'application', application: application({ code: 'other' }) }]);
      await store.close();
      return `sqlite:${folder.file(name)}`;
    };

    it('a target that holds other data', async () => {
      const target = await emptyPostgres();
      assert.equal((await copy(await otherStore('other.db'), target.url)).code, 0);
      await refused(lived.url, target.url, /the target holds other data/);
      assert.deepEqual(await target.query('SELECT code FROM applications'), [{ code: 'other' }]);
    });

    it('a target with the unfinished copy of another store', async () => {
      const target = await emptyPostgres();
      const path = folder.file('unfinished.db');
      copyFileSync(lived.path, path);
      addAccessTokens(path, 30_000);
      await killWhenCopied(`sqlite:${path}`, target, 0);
      await refused(await otherStore('another.db'), target.url, /unfinished copy of another store/);
      await assert.rejects(openPostgresStore({ hosts: [target.url] }), UNFINISHED, 'a server started on it');
    });

    it('a server on an unfinished copy in SQLite', async () => {
      const target = openSqliteTarget(folder.file('begun.db'), storeTables());
      await target.begin('somebody');
      await target.close();
      assert.throws(() => openSqliteStore(folder.file('begun.db')), UNFINISHED);
    });

    it('to copy a file onto itself, by whatever path', () => {
      const { dir, base } = parse(lived.path);
      return refused(lived.url, `sqlite:${dir}/../${basename(dir)}/${base}`, /same file/);
    });

    it('to copy a database onto itself', async () => {
      const target = await emptyPostgres();
      assert.equal((await copy(lived.url, target.url)).code, 0);
      await refused(target.url, `${target.url}?application_name=other`, /the target is the source itself/);
    });

    it('a source that is not there', () =>
      refused(`sqlite:${folder.file('nothing.db')}`, 'postgres://127.0.0.1:1/x', /there is no database/));

    it('a source of a newer release', async () => {
      const path = folder.file('newer.db');
      copyFileSync(lived.path, path);
      const connection = new DatabaseSync(path);
      connection.exec(`PRAGMA user_version = ${SCHEMA_NUMBER + 1}`);
      connection.close();
      await refused(`sqlite:${path}`, `sqlite:${folder.file('unused.db')}`, /use a newer release/);
    });

    it('a source that is a folder', async () => {
      const path = folder.file('folder.db');
      mkdirSync(path);
      await refused(
        `sqlite:${path}`,
        `sqlite:${folder.file('unused.db')}`,
        /^cannot open the database .*folder\.db: /,
        69,
      );
    });

    it('a source that is no database, without waiting for it to become one', async () => {
      const path = folder.file('text.db');
      writeFileSync(path, 'this is no database, although its name says so'.repeat(100));
      await refused(`sqlite:${path}`, `sqlite:${folder.file('unused.db')}`, /^(?!.*waiting).*not a database/s, 69);
    });

    it('a source in PostgreSQL that holds nothing of ours', async () => {
      const source = await emptyPostgres();
      await refused(source.url, `sqlite:${folder.file('unused.db')}`, /holds no Gatehouse store/);
    });

    it('a target that cannot be reached', () =>
      refused(lived.url, 'postgres://127.0.0.1:1/x', /cannot reach the database/, 69));

    it('an address that is none', () => refused(lived.url, 'mysql://x/y', /--to: must be sqlite:PATH or postgres/, 64));

    it('to run without both ends', async () => {
      const { code, err } = await runCommand(['copy', '--from', lived.url]);
      assert.equal(code, 64);
      assert.match(err, /Usage: gatehouse copy/);
    });
  });

  it('sees the source as it was when it began, and notices that it was written to', async () => {
    const path = folder.file('busy.db');
    copyFileSync(lived.path, path);
    const source = openSqliteSource(path);
    const applications = storeTables().copied.find(({ name }) => name === 'applications');
    assert(applications);
    assert.equal(await source.writtenSince(), false);
    const store = openSqliteStore(path);
    await store.provision([{ kind: 'application', application: application() }]);
    await store.close();
    let count = 0;
    for await (const rows of source.rows(applications)) count += rows.length;
    // Those of the fixture, among them gatehouse, which comes with the first operator.
    assert.equal(count, 3);
    assert.equal(await source.writtenSince(), true);
    await source.close();
  });
});
