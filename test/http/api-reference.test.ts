import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { adminRoutes } from '../../src/admin/routes.ts';
import { get } from '../build/client.ts';
import { startTestServer, type TestServer } from '../build/test-server.ts';

describe('/docs/api (admin contract: readable without any outside resource)', () => {
  let server: TestServer;
  before(async () => {
    server = await startTestServer();
  });
  after(() => server.close());

  it('has every call of the API, with its role and a line to paste', async () => {
    const { text, headers } = await get(`${server.base}/docs/api`);
    const calls = Object.entries(adminRoutes).flatMap(([path, methods]) =>
      Object.keys(methods).map(method => `<code>${method} ${path}</code>`),
    );
    for (const call of calls) assert(text.includes(call), call);
    assert.equal(text.match(/<pre>curl /g)?.length, calls.length);
    assert.match(headers.get('content-security-policy') ?? '', /^default-src 'none'/);
  });

  it('and the OpenAPI document name every way to authenticate: an API key, and access tokens, bound or not', async () => {
    const { json } = await get(`${server.base}/api/v1/admin/openapi.json`);
    const { bearer, dpop } = json.components.securitySchemes;
    assert.deepEqual(json.security, [{ bearer: [] }, { dpop: [] }]);
    assert.deepEqual([bearer.type, bearer.scheme, dpop.type, dpop.scheme], ['http', 'bearer', 'http', 'dpop']);
    const { text } = await get(`${server.base}/docs/api`);
    for (const scheme of ['Bearer gak_…', 'Bearer', 'DPoP']) assert.match(text, new RegExp(`${scheme}</code>`));
  });

  it('loads nothing from another server, and has no inline script or style', async () => {
    const { text } = await get(`${server.base}/docs/api`);
    const loaded = [...text.matchAll(/<(?:script|link|img)[^>]* (?:src|href)="([^"]*)"/g)].map(
      ([, address]) => address,
    );
    assert(loaded.length >= 2);
    for (const address of loaded) assert.match(address ?? '', /^(\/assets\/|data:,$)/);
    assert(!/<style|style=|<script>/.test(text));
  });
});
