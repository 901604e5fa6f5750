import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { loadTables } from '../../../src/assembly/tables.ts';
import type { Answered } from '../../build/client.ts';
import { post, send } from '../../build/client.ts';
import { aClient, anApplication } from '../../build/fixture.ts';
import { type ConsoleFixture, openConsole } from '../../build/in-console.ts';
import { createMigratedDatabase, stopOwnServer, type TestDatabase } from '../../build/postgres.ts';
import { CHOICES, fc } from '../../build/random.ts';
import type { Visitor } from '../../build/visitor.ts';

const { routes } = await loadTables();

/** PostgreSQL stores no NUL in a text: a statement with one fails. A caller who sends one must get a refusal, in every store. */
const NUL = 'a\0b';
const ENCODED = encodeURIComponent(NUL);
const CURSOR = Buffer.from(NUL).toString('base64url');

/** Every parameter that the code reads by its name. */
const PARAMETERS = [
  ...new Set(sources('src').flatMap(text => [...text.matchAll(/\bget\('([a-z_]+)'\)/g)].map(([, name]) => name ?? ''))),
];

function sources(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.ts'))
    .map(name => readFileSync(`${folder}/${name}`, 'utf8'));
}

interface Documented {
  readonly method: string;
  readonly path: string;
  readonly query: readonly string[];
  readonly example: unknown;
  readonly schema: object | undefined;
}

for (const store of ['SQLite', 'PostgreSQL'] as const) {
  describe(`attack: NUL in any text from outside, on ${store} (400 in every store)`, () => {
    let database: TestDatabase | undefined;
    let fixture: ConsoleFixture;
    let visitor: Visitor;
    let operations: Documented[] = [];
    before(async () => {
      database = store === 'PostgreSQL' ? await createMigratedDatabase() : undefined;
      fixture = await openConsole({
        applications: [
          anApplication({
            dynamic_registration: 'open',
            clients: [aClient(), aClient({ client_id: 'robot', grant_types: ['client_credentials', 'password'] })],
          }),
        ],
        env: { TRUSTED_PROXIES: '127.0.0.1', ...(database ? { DATABASE_URL: database.url } : {}) },
      });
      visitor = (await fixture.inConsole('/console')).visitor;
      const { json } = await send(`${fixture.server.base}/api/v1/admin/openapi.json`, {});
      operations = Object.entries<Record<string, never>>(json.paths).flatMap(([path, methods]) =>
        Object.entries<{ parameters?: { in: string; name: string }[]; requestBody?: { content: object } }>(methods).map(
          ([method, { parameters = [], requestBody }]) => {
            const [content] = Object.values<{ example?: unknown; schema: object }>(
              (requestBody?.content ?? {}) as never,
            );
            const query = parameters.filter(each => each.in === 'query').map(({ name }) => name);
            return { method: method.toUpperCase(), path, query, example: content?.example, schema: content?.schema };
          },
        ),
      );
    });
    after(async () => {
      await fixture.server.close();
      await database?.drop();
      if (database) await stopOwnServer();
    });

    const url = (path: string) => `${fixture.server.base}${path}`;
    let visitors = 0;
    const elsewhere = () => ({ 'x-forwarded-for': `10.${++visitors >> 8}.${visitors & 255}.1` });
    const assertRefused = ({ status, text }: Pick<Answered, 'status' | 'text'>, what: string) =>
      assert(status >= 400 && status < 500, `${what}: ${status} ${text.slice(0, 200)}`);
    const assertNoFault = ({ status, text }: Pick<Answered, 'status' | 'text'>, what: string) =>
      assert(status < 500, `${what}: ${status} ${text.slice(0, 200)}`);
    const named = (path: string) => path.replace('{code}', 'shop').replaceAll(/\{\w+\}/g, 'web');

    it('in each parameter of the query of each operation: 400', async () => {
      for (const { method, path, query } of operations) {
        for (const name of query) {
          for (const value of name === 'cursor' ? [ENCODED, CURSOR] : [ENCODED]) {
            const answered = await fixture.owner.ask(method, `${named(path)}?${name}=${value}`);
            assert.equal(answered.status, 400, `${method} ${path}?${name}: ${answered.status} ${answered.text}`);
          }
        }
      }
    });

    it('in each segment of the path of each operation: not found', async () => {
      for (const { method, path, example } of operations.filter(each => each.path.includes('{'))) {
        for (const segment of path.match(/\{\w+\}/g) ?? []) {
          const body = method === 'GET' || method === 'DELETE' ? undefined : (example ?? {});
          const answered = await fixture.owner.ask(method, named(path.replace(segment, ENCODED)), body);
          assertRefused(answered, `${method} ${path} ${segment}`);
        }
      }
    });

    it('in each field of the body of each operation: 400', async () => {
      for (const { method, path, example, schema } of operations.filter(each => each.schema)) {
        const { properties = {} } = (schema ?? {}) as { properties?: object };
        for (const name of new Set([...Object.keys(properties), ...Object.keys((example ?? {}) as object)])) {
          for (const value of [NUL, [NUL], { [NUL]: NUL }, { name: NUL }]) {
            const answered = await fixture.owner.ask(method, named(path), { ...(example as object), [name]: value });
            assert(
              [400, 409].includes(answered.status),
              `${method} ${path} ${name}: ${answered.status} ${answered.text}`,
            );
          }
        }
      }
    });

    it('in each parameter of each page of the console', async () => {
      const pages = routes.filter(({ pattern }) => pattern.startsWith('/console'));
      const names = [
        'q',
        'cursor',
        'application',
        'client',
        'user',
        'operator',
        'request_id',
        'type',
        'from',
        'to',
        'days',
        'reason',
      ];
      for (const { pattern } of pages) {
        for (const name of names) {
          for (const value of [ENCODED, CURSOR]) {
            assertNoFault(await visitor.go(url(`${named(pattern)}?${name}=${value}`)), `${pattern}?${name}`);
          }
        }
      }
    });

    it('in any parameter of any address, in query and form', async () => {
      const addresses = fc.constantFrom(...routes.filter(({ pattern }) => !pattern.endsWith('/*')));
      await fc.assert(
        fc.asyncProperty(
          addresses,
          fc.constantFrom('GET', 'POST', 'PUT', 'PATCH', 'DELETE'),
          fc.uniqueArray(fc.constantFrom(...PARAMETERS), { minLength: 1, maxLength: 3 }),
          fc.boolean(),
          async ({ pattern, name: route }, method, names, isInPath) => {
            const path = isInPath ? pattern.replaceAll(/\{\w+\}/g, ENCODED) : named(pattern.replace('{app}', 'shop'));
            const pairs = names.map(name => `${name}=${ENCODED}`).join('&');
            const headers = { 'content-type': 'application/x-www-form-urlencoded', origin: fixture.server.base };
            const body = method === 'GET' ? undefined : pairs;
            const init = { method, headers: { ...headers, ...elsewhere() }, ...(body === undefined ? {} : { body }) };
            assertNoFault(await visitor.go(url(`${path}?${pairs}`), init), `${method} ${route} ${names}`);
          },
        ),
        { numRuns: 750 * CHOICES },
      );
    });

    const basic = (id: string, secret: string) => `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`;
    const jwt = (header: object, claims: object) =>
      [header, claims, 'signature'].map(part => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');

    it('in the credentials of a client, and in what is hidden in tokens and assertions', async () => {
      const { server } = fixture;
      const endpoints = ['token', 'introspect', 'revoke', 'par', 'device_authorization'];
      const assertions = [
        jwt({ alg: 'RS256', kid: NUL }, { iss: NUL, sub: NUL, jti: NUL, aud: NUL }),
        jwt({ alg: 'ES256', kid: NUL, typ: 'JWT' }, { iss: 'web', sub: 'web', jti: NUL, aud: server.at(), exp: 9e9 }),
        jwt({ alg: 'HS256' }, { iss: `https://${NUL}.example/`, sub: `https://${NUL}.example/`, jti: NUL }),
      ];
      const client_assertion_type = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
      for (const name of endpoints) {
        const at = `${server.at()}/${name}`;
        const fields = { grant_type: 'client_credentials', token: 'x', scope: 'openid' };
        for (const auth of [basic(NUL, 'x'), basic('web', NUL), basic('a%00b', 'x'), basic('web', '%00')]) {
          assertRefused(await post(at, fields, { auth, headers: elsewhere() }), `${name} ${auth}`);
        }
        for (const client_assertion of assertions) {
          const sent = { ...fields, client_assertion, client_assertion_type };
          assertRefused(await post(at, sent, { headers: elsewhere() }), `${name} assertion`);
          const proof = { dpop: jwt({ typ: 'dpop+jwt', alg: 'ES256', jwk: { kty: NUL } }, { jti: NUL, htm: NUL }) };
          assertNoFault(
            await post(at, fields, { auth: basic('robot', 'web-secret-1'), headers: proof }),
            `${name} dpop`,
          );
          assertNoFault(
            await post(at, { ...fields, token: client_assertion }, { auth: basic('web', 'web-secret-1') }),
            name,
          );
        }
      }
      for (const text of assertions) {
        const headers = { authorization: `Bearer ${text}` };
        assertRefused(await send(`${server.at()}/userinfo`, { headers }), 'userinfo');
        assertRefused(await send(url('/api/v1/admin/users'), { headers }), 'admin API');
      }
    });

    it('in the JSON of a parameter', async () => {
      const { server } = fixture;
      const claims = [
        { id_token: { sub: { value: NUL }, acr: { essential: true, values: [NUL] } } },
        { userinfo: { [NUL]: { value: NUL }, sub: { value: NUL } } },
      ].map(value => JSON.stringify(value));
      for (const value of [...claims, JSON.stringify(NUL)]) {
        for (const name of ['claims', 'id_token_hint', 'request', 'login_hint', 'acr_values', 'resource']) {
          const query = new URLSearchParams({
            ...{
              client_id: 'web',
              response_type: 'code',
              redirect_uri: 'https://app.example/callback',
              scope: 'openid',
            },
            [name]: value,
          });
          assertNoFault(await visitor.go(`${server.at()}/auth?${query}`), name);
          const par = await post(`${server.at()}/par`, query.toString(), { auth: basic('web', 'web-secret-1') });
          assertNoFault(par, `par ${name}`);
        }
      }
      for (const id of [NUL, 'AAAA']) {
        const user = Buffer.from(NUL).toString('base64url');
        const response = { userHandle: user, clientDataJSON: user, authenticatorData: user, signature: user };
        const passkey = JSON.stringify({ id, rawId: id, type: 'public-key', response });
        const page = await visitor.go(url('/login'));
        assertNoFault(page, 'login');
        const sent = await post(url('/login'), { action: 'passkey', passkey }, { headers: { origin: server.base } });
        assertNoFault(sent, 'passkey');
      }
    });

    it('in each field of a registration', async () => {
      const fields = [
        'client_name',
        'redirect_uris',
        'scope',
        'logo_uri',
        'client_uri',
        'contacts',
        'jwks',
        'software_id',
      ];
      for (const name of [
        ...fields,
        'software_version',
        'software_statement',
        'token_endpoint_auth_method',
        'grant_types',
      ]) {
        for (const value of [NUL, [NUL], { keys: [{ kty: 'EC', kid: NUL }] }]) {
          const body = JSON.stringify({ redirect_uris: ['https://a.example/'], [name]: value });
          const headers = { 'content-type': 'application/json', ...elsewhere() };
          const answered = await send(`${fixture.server.at()}/register`, { method: 'POST', headers, body });
          assert.equal(answered.status, 400, `${name}: ${answered.status} ${answered.text}`);
        }
      }
    });

    it('nothing of it was a fault of the server', () => {
      const faults =
        fixture.server.logged().match(/.*(?:request\.fault|store\.unavailable|refusals?\.(?:lost|fault)).*/g) ?? [];
      assert.deepEqual(faults.slice(0, 3), []);
    });
  });
}
