import assert from 'node:assert/strict';
import { after, afterEach, beforeEach, describe, it } from 'node:test';
import { Client } from 'pg';
import { openPostgresStore } from '../../src/assembly/store.postgres.ts';
import type { Store } from '../../src/store.ts';
import { createDatabase, stopOwnServer, type TestDatabase } from '../build/postgres.ts';
import { aFixture, credentialKey, DAY, NOW, race } from './contract/given.ts';
import { aSession } from './contract/given-sessions.ts';
import { ALIVE, aFamily, alive, code, presentedCode, rotation, token, tokens } from './contract/given-tokens.ts';
import { recordStatements, touchedParts } from './postgres-plans.ts';

describe('partitions of PostgreSQL', () => {
  let database: TestDatabase;
  const stores: Store[] = [];
  const open = async () => {
    const store = await openPostgresStore(database.address, { timeoutMs: 60_000 });
    stores.push(store);
    return store;
  };
  beforeEach(async () => {
    database = await createDatabase();
  });
  afterEach(async () => {
    for (const store of stores.splice(0)) await store.close();
    await database.drop();
  });
  after(stopOwnServer);

  const parts = async (table: string) =>
    (
      await database.query('SELECT relname FROM pg_class WHERE relkind = $1 AND relname ~ $2 ORDER BY relname', [
        'r',
        `^${table}_[0-9]{10}$`,
      ])
    ).map(row => Number(String(row.relname).slice(table.length + 1)));
  const drain = async (store: Store, now: number) => {
    while ((await store.purge(now, 500)).deleted > 0);
  };

  describe('a statement touches one of many:', () => {
    const reading = ['findAccessToken', 'findTokenUser', 'findRefreshToken', 'useSession'];
    const writing = ['redeemCode', 'rotateRefreshToken', 'its repeat', 'revokeAccessToken', 'revokeRefreshToken'];
    writing.push('addExchangedToken', 'the revocation of a subject token');
    for (const operation of [...reading, ...writing]) {
      it(operation, async t => {
        const store = await open();
        const fixture = await aFixture(store);
        for (let day = 0; day < 12; day++) {
          const end = NOW + day * 7 * DAY;
          await aFamily(store, fixture, { access: token(end), refresh: token(end) });
          await store.addCode(fixture.app, code(fixture.grant, { codeHash: credentialKey(end), expiresAt: end }));
          await aSession(store, fixture, { idHash: credentialKey(end), expiresAt: end });
        }
        const { app } = fixture;
        const put = code(fixture.grant);
        await store.addCode(app, put);
        const pair = await aFamily(store, fixture);
        const repeated = await aFamily(store, fixture);
        await store.rotateRefreshToken(app, rotation(repeated.refresh.hash));
        const session = await aSession(store, fixture);
        const exchange = (subject: Uint8Array) =>
          store.addExchangedToken(app, subject, {
            ...{ ...token(NOW + 600), issuedAt: NOW, clientId: 'mobile', audience: 'urn:shop:files' },
            ...{ scope: ['files:read'], exchange: { depth: 1 } },
          });
        await exchange(repeated.access.hash);
        const run: Record<string, () => Promise<unknown>> = {
          findAccessToken: () => store.findAccessToken(app, pair.access.hash, NOW),
          findTokenUser: () => store.findTokenUser(app, pair.access.hash, NOW),
          findRefreshToken: () => store.findRefreshToken(app, pair.refresh.hash, NOW),
          redeemCode: () => store.redeemCode(app, put.codeHash, presentedCode, tokens()),
          rotateRefreshToken: () => store.rotateRefreshToken(app, rotation(pair.refresh.hash)),
          'its repeat': () => store.rotateRefreshToken(app, rotation(repeated.refresh.hash)),
          useSession: () => store.useSession(session.idHash, NOW, NOW + 8 * 3600),
          revokeAccessToken: () => store.revokeAccessToken(app, pair.access.hash, 'web'),
          revokeRefreshToken: () => store.revokeRefreshToken(app, pair.refresh.hash, 'web', NOW),
          addExchangedToken: () => exchange(pair.access.hash),
          'the revocation of a subject token': () => store.revokeAccessToken(app, repeated.access.hash, 'web'),
        };
        const statements = await recordStatements(run[operation] ?? assert.fail());
        assert(statements.length > 0);
        assert((await parts('access_tokens')).length > 10);
        for (const statement of statements) {
          const touched = await touchedParts(database.url, statement);
          t.diagnostic(`${statement.text.slice(0, 40).replace(/\s+/g, ' ')}… touched ${[...touched].join(', ')}`);
          const tables = [...touched].map(name => name.replace(/_\d{10}$/, ''));
          assert.deepEqual(tables, [...new Set(tables)], 'more than one part of a table');
        }
      });
    }
  });

  it('whose rows have ended go, and those that will be needed are there before', async () => {
    const store = await open();
    const fixture = await aFixture(store);
    const old = await aFamily(store, fixture, { access: token(NOW + 60), refresh: token(NOW + 60) });
    await store.addCode(fixture.app, code(fixture.grant));
    const session = await aSession(store, fixture);
    const living = await aFamily(store, fixture, { access: token(NOW + 30 * DAY), refresh: token(NOW + 30 * DAY) });
    const later = NOW + 20 * DAY;
    await drain(store, later);
    for (const [table, kept] of [
      ['access_tokens', 0],
      ['refresh_tokens', 0],
      ['sessions', 0],
      ['codes', DAY],
    ] as const) {
      const width = ['access_tokens', 'codes'].includes(table) ? DAY : 7 * DAY;
      const starts = await parts(table);
      for (const start of starts) assert(start + width + kept > later, `${table}_${start} has ended`);
      const ahead = starts.filter(start => start > later && start <= later + 2 * DAY + width);
      assert(ahead.length >= 1, `none ahead for ${table}`);
    }
    assert.deepEqual(await alive(store, fixture.app, living, later), ALIVE);
    assert.equal(await store.findAccessToken(fixture.app, old.access.hash, NOW), undefined);
    assert.equal(await store.useSession(session.idHash, NOW, NOW + 60), undefined);
    assert.deepEqual(await database.query('SELECT 1 FROM session_clients WHERE sid = $1', [session.sid]), []);
  });

  it('are dropped with the clients that took part in their sessions', async () => {
    const store = await open();
    const fixture = await aFixture(store);
    const past = Math.floor(Date.now() / 1000) - 60 * DAY;
    const session = await aSession(store, fixture, { idHash: credentialKey(past), expiresAt: past });
    await store.noteSessionClient(fixture.app, 'web', session.sid);
    await drain(store, past + 60 * DAY);
    assert.deepEqual(await database.query('SELECT sid FROM sessions'), []);
    assert.deepEqual(await database.query('SELECT sid FROM session_clients'), []);
  });

  it('far ahead are made when first needed, by many at once on several nodes', async () => {
    const three = [await open(), await open(), await open()];
    const fixture = await aFixture(three[0] as Store);
    const YEAR = 365 * DAY;
    const families = await race(three, 30, store =>
      aFamily(store, fixture, { access: token(NOW + YEAR), refresh: token(NOW + 10 * YEAR) }),
    );
    for (const pair of families) assert.deepEqual(await alive(three[1] as Store, fixture.app, pair), ALIVE);
  });

  it('that went while a node thought they were there are made again', async () => {
    const store = await open();
    const fixture = await aFixture(store);
    const pair = await aFamily(store, fixture);
    const session = await aSession(store, fixture);
    await store.addCode(fixture.app, code(fixture.grant));
    // As after a fail-over to a standby that had not heard of them.
    for (const table of ['access_tokens', 'refresh_tokens', 'sessions', 'codes']) {
      for (const start of await parts(table)) {
        await database.query(`DROP TABLE ${table}_${String(start).padStart(10, '0')}`);
      }
    }
    assert.deepEqual(await alive(store, fixture.app, await aFamily(store, fixture)), ALIVE);
    assert(await store.useSession((await aSession(store, fixture)).idHash, NOW, NOW + 60));
    const put = code(fixture.grant);
    await store.addCode(fixture.app, put);
    assert.equal((await store.redeemCode(fixture.app, put.codeHash, presentedCode, tokens())).kind, 'redeemed');
    assert.equal((await store.rotateRefreshToken(fixture.app, rotation(pair.refresh.hash))).kind, 'refused');
    assert.equal(await store.useSession(session.idHash, NOW, NOW + 60), undefined);
  });

  /** Detaching has two steps, and a transaction that has seen the table keeps it waiting in between. */
  const halfDetach = async (name: string) => {
    const [reader, detaching] = [new Client(database.url), new Client(database.url)];
    await reader.connect();
    await detaching.connect();
    await reader.query('BEGIN; SELECT count(*) FROM access_tokens');
    await detaching.query('SET lock_timeout = 100');
    await assert.rejects(
      detaching.query(`ALTER TABLE access_tokens DETACH PARTITION ${name} CONCURRENTLY`),
      /lock timeout/,
    );
    await reader.end();
    await detaching.end();
    assert.deepEqual(await pending(), [name]);
  };
  const pending = async () =>
    (await database.query('SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhdetachpending')).map(
      row => row.name,
    );

  it('that a killed node left half detached, or detached and not dropped, are finished by the next', async () => {
    const store = await open();
    const fixture = await aFixture(store);
    await aFamily(store, fixture, { access: token(NOW + 60), refresh: undefined as never });
    await aFamily(store, fixture, { access: token(NOW + DAY + 60), refresh: undefined as never });
    const [first = 0, second = 0] = (await parts('access_tokens')).filter(start => start > NOW - DAY);
    assert(second > first && first > 0);
    await database.query(`ALTER TABLE access_tokens DETACH PARTITION access_tokens_${second}`);
    await halfDetach(`access_tokens_${first}`);
    await drain(await open(), NOW + 20 * DAY);
    const left = (await parts('access_tokens')).filter(start => start < NOW + 19 * DAY);
    assert.deepEqual(left, []);
    assert.deepEqual(await pending(), []);
  });

  it('that are half detached and still read are left for the next purge, and requests go on', async () => {
    const store = await open();
    const fixture = await aFixture(store);
    await aFamily(store, fixture, { access: token(NOW + 60), refresh: undefined as never });
    const [start] = (await parts('access_tokens')).filter(start => start > NOW - DAY);
    const name = `access_tokens_${start}`;
    await halfDetach(name);
    const reader = new Client(database.url);
    await reader.connect();
    await reader.query(`BEGIN; SELECT count(*) FROM ${name}`);
    const outcome = await store.purge(NOW + 20 * DAY, 500);
    assert.equal(outcome.complete, false);
    assert(outcome.postponed.includes(name));
    const pair = await aFamily(store, fixture, { access: token(NOW + 40 * DAY) });
    assert.deepEqual(await alive(store, fixture.app, pair), ALIVE);
    await reader.query('COMMIT');
    await reader.end();
    await drain(store, NOW + 20 * DAY);
    const left = (await parts('access_tokens')).filter(start => start < NOW + 19 * DAY);
    assert.deepEqual(left, []);
  });

  it('are dropped once when many nodes purge together, and no node fails', async () => {
    const five = await Promise.all(Array.from({ length: 5 }, open));
    const fixture = await aFixture(five[0] as Store);
    for (let day = 0; day < 8; day++) await aFamily(five[0] as Store, fixture, { access: token(NOW + day * DAY) });
    await Promise.all(five.map(store => drain(store, NOW + 20 * DAY)));
    await drain(five[0] as Store, NOW + 20 * DAY);
    const left = (await parts('access_tokens')).filter(start => start < NOW + 19 * DAY);
    assert.deepEqual(left, []);
  });
});
