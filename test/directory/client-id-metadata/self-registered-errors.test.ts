import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CALLBACK, consentPageOf, PUBLIC, registered, requestUrl } from '../../build/assistant.ts';
import { get } from '../../build/client.ts';
import { assertPage, assertSentBack, delivered } from '../../build/delivered.ts';
import { openDocumentServer } from '../../build/document-server.ts';
import { aClient, anApplication, aUser } from '../../build/fixture.ts';
import { elsewhere } from '../../build/limits.ts';
import { bob, press, signedIn } from '../../build/people.ts';
import { suitePart } from '../../build/suite-part.ts';
import { suiteServer } from '../../build/test-server.ts';
import { authorizationUrl, type Fields, formWith, Visitor } from '../../build/visitor.ts';

const documents = suitePart(openDocumentServer);
const taken = { client_id_metadata: 'any', dynamic_registration: 'open' } as const;
const server = suiteServer({
  env: { GATEHOUSE_OUTBOUND_ALLOW: '127.0.0.1', TRUSTED_PROXIES: '127.0.0.1' },
  applications: [
    anApplication({ ...taken, clients: [aClient()] }),
    anApplication({ code: 'staff', name: 'Staff', ...taken, access: { groups: ['staff'] } }),
  ],
  users: [aUser(), bob()],
});

/** Both kinds of clients that nobody has vouched for. */
const KINDS: readonly [string, (app?: string) => Promise<string>][] = [
  ['a dynamically registered client', async app => (await registered(server, PUBLIC, app)).client_id],
  ['a client of a metadata document', async () => documents.publish(`/${crypto.randomUUID()}`)],
];

async function approved(clientId: string, visitor: Visitor): Promise<void> {
  const page = await consentPageOf(server, clientId, {}, visitor);
  assert(delivered(await press(visitor, page, 'allow'), CALLBACK).fields.code);
}

/** What anybody can put into a link. */
const BAD_REQUESTS: readonly [string, Fields, string][] = [
  ['an unknown scope', { scope: 'openid nonsense' }, 'invalid_scope'],
  ['no response_type', { response_type: undefined }, 'invalid_request'],
  ['an unknown response_type', { response_type: 'nonsense' }, 'unsupported_response_type'],
  ['a flow that it does not have', { response_type: 'id_token', nonce: 'n' }, 'unauthorized_client'],
  ['no PKCE', { code_challenge: undefined, code_challenge_method: undefined }, 'invalid_request'],
  ['prompt=none with another value', { prompt: 'none login' }, 'invalid_request'],
  ['an id_token_hint of nobody', { id_token_hint: 'x.y.z' }, 'invalid_request'],
  ['response_mode=form_post', { response_mode: 'form_post', scope: 'nonsense' }, 'invalid_scope'],
  ['prompt=none', { prompt: 'none' }, 'login_required'],
];

for (const [kind, newClient] of KINDS) {
  describe(`open redirector by self-registration: an error of ${kind} (row 66, RFC 9700 section 4.11.2)`, () => {
    for (const [name, fields, error] of BAD_REQUESTS) {
      it(`${name}: a page for a browser without a session, and no address to go on to`, async () => {
        const clientId = await newClient();
        const seen = await new Visitor(server.base).go(requestUrl(server, clientId, fields), { headers: elsewhere() });
        assertPage(seen);
        assert.match(seen.text, new RegExp(`<code>${error}</code>`));
        assert.doesNotMatch(seen.text, /href="https:\/\/assistant\.example|action="https:\/\/assistant\.example/);
      });
    }

    it('is a page for a signed-in user who has not approved the client, whoever else has', async () => {
      const clientId = await newClient();
      await approved(clientId, await signedIn(server));
      const other = await signedIn(server, 'bob');
      assertPage(await other.go(requestUrl(server, clientId, { scope: 'nonsense' }), { headers: elsewhere() }));
      const silent = await other.go(requestUrl(server, clientId, { prompt: 'none' }), { headers: elsewhere() });
      assertPage(silent);
      assert.match(silent.text, /<code>consent_required<\/code>/);
    });

    it('is JSON where the caller prefers it, with the error of the request', async () => {
      const headers = { ...elsewhere(), accept: 'application/json' };
      const {
        status,
        json,
        headers: got,
      } = await get(requestUrl(server, await newClient(), { scope: 'nonsense' }), headers);
      assert.deepEqual([status, json.error, got.get('location')], [400, 'invalid_scope', null]);
    });

    it('goes back to the client once its user has approved it, and no more after the withdrawal', async () => {
      const clientId = await newClient();
      const visitor = await signedIn(server);
      await approved(clientId, visitor);
      const ask = (fields: Fields) => visitor.go(requestUrl(server, clientId, fields), { headers: elsewhere() });
      assertSentBack(server, await ask({ scope: 'nonsense' }), { error: 'invalid_scope', to: CALLBACK });
      assertSentBack(server, await ask({ prompt: 'none' }), { error: 'consent_required', to: CALLBACK });
      const page = await visitor.follow(`${server.base}/account/access`);
      await visitor.send(formWith(page, `withdraw" value="${clientId}`));
      assertPage(await ask({ scope: 'nonsense' }));
    });

    it('goes back when a signed-in user refuses on the consent page, which says where (row 24)', async () => {
      const visitor = await signedIn(server);
      const page = await consentPageOf(server, await newClient(), {}, visitor);
      assert.match(page.text, /sent to assistant\.example/);
      assertSentBack(server, await press(visitor, page, 'deny'), { error: 'access_denied', to: CALLBACK });
    });

    it('is a page when somebody cancels who has not signed in', async () => {
      const visitor = new Visitor(server.base);
      const page = await visitor.follow(requestUrl(server, await newClient()), { headers: elsewhere() });
      assertPage(await press(visitor, page, 'cancel'));
    });

    it('of a user without access: a page with prompt=none, and back to the client from the page that says so', async () => {
      const clientId = await newClient('staff');
      const visitor = await signedIn(server);
      assertPage(await visitor.go(requestUrl(server, clientId, { prompt: 'none' }, 'staff'), { headers: elsewhere() }));
      const page = await visitor.follow(requestUrl(server, clientId, {}, 'staff'), { headers: elsewhere() });
      const back = await visitor.send(formWith(page, 'action" value="back'), { action: 'back' });
      assertSentBack(server, back, { error: 'access_denied', to: CALLBACK, app: 'staff' });
    });
  });
}

describe('a client that an operator has set', () => {
  it('gets its errors as before (row 13)', async () => {
    const seen = await new Visitor(server.base).go(authorizationUrl(server, { prompt: 'none' }));
    assertSentBack(server, seen, { error: 'login_required' });
  });
});
