import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { freePort } from '../../scripts/free-port.ts';
import { replaceCompromisedKeys } from '../../src/oauth/signing-keys/rotation.ts';
import { aTokenSet, basic, get, introspect } from '../build/client.ts';
import { deliverLogoutNotices } from '../build/deliver-notices.ts';
import { aClient, anApplication, aUser, type ClientInput, PASSWORD } from '../build/fixture.ts';
import { startTestServer, type TestServer } from '../build/test-server.ts';
import { formWith, type Seen, Visitor } from '../build/visitor.ts';
import { type Apache, startApache } from './apache.ts';
import { wander } from './wander.ts';

/** Ways to log in that the module knows: how the client is registered, and how the module is told. */
interface Way {
  readonly name: string;
  readonly client?: ClientInput;
  readonly directives?: readonly string[];
  readonly app?: string;
}

const ways = {
  default: { name: 'a code, RS256 and client_secret_basic, as discovery has it' },
  ecdsa: {
    name: 'ES256 ID tokens',
    client: { id_token_signed_response_alg: 'ES256' },
    directives: ['OIDCIDTokenSignedResponseAlg ES256'],
  },
  pkce: { name: 'PKCE', client: { require_pkce: true }, directives: ['OIDCPKCEMethod S256'] },
  poster: {
    name: 'client_secret_post',
    client: { token_endpoint_auth_method: 'client_secret_post' },
    directives: ['OIDCProviderTokenEndpointAuth client_secret_post'],
  },
  form: { name: 'a code by form_post', directives: ['OIDCResponseMode form_post'] },
  implicit: {
    name: 'id_token token by form_post',
    directives: ['OIDCResponseType "id_token token"', 'OIDCResponseMode form_post'],
  },
  identity: {
    name: 'id_token by form_post',
    directives: ['OIDCResponseType id_token', 'OIDCResponseMode form_post'],
  },
  jwt: { name: 'JWT access tokens', client: { access_token_format: 'jwt' } },
  strict: { name: 'an application with strict_oidc', app: 'strict' },
} satisfies Record<string, Way>;
type WayName = keyof typeof ways;
const wayNames = Object.keys(ways) as WayName[];

describe('Apache with mod_auth_openidc', () => {
  let server: TestServer;
  let apache: Apache;
  let visitor: Visitor;
  const origins = new Map<WayName, string>();
  const at = (way: WayName, path = '/members/page') => `${origins.get(way)}${path}`;

  before(async () => {
    for (const way of wayNames) origins.set(way, `http://127.0.0.1:${await freePort()}`);
    const clientOf = (way: WayName) =>
      aClient({
        client_id: way,
        redirect_uris: [at(way, '/members/back')],
        post_logout_redirect_uris: [at(way, '/bye')],
        backchannel_logout_uri: at(way, '/members/back?logout=backchannel'),
        ...(ways[way] as Way).client,
      });
    const appOf = (way: WayName) => (ways[way] as Way).app ?? 'shop';
    server = await startTestServer({
      env: { GATEHOUSE_OUTBOUND_ALLOW: '127.0.0.0/8' },
      applications: [
        anApplication({
          clients: [
            ...wayNames.filter(way => appOf(way) === 'shop').map(clientOf),
            aClient({ client_id: 'ed', id_token_signed_response_alg: 'EdDSA' }),
          ],
        }),
        anApplication({ code: 'strict', name: 'Strict', strict_oidc: true, clients: [clientOf('strict')] }),
      ],
      users: [aUser(), aUser({ username: 'bob', email: 'bob@example.com', phone_number: '+8613800000002' })],
    });
    // A key that the module cannot read is among the published ones from now on.
    await aTokenSet(server, {}, { auth: basic('ed', 'web-secret-1') });
    const published = (await get(`${server.at()}/jwks`)).json.keys as { readonly kty: string }[];
    assert(published.some(({ kty }) => kty === 'OKP'));
    apache = await startApache(
      wayNames.map(way => ({
        port: Number(new URL(at(way)).port),
        directives: [
          `OIDCProviderMetadataURL ${server.at(appOf(way))}/.well-known/openid-configuration`,
          `OIDCRedirectURI ${at(way, '/members/back')}`,
          `OIDCClientID ${way}`,
          'OIDCClientSecret web-secret-1',
          'OIDCScope "openid profile email phone"',
          'OIDCRemoteUserClaim preferred_username',
          'OIDCInfoHook access_token refresh_token id_token userinfo',
          ...((ways[way] as Way).directives ?? []),
        ],
      })),
    );
  });
  after(async () => {
    await apache?.close();
    await server?.close();
  });
  beforeEach(() => {
    visitor = new Visitor(server.base);
  });

  /** From a guarded page over the login page back to it. */
  const logIn = async (way: WayName, path?: string, username = 'alice'): Promise<Seen> => {
    const page = await wander(visitor, at(way, path));
    const seen = await visitor.send(formWith(page, 'password'), { username, password: PASSWORD });
    // A browser would send the page of form_post by itself.
    return wander(visitor, seen.text.includes('name="iss"') ? await visitor.send(formWith(seen, 'iss')) : seen);
  };
  const asksToLogIn = async (way: WayName) => (await wander(visitor, at(way))).text.includes('name="password"');
  const info = async (way: WayName) => JSON.parse((await visitor.go(at(way, '/members/back?info=json'))).text);
  const isActive = async (token: string) =>
    (await introspect(server, { token }, { auth: basic('default', 'web-secret-1') })).json.active;

  for (const way of wayNames) {
    it(`guards a page: login, claims and logout with ${ways[way].name}`, async () => {
      const seen = await logIn(way);
      assert.deepEqual([seen.url, seen.status], [at(way), 200], apache.faults().join('\n'));
      assert.match(seen.text, /^REMOTE_USER=alice$/m);
      assert.match(seen.text, /^OIDC_CLAIM_email=alice@example\.com$/m);
      assert.match(seen.text, /^OIDC_CLAIM_phone_number=\+8613800000001$/m);

      const bye = encodeURIComponent(at(way, '/bye'));
      const left = await wander(visitor, at(way, `/members/back?logout=${bye}`));
      assert.equal(left.url, at(way, '/bye'));
      assert(await asksToLogIn(way), 'both sessions have ended');
      assert.deepEqual(apache.faults(), []);
    });
  }

  it('lets a person in by a claim, and no other', async () => {
    assert.equal((await logIn('default', '/alice/page', 'bob')).status, 401);
    visitor = new Visitor(server.base);
    assert.match((await logIn('default', '/alice/page')).text, /^REMOTE_USER=alice$/m);
  });

  it('needs no second login for another site (single sign-on)', async () => {
    await logIn('default');
    visitor.cookies.delete('mod_auth_openidc_session');
    assert.equal((await visitor.go(at('ecdsa'))).status, 302);
    assert.match((await wander(visitor, at('ecdsa'))).text, /^REMOTE_USER=alice$/m);
  });

  // By form_post, since this release of the module takes every error that comes in the query with iss (which RFC 9207
  // section 2 demands) for a login that a third party has started (OIDC Core section 4), and shows that instead.
  it('shows that a login was cancelled (row 24)', async () => {
    const page = await wander(visitor, at('form'));
    const answer = await visitor.send(formWith(page, 'action'), { action: 'cancel' });
    const seen = await wander(visitor, await visitor.send(formWith(answer, 'iss')));
    assert.match(seen.text, /access_denied/);
    assert(await asksToLogIn('form'));
  });

  it('refreshes its access token (rows 35, 41)', async () => {
    await logIn('default');
    const first = await info('default');
    const asked = new URLSearchParams({ refresh: at('default'), access_token: first.access_token });
    assert.equal((await wander(visitor, at('default', `/members/back?${asked}`))).url, at('default'));
    const second = await info('default');
    assert.notEqual(second.access_token, first.access_token);
    assert.notEqual(second.refresh_token, first.refresh_token);
    assert(await isActive(second.access_token));
  });

  it('revokes its tokens when the person logs out (RFC 7009)', async () => {
    await logIn('default');
    const { access_token, refresh_token } = await info('default');
    assert(await isActive(access_token));
    await visitor.go(at('default', `/members/back?logout=${encodeURIComponent(at('default', '/bye'))}`));
    assert.deepEqual([await isActive(access_token), await isActive(refresh_token)], [false, false]);
  });

  it('ends its session when the server says that the person has logged out (Back-Channel Logout 2.5)', async () => {
    // What the tests before have left to tell.
    await deliverLogoutNotices(server.services);
    await logIn('default');
    assert.equal(typeof (await info('default')).id_token.sid, 'string');
    await visitor.send({ action: `${server.base}/logout`, fields: new URLSearchParams() });
    assert.equal((await visitor.go(at('default'))).status, 200, 'no logout token yet');
    await deliverLogoutNotices(server.services);
    assert.doesNotMatch(server.logged(), /logout\.postponed/);
    assert(await asksToLogIn('default'));
  });

  it('follows when the keys are replaced at once (OIDC Core 10.1.1)', async () => {
    await logIn('default');
    await replaceCompromisedKeys(server.services, 'shop');
    visitor = new Visitor(server.base);
    assert.match((await logIn('default')).text, /^REMOTE_USER=alice$/m);
  });
});
