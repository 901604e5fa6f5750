import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { apiReference, openApi } from '../../../src/operators/api/endpoint.ts';
import type { Request } from '../../../src/platform/http/message.ts';
import { get } from '../../build/client.ts';
import { anOperatorClient } from '../../build/operator.ts';
import { atLogin, logIn } from '../../build/people.ts';
import { startTestServer, suiteServer } from '../../build/test-server.ts';
import { Visitor } from '../../build/visitor.ts';

describe('/docs/api (admin contract: readable without any outside resource)', () => {
  const server = suiteServer();

  it('has every call of the API, with its role and a line to paste', async () => {
    const { text, headers } = await get(`${server.base}/docs/api`);
    const { addresses } = server.services.tables.operations;
    const calls = addresses.map(({ method, path }) => `<code>${method} ${path}</code>`);
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

  for (const path of ['/docs/api', '/api/v1/admin/openapi.json', '/docs/errors', '/docs/errors/invalid_grant']) {
    it(`${path} has an ETag, and is not sent again to whom has it (RFC 9110 section 13.1.2)`, async () => {
      const { headers, text } = await get(server.base + path);
      const etag = headers.get('etag') ?? '';
      assert.match(etag, /^"[\w-]{22}"$/);
      for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
        const again = await get(server.base + path, { 'if-none-match': known });
        assert.deepEqual([again.status, again.text, again.headers.get('etag')], [304, '', etag]);
      }
      const other = await get(server.base + path, { 'if-none-match': '"other"' });
      assert.deepEqual([other.status, other.text], [200, text]);
    });
  }

  it('is built once: a flood of requests for it and for the OpenAPI document builds neither again', async () => {
    const request = { headers: {} } as Request;
    for (const answer of [apiReference, openApi]) {
      const { body } = await answer(server.services, request);
      assert(Buffer.isBuffer(body));
      assert.equal((await answer(server.services, request)).body, body);
    }
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

describe('who may read the documents of the admin API (GATEHOUSE_API_DOCS, ASVS 13.4.5)', () => {
  const DOCUMENTS = ['/docs/api', '/api/v1/admin/openapi.json'];

  it('off: nobody, and the front page does not name them', async () => {
    const server = await startTestServer({ env: { GATEHOUSE_API_DOCS: 'off' } });
    try {
      for (const path of DOCUMENTS) assert.equal((await get(server.base + path)).status, 404);
      assert.doesNotMatch((await get(`${server.base}/`)).text, /docs\/api/);
    } finally {
      await server.close();
    }
  });

  it('operators: a session with a role, an API key for programs; no shared cache keeps them', async () => {
    const server = await startTestServer({ env: { GATEHOUSE_API_DOCS: 'operators' } });
    try {
      const [page = '', document = ''] = DOCUMENTS.map(path => server.base + path);
      const visitor = new Visitor(server.base);
      const login = await visitor.follow(page);
      assert(atLogin(login));
      assert.equal((await logIn(visitor, login)).status, 403, 'a user without a role');
      assert.equal((await get(document)).status, 401);
      const owner = await anOperatorClient(server);
      assert.equal((await owner.ask('POST', '/operators', { username: 'alice', role: 'auditor' })).status, 201);
      const shown = await visitor.go(page);
      assert.deepEqual([shown.status, shown.headers.get('cache-control')], [200, 'no-store']);
      assert.match(shown.headers.get('content-type') ?? '', /^text\/html/);
      const read = await owner.ask('GET', '/openapi.json');
      assert.deepEqual([read.status, read.json.openapi, read.headers.get('cache-control')], [200, '3.1.0', 'no-store']);
    } finally {
      await server.close();
    }
  });
});
