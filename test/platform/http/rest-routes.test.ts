import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createOverloadReplies } from '../../../src/platform/http/overload-reply.ts';
import { createRouter } from '../../../src/platform/http/router.ts';
import { send } from '../../build/client.ts';
import { until } from '../../build/until.ts';
import { head, RawCaller } from './raw-caller.ts';
import { assertProblem, rows, useRestServer } from './rest-routes-fixture.ts';

const rest = useRestServer();
const { ask } = rest;

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
    const caller = await RawCaller.open(rest.base);
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
    const answered = await send(`${rest.base}/api/things/1/parts/2`, {
      method: 'DELETE',
      headers: { 'if-match': '"1"' },
    });
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
      const caller = await RawCaller.open(rest.base);
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
    assert.match(rest.testServer.logged(), /a fault of the handler/);
  });

  it('503 while the server is overloaded', () => {
    const reply = createOverloadReplies(rest.testServer.services)(
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
