import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { ALICE, aTokenSet, introspect, refresh, token, userinfo } from '../build/client.ts';
import { databaseSettings } from '../build/database-settings.ts';
import { PASSWORD } from '../build/fixture.ts';
import { endsBetween } from '../build/in-time.ts';
import { createDatabase, stopOwnServer, type TestDatabase } from '../build/postgres.ts';
import { startTestServer, type TestServer } from '../build/test-server.ts';
import { authorizationUrl, formWith, query, signIn, Visitor } from '../build/visitor.ts';
import { type DatabaseProxy, startProxy } from './proxy.ts';

const TIMEOUT_MS = 4000;
/** One answer of the database is in time, a second one after it is not. */
const SLOW_MS = TIMEOUT_MS * 0.7;

after(stopOwnServer);

describe('DATABASE_TIMEOUT counts from the arrival of a request, for all that it asks of a slow database:', () => {
  let database: TestDatabase;
  let proxy: DatabaseProxy;
  let server: TestServer;
  before(async () => {
    database = await createDatabase();
    proxy = await startProxy(databaseSettings(database.url).DATABASE_URL);
    server = await startTestServer({
      env: { ...databaseSettings(database.url), DATABASE_URL: proxy.url, DATABASE_TIMEOUT: String(TIMEOUT_MS / 1000) },
    });
  });
  after(async () => {
    await server.close();
    await proxy.close();
    await database.drop();
  });
  beforeEach(() => aTokenSet(server));
  afterEach(() => proxy.slow(0));

  /** 503 because the database is too slow, and not after a multiple of the timeout. */
  const assertRefusedInTime = async (request: () => Promise<{ readonly status: number; readonly text: string }>) => {
    const answered = await endsBetween(TIMEOUT_MS / 2, TIMEOUT_MS * 2, request);
    assert.equal(answered.status, 503, answered.text);
  };
  const passwordGrant = () => token(server, { grant_type: 'password', ...ALICE });

  it('the password grant, which looks up the account and writes the tokens', async () => {
    proxy.slow(SLOW_MS);
    await assertRefusedInTime(passwordGrant);
  });

  it('the login, which looks up the account and opens a session in several steps', async () => {
    const visitor = new Visitor(server.base);
    const form = formWith(await visitor.follow(authorizationUrl(server)), 'password');
    const body = query({ ...Object.fromEntries(form.fields), username: 'alice', password: PASSWORD });
    const headers = { 'content-type': 'application/x-www-form-urlencoded', origin: server.base };
    proxy.slow(SLOW_MS);
    await assertRefusedInTime(() => visitor.go(form.action, { method: 'POST', body, headers }));
  });

  it('the authorization request, which looks up the session and writes a code', async () => {
    const visitor = new Visitor(server.base);
    await signIn(server, {}, { visitor });
    proxy.slow(SLOW_MS);
    await assertRefusedInTime(() => visitor.go(authorizationUrl(server)));
  });

  it('the first requests of a node, which look up application, client and account', async t => {
    const fresh = await startTestServer({
      applications: [],
      users: [],
      env: { ...databaseSettings(database.url), DATABASE_URL: proxy.url, DATABASE_TIMEOUT: String(TIMEOUT_MS / 1000) },
    });
    t.after(() => fresh.close());
    proxy.slow(SLOW_MS);
    await assertRefusedInTime(() => token(fresh, { grant_type: 'password', ...ALICE }));
  });

  it('an old request does not fail the fresh ones that ask and write beside it', async () => {
    const set = await aTokenSet(server);
    const release = proxy.hold();
    const old = passwordGrant();
    await pause(TIMEOUT_MS * 0.8);
    const fresh = Promise.all([
      userinfo(server, set.access_token),
      introspect(server, { token: set.access_token }),
      refresh(server, set.refresh_token),
    ]);
    assert.equal((await old).status, 503);
    release();
    assert.deepEqual(
      (await fresh).map(({ status }) => status),
      [200, 200, 200],
    );
  });
});
