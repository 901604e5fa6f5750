import assert from 'node:assert/strict';
import { after, afterEach } from 'node:test';
import { type Answered, aPkcePair, send } from '../../build/client.ts';
import { type FixedClock, fixedClock } from '../../build/clock.ts';
import { delivered } from '../../build/delivered.ts';
import { aClient, anApplication, type UserInput } from '../../build/fixture.ts';
import { elsewhere } from '../../build/limits.ts';
import { atConsent, logIn, press } from '../../build/people.ts';
import { startTestServer, type TestServer } from '../../build/test-server.ts';
import { type Fields, query, Visitor } from '../../build/visitor.ts';

/** A server whose applications take registrations: `shop` and `other` of everybody, `partners` with a token, `off` of nobody. */
export const CALLBACK = 'https://assistant.example/cb';
export const API = 'https://api.shop.example';
export const PUBLIC = { client_name: 'Assistant', redirect_uris: [CALLBACK], token_endpoint_auth_method: 'none' };
const { verifier, challenge } = aPkcePair();
export const CHALLENGE = challenge;
/** For the codes of `codeFor`. */
export const WITH_VERIFIER = { redirect_uri: CALLBACK, code_verifier: verifier };

export interface RegistrationFixture {
  readonly server: TestServer;
  readonly clock: FixedClock;
  register(metadata?: unknown, over?: Registering): Promise<Answered>;
  /** What a successful registration answers. */
  registered(metadata?: Record<string, unknown>, over?: Registering): Promise<Answered['json']>;
  /** At the registration_client_uri (RFC 7592). */
  manage(uri: string, token: string | undefined, method?: string, body?: unknown): Promise<Answered>;
  /** A user signs in and agrees. */
  codeFor(clientId: string, fields?: Fields, app?: string): Promise<string>;
}

export interface Registering {
  readonly app?: string;
  readonly token?: string | undefined;
  readonly headers?: Record<string, string>;
}

const bearer = (token: string | undefined) => (token === undefined ? {} : { authorization: `Bearer ${token}` });

/** `over`: for a node of several, on the same database and with the same clock. */
export async function openRegistration(
  over: { readonly clock?: FixedClock; readonly databaseUrl?: string; readonly users?: readonly UserInput[] } = {},
): Promise<RegistrationFixture> {
  const { clock = fixedClock(), databaseUrl, users } = over;
  const apis = [{ identifier: API, name: 'Orders', scopes: { 'orders:read': 'Read your orders' } }];
  const server = await startTestServer({
    clock,
    env: { TRUSTED_PROXIES: '127.0.0.1', ...(databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl }) },
    ...(users === undefined ? {} : { users }),
    applications: [
      anApplication({ dynamic_registration: 'open', apis, clients: [aClient()] }),
      anApplication({ code: 'partners', name: 'Partners', dynamic_registration: 'token' }),
      anApplication({ code: 'other', name: 'Other', dynamic_registration: 'open' }),
      anApplication({ code: 'off', name: 'Off' }),
    ],
  });
  const register: RegistrationFixture['register'] = (metadata = PUBLIC, { app, token, headers = elsewhere() } = {}) =>
    send(`${server.at(app)}/register`, {
      method: 'POST',
      body: JSON.stringify(metadata),
      headers: { 'content-type': 'application/json', ...bearer(token), ...headers },
    });
  return {
    server,
    clock,
    register,
    async registered(metadata, over) {
      const answered = await register(metadata, over);
      assert.equal(answered.status, 201, answered.text);
      return answered.json;
    },
    manage: (uri, token, method = 'GET', body) =>
      send(uri, {
        method,
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        headers: {
          ...bearer(token),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...elsewhere(),
        },
      }),
    async codeFor(clientId, fields = {}, app) {
      const visitor = new Visitor(server.base);
      const request = {
        ...{ client_id: clientId, response_type: 'code', redirect_uri: CALLBACK, scope: 'openid' },
        ...{ code_challenge: challenge, code_challenge_method: 'S256', ...fields },
      };
      const page = await logIn(visitor, await visitor.follow(`${server.at(app)}/auth?${query(request)}`));
      assert(atConsent(page), page.text);
      return delivered(await press(visitor, page, 'allow'), CALLBACK).fields.code ?? '';
    },
  };
}

/** For all tests of a file. A second passes after each, so that no two of them have the same time. */
export async function registrationOfFile(): Promise<RegistrationFixture> {
  const at = await openRegistration();
  after(() => at.server.close());
  afterEach(() => at.clock.advance(1));
  return at;
}

/** RFC 7591 section 3.2.2. */
export function assertRefusal({ status, json, headers, text }: Answered, error: string, what = text): void {
  assert.deepEqual([status, json.error], [400, error], what);
  assert.match(headers.get('cache-control') ?? '', /no-store/);
}
