import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { explainRequest } from '../../../src/audit/explain/explained.ts';
import { ALICE, type Answered, get, send, token } from '../../build/client.ts';
import { ask } from '../../build/operator.ts';
import { suiteServer, type TestServer } from '../../build/test-server.ts';
import { authorizationUrl } from '../../build/visitor.ts';

/** Each form that a refusal can have. */
const FORMS: readonly (readonly [name: string, refuse: (server: TestServer) => Promise<Answered>, status: number])[] = [
  ['a page', ({ base }) => get(`${base}/login?pending=x`, { accept: 'text/html' }), 400],
  ['a page, as JSON', server => get(authorizationUrl(server, { client_id: 'x' }), { accept: 'application/json' }), 400],
  ['a redirect, in the query', server => get(authorizationUrl(server, { scope: 'x' })), 302],
  [
    'a redirect, in the fragment',
    server => get(authorizationUrl(server, { response_type: 'id_token', scope: 'openid' })),
    302,
  ],
  [
    'a page that sends itself (form_post)',
    server => get(authorizationUrl(server, { response_mode: 'form_post', prompt: 'none' })),
    200,
  ],
  ['JSON', server => token(server, { grant_type: 'x' }), 400],
  ['JSON with 401', server => token(server, { grant_type: 'password', ...ALICE }, {}), 401],
  ['problem details', ({ base }) => ask(base, undefined, 'GET', '/applications'), 401],
  ['404', ({ base }) => get(`${base}/nothing/here`), 404],
  ['405', ({ base }) => send(`${base}/login`, { method: 'DELETE' }), 405],
  ['the answer to HEAD', ({ base }) => send(`${base}/nothing`, { method: 'HEAD' }), 404],
];

describe('every answer that refuses carries X-Request-Id, and is explained by it (admin contract, Refusals)', () => {
  const server = suiteServer();

  for (const [name, refuse, status] of FORMS) {
    it(name, async () => {
      const answered = await refuse(server);
      assert.equal(answered.status, status, answered.text);
      const id = answered.headers.get('x-request-id') ?? '';
      assert.match(id, /^[0-9a-f]{12}-\d+$/);
      await server.services.refusals.flush();
      const explained = await explainRequest(server.services, id, () => true);
      assert.equal(explained?.request_id, id);
      assert.match(server.logged(), new RegExp(`"request":"${id}"[^\\n]*"reason":"${explained?.reason}"`));
    });
  }

  it('a page names the id, and how to ask, to developers', async () => {
    const { text, headers } = await get(authorizationUrl(server, { client_id: 'x' }), { accept: 'text/html' });
    assert(text.includes(`<code>gatehouse explain ${headers.get('x-request-id')}</code>`), text);
  });
});
