import assert from 'node:assert/strict';
import { explainRequest } from '../../../../src/audit/explain/explained.ts';
import { type FailureName, failure } from '../../../../src/failures.ts';
import { TOKEN_EXCHANGE } from '../../../../src/oauth/token-exchange/rules.ts';
import { StoreUnavailable } from '../../../../src/platform/store/faults.ts';
import type { Services } from '../../../../src/services.ts';
import type { Store } from '../../../../src/store.ts';
import { aDesk } from '../../../build/approvals.ts';
import { aSigningPair } from '../../../build/assertion.ts';
import { TOTP_SECRET } from '../../../build/authenticator.ts';
import { aPkcePair, basic, get } from '../../../build/client.ts';
import { type FixedClock, fixedClock } from '../../../build/clock.ts';
import { aTv } from '../../../build/device.ts';
import { anEncryptionPair } from '../../../build/encryption.ts';
import { aClient, anApplication, aPublicClient, aUser, CALLBACK } from '../../../build/fixture.ts';
import { JWT_BEARER } from '../../../build/identity-assertion.ts';
import { openOidcUpstream, UPSTREAM_CLIENT } from '../../../build/oidc-upstream.ts';
import { anOperatorClient, type OperatorClient } from '../../../build/operator.ts';
import { bob } from '../../../build/people.ts';
import { startTestServer, type TestServer } from '../../../build/test-server.ts';
import { authorizationUrl, type Fields } from '../../../build/visitor.ts';
import { aSamlProvider } from '../../../people/saml/corp.ts';

/** Typed where it does not belong: it must not be stored, wherever that is. */
export const HUSH = 'hush-typed-into-the-wrong-field';
export const LOCAL_CALLBACK = 'http://localhost:3000/cb';
/** The credentials of a client to which nothing was issued. */
export const OTHER_CLIENT = { auth: basic('other', 'web-secret-1') };
export const PKCE_PAIR = aPkcePair();
export const PKCE = { code_challenge: PKCE_PAIR.challenge, code_challenge_method: 'S256' };

export const API = {
  identifier: 'https://api.shop.example',
  name: 'Orders',
  scopes: { 'orders:read': 'Read orders', 'orders:write': 'Change orders', list: 'List orders' },
  authorization_details_types: {
    order: { schema: { properties: { id: { type: 'string' } } }, display: 'Cancel {id}' },
  },
};
export const OTHER_API = {
  identifier: 'https://stock.shop.example',
  name: 'Stock',
  scopes: { 'stock:read': 'Read the stock', list: 'List the stock' },
};
/** Of the clients that sign. */
export const SIGNING = aSigningPair('ES256');
export const SIGNING_SECRET = 'a secret that is long enough to sign with';

/** The server on which every row of the catalogue is made to happen. */
export interface World {
  readonly server: TestServer;
  readonly services: Services;
  readonly clock: FixedClock;
  readonly owner: OperatorClient;
  /** What the store does with lookups of access tokens. */
  tokens: 'found' | 'unavailable' | 'faulty' | Promise<void>;
  /** What the store says to registrations of clients. */
  registrations: 'stored' | 'full';
  close(): Promise<void>;
}

const anAgent = (client_id: string, user: string) =>
  aClient({ client_id, client_type: 'agent', owner: { user }, grant_types: ['client_credentials'] });

export async function aWorld(): Promise<World> {
  const clock = fixedClock();
  const world: { -readonly [Name in keyof World]?: World[Name] } = { tokens: 'found', registrations: 'stored', clock };
  const server = await startTestServer({
    isOverloadReal: true,
    clock,
    hostname: 'localhost',
    // Or the queue of logins does not fill (hashQueueFull).
    isPasswordCostReal: true,
    env: { MAIL_URL: 'smtp://127.0.0.1:1', GATEHOUSE_OUTBOUND_ALLOW: '127.0.0.1' },
    wrapStore: store => withFaults(store, world as World),
    applications: [
      anApplication({
        apis: [API, OTHER_API],
        token_exchange: [
          { from: API.identifier, to: OTHER_API.identifier, scopes: ['stock:read'] },
          { from: API.identifier, to: API.identifier, scopes: ['orders:read'] },
        ],
        identity_assertions: [{ client: 'orders', audience: 'https://other.example', scopes: ['read'] }],
        assertion_issuers: [
          {
            ...{ issuer: 'https://other.example', jwks: { keys: [SIGNING.publicJwk] } },
            ...{ clients: ['orders'], scopes: ['orders:read'] },
          },
        ],
        clients: [
          aClient({
            redirect_uris: [CALLBACK, 'https://client.example/silent'],
            post_logout_redirect_uris: ['https://client.example/bye'],
          }),
          aClient({ client_id: 'other' }),
          aClient({ client_id: 'plain', grant_types: ['authorization_code'], scope: 'openid email' }),
          aClient({ client_id: 'pkce', require_pkce: true, require_client_authentication: true }),
          aClient({ client_id: 'asking', require_consent: true }),
          aClient({ client_id: 'certified', tls_client_certificate_bound_access_tokens: true }),
          aClient({ client_id: 'pushing', require_pushed_authorization_requests: true }),
          aClient({
            ...{ client_id: 'signed', require_signed_request_object: true },
            jwks: { keys: [SIGNING.publicJwk] },
            request_uris: ['https://127.0.0.1:9/request'],
          }),
          aClient({
            ...{ client_id: 'encrypting', jwks_uri: 'https://127.0.0.1:9/keys' },
            ...{ authorization_signed_response_alg: 'ES256', authorization_encrypted_response_alg: 'ECDH-ES' },
          }),
          aClient({
            ...{ client_id: 'enciphered', jwks: { keys: [anEncryptionPair('P-256').publicJwk] } },
            ...{ authorization_signed_response_alg: 'ES256', authorization_encrypted_response_alg: 'ECDH-ES' },
          }),
          aClient({ client_id: 'hybrid', response_types: ['code id_token'] }),
          aClient({ client_id: 'local', redirect_uris: [LOCAL_CALLBACK] }),
          aClient({
            ...{ client_id: 'orders', scope: 'openid list orders:read orders:write' },
            grant_types: ['authorization_code', 'refresh_token', 'password', TOKEN_EXCHANGE, JWT_BEARER],
          }),
          aClient({ client_id: 'orders-api', grant_types: [TOKEN_EXCHANGE], apis: [API.identifier] }),
          aClient({ client_id: 'stock-api', grant_types: [TOKEN_EXCHANGE], apis: [OTHER_API.identifier] }),
          aClient({
            ...{ client_id: 'signing', client_secret: undefined, token_endpoint_auth_method: 'private_key_jwt' },
            jwks: { keys: [SIGNING.publicJwk] },
          }),
          aClient({
            ...{ client_id: 'payments', client_secret: undefined, profile: 'fapi2-security' },
            ...{ grant_types: ['authorization_code', 'refresh_token'], jwks: { keys: [SIGNING.publicJwk] } },
            // The profile sets it where it is not named.
            token_endpoint_auth_method: undefined,
          }),
          aClient({
            ...{ client_id: 'remote', client_secret: undefined, token_endpoint_auth_method: 'private_key_jwt' },
            jwks_uri: 'https://10.0.0.1/keys',
          }),
          aClient({
            ...{ client_id: 'sealed', token_endpoint_auth_method: 'client_secret_jwt' },
            client_secret: SIGNING_SECRET,
          }),
          anAgent('buyer', 'alice'),
          anAgent('orphan', 'nobody'),
          aPublicClient(),
          aTv(),
          aDesk(),
          aDesk({ client_id: 'hinting-desk', jwks: { keys: [SIGNING.publicJwk] } }),
          aDesk({
            ...{ client_id: 'signing-desk', backchannel_authentication_request_signing_alg: 'ES256' },
            jwks: { keys: [SIGNING.publicJwk] },
          }),
          aTv({ client_id: 'screen' }),
        ],
      }),
      anApplication({
        ...{ code: 'guests', name: 'Guests', client_id_metadata: 'any', dynamic_registration: 'open' },
        software_statements: { issuers: [{ issuer: 'directory', jwks_uri: 'https://10.0.0.1/keys' }] },
        clients: [aClient({ client_id: 'guest' })],
      }),
      anApplication({ ...{ code: 'partners', name: 'Partners' }, dynamic_registration: 'token', clients: [] }),
      anApplication({ code: 'strict', name: 'Strict', strict_oidc: true }),
      anApplication({ code: 'plain', name: 'Plain', passkeys: false, clients: [aClient({ client_id: 'plainer' })] }),
      anApplication({ code: 'blog', name: 'Blog', mfa: 'off', clients: [aClient({ client_id: 'blogger' })] }),
      anApplication({
        ...{ code: 'club', name: 'Club', sign_up: true, require_verified_email: true },
        clients: [aClient({ client_id: 'member' })],
      }),
      anApplication({
        ...{ code: 'intranet', name: 'Intranet' },
        access: { groups: ['staff', 'board'], roles: ['admin'], users: ['alice'] },
        apis: [API],
        token_exchange: [{ from: 'inside', to: API.identifier, scopes: ['orders:read'] }],
        clients: [
          aClient({
            client_id: 'inside',
            grant_types: ['authorization_code', 'refresh_token', 'password', TOKEN_EXCHANGE, JWT_BEARER],
          }),
          aTv(),
        ],
      }),
      anApplication({
        ...{ code: 'bank', name: 'Bank', userinfo_acr_values: ['2'], userinfo_max_age: 300 },
        clients: [aClient({ client_id: 'teller' })],
      }),
    ],
    users: [
      aUser(),
      bob(),
      aUser({ username: 'dora', email: 'dora@example.com', phone_number: '+8613800000003', disabled: true }),
      aUser({
        ...{ username: 'ursula', email: 'ursula@example.com', email_verified: false },
        phone_number: '+8613800000005',
      }),
      aUser({
        ...{ username: 'petra', email: 'petra@example.com', phone_number: '+8613800000006' },
        require_password_change: true,
      }),
      aUser({ username: 'tina', email: 'tina@example.com', phone_number: '+8613800000004', totp_secret: TOTP_SECRET }),
    ],
  });
  const callbacks = ['oidc', 'wrong'].map(id => `${server.base}/login/provider/${id}/callback`);
  const corp = await openOidcUpstream(callbacks, { sub: 'nobody-here', email: 'nobody@corp.example' });
  const { issuer } = corp;
  const known = { ...UPSTREAM_CLIENT, type: 'oidc', issuer, create_users: false } as const;
  await server.provision({
    providers: [
      aSamlProvider({ create_users: false, sign_out: true }),
      { id: 'quiet', type: 'saml', metadata_url: 'https://10.0.0.1/metadata' },
      { ...known, id: 'oidc' },
      { ...known, id: 'wrong', name: 'Wrong Ltd', client_secret: 'another secret' },
      { ...known, id: 'gone', name: 'Gone Inc.', issuer: 'http://127.0.0.1:1' },
    ],
    applications: [
      anApplication({ code: 'federated', name: 'Federated', providers: ['corp', 'quiet'] }),
      anApplication({
        ...{ code: 'fair', name: 'Fair', providers: ['oidc', 'wrong', 'gone'] },
        clients: [aClient({ client_id: 'visitor' })],
      }),
    ],
  });
  const close = async () => {
    await server.close();
    await corp.close();
  };
  const { services } = server;
  return Object.assign(world as World, { server, services, owner: await anOperatorClient(server), close });
}

function withFaults(store: Store, world: World): Store {
  const fault = async () => {
    if (world.tokens === 'unavailable') throw new StoreUnavailable('the database is away');
    if (world.tokens === 'faulty') throw new Error('a fault of the server');
    await world.tokens;
  };
  return {
    ...store,
    registerClient: async (...args) => (world.registrations === 'full' ? 'full' : store.registerClient(...args)),
    async findTokenUser(...args) {
      await fault();
      return store.findTokenUser(...args);
    },
  };
}

/** What makes a row happen, and what its explanation must say. */
export interface Case {
  readonly row: FailureName;
  readonly name: string;
  /** The answer that refuses. */
  refuse(world: World): Promise<{ readonly headers: Headers }>;
  /** `null`: of no application. */
  readonly app?: string | null;
  readonly client?: string;
  readonly expected?: RegExp;
  readonly received?: RegExp;
  readonly kinds: readonly string[];
  readonly difference?: RegExp;
  readonly fix?: RegExp;
  /** The admin API call: method, path and body. */
  readonly call?: string;
  /** The phase in which the request ended. */
  readonly failed: string;
}

export async function explanationOf({ services }: Pick<World, 'services'>, answer: { readonly headers: Headers }) {
  const id = answer.headers.get('x-request-id');
  assert(id, 'every answer has X-Request-Id');
  await services.refusals.flush();
  const explained = await explainRequest(services, id, () => true);
  assert(explained, `nothing is known of ${id}`);
  return explained;
}

export async function assertExplained(world: World, wanted: Case): Promise<void> {
  const explained = await explanationOf(world, await wanted.refuse(world));
  const shown = JSON.stringify(explained, undefined, 1);
  const { app = 'shop', client, kinds, call } = wanted;
  assert.equal(explained.reason, wanted.row, shown);
  assert.equal(explained.error, failure(wanted.row).error);
  assert.equal(explained.application, app === null ? undefined : app, shown);
  assert.equal(explained.client, client, shown);
  // What an operator can open: never the number of a decision, which only the code refers to.
  assert.match(explained.rule.reference, /^(RFC|OpenID|OAuth|WebAuthn) |^docs\//);
  assert.deepEqual(explained.difference?.kinds, kinds, shown);
  for (const [part, pattern] of [
    [explained.expected, wanted.expected],
    [explained.received, wanted.received],
    [explained.difference?.text, wanted.difference],
    [explained.fix, wanted.fix],
  ] as const) {
    assert.match(part ?? '', /\S/, shown);
    if (pattern) assert.match(part ?? '', pattern, shown);
  }
  const made = explained.call;
  assert.equal(made && `${made.method} ${made.path} ${JSON.stringify(made.body)}`, call, shown);
  const failed = explained.progress.filter(({ state }) => state === 'failed').map(({ phase }) => phase);
  assert.deepEqual(failed, [wanted.failed], shown);
}

/** An authorization request with these fields, without a session. */
export const authorize =
  (fields: Fields, app?: string) =>
  ({ server }: World) =>
    get(authorizationUrl(server, fields, app));

/** Sends until the answer is 429. */
export const untilLimited = async (
  world: World,
  send: () => Promise<{ readonly status: number; readonly headers: Headers }>,
) => {
  for (let count = 0; count < 200; count++) {
    const answered = await send();
    if (answered.status === 429) return answered;
    await world.services.refusals.flush();
  }
  throw new Error('the limit was never reached');
};
