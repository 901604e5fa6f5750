import assert from 'node:assert/strict';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import { createOverloadReplies } from '../../src/http/overload-reply.ts';
import { readJson } from '../../src/http/read-json.ts';
import { form, noBody, type PageRoute, type Route } from '../../src/http/route.ts';
import { createRouter } from '../../src/http/router.ts';
import { createHttpServer } from '../../src/http/server.ts';
import { type Answer, header, json } from '../../src/message.ts';
import { failure } from '../../src/protocol/errors.ts';
import type { Page } from '../../src/services.ts';
import { type Answered, send } from '../build/client.ts';
import { startTestServer, type TestServer } from '../build/test-server.ts';
import { until } from '../build/until.ts';
import { head, RawCaller } from './raw-caller.ts';

/** Answers with what a handler is given. */
const echo: Page = async (_services, { method, params, json: value, body, query }) =>
  json({ method, params, query, value, hasValue: value !== undefined, length: body.length });
const faulty: Page = async () => {
  throw new Error('a fault of the handler');
};
const conditional: Page = async (_services, request): Promise<Answer> =>
  header(request, 'if-match') === '"1"'
    ? { status: 204, headers: { etag: '"2"' }, body: '' }
    : { failure: failure('bearerMissing') };

const asJson = { body: 'json', handle: echo } as const;
const asPatch = { body: 'merge-patch', handle: echo } as const;
const problem = (pattern: string, methods: PageRoute['methods']): Route => ({
  kind: 'page',
  pattern,
  name: pattern,
  errors: 'problem',
  cors: 'none',
  methods,
});
const rows: readonly Route[] = [
  problem('/api/things', { GET: noBody(echo), POST: asJson }),
  problem('/api/things/{id}', { GET: noBody(echo), PUT: asJson, PATCH: asPatch, DELETE: noBody(echo) }),
  problem('/api/things/{id}/parts/{part}', { GET: noBody(echo), DELETE: noBody(conditional) }),
  problem('/api/fault', { GET: noBody(faulty) }),
  problem('/api/*', {}),
  { ...problem('/form', { POST: form(echo) }), errors: 'json' },
];

let testServer: TestServer;
let server: Server;
let base: string;
before(async () => {
  testServer = await startTestServer();
  server = createHttpServer(testServer.services, rows);
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
after(async () => {
  server.closeAllConnections();
  await new Promise(resolve => server.close(resolve));
  await testServer.close();
});

const ask = (method: string, path: string, body?: string, type = 'application/json') =>
  send(base + path, { method, ...(body === undefined ? {} : { body, headers: { 'content-type': type } }) });

/** RFC 9457 section 3.1, and the two members of ours. */
function assertProblem(answered: Answered, status: number, detail: RegExp, errors?: unknown): void {
  assert.equal(answered.status, status, answered.text);
  assert.equal(answered.headers.get('content-type'), 'application/problem+json');
  assert.equal(answered.headers.get('cache-control'), 'no-store');
  const { type, title, detail: said, request_id, status: member, errors: faults, ...more } = answered.json;
  assert.match(type, /^http.*\/docs\/errors\/\w+$/);
  assert.match(title, /\S/);
  assert.equal(member, status);
  assert.match(said, detail);
  assert.equal(request_id, answered.headers.get('x-request-id'));
  assert.deepEqual(faults, errors);
  assert.deepEqual(more, {});
}

describe('methods and path parameters reach the handler', () => {
  for (const [method, body] of [
    ['PUT', '{"a":1}'],
    ['PATCH', '{"a":null}'],
    ['DELETE', undefined],
    ['GET', undefined],
  ] as const) {
    it(method, async () => {
      const answered = await ask(method, '/api/things/7?limit=2', body);
      assert.equal(answered.status, 200, answered.text);
      const value = body === undefined ? {} : { value: JSON.parse(body) };
      assert.deepEqual(answered.json, {
        method,
        params: { id: '7' },
        query: 'limit=2',
        ...value,
        hasValue: body !== undefined,
        length: body?.length ?? 0,
      });
    });
  }

  it('POST of JSON, and a body in two pieces', async () => {
    const caller = await RawCaller.open(base);
    const text = '{"name":"阿"}';
    const bytes = Buffer.byteLength(text);
    caller.send(head('POST', '/api/things', bytes, { 'content-type': 'application/json; charset=utf-8' }));
    caller.send(text.slice(0, 4));
    await new Promise(setImmediate);
    caller.send(text.slice(4));
    await until('it is answered', () => /"hasValue":true/.test(caller.received()));
    assert.deepEqual(caller.statuses(), ['200']);
    caller.close();
  });

  it('two parameters, decoded each', async () => {
    const { json: seen } = await ask('GET', '/api/things/a%2Fb/parts/%E7%8E%8B');
    assert.deepEqual(seen.params, { id: 'a/b', part: '王' });
  });

  it('a header that decides, such as If-Match, and an answer without a body', async () => {
    const answered = await send(`${base}/api/things/1/parts/2`, { method: 'DELETE', headers: { 'if-match': '"1"' } });
    assert.equal(answered.status, 204);
    assert.equal(answered.headers.get('etag'), '"2"');
    assert.equal(answered.text, '');
  });

  it('a body with GET or DELETE means nothing', async () => {
    const { status, json: seen } = await ask('DELETE', '/api/things/7', 'not json at all');
    assert.equal(status, 200);
    assert.equal(seen.hasValue, false);
  });

  it('HEAD answers as GET without the body, OPTIONS lists the methods', async () => {
    const answered = await ask('HEAD', '/api/things/7');
    assert.equal(answered.status, 200);
    assert.equal(answered.text, '');
    const options = await ask('OPTIONS', '/api/things/7');
    assert.equal(options.status, 204);
    assert.equal(options.headers.get('allow'), 'GET, PUT, PATCH, DELETE, HEAD, OPTIONS');
  });
});

describe('hostile paths over a socket', () => {
  const cases: [name: string, path: string, status: string, params?: RegExp][] = [
    ['dot segments are not resolved', '/api/things/..', '200', /"params":\{"id":"\.\."\}/],
    ['nor when they are encoded', '/api/things/%2e%2e', '200', /"params":\{"id":"\.\."\}/],
    ['dot segments in the middle lead to no other route', '/api/things/../fault', '404'],
    ['an encoded slash separates nothing', '/api/things%2F7', '404'],
    ['broken percent-encoding', '/api/things/%zz', '404'],
    ['bytes that are no UTF-8', '/api/things/%ff%fe', '404'],
    ['NUL', '/api/things/%00', '404'],
    ['an empty segment', '/api/things//parts/1', '404'],
    ['the name of a prototype', '/api/things/__proto__', '200', /"params":\{"id":"__proto__"\}/],
    ['a segment of 40,000 characters', `/api/things/${'x'.repeat(40_000)}`, '200', /"id":"x{40000}"/],
    ['a path longer than the head may be', `/api/things/${'x'.repeat(60_000)}`, '431'],
  ];
  for (const [name, path, status, params = /^/] of cases) {
    it(name, async () => {
      const caller = await RawCaller.open(base);
      caller.send(`GET ${path} HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n`);
      await until('it is answered', () => caller.isClosed());
      assert.deepEqual(caller.statuses(), [status]);
      assert.match(caller.received(), params);
      caller.close();
    });
  }
});

describe('problem details (RFC 9457) of a route that declares them', () => {
  it('404 for a path below that no row has', async () => {
    assertProblem(await ask('GET', '/api/nowhere/at/all'), 404, /nothing at this address/);
    assertProblem(await ask('OPTIONS', '/api/nowhere'), 404, /nothing at this address/);
  });

  it('405 with Allow (RFC 9110 section 15.5.6)', async () => {
    const answered = await ask('PATCH', '/api/things', '{}');
    assertProblem(answered, 405, /PATCH/);
    assert.equal(answered.headers.get('allow'), 'GET, POST, HEAD, OPTIONS');
    assertProblem(await ask('PROPFIND', '/api/things'), 405, /PROPFIND/);
  });

  it('415 with Accept (RFC 9110 section 15.5.16), and Accept-Patch for PATCH (RFC 5789 section 2.2)', async () => {
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'application/jsonx',
      'application/merge-patch+json',
    ]) {
      const answered = await ask('PUT', '/api/things/7', '{}', type);
      assertProblem(answered, 415, /application\/json/);
      assert.equal(answered.headers.get('accept'), 'application/json');
    }
    const patch = await ask('PATCH', '/api/things/7', '{}', 'application/json-patch+json');
    assertProblem(patch, 415, /application\/merge-patch\+json or application\/json/);
    assert.equal(patch.headers.get('accept-patch'), 'application/merge-patch+json, application/json');
    assert.equal(
      (await ask('PATCH', '/api/things/7', '{}', 'Application/Merge-Patch+JSON ; charset=utf-8')).status,
      200,
    );
  });

  it('413, and the connection ends', async () => {
    const answered = await ask('PUT', '/api/things/7', JSON.stringify('x'.repeat(65_535)));
    assertProblem(answered, 413, /64 KiB/);
    assert.equal((await ask('PUT', '/api/things/7', JSON.stringify('x'.repeat(65_534)))).status, 200);
  });

  it('401 with a challenge', async () => {
    const answered = await ask('DELETE', '/api/things/1/parts/2');
    assertProblem(answered, 401, /authentication/);
    assert.match(answered.headers.get('www-authenticate') ?? '', /^Bearer realm=/);
  });

  it('500 for a fault of the handler, whose message stays in the log', async () => {
    const answered = await ask('GET', '/api/fault');
    assertProblem(answered, 500, /Something went wrong/);
    assert.match(testServer.logged(), /a fault of the handler/);
  });

  it('503 while the server is overloaded', () => {
    const reply = createOverloadReplies(testServer.services)(
      { headers: {} },
      createRouter(rows)('/api/things'),
      'an-id',
    );
    assert.equal(reply.status, 503);
    assert.equal(reply.headers['content-type'], 'application/problem+json');
    assert.equal(reply.headers['retry-after'], '1');
    assert.equal(JSON.parse(String(reply.body)).request_id, 'an-id');
  });

  it('none for a route that declares the errors of RFC 6749', async () => {
    const answered = await ask('PUT', '/form', 'a=b', 'application/x-www-form-urlencoded');
    assert.equal(answered.status, 405);
    assert.deepEqual(Object.keys(answered.json), ['error', 'error_description', 'error_uri']);
  });
});

describe('a JSON body is I-JSON (RFC 7493), bounded, and cannot reach a prototype', () => {
  const put = (body: string) => ask('PUT', '/api/things/7', body);

  it('an empty one is no value, whatever its content type', async () => {
    assert.equal((await put('')).json.hasValue, false);
    assert.equal((await ask('PUT', '/api/things/7')).json.hasValue, false);
  });

  for (const value of [
    'null',
    '0',
    '-1.5e3',
    '"a"',
    '[]',
    '{}',
    '[1,{"a":[{"b":"}"}]},"\\"",","]',
    ' {"a" : {"a" : "a"}, "b":"a"} ',
  ]) {
    it(`takes ${value}`, async () => {
      const answered = await put(value);
      assert.equal(answered.status, 200, answered.text);
      assert.deepEqual(answered.json.value, JSON.parse(value));
    });
  }

  const cases: [name: string, body: string, pointer: string, detail: RegExp][] = [
    ['text that is no JSON', '{"a":', '', /no JSON/],
    ['a comment', '{} // and more', '', /no JSON/],
    ['two values', '{}{}', '', /no JSON/],
    ['NaN', 'NaN', '', /no JSON/],
    ['a byte order mark', '\uFEFF{}', '', /no JSON/],
    ['a member twice', '{"a":1,"b":{"c":[0,{"d":1,"d":2}]}}', '/b/c/1/d', /twice/],
    ['a member twice, once escaped', '{"a":1,"\\u0061":2}', '/a', /twice/],
    ['__proto__', '{"a":{"__proto__":{"admin":true}}}', '/a/__proto__', /name/],
    ['__proto__, escaped', '{"__proto\\u005f\\u005f":{"admin":true}}', '/__proto__', /name/],
    ['NUL in a value', '{"a":["b","\\u0000"]}', '/a/1', /cannot be stored/],
    ['NUL in a name', '{"a\\u0000":1}', '/a\0', /cannot be stored/],
    ['half a surrogate pair', '{"a/b":{"c~d":"\\ud800"}}', '/a~1b/c~0d', /cannot be stored/],
    ['33 levels', '['.repeat(33) + ']'.repeat(33), '/0'.repeat(32), /deeper than 32/],
    ['30,000 levels', '['.repeat(30_000) + ']'.repeat(30_000), '/0'.repeat(32), /deeper than 32/],
    ['objects 33 deep', `${'{"a":'.repeat(33)}1${'}'.repeat(33)}`, '/a'.repeat(32), /deeper than 32/],
  ];
  for (const [name, body, pointer, detail] of cases) {
    it(`refuses ${name}`, async () => {
      const answered = await put(body);
      assertProblem(answered, 400, /not JSON/, answered.json?.errors);
      assert.equal(answered.json.errors.length, 1);
      assert.equal(answered.json.errors[0].pointer, pointer);
      assert.match(answered.json.errors[0].detail, detail);
    });
  }

  it('takes 32 levels', async () => assert.equal((await put('['.repeat(32) + ']'.repeat(32))).status, 200));

  it('refuses bytes that are no UTF-8', async () => {
    const body = Buffer.from([0x22, 0xff, 0x22]);
    const headers = { 'content-type': 'application/json' };
    assertProblem(await send(`${base}/api/things/7`, { method: 'PUT', body, headers }), 400, /UTF-8/);
  });

  it('every value without those comes through unchanged, however it is written (property)', () => {
    const headers = { 'content-type': 'application/json' };
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 8 }), fc.constantFrom(undefined, 1, '\t'), (value, indent) => {
        const body = JSON.stringify(value, undefined, indent);
        fc.pre(!/__proto__|\\u0000/.test(body));
        assert.deepEqual(readJson({ headers, body }, 'json'), { value: JSON.parse(body) });
      }),
      { numRuns: 2000 },
    );
  });

  it('a prototype stays as it was', () => assert.equal('admin' in {}, false));
});
