import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { get, post } from '../../build/client.ts';
import { suiteServer } from '../../build/test-server.ts';

const pairs = (count: number) => Array(count).fill('%zz').join('&');
const FORMS = ['token', 'par', 'introspect', 'revoke', 'userinfo', 'device_authorization'];
const PAGES = [
  '/login',
  '/signup',
  '/forgot-password',
  '/reset-password',
  '/device',
  '/account/profile',
  '/console/users/new',
];

describe('a flood of parameters (64 KiB of %zz& cost 95 to 215 ms)', () => {
  const server = suiteServer();

  for (const name of FORMS) {
    it(`${name}: 201 parameters are refused in JSON, 200 are read (RFC 6749 section 5.2)`, async () => {
      const { status, json } = await post(`${server.at()}/${name}`, pairs(201));
      assert.equal(status, 400);
      assert.equal(json.error, 'invalid_request');
      assert.match(json.error_description, /more parameters than this server accepts \(200\)/);
      const fewer = await post(`${server.at()}/${name}`, pairs(200));
      assert.doesNotMatch(fewer.text, /more parameters/);
    });
  }

  for (const name of ['auth', 'logout']) {
    it(`${name}: 201 parameters are a page, by GET and by POST`, async () => {
      const address = `${server.at()}/${name}`;
      for (const answer of [await get(`${address}?${pairs(201)}`), await post(address, pairs(201))]) {
        assert.equal(answer.status, 400);
        assert.match(answer.headers.get('content-type') ?? '', /^text\/html/);
        assert.match(answer.text, /more parameters than this server accepts/);
      }
    });
  }

  for (const path of PAGES) {
    it(`${path}: 201 parameters are a page`, async () => {
      const { status, text } = await post(server.base + path, pairs(201), { headers: { origin: server.base } });
      assert.equal(status, 400);
      assert.match(text, /more parameters than this server accepts/);
    });
  }

  it('admin API: a query of 201 parameters is refused as problem details (RFC 9457)', async () => {
    const { status, headers, json } = await get(`${server.base}/api/v1/admin/users?${pairs(201)}`);
    assert.equal(status, 400);
    assert.equal(headers.get('content-type'), 'application/problem+json');
    assert.match(json.detail, /more parameters/);
  });

  it('a body of JSON is no form: ampersands in it are not counted', async () => {
    const address = `${server.base}/api/v1/admin/users`;
    const { status } = await post(address, JSON.stringify({ name: '&'.repeat(300) }), {
      headers: { 'content-type': 'application/json' },
    });
    assert.equal(status, 401);
  });
});
