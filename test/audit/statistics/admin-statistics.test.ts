import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { aCode, aTokenSet, basic, get, introspect, redeem, refresh, token, userinfo } from '../../build/client.ts';
import { fixedClock } from '../../build/clock.ts';
import { anApplication } from '../../build/fixture.ts';
import { anOperatorClient, type OperatorClient } from '../../build/operator.ts';
import { createDatabase, stopOwnServer } from '../../build/postgres.ts';
import { startTestServer, suiteServer } from '../../build/test-server.ts';
import { signIn } from '../../build/visitor.ts';

const HOUR = 3600;
const DAY = 86_400;
/** The beginning of an hour. */
const START = Date.parse('2027-01-15T08:00:00Z') / 1000;
const iso = (time: number) => new Date(time * 1000).toISOString().replace('.000Z', 'Z');

interface Point {
  readonly time: string;
  readonly logins: number;
}

const loginsAt = (series: readonly Point[]) =>
  series.flatMap(({ time, logins }) => (logins > 0 ? [[time, logins]] : []));
const countOf = (list: readonly { count: number }[]) => list.reduce((sum, { count }) => sum + count, 0);

after(stopOwnServer);

describe('/api/v1/admin/statistics (admin contract)', () => {
  const clock = fixedClock(START);
  let owner: OperatorClient;
  const server = suiteServer({ clock, applications: [anApplication(), anApplication({ code: 'bank' })] });
  before(async () => {
    owner = await anOperatorClient(server);
    await live();
    await server.services.statistics.flush();
  });

  /** Two hours in which something happens at `shop`, something at `bank`, and something at no application. */
  async function live() {
    const shop = await redeem(server, await aCode(server));
    await refresh(server, shop.json.refresh_token);
    await aTokenSet(server);
    await signIn(server, { response_type: 'id_token token', scope: 'openid', nonce: 'n' });
    await signIn(server, {}, { password: 'a wrong one' });
    await token(server, { grant_type: 'password', username: 'alice', password: 'a wrong one' });
    await redeem(server, 'gac_unknown');
    await introspect(server, { token: 'x' }, { auth: basic('web', 'a wrong secret') });
    await get(`${server.base}/api/v1/authorize/nowhere/oauth2/jwks`);
    await get(`${server.base}/no/such/page`);
    await get(`${server.base}/healthz`);
    clock.advance(HOUR);
    await aTokenSet(server, {}, undefined, 'bank');
    await userinfo(server, (await aTokenSet(server)).access_token);
  }

  const read = async (query = '', caller = owner) => {
    await nextTurn();
    const answered = await caller.ask('GET', `/statistics${query}`);
    assert.equal(answered.status, 200, answered.text);
    return answered.json;
  };

  it('counts logins, failures, refusals by reason, tokens by grant and latency of an application', async () => {
    const { application, totals } = await read('?application=shop');
    assert.equal(application, 'shop');
    assert.equal(totals.logins, 4, 'by code, by implicit grant, twice by password');
    assert.equal(totals.login_failures, 2, 'on the page and at the token endpoint');
    assert.deepEqual(totals.refusals, [
      { reason: 'credentialsWrong', count: 2 },
      { reason: 'clientAuthenticationFailed', count: 1 },
      { reason: 'codeUnknown', count: 1 },
    ]);
    assert.deepEqual(totals.tokens, [
      { grant_type: 'password', count: 2 },
      { grant_type: 'authorization_code', count: 1 },
      { grant_type: 'implicit', count: 1 },
      { grant_type: 'refresh_token', count: 1 },
    ]);
    const { routes, ...all } = totals.latency;
    const counts = Object.fromEntries(
      routes.map(({ route, count }: { route: string; count: number }) => [route, count]),
    );
    assert.deepEqual(counts, { auth: 5, introspect: 1, token: 6, userinfo: 1 });
    assert.equal(all.count, 13);
    for (const { p50_ms, p95_ms, p99_ms } of [all, ...routes]) {
      assert(p50_ms > 0 && p50_ms <= p95_ms && p95_ms <= p99_ms && p99_ms < 60_000, `${p50_ms} ${p95_ms} ${p99_ms}`);
    }
  });

  it('of the deployment: the sum over all applications, and what belongs to none', async () => {
    const { application, totals } = await read();
    assert.equal(application, undefined);
    assert.equal(totals.logins, 5);
    const refused = Object.fromEntries(
      totals.refusals.map(({ reason, count }: { reason: string; count: number }) => [reason, count]),
    );
    assert.equal(refused.applicationUnknown, 1);
    assert.equal(refused.notFound, 1);
    const routes = totals.latency.routes.map(({ route }: { route: string }) => route);
    assert(routes.includes('/login') && routes.includes('jwks'), routes.join());
    assert(!routes.some((route: string) => route.startsWith('/healthz') || route === 'none'), routes.join());
  });

  it('by default the last 24 hours, hour by hour, with the hours in which nothing happened', async () => {
    const { from, to, interval, series } = await read('?application=shop');
    assert.deepEqual([from, to, interval], [iso(START + HOUR - DAY), iso(START + 2 * HOUR), 'hour'], 'whole hours');
    assert.equal(series.length, 25);
    assert.deepEqual(loginsAt(series), [
      [iso(START), 3],
      [iso(START + HOUR), 1],
    ]);
    const before = await read(`?application=shop&to=${iso(START + HOUR)}`);
    assert.deepEqual([before.from, before.to], [iso(START + HOUR - DAY), iso(START + HOUR)]);
    assert.deepEqual(loginsAt(before.series), [[iso(START), 3]], 'the hour that begins with `to` is not part of it');
  });

  it('for longer times day by day, or as `interval` says', async () => {
    const from = iso(START - 8 * DAY);
    const to = iso(START + 2 * HOUR);
    const week = await read(`?from=${from}&to=${to}`);
    assert.equal(week.interval, 'day');
    assert.equal(week.series.length, 9);
    assert.deepEqual(loginsAt(week.series), [['2027-01-15T00:00:00Z', 5]]);
    const hours = await read(`?from=${from}&to=${to}&interval=hour`);
    assert.equal(hours.series.length, 8 * 24 + 2);
    assert.deepEqual(hours.totals, week.totals);
    const day = await read(`?from=${iso(START)}&to=${to}&interval=day`);
    assert.deepEqual([day.from, day.to], ['2027-01-15T00:00:00Z', '2027-01-16T00:00:00Z']);
    const year = await read(`?from=${iso(START - 399 * DAY)}&to=${to}`);
    assert.equal(year.series.length, 400);
    assert.equal((await read(`?from=${iso(START - 30 * DAY)}&to=${iso(START - 29 * DAY)}`)).totals.logins, 0);
    assert.equal((await read(`?to=${iso(START + HOUR)}&application=bank`)).totals.logins, 0);
  });

  it('an auditor reads them; a caller that is limited to applications gets the sum over these alone', async () => {
    const query = `?to=${iso(START + 2 * HOUR)}`;
    assert.equal((await read(query, await anOperatorClient(server, { role: 'auditor' }))).totals.logins, 5);
    const one = await anOperatorClient(server, { role: 'auditor', applications: ['bank'] });
    assert.equal((await read(query, one)).totals.logins, 1);
    assert.deepEqual((await read(query, one)).totals.refusals, []);
    const two = await anOperatorClient(server, { role: 'auditor', applications: ['bank', 'shop'] });
    const { totals } = await read(query, two);
    assert.equal(totals.logins, 5);
    assert.equal(countOf(totals.refusals), 4, 'without those of no application');
    const foreign = await one.ask('GET', '/statistics?application=shop');
    const unknown = await one.ask('GET', '/statistics?application=nowhere');
    assert.deepEqual([foreign.status, unknown.status], [404, 404]);
    assert.equal(foreign.json.detail, unknown.json.detail);
    assert.equal((await owner.ask('GET', '/statistics?application=nowhere')).status, 404);
  });

  const faults: readonly (readonly [query: string, pointers: readonly string[]])[] = [
    ['from=yesterday', ['/from']],
    ['to=2027-13-01T00:00:00Z', ['/to']],
    ['from=x&to=y&interval=week&colour=red', ['/from', '/to', '/interval', '/colour']],
    ['from=2027-01-02T00:00:00Z&to=2027-01-02T00:00:00Z', ['/from']],
    ['from=2027-01-02T00:00:00Z&to=2027-01-01T00:00:00Z', ['/from']],
    ['from=2025-01-01T00:00:00Z&to=2027-01-01T00:00:00Z', ['/from']],
    ['from=2025-01-01T00:00:00Z&to=2027-01-01T00:00:00Z&interval=hour', ['/from', '/interval']],
    ['from=2026-11-01T00:00:00Z&to=2026-11-02T00:00:00Z&interval=hour', ['/interval']],
    ['application=', ['/application']],
  ];
  for (const [query, pointers] of faults) {
    it(`400 with every fault: ${query}`, async () => {
      const { status, json } = await owner.ask('GET', `/statistics?${query}`);
      assert.equal(status, 400);
      assert.deepEqual(
        json.errors.map(({ pointer }: { pointer: string }) => pointer),
        pointers,
      );
    });
  }

  it('no request writes anything: the counts reach the store with the next flush', async () => {
    const query = `?application=bank&to=${iso(START + 2 * HOUR)}`;
    const before = (await read(query)).totals.logins;
    await aTokenSet(server, {}, undefined, 'bank');
    assert.equal((await read(query)).totals.logins, before);
    await server.services.statistics.flush();
    assert.equal((await read(query)).totals.logins, before + 1);
    await server.services.statistics.flush();
    assert.equal((await read(query)).totals.logins, before + 1, 'counted once');
  });
});

describe('statistics of two nodes on PostgreSQL', () => {
  it('add up, whichever of them answers', async () => {
    const database = await createDatabase();
    const env = { DATABASE_URL: database.url };
    const clock = fixedClock(START + 60);
    const one = await startTestServer({ clock, env });
    const other = await startTestServer({ clock, env, applications: [], users: [] });
    try {
      const owner = await anOperatorClient(one);
      await Promise.all([one, other, other].map(server => aTokenSet(server)));
      await Promise.all([one, other].map(({ services }) => services.statistics.flush()));
      for (const { base } of [one, other]) {
        const answered = await get(`${base}/api/v1/admin/statistics`, { authorization: `Bearer ${owner.key}` });
        assert.equal(answered.status, 200, answered.text);
        const { logins, tokens, latency } = answered.json.totals;
        assert.deepEqual([logins, tokens], [3, [{ grant_type: 'password', count: 3 }]]);
        assert.equal(latency.count, 3);
      }
    } finally {
      await one.close();
      await other.close();
      await database.drop();
    }
  });
});
