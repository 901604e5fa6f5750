import assert from 'node:assert/strict';
import { afterEach, before, describe, it } from 'node:test';
import { loadTables } from '../../../src/assembly/tables.ts';
import { createOverloadReplies } from '../../../src/platform/http/overload-reply.ts';
import { createRouter } from '../../../src/platform/http/router.ts';
import type { Store } from '../../../src/store.ts';
import { type Answered, aTokenSet, get, introspect, send, token, WEB } from '../../build/client.ts';
import { sampleOf } from '../../build/exposition.ts';
import { suiteServer } from '../../build/test-server.ts';
import { until } from '../../build/until.ts';
import { RawCaller } from './raw-caller.ts';

const { routes } = await loadTables();

const ORIGIN = 'https://client.example';
/** As many as are handled at a time, and more (platform/http/concurrency-limit.ts). */
const [HANDLED, MORE] = [256, 40];

/** A database that does not answer for a while. */
function frozen(store: Store) {
  let thaw = () => {};
  let until: Promise<void> | undefined;
  const calls = { findAccessToken: 0, findTokenUser: 0, isClientOrigin: 0 };
  return {
    calls,
    freeze() {
      until = new Promise(resolve => {
        thaw = resolve;
      });
    },
    thaw() {
      until = undefined;
      thaw();
    },
    store: {
      ...store,
      async findAccessToken(...args: Parameters<Store['findAccessToken']>) {
        calls.findAccessToken++;
        await until;
        return store.findAccessToken(...args);
      },
      async findTokenUser(...args: Parameters<Store['findTokenUser']>) {
        calls.findTokenUser++;
        await until;
        return store.findTokenUser(...args);
      },
      async isClientOrigin(...args: Parameters<Store['isClientOrigin']>) {
        calls.isClientOrigin++;
        return store.isClientOrigin(...args);
      },
    } satisfies Store,
  };
}

describe('requests while the database does not answer', () => {
  let database: ReturnType<typeof frozen>;
  let access: string;
  const server = suiteServer(() => ({
    isOverloadReal: true,
    env: { GATEHOUSE_METRICS_TOKEN: 'a-token-for-metrics' },
    wrapStore: store => {
      database = frozen(store);
      return database.store;
    },
  }));
  before(async () => {
    ({ access_token: access } = await aTokenSet(server));
    // A page of this client has been here before.
    await token(server, 'grant_type=x', { auth: WEB, headers: { origin: ORIGIN } });
  });
  afterEach(() => database.thaw());

  const metric = async (name: string) =>
    sampleOf((await get(`${server.base}/metrics`, { authorization: 'Bearer a-token-for-metrics' })).text, name);

  it('are handled 256 at a time; the others are rejected, health checks are not, and all is well afterwards', async () => {
    database.freeze();
    const userinfo = () =>
      send(`${server.at()}/userinfo`, { headers: { authorization: `Bearer ${access}`, origin: ORIGIN } });
    const asked = Array.from({ length: HANDLED + MORE }, async () => userinfo());
    const rejected: Answered[] = [];
    for (const answer of asked) void answer.then(answered => answered.status === 503 && rejected.push(answered));
    await until('the others are rejected', () => rejected.length === MORE);

    assert.equal(database.calls.findTokenUser, HANDLED);
    assert.equal(await metric('gatehouse_requests_running'), HANDLED, 'a health check takes no place');
    assert.equal(await metric('gatehouse_requests_waiting'), 0);
    assert.equal(await metric('gatehouse_requests_rejected_total'), MORE);
    for (const path of ['/healthz', '/healthz?probe=1', '/readyz']) {
      assert.equal((await get(server.base + path)).status, 200, path);
    }
    for (const { json, headers } of rejected) {
      assert.equal(json.error, 'temporarily_unavailable');
      assert.equal(headers.get('retry-after'), '1');
      assert.equal(headers.get('access-control-allow-origin'), ORIGIN);
    }
    assert.equal(database.calls.isClientOrigin, 1, 'no rejection asks the store');

    database.thaw();
    const statuses = (await Promise.all(asked)).map(({ status }) => status);
    assert.equal(statuses.filter(status => status === 200).length, HANDLED);
    assert.equal((await introspect(server, { token: access })).json.active, true);
    await until('it is logged', () => server.logged().includes('"event":"overload"'));
    assert.match(server.logged(), new RegExp(`"level":"warn","event":"overload","rejected":${MORE}[,}]`));
  });

  it('that one connection sends ahead take one place, and are answered in their order', async () => {
    database.freeze();
    database.calls.findAccessToken = 0;
    const caller = await RawCaller.open(server.base);
    const body = `token=${access}`;
    for (let count = 0; count < 20; count++)
      caller.request('POST', `${new URL(server.at()).pathname}/introspect`, body, { authorization: WEB });
    await until('the first is handled', () => database.calls.findAccessToken === 1);
    assert.equal((await get(`${server.base}/healthz`)).status, 200);
    assert.equal(database.calls.findAccessToken, 1);
    database.thaw();
    await until('all are answered', () => caller.statuses().length === 20);
    assert.deepEqual(new Set(caller.statuses()), new Set(['200']));
    assert.equal(caller.received().split('"active":true').length - 1, 20);
    caller.close();
  });

  it('that their callers gave up while they waited are not handled', async () => {
    database.freeze();
    database.calls.findAccessToken = 0;
    const asked = Array.from({ length: HANDLED }, () => introspect(server, { token: access }));
    await until('all places are taken', () => database.calls.findAccessToken === HANDLED);
    const caller = await RawCaller.open(server.base);
    caller.request('POST', `${new URL(server.at()).pathname}/introspect`, `token=${access}`, { authorization: WEB });
    // By then it has been read.
    for (let times = 0; times < 2; times++) assert.equal((await get(`${server.base}/healthz`)).status, 200);
    caller.close();
    await until('it waits no longer', async () => (await metric('gatehouse_requests_waiting')) === 0);
    database.thaw();
    await Promise.all(asked);
    assert.equal(database.calls.findAccessToken, HANDLED);
  });
});

describe('the answer to a rejected request', () => {
  const server = suiteServer();
  const router = createRouter(routes);
  const rejected = (path: string, headers: Record<string, string> = {}) =>
    createOverloadReplies(server.services)({ headers }, router(path), 'id');
  const TOKEN = '/api/v1/authorize/shop/oauth2/token';

  it('is the JSON error of section 7.1 for a program, with Retry-After', () => {
    const { status, headers, body } = rejected(TOKEN);
    assert.equal(status, 503);
    assert.deepEqual(JSON.parse(String(body)), {
      error: 'temporarily_unavailable',
      error_description: 'The server is busy. Try again in a moment.',
      error_uri: `${server.services.config.docsUrl}/temporarily_unavailable`,
    });
    assert.equal(headers['content-type'], 'application/json');
    assert.equal(headers['cache-control'], 'no-store');
    assert.equal(headers['retry-after'], '1');
    assert.equal(headers['www-authenticate'], undefined);
  });

  for (const [language, lang] of [
    ['en', 'en'],
    ['zh-CN,zh;q=0.9', 'zh-Hans'],
  ] as const) {
    it(`is a page for a browser in the language ${lang}`, () => {
      const { status, headers, body } = rejected('/login', { accept: 'text/html', 'accept-language': language });
      assert.equal(status, 503);
      assert.equal(headers['content-type'], 'text/html; charset=utf-8');
      assert.equal(headers['retry-after'], '1');
      assert(String(body).includes(`lang="${lang}"`));
    });
  }

  it('is JSON at the address of a page if Accept prefers it', () => {
    assert.equal(rejected('/login', { accept: 'application/json' }).headers['content-type'], 'application/json');
  });

  it('can be read by a page of a client that has been here before, and by no other', async () => {
    assert.equal(rejected(TOKEN, { origin: ORIGIN }).headers['access-control-allow-origin'], undefined);
    await token(server, 'grant_type=x', { auth: WEB, headers: { origin: ORIGIN } });
    await token(server, 'grant_type=x', { auth: WEB, headers: { origin: 'https://other.example' } });
    assert.equal(rejected(TOKEN, { origin: ORIGIN }).headers['access-control-allow-origin'], ORIGIN);
    const other = rejected(TOKEN, { origin: 'https://other.example' });
    assert.equal(other.headers['access-control-allow-origin'], undefined);
    assert.equal(other.headers.vary, 'Origin');
  });
});
