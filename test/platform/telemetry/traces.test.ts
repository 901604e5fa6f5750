import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { startJobs } from '../../../src/assembly/jobs.ts';
import { aTokenSet, basic, get, introspect, post, WEB } from '../../build/client.ts';
import { aClient, anApplication, PASSWORD } from '../../build/fixture.ts';
import { type OtlpReceiver, openOtlpReceiver, type ReceivedSpan } from '../../build/otlp-receiver.ts';
import { signedIn, tokensOf } from '../../build/people.ts';
import { openReceiver, type Receiver } from '../../build/receiver.ts';
import { startTestServer, type TestServer } from '../../build/test-server.ts';
import { until } from '../../build/until.ts';
import { query } from '../../build/visitor.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const CALLER = '00f067aa0ba902b7';
const SERVER = 2;
const CLIENT = 3;
const INTROSPECT = '/api/v1/authorize/{app}/oauth2/introspect';

describe('traces by OTLP over HTTP (OpenTelemetry)', () => {
  let collector: OtlpReceiver;
  let logoutReceiver: Receiver;
  let testServer: TestServer;
  before(async () => {
    collector = await openOtlpReceiver();
    logoutReceiver = await openReceiver();
    const client = aClient({ backchannel_logout_uri: logoutReceiver.address });
    testServer = await startTestServer({
      applications: [anApplication({ clients: [client] })],
      env: {
        OTEL_EXPORTER_OTLP_ENDPOINT: collector.address,
        OTEL_EXPORTER_OTLP_HEADERS: 'x-api-key=collectors-own',
        OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
        OTEL_BSP_SCHEDULE_DELAY: '100',
        GATEHOUSE_OUTBOUND_ALLOW: '127.0.0.1',
      },
    });
  });
  after(async () => {
    await testServer.close();
    await collector.close();
    await logoutReceiver.down();
  });
  const flush = () => testServer.services.tracing?.flush();
  /** The spans of the requests that `what` made. */
  const spansOf = async (what: () => Promise<unknown>): Promise<readonly ReceivedSpan[]> => {
    await flush();
    const before = collector.spans.length;
    await what();
    await flush();
    return collector.spans.slice(before);
  };
  const serverSpan = (spans: readonly ReceivedSpan[], name: string): ReceivedSpan => {
    const found = spans.filter(span => span.kind === SERVER && span.name === name);
    assert.equal(found.length, 1, `${name} among ${spans.map(span => span.name).join(', ')}`);
    return found[0] as ReceivedSpan;
  };
  const traced = (flags = '01') => ({ traceparent: `00-${TRACE}-${CALLER}-${flags}`, tracestate: 'vendor=1' });
  const introspectTraced = (token: string, headers: Record<string, string>, auth = WEB) =>
    post(`${testServer.at()}/introspect`, { token }, { auth, headers });

  it('a request is a span with its route and status, and its store operations are parts of it', async () => {
    const { access_token } = await aTokenSet(testServer);
    const spans = await spansOf(() => introspect(testServer, { token: access_token }));
    const span = serverSpan(spans, `POST ${INTROSPECT}`);
    assert.equal(span.parentSpanId, undefined);
    assert.equal(span.status, undefined);
    const { 'gatehouse.request_id': requestId, ...attributes } = span.attributes;
    assert.match(String(requestId), /^[0-9a-f]{12}-\d+$/);
    assert.deepEqual(attributes, {
      'http.request.method': 'POST',
      'http.route': INTROSPECT,
      'http.response.status_code': 200,
      'gatehouse.route': 'introspect',
      'gatehouse.application': 'shop',
    });
    const operation = spans.find(one => one.name === 'store findAccessToken');
    assert.equal(operation?.traceId, span.traceId);
    assert.equal(operation?.parentSpanId, span.spanId);
    assert.equal(operation?.attributes['db.operation.name'], 'findAccessToken');
    const system = process.env.TEST_STORE === 'postgres' ? 'postgresql' : 'sqlite';
    assert.equal(operation?.attributes['db.system.name'], system);
  });

  it('goes to /v1/traces with the headers and the resource of the settings', async () => {
    await spansOf(() => get(`${testServer.base}/healthz`));
    const { path, headers } = collector.requests.at(-1) ?? assert.fail();
    assert.equal(path, '/v1/traces');
    assert.equal(headers['content-type'], 'application/json');
    assert.equal(headers['x-api-key'], 'collectors-own');
    assert.equal(headers.traceparent, undefined, 'an export is part of no trace');
    const resource = collector.resource();
    assert.equal(resource['service.name'], 'gatehouse');
    assert.equal(resource['deployment.environment.name'], 'test');
    assert.match(String(resource['service.version']), /^\d/);
  });

  it('goes on with the trace of the caller', async () => {
    const span = serverSpan(await spansOf(() => introspectTraced('x', traced())), `POST ${INTROSPECT}`);
    assert.equal(span.traceId, TRACE);
    assert.equal(span.parentSpanId, CALLER);
    assert.equal(span.traceState, 'vendor=1');
  });

  it('records nothing of a trace that its caller does not record', async () => {
    assert.deepEqual(await spansOf(() => introspectTraced('x', traced('00'))), []);
  });

  it('begins a new trace where what came is not well formed', async () => {
    const spans = await spansOf(() =>
      introspectTraced('x', { traceparent: `00-${TRACE}-${CALLER}`, tracestate: 'a=b' }),
    );
    const span = serverSpan(spans, `POST ${INTROSPECT}`);
    assert.notEqual(span.traceId, TRACE);
    assert.equal(span.parentSpanId, undefined);
    assert.equal(span.traceState, undefined);
  });

  it('tells names of the route table, and nothing that somebody invented', async () => {
    const secret = 'c2VjcmV0LW9mLXNvbWVib2R5';
    const spans = await spansOf(async () => {
      await get(`${testServer.base}/${secret}?${secret}=${secret}`);
      await get(`${testServer.at(secret)}/userinfo`, { authorization: `Bearer ${secret}` });
      await get(`${testServer.base}/login?${secret}`, { cookie: secret, 'user-agent': secret });
      await introspect(testServer, { token: secret });
    });
    assert.equal(spans.filter(({ kind }) => kind === SERVER).length, 4);
    assert.equal(collector.text().includes(secret), false);
    const nowhere = serverSpan(spans, 'GET');
    assert.equal(nowhere.attributes['http.route'], undefined);
    assert.equal(nowhere.attributes['gatehouse.error'], 'not_found');
    const unknownApp = serverSpan(spans, 'GET /api/v1/authorize/{app}/oauth2/userinfo');
    assert.equal(unknownApp.attributes['gatehouse.application'], undefined);
  });

  it('never has a password, code or token, over a whole sign-in', async () => {
    const tokens = await tokensOf(testServer, await signedIn(testServer));
    await flush();
    for (const secret of [PASSWORD, tokens.access_token, tokens.refresh_token, tokens.id_token]) {
      assert(typeof secret === 'string' && secret.length > 8);
      assert.equal(collector.text().includes(secret), false);
    }
  });

  it('a line of the log says which trace and request it is of', async () => {
    const { headers } = await introspectTraced('x', traced(), basic('nobody', 'wrong-secret'));
    const lines = testServer.logged().trim().split('\n');
    const line = JSON.parse(lines.findLast(one => one.includes('"request.refused"')) ?? '{}');
    assert.equal(line.trace_id, TRACE);
    assert.match(line.span_id, /^[0-9a-f]{16}$/);
    assert.equal(line.request, headers.get('x-request-id'));
  });

  it('an outbound call is a part of its job, and carries the trace on', async () => {
    const stop = startJobs(testServer.services);
    try {
      const visitor = await signedIn(testServer);
      const { id_token } = await tokensOf(testServer, visitor);
      await visitor.go(`${testServer.at()}/logout?${query({ id_token_hint: id_token })}`);
      await until('the client is told of the logout', () => logoutReceiver.received.length > 0);
      await until('the spans have come', async () => {
        await flush();
        return collector.spans.some(({ name }) => name === 'HTTP POST');
      });
    } finally {
      await stop();
    }
    await flush();
    const call = collector.spans.find(({ name }) => name === 'HTTP POST') ?? assert.fail();
    assert.equal(call.kind, CLIENT);
    const { port } = new URL(logoutReceiver.address);
    assert.deepEqual(call.attributes, {
      'http.request.method': 'POST',
      'server.address': '127.0.0.1',
      'server.port': Number(port),
      'url.scheme': 'http',
      'http.response.status_code': 200,
    });
    const { traceparent } = logoutReceiver.received[0]?.headers ?? {};
    assert.equal(traceparent, `00-${call.traceId}-${call.spanId}-01`);
    const job = collector.spans.find(({ spanId }) => spanId === call.parentSpanId);
    assert.match(job?.name ?? '', /^job /);
  });

  it('a run of a job that has nothing to do leaves no trace', async () => {
    const { tracing, store } = testServer.services;
    const run = (times: number) =>
      tracing?.run('probe', async () => {
        for (let time = 0; time < times; time++) await store.check();
      });
    assert.deepEqual(await spansOf(async () => run(1)), []);
    const names = (await spansOf(async () => run(2))).map(({ name }) => name);
    assert.deepEqual(names, ['store check', 'store check', 'job probe']);
    const failing = await spansOf(async () =>
      tracing?.run('probe', () => Promise.reject(new TypeError())).catch(() => {}),
    );
    assert.deepEqual(
      failing.map(({ name, status, attributes }) => [name, status, attributes['error.type']]),
      [['job probe', { code: 2 }, 'TypeError']],
    );
  });

  it('a trace has a bounded number of spans', async () => {
    const { tracing, store } = testServer.services;
    const spans = await spansOf(async () =>
      tracing?.run('long', async () => {
        for (let time = 0; time < 300; time++) await store.check();
      }),
    );
    const { traceId } = spans.find(({ name }) => name === 'job long') ?? assert.fail();
    assert.equal(spans.filter(span => span.traceId === traceId).length, 256);
  });
});

describe('a receiver that does not take the traces', () => {
  let collector: OtlpReceiver;
  let testServer: TestServer;
  beforeEach(() => collector.answer());
  before(async () => {
    collector = await openOtlpReceiver();
    testServer = await startTestServer({
      env: {
        OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${collector.address}/v1/traces`,
        OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip',
        OTEL_BSP_SCHEDULE_DELAY: '60000',
        OTEL_BSP_MAX_QUEUE_SIZE: '10',
        OTEL_BSP_MAX_EXPORT_BATCH_SIZE: '4',
        OTEL_EXPORTER_OTLP_TIMEOUT: '60000',
      },
    });
  });
  after(async () => {
    await testServer.close();
    await collector.close();
  });
  const flush = () => testServer.services.tracing?.flush();
  const counted = (outcome: string): number => {
    const family = testServer.services.metrics.families().find(({ name }) => name === 'gatehouse_trace_spans_total');
    return family?.samples.find(([series]) => series.includes(outcome))?.[1] ?? assert.fail();
  };
  const spans = async (count: number) => {
    for (let made = 0; made < count; made++) assert.equal((await get(`${testServer.base}/healthz`)).status, 200);
  };

  it('holds up no request: what finds no room in the queue is dropped and counted', async () => {
    let release = () => {};
    const when = new Promise<void>(resolve => {
      release = resolve;
    });
    collector.answer({ status: 200, when });
    await spans(30);
    assert.equal(counted('exported'), 0);
    assert(counted('dropped') >= 20, `${counted('dropped')} dropped`);
    release();
    await flush();
    assert.equal(counted('exported'), 10);
    assert.equal(collector.requests[0]?.headers['content-encoding'], 'gzip');
  });

  it('gets them again when it is back', async () => {
    const [exported, dropped] = [counted('exported'), counted('dropped')];
    collector.answer({ status: 503 });
    await spans(3);
    await flush();
    assert.equal(counted('exported'), exported);
    await flush();
    assert.equal(counted('exported'), exported + 3);
    assert.equal(counted('dropped'), dropped);
    assert.match(testServer.logged(), /"telemetry.failed".*the receiver answered 503/);
    assert.match(testServer.logged(), /"telemetry.recovered"/);
  });

  it('does not get again what it refuses', async () => {
    const dropped = counted('dropped');
    collector.answer({ status: 400 });
    await spans(2);
    await flush();
    assert.equal(counted('dropped'), dropped + 2);
    const before = collector.requests.length;
    await flush();
    assert.equal(collector.requests.length, before);
  });

  it('may take a part of them', async () => {
    const [exported, dropped] = [counted('exported'), counted('dropped')];
    collector.answer({ status: 200, body: '{"partialSuccess":{"rejectedSpans":"1"}}' });
    await spans(3);
    await flush();
    assert.equal(counted('exported'), exported + 2);
    assert.equal(counted('dropped'), dropped + 1);
  });
});

describe('without a receiver', () => {
  it('nothing is traced: the store is the store itself, and outbound calls carry nothing', async () => {
    let opened: unknown;
    const plain = await startTestServer({
      wrapStore: store => {
        opened = store;
        return store;
      },
    });
    try {
      assert.equal(plain.services.tracing, undefined);
      assert.equal(plain.services.store, opened);
      assert.equal(plain.services.metrics.timing, undefined);
      await introspect(plain, { token: 'x' });
      assert.equal(plain.logged().includes('trace_id'), false);
    } finally {
      await plain.close();
    }
  });
});
