import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Client } from 'pg';
import { beginRenewal, putProviderSession } from '../../src/people/provider-sessions/queries.ts';
import { keyOf } from '../../src/platform/crypto/credential.ts';
import { type Answered, aCode, aTokenSet, basic, isActive, redeem, refresh, token, WEB } from '../build/client.ts';
import { databaseSettings } from '../build/database-settings.ts';
import { delivered } from '../build/delivered.ts';
import { aClient, anApplication, PASSWORD } from '../build/fixture.ts';
import { createDatabase, stopOwnServer, type TestDatabase } from '../build/postgres.ts';
import { startTestServer, type TestServer } from '../build/test-server.ts';
import { until } from '../build/until.ts';
import { authorizationUrl, formWith, Visitor } from '../build/visitor.ts';
import { aFixture, aNewPasskey, NOW, unique } from '../store/contract/given.ts';
import { anAct } from '../store/contract/users-fixture.ts';
import { isWaitingSql } from './lock-waits.ts';
import { type DatabaseProxy, startProxy } from './proxy.ts';

const STRICT = { auth: basic('strict', 'web-secret-1') };
const COMMIT = Buffer.from('gatehouse-commit\0');
/** The key as the driver writes it in an array. */
const written = (credential: string) => Buffer.from(keyOf(credential).toString('hex'));
const ASKED = { grant_type: 'password', username: 'alice', password: PASSWORD };

describe('the connection is lost between a commit and its answer', () => {
  let database: TestDatabase;
  let proxy: DatabaseProxy;
  let server: TestServer;
  before(async () => {
    database = await createDatabase();
    proxy = await startProxy(databaseSettings(database.url).DATABASE_URL);
    const clients = [aClient(), aClient({ client_id: 'strict', refresh_token_grace: 0 })];
    server = await startTestServer({
      applications: [anApplication({ clients })],
      env: { ...databaseSettings(database.url), DATABASE_URL: proxy.url },
    });
  });
  after(async () => {
    await server?.close();
    await proxy?.close();
    await database?.drop();
    await stopOwnServer();
  });

  const counted = async () => {
    const [row] = await database.query(
      `SELECT (SELECT count(*) FROM grants)::int AS grants, (SELECT count(*) FROM access_tokens)::int AS access,
              (SELECT count(*) FROM refresh_tokens)::int AS refresh, (SELECT count(*) FROM revoked_grants)::int AS revoked,
              (SELECT count(*) FROM codes)::int AS codes, (SELECT count(*) FROM sessions)::int AS sessions`,
    );
    return row as Record<'grants' | 'access' | 'refresh' | 'revoked' | 'codes' | 'sessions', number>;
  };
  /** How many rows more there are after the work. */
  const grown = async (work: () => Promise<void>) => {
    const before = await counted();
    await work();
    const now = await counted();
    return Object.fromEntries(
      Object.entries(now)
        .map(([name, count]) => [name, count - before[name as keyof typeof before]] as const)
        .filter(([, more]) => more !== 0),
    );
  };
  const assertGood = async (answered: Answered, sending = { auth: WEB }) => {
    assert.equal(answered.status, 200, answered.text);
    for (const name of ['access_token', 'refresh_token'])
      assert.equal(await isActive(server, answered.json[name], sending), true, name);
  };
  /** The answer is lost although it is done; or the connection is, while the server still waits for a lock on the row. */
  const lose = async (when: 'answered' | 'sent', table: string, credential: string, send: () => Promise<Answered>) => {
    const cut = proxy.cutAfter(written(credential), when);
    if (when === 'answered') {
      const answered = await send();
      await cut;
      return answered;
    }
    const holder = new Client({ connectionString: database.url });
    await holder.connect();
    await holder.query('BEGIN');
    await holder.query(`SELECT 1 FROM ${table} WHERE app = 'shop' AND ${columns[table]} = $1 FOR UPDATE`, [
      keyOf(credential),
    ]);
    const answering = send();
    await cut;
    await until('the statement waits for the row', isWaiting);
    await holder.query('COMMIT');
    await holder.end();
    return answering;
  };
  const isWaiting = async () => (await database.query(isWaitingSql))[0]?.result === true;
  const columns: Record<string, string> = { codes: 'code_hash', refresh_tokens: 'token_hash' };
  const kinds = [
    ['answered', 'the answer is lost'],
    ['sent', 'the server still executes it'],
  ] as const;

  for (const [when, what] of kinds) {
    it(`code exchange, ${what}: one token set, and it is good`, async t => {
      const code = await aCode(server);
      let answered: Answered | undefined;
      const more = await grown(async () => {
        answered = await lose(when, 'codes', code, () => redeem(server, code));
      });
      assert(answered);
      t.diagnostic(`answer ${answered.status}, new rows ${JSON.stringify(more)}`);
      await assertGood(answered);
      assert.deepEqual(more, { grants: 1, access: 1, refresh: 1 });
    });

    for (const [name, sending] of [
      ['with grace', { auth: WEB }],
      ['without grace', STRICT],
    ] as const) {
      it(`refresh ${name}, ${what}: one successor, and the family lives`, async t => {
        const set = await aTokenSet(server, {}, sending);
        let answered: Answered | undefined;
        const more = await grown(async () => {
          answered = await lose(when, 'refresh_tokens', set.refresh_token, () =>
            refresh(server, set.refresh_token, {}, sending),
          );
        });
        assert(answered);
        t.diagnostic(`answer ${answered.status}, new rows ${JSON.stringify(more)}`);
        await assertGood(answered, sending);
        assert.deepEqual(more, { access: 1, refresh: 1 });
      });
    }

    it(`password grant, ${what}: one token set, and it is good`, async t => {
      let answered: Answered | undefined;
      const more = await grown(async () => {
        const cut = proxy.cutAfter(COMMIT, when);
        answered = await token(server, ASKED);
        await cut;
      });
      assert(answered);
      t.diagnostic(`answer ${answered.status}, new rows ${JSON.stringify(more)}`);
      await assertGood(answered);
      assert.deepEqual(more, { grants: 1, access: 1, refresh: 1 });
    });

    it(`login form, ${what}: the person is signed in`, async t => {
      const visitor = new Visitor(server.base);
      const page = await visitor.follow(authorizationUrl(server));
      const cut = proxy.cutAfter(COMMIT, when);
      const more = await grown(async () => {
        const seen = await visitor.send(formWith(page, 'password'), { username: 'alice', password: PASSWORD });
        await cut;
        assert(delivered(seen).fields.code);
      });
      t.diagnostic(`new rows ${JSON.stringify(more)}`);
      assert.deepEqual(more, { sessions: 1, codes: 1 });
    });

    it(`authorization with a session, ${what}: one code, and it is good`, async t => {
      const visitor = new Visitor(server.base);
      await aCode(server, {}, { visitor });
      let code: string | undefined;
      const more = await grown(async () => {
        const cut = proxy.cutAfter(COMMIT, when);
        code = delivered(await visitor.go(authorizationUrl(server))).fields.code;
        await cut;
      });
      t.diagnostic(`new rows ${JSON.stringify(more)}`);
      assert.deepEqual(more, { codes: 1 });
      await assertGood(await redeem(server, code));
    });
  }

  for (const [when, what] of kinds) {
    describe(`what counts once, ${what}`, () => {
      const losing = async <T>(send: () => Promise<T>, needle = COMMIT) => {
        const cut = proxy.cutAfter(needle, when);
        const answer = await send();
        await cut;
        return answer;
      };
      const aFactor = async () => {
        const { store } = server.services;
        const { sub } = (await aFixture(store)).user;
        const passkey = aNewPasskey({ recoveryHashes: ['one', 'two'] });
        await store.addPasskey(sub, passkey, NOW);
        const { event } = anAct('factor.used', sub);
        const challenge = { challenge: unique('challenge'), challengeExpiresAt: NOW + 60 };
        return { store, sub, event, use: { sub, id: passkey.id, signCount: 5, isBackedUp: false, ...challenge } };
      };

      it('a recovery code is spent, and counts', async () => {
        const { store, sub, event } = await aFactor();
        const spend = () => store.spendRecoveryCode(sub, 'one', NOW, () => event);
        assert.equal(await losing(spend), 1);
        assert.equal(await spend(), undefined, 'by another call');
      });

      it('a passkey is used, and counts', async () => {
        const { store, event, use } = await aFactor();
        assert.equal(await losing(() => store.usePasskey(use, NOW, event)), 'used');
        assert.equal(await store.usePasskey(use, NOW, event), 'replayed', 'by another call');
      });

      it('the renewal of the tokens of a provider begins, for this process alone', async () => {
        const { store, sub } = await aFactor();
        const session = { id: unique('sid'), provider: 'corp', sub, sealed: Buffer.from('s'), expiresAt: NOW + 60 };
        await putProviderSession(store.cold, { ...session, named: undefined });
        const begin = (id: string) => beginRenewal(store.cold, session, { id, now: NOW, until: NOW + 10 });
        const id = unique('renewal');
        assert.equal((await losing(() => begin(id), Buffer.from(id)))?.id, session.id);
        assert.equal(await begin('another'), undefined);
      });
    });
  }

  describe('and the database cannot be reached again', () => {
    /** The node can find out nothing: it says so, and the client asks again when the database is back. */
    const unanswered = async (credential: string, send: () => Promise<Answered>) => {
      const cut = proxy.cutAfter(written(credential), 'answered');
      proxy.shut();
      const { status, headers } = await send();
      await cut;
      proxy.open();
      assert.equal(status, 503);
      assert.match(headers.get('retry-after') ?? '', /^\d+$/);
      let again = await send();
      await until('the database is reached again', async () => {
        if (again.status === 503) again = await send();
        return again.status !== 503;
      });
      return again;
    };

    it('the retry of a refresh gets the same successor', async t => {
      const set = await aTokenSet(server);
      let again: Answered | undefined;
      const more = await grown(async () => {
        again = await unanswered(set.refresh_token, () => refresh(server, set.refresh_token));
      });
      assert(again);
      t.diagnostic(`retry ${again.status}, new rows ${JSON.stringify(more)}`);
      await assertGood(again);
      assert.deepEqual(more, { access: 2, refresh: 1 });
    });

    it('the retry of a code exchange is refused, and its tokens are revoked (row 38)', async t => {
      const code = await aCode(server);
      let again: Answered | undefined;
      const more = await grown(async () => {
        again = await unanswered(code, () => redeem(server, code));
      });
      t.diagnostic(`retry ${again?.status} ${again?.json.error}, new rows ${JSON.stringify(more)}`);
      assert.equal(again?.json.error, 'invalid_grant');
      assert.deepEqual(more, { grants: 1, access: 1, refresh: 1, revoked: 1 });
      await assertGood(await redeem(server, await aCode(server)));
    });
  });
});
