import assert from 'node:assert/strict';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before } from 'node:test';
import { createHttpServer } from '../../../src/assembly/server.ts';
import { failure } from '../../../src/failures.ts';
import { type Answer, header, json } from '../../../src/platform/http/message.ts';
import { form, noBody, type PageRoute, type Route } from '../../../src/platform/http/route.ts';
import type { Handler } from '../../../src/services.ts';
import { type Answered, send } from '../../build/client.ts';
import { startTestServer, type TestServer } from '../../build/test-server.ts';

/** Answers with what a handler is given. */
const echo: Handler = async (_services, { method, params, json: value, body, query }) =>
  json({ method, params, query, value, hasValue: value !== undefined, length: body.length });
const faulty: Handler = async () => {
  throw new Error('a fault of the handler');
};
const conditional: Handler = async (_services, request): Promise<Answer> =>
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
export const rows: readonly Route[] = [
  problem('/api/things', { GET: noBody(echo), POST: asJson }),
  problem('/api/things/{id}', { GET: noBody(echo), PUT: asJson, PATCH: asPatch, DELETE: noBody(echo) }),
  problem('/api/things/{id}/parts/{part}', { GET: noBody(echo), DELETE: noBody(conditional) }),
  problem('/api/fault', { GET: noBody(faulty) }),
  problem('/api/*', {}),
  { ...problem('/form', { POST: form(echo) }), errors: 'json' },
];

/** Around all tests of the file: a server with these routes in place of its own. */
export function useRestServer() {
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
  return {
    ask,
    get base() {
      return base;
    },
    get testServer() {
      return testServer;
    },
  };
}

/** RFC 9457 section 3.1, and the two members of ours. */
export function assertProblem(answered: Answered, status: number, detail: RegExp, errors?: unknown): void {
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
