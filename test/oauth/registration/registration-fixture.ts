import assert from 'node:assert/strict';
import { after, afterEach } from 'node:test';
import { CALLBACK, PUBLIC, requestUrl, sendJson } from '../../build/assistant.ts';
import type { Answered } from '../../build/client.ts';
import { type FixedClock, fixedClock } from '../../build/clock.ts';
import { delivered } from '../../build/delivered.ts';
import { aClient, anApplication, type UserInput } from '../../build/fixture.ts';
import { atConsent, logIn, press } from '../../build/people.ts';
import { startTestServer, type TestServer } from '../../build/test-server.ts';
import { type Fields, Visitor } from '../../build/visitor.ts';

/** A server whose applications take registrations: `shop` and `other` of everybody, `partners` with a token, `off` of nobody. */
export const API = 'https://api.shop.example';

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
  const register: RegistrationFixture['register'] = (metadata = PUBLIC, { app, ...sending } = {}) =>
    sendJson(`${server.at(app)}/register`, 'POST', metadata, sending);
  return {
    server,
    clock,
    register,
    async registered(metadata, over) {
      const answered = await register(metadata, over);
      assert.equal(answered.status, 201, answered.text);
      return answered.json;
    },
    manage: (uri, token, method = 'GET', body) => sendJson(uri, method, body, { token }),
    async codeFor(clientId, fields = {}, app) {
      const visitor = new Visitor(server.base);
      const login = await visitor.follow(requestUrl(server, clientId, fields, app));
      const page = await logIn(visitor, login);
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
