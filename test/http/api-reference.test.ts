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
