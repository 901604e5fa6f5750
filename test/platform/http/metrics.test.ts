import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { freePort } from '../../../scripts/free-port.ts';
import { startJobs } from '../../../src/assembly/jobs.ts';
import { createMetricsServer } from '../../../src/platform/http/metrics-server.ts';
import {
  exposition,
  type Family,
  Histogram,
  mergeFamilies,
  series,
  withoutGauges,
} from '../../../src/platform/observe/metrics.ts';
import { watchProcess } from '../../../src/platform/observe/process.ts';
import { StoreUnavailable } from '../../../src/platform/store/faults.ts';
import { ALICE, aCode, assertRefused, aTokenSet, get, introspect, redeem, refresh, token } from '../../build/client.ts';
import { readExposition, sampleOf } from '../../build/exposition.ts';
import { startTestServer, type TestServer } from '../../build/test-server.ts';
import { authorizationUrl, Visitor } from '../../build/visitor.ts';

const METRICS_TOKEN = 'a-token-for-the-collector';
const BEARER = { authorization: `Bearer ${METRICS_TOKEN}` };

describe('/metrics (issue 4, point 8)', () => {
  let testServer: TestServer;
  let broken = false;
  let stopJobs: () => void;
  before(async () => {
    testServer = await startTestServer({
      env: { GATEHOUSE_METRICS_TOKEN: METRICS_TOKEN },
      wrapStore: store => ({
        ...store,
        findTokenUser: (...args) =>
          broken ? Promise.reject(new StoreUnavailable('gone')) : store.findTokenUser(...args),
      }),
    });
    watchProcess(testServer.services.metrics, '1.2.3');
    stopJobs = startJobs(testServer.services);
  });
  after(async () => {
    stopJobs();
    await testServer.close();
  });
  const collect = async () => {
    const { status, text } = await get(`${testServer.base}/metrics`, BEARER);
    assert.equal(status, 200);
    return text;
  };
  /** How much a series grew while something happened. */
  const grew = async (
    what: () => Promise<unknown>,
    ...of: Parameters<typeof sampleOf> extends [string, ...infer R] ? R : never
  ) => {
    const before = sampleOf(await collect(), ...of);
    await what();
    return sampleOf(await collect(), ...of) - before;
  };

  it('is text of the Prometheus format, for the bearer of the token alone', async () => {
    const { headers, text } = await get(`${testServer.base}/metrics`, BEARER);
    assert.equal(headers.get('content-type'), 'text/plain; version=0.0.4; charset=utf-8');
    assert(readExposition(text).size > 15);
    const without = await get(`${testServer.base}/metrics`);
    assertRefused(without, 401, 'access_denied');
    assert.equal(without.headers.get('www-authenticate'), 'Bearer realm="gatehouse"');
    for (const authorization of [`Bearer ${METRICS_TOKEN}x`, 'Bearer x', 'Bearer', `Basic ${METRICS_TOKEN}`]) {
      assertRefused(await get(`${testServer.base}/metrics`, { authorization }), 401, 'invalid_token');
    }
  });

  it('is not there without a token, and then nothing is timed', async () => {
    const plain = await startTestServer();
    try {
      assert.equal((await get(`${plain.base}/metrics`, BEARER)).status, 404);
      assert.equal(plain.services.metrics.timing, undefined);
    } finally {
      await plain.close();
    }
  });

  it('times requests by route and class of status, and counts refusals by error', async () => {
    const name = 'gatehouse_request_duration_seconds_count';
    const good = () => aTokenSet(testServer);
    assert.equal(await grew(good, name, { route: 'token', status: '2xx' }), 1);
    const wrong = () => refresh(testServer, 'no such token');
    assert.equal(await grew(wrong, name, { route: 'token', status: '4xx' }), 1);
    assert.equal(await grew(wrong, 'gatehouse_request_errors_total', { route: 'token', error: 'invalid_grant' }), 1);
    const nowhere = () => get(`${testServer.base}/no/such/place`);
    assert.equal(await grew(nowhere, name, { route: 'none', status: '4xx' }), 1);
  });

  it('counts a refusal that goes back through the browser', async () => {
    const refused = () => new Visitor(testServer.base).go(authorizationUrl(testServer, { prompt: 'none' }));
    const labels = { route: 'auth', error: 'login_required' };
    assert.equal(await grew(refused, 'gatehouse_request_errors_total', labels), 1);
  });

  it('times store operations, and counts those that failed', async () => {
    const { access_token } = await aTokenSet(testServer);
    const ask = () => introspect(testServer, { token: access_token });
    const times = 'gatehouse_store_operation_duration_seconds_count';
    assert.equal(await grew(ask, times, { operation: 'findAccessToken' }), 1);
    broken = true;
    const fail = async () => {
      const authorization = `Bearer ${access_token}`;
      assert.equal((await get(`${testServer.at()}/userinfo`, { authorization })).status, 503);
    };
    assert.equal(await grew(fail, 'gatehouse_store_faults_total', { operation: 'findTokenUser' }), 1);
    broken = false;
  });

  it('counts codes and tokens by kind, and logins by outcome', async () => {
    const issued = 'gatehouse_tokens_issued_total';
    let code = '';
    assert.equal(
      await grew(
        async () => {
          code = await aCode(testServer);
        },
        issued,
        { kind: 'code' },
      ),
      1,
    );
    const before = await collect();
    assert.equal((await redeem(testServer, code)).status, 200);
    const later = await collect();
    for (const kind of ['access', 'refresh', 'id']) {
      assert.equal(sampleOf(later, issued, { kind }) - sampleOf(before, issued, { kind }), 1, kind);
    }
    const logins = 'gatehouse_logins_total';
    assert.equal(await grew(() => aTokenSet(testServer), logins, { outcome: 'right' }), 1);
    const wrong = () => token(testServer, { grant_type: 'password', ...ALICE, password: 'wrong' });
    assert.equal(await grew(wrong, logins, { outcome: 'wrong' }), 1);
    const guess = async () => {
      for (let count = 0; count < 11; count++) {
        await token(testServer, { grant_type: 'password', username: 'mallory', password: 'guess' });
      }
    };
    assert.equal(await grew(guess, logins, { outcome: 'throttled' }), 1);
  });

  it('has every metric that docs/operations.md names, and the other way round', async () => {
    const text = readFileSync(new URL('../../../docs/operations.md', import.meta.url), 'utf8');
    const documented = new Set([...text.matchAll(/^\| `(gatehouse_\w+)/gm)].map(([, name]) => name ?? ''));
    const present = new Set(readExposition(await collect()).keys());
    // Those of the primary, which test/assembly/workers-shared-state.test.ts looks at.
    for (const name of ['gatehouse_workers', 'gatehouse_workers_replaced_total']) present.add(name);
    // Only where the store is a Citus cluster.
    present.add('gatehouse_database_workers_lost');
    // Only where traces are exported.
    present.add('gatehouse_trace_spans_total');
    // Only where events are sent to other systems.
    present.add('gatehouse_event_stream_events_waiting');
    assert.deepEqual([...documented].sort(), [...present].sort());
  });

  it('shows purge lag, refresh age, memory, connections and the release as plausible numbers', async () => {
    const text = await collect();
    const value = (name: string) => sampleOf(text, name);
    assert(value('gatehouse_purge_lag_seconds') < 60);
    assert(value('gatehouse_registry_refresh_age_seconds') < 30);
    assert(value('gatehouse_process_resident_memory_bytes') > 10_000_000);
    assert(value('gatehouse_http_connections') >= 1);
    assert.equal(value('gatehouse_store_connections'), 1);
    const startedAt = Date.now() / 1000 - process.uptime();
    assert(Math.abs(value('gatehouse_process_start_time_seconds') - startedAt) < 60);
    const node = process.versions.node;
    assert.equal(sampleOf(text, 'gatehouse_build_info', { version: '1.2.3', node }), 1);
  });

  it('has no label that a caller wrote, and nothing secret', async () => {
    const marks = ['zzmark-app', 'zzmark-path', 'zzmark-client', 'zzmark-user', 'ZZMARK'];
    await get(`${testServer.base}/zzmark-path`);
    await get(`${testServer.base}/assets/zzmark-path`);
    await get(`${testServer.base}/docs/errors/zzmark-path`);
    await get(`${testServer.at('zzmark-app')}/jwks`);
    await get(`${testServer.at()}/zzmark-path`);
    await token(testServer, { grant_type: 'zzmark-app', client_id: 'zzmark-client' }, {});
    await token(testServer, { grant_type: 'password', username: 'zzmark-user', password: 'zzmark-user' });
    await new Visitor(testServer.base).go(authorizationUrl(testServer, { client_id: 'zzmark-client' }));
    await fetch(`${testServer.base}/healthz`, { method: 'ZZMARK' });
    const set = await aTokenSet(testServer);
    const text = await collect();
    for (const mark of [...marks, METRICS_TOKEN, set.access_token, set.refresh_token, 'shop', 'alice', '"web"']) {
      assert.equal(text.includes(mark), false, mark);
    }
  });

  it('has a bounded number of series, however many addresses are tried', async () => {
    // The refusals are written at some time after their answers: then the store has a series more.
    const ofRequests = (line: string) => !line.startsWith('gatehouse_store_');
    const series = async () => (await collect()).split('\n').filter(ofRequests).length;
    await get(`${testServer.base}/0`);
    const before = await series();
    for (let count = 1; count < 50; count++) await get(`${testServer.base}/${count}`);
    assert.equal(await series(), before);
  });
});

describe('the port for metrics', () => {
  const served = async (secret: string | undefined, check: (base: string) => Promise<void>) => {
    const testServer = await startTestServer();
    const server = createMetricsServer(testServer.services.metrics.exposition, secret, testServer.services.log);
    const port = await freePort();
    await new Promise<void>(resolve => server.listen(port, '127.0.0.1', resolve));
    try {
      await check(`http://127.0.0.1:${port}`);
    } finally {
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
      await testServer.close();
    }
  };

  it('answers there and nowhere else', () =>
    served(undefined, async base => {
      const { status, text } = await get(`${base}/metrics`);
      assert.equal(status, 200);
      readExposition(text);
      for (const path of ['/', '/metrics/x', '/healthz']) assert.equal((await get(base + path)).status, 404);
      assert.equal((await fetch(`${base}/metrics`, { method: 'POST' })).status, 405);
    }));

  it('asks for the token if there is one', () =>
    served(METRICS_TOKEN, async base => {
      assert.equal((await get(`${base}/metrics`)).status, 401);
      assert.equal((await get(`${base}/metrics`, { authorization: 'Bearer wrong' })).status, 401);
      assert.equal((await get(`${base}/metrics`, BEARER)).status, 200);
    }));
});

describe('metrics of several processes', () => {
  const family = (over: Partial<Family>, ...samples: [string, number][]): Family => ({
    name: 'gatehouse_x_total',
    help: 'x',
    kind: 'counter',
    aggregation: 'sum',
    samples,
    ...over,
  });

  it('are added up, or the worst or the best of them, series by series', () => {
    const of = (aggregation: Family['aggregation']) =>
      mergeFamilies([[family({ aggregation }, ['a', 1], ['b', 5])], [family({ aggregation }, ['a', 3])]])[0]?.samples;
    assert.deepEqual(of('sum'), [
      ['a', 4],
      ['b', 5],
    ]);
    assert.deepEqual(of('max'), [
      ['a', 3],
      ['b', 5],
    ]);
    assert.deepEqual(of('min'), [
      ['a', 1],
      ['b', 5],
    ]);
  });

  it('of a process that ended stay counted, but for what only the living have', () => {
    const left = withoutGauges([family({}, ['a', 1]), family({ name: 'g', kind: 'gauge' }, ['g', 1])]);
    assert.deepEqual(
      left.map(({ name }) => name),
      ['gatehouse_x_total'],
    );
  });

  it('count a duration in its bucket and in all wider ones, its bound included', () => {
    const histogram = new Histogram([0.001, 0.01]);
    for (const milliseconds of [0.5, 1, 2, 50]) histogram.observe(milliseconds);
    const name = 'gatehouse_h_seconds';
    const samples = histogram.samples(name, { a: 'b' });
    const text = exposition([family({ name, kind: 'histogram' }, ...samples)]);
    const bucket = (le: string) => sampleOf(text, `${name}_bucket`, { a: 'b', le });
    assert.deepEqual(['0.001', '0.01', '+Inf'].map(bucket), [2, 3, 4]);
    assert(Math.abs(sampleOf(text, `${name}_sum`, { a: 'b' }) - 0.0535) < 1e-9);
  });

  it('quote what a label must not contain as it is', () => {
    const text = exposition([family({}, [series('gatehouse_x_total', { a: 'q"b\\n\nend' }), 1])]);
    assert(text.includes('{a="q\\"b\\\\n\\nend"} 1\n'), text);
    readExposition(text);
  });
});
