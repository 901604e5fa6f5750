/** For each address that anybody can reach: an honest request, and the most expensive ones that were thought of. */
import { randomBytes } from 'node:crypto';
import { ASSERTION_TYPE, aSigningPair, signedBy } from '../../test/build/assertion.ts';
import { aProof } from '../../test/build/dpop.ts';
import { CALLBACK } from '../../test/build/fixture.ts';
import { authorizationUrl, formWith, query, Visitor } from '../../test/build/visitor.ts';
import { form, get, json, type Sent } from './request.ts';
import * as text from './text.ts';

export interface World {
  readonly base: string;
  /** Of the server, in seconds. */
  readonly now: number;
}

/** Made anew for each batch: what it refers to may have expired. */
type Make = Sent | ((world: World) => Promise<Sent> | Sent);

export interface Endpoint {
  readonly name: string;
  readonly usual: Make;
  readonly dear: Readonly<Record<string, Make>>;
  /** What dominates the cost, and is limited for itself. */
  readonly bounded?: string;
}

const AT = '/api/v1/authorize/shop/oauth2';
const ADMIN = '/api/v1/admin';
const issuer = ({ base }: World) => base + AT;

const code = (fields: Record<string, string>) =>
  query({ grant_type: 'authorization_code', redirect_uri: CALLBACK, ...fields });
const auth = (fields: Record<string, string>) =>
  get(`${AT}/auth?${query({ client_id: 'web', response_type: 'code', redirect_uri: CALLBACK, ...fields })}`);
const word = (fields: Record<string, string>) =>
  query({
    client_id: 'spa',
    redirect_uri: 'https://spa.example/cb',
    response_type: 'code',
    code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    code_challenge_method: 'S256',
    ...fields,
  });

/** On the page of a sign-in that has begun. */
const step =
  (path: string, fields: string | ((world: World) => string)): Make =>
  async world => {
    const visitor = new Visitor(world.base);
    const page = await visitor.follow(authorizationUrl({ base: world.base, at: () => issuer(world) }));
    const pending = formWith(page, 'password').fields.get('pending') ?? '';
    const cookie = [...visitor.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const rest = typeof fields === 'string' ? fields : fields(world);
    return form(path, `${query({ pending })}&${rest}`, { cookie, origin: world.base });
  };
const own =
  (path: string, body: string): Make =>
  ({ base }) =>
    form(path, body, { origin: base });

/** Verifying takes as long with the modulus of nobody's key. */
const rsaJwk = () => {
  const n = randomBytes(1024);
  n[0] = 0xff;
  n[1023] = (n[1023] ?? 0) | 1;
  return { kty: 'RSA', n: n.toString('base64url'), e: '____9w' };
};
const VERIFIER = 'y'.repeat(43);
const largeProof: Make = world => {
  const claims = { jti: 'a', htm: 'POST', htu: `${issuer(world)}/token`, iat: world.now };
  const proof = text.aJwt({ typ: 'dpop+jwt', alg: 'PS512', jwk: rsaJwk() }, claims, 8000, 'A'.repeat(1366));
  return form(`${AT}/token`, code({ client_id: 'spa', code: 'x', code_verifier: VERIFIER }), { dpop: proof });
};
const assertion =
  (more: Record<string, unknown>): Make =>
  world => {
    const signed = signedBy(aSigningPair('RS256', 'stranger'), {
      clientId: 'jwt',
      audience: issuer(world),
      now: world.now,
      header: { kid: 'kid-RS256' },
      claims: more,
    });
    return form(`${AT}/token`, code({ code: 'x', client_assertion_type: ASSERTION_TYPE, client_assertion: signed }));
  };
const members = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`m${index}`, index]));

const metadata = (more: object) => JSON.stringify({ redirect_uris: ['https://rp.example/cb'], ...more });
/** The most that are taken. */
const MEMBERS = 1990;
const fewMembers = JSON.stringify(
  Object.fromEntries(Array.from({ length: MEMBERS }, (_, index) => [`member-number-${index}`, 'a'.repeat(8)])),
);
const manyMembers = JSON.stringify(Object.fromEntries(Array.from({ length: 6000 }, (_, index) => [`m${index}`, 1])));
const manyTexts = JSON.stringify(Array(16_000).fill('a'));
const escapes = JSON.stringify({ a: '\u0001'.repeat(10_000) });

/** Beside those that every request has, to 46 KB. */
const manyLines: Readonly<Record<string, string>> = {
  '9,000 header lines': 'a:b\r\n'.repeat(9000),
  '3,000 header lines with a name of their own': Array.from({ length: 3000 }, (_, index) => `h${index}: a\r\n`).join(
    '',
  ),
  '3,000 cookie lines': 'cookie: a=%\r\n'.repeat(3000),
};
const withLines = (sent: Sent): Record<string, Make> =>
  Object.fromEntries(Object.entries(manyLines).map(([name, lines]) => [name, { ...sent, lines }]));

const manyHeaders: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  '4,000 cookies with broken encoding': { cookie: text.COOKIES },
  'Accept of 40 KB': { accept: text.SEMICOLONS },
  'Accept-Language of 40 KB': { 'accept-language': text.SEMICOLONS },
  'X-Forwarded-For of 40 KB': { 'x-forwarded-for': text.ADDRESSES },
  'If-None-Match of 40 KB': { 'if-none-match': text.TAGS },
  'User-Agent of 40 KB': { 'user-agent': text.LONG_HEADER },
  'Authorization of 40 KB, spaces': { authorization: `Bearer ${text.SPACES}` },
};
const withHeaders = (sent: Sent): Record<string, Make> =>
  Object.fromEntries(
    Object.entries(manyHeaders).map(([name, headers]) => [name, { ...sent, headers: { ...sent.headers, ...headers } }]),
  );
const floods = (path: string, headers: Record<string, string> = {}): Record<string, Make> => ({
  '64 KB of %zz&': form(path, text.BROKEN_PAIRS, headers),
  '200 parameters, 64 KB': form(path, text.PAIRS_200, headers),
  '200 parameters with broken encoding': form(path, text.BROKEN_200, headers),
  'one parameter, 64 KB': form(path, `client_id=${text.LONG_ENCODED}`, headers),
  'scope of 9,000 words': form(path, `client_id=web&scope=${text.MISSPELT_WORDS}`, headers),
});
const WRONG_BASIC = { authorization: `Basic ${Buffer.from('web:wrong').toString('base64')}` };

const protocol: readonly Endpoint[] = [
  {
    name: '/auth',
    usual: auth({ state: 's' }),
    dear: {
      '15 KB of %zz&': get(`${AT}/auth?${text.BROKEN_PAIRS.slice(0, 15_000)}`),
      '200 parameters, 15 KB': get(`${AT}/auth?${text.BROKEN_200.slice(0, 15_000)}`),
      '64 KB of %zz& by POST': form(`${AT}/auth`, text.BROKEN_PAIRS),
      'client_id of 15 KB': auth({ client_id: '<'.repeat(5000) }),
      'state of 15 KB': auth({ state: 's'.repeat(15_000) }),
      'scope of 2,000 words': get(`${auth({}).path}&scope=${text.MISSPELT_WORDS.slice(0, 14_000)}`),
      '190 times resource': get(
        `${auth({}).path}&${Array(190)
          .fill(`resource=https://api.example/${'a'.repeat(40)}`)
          .join('&')}`,
      ),
      'claims of 4 KB': auth({ scope: 'openid', claims: JSON.stringify({ userinfo: members }).slice(0, 4000) }),
      'claims, nested': auth({ claims: `{"userinfo":${text.NESTED_JSON.slice(0, 2000)}${']'.repeat(2000)}}` }),
      'ui_locales of 15 KB': auth({ ui_locales: 'xx '.repeat(4000) }),
      'redirect_uri of 15 KB': auth({ redirect_uri: `http://127.0.0.1:1/${'a/../'.repeat(2900)}` }),
      'request object of 15 KB': auth({ request: text.aJwt({ alg: 'none' }, {}, 14_000, '') }),
      'id_token_hint of 15 KB, dots': auth({ id_token_hint: text.DOTS.slice(0, 15_000) }),
      'id_token_hint of 15 KB, JSON': auth({ id_token_hint: text.aJwt({ alg: 'ES256', typ: 'JWT' }, {}, 15_000) }),
      'acr_values of 15 KB': auth({ acr_values: 'a '.repeat(7000) }),
      'prompt of 15 KB': auth({ prompt: 'login '.repeat(2400) }),
      ...withHeaders(auth({})),
    },
  },
  {
    name: '/token',
    usual: form(`${AT}/token`, code({ client_id: 'spa', code: 'x', code_verifier: 'y'.repeat(43) })),
    dear: {
      ...floods(`${AT}/token`),
      'code of 64 KB': form(`${AT}/token`, code({ client_id: 'spa', code: 'x'.repeat(60_000) })),
      'code_verifier of 64 KB': form(
        `${AT}/token`,
        code({ client_id: 'spa', code: 'x', code_verifier: 'y'.repeat(60_000) }),
      ),
      'redirect_uri of 64 KB': form(
        `${AT}/token`,
        code({ client_id: 'spa', code: 'x', redirect_uri: `https://a/${'a/../'.repeat(12_000)}` }),
      ),
      'refresh_token of 64 KB': form(
        `${AT}/token`,
        query({ grant_type: 'refresh_token', client_id: 'spa', refresh_token: 'x'.repeat(60_000) }),
      ),
      'device_code of 64 KB': form(
        `${AT}/token`,
        query({
          grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
          client_id: 'spa',
          device_code: 'x'.repeat(60_000),
        }),
      ),
      'client_secret of 64 KB': form(
        `${AT}/token`,
        query({ grant_type: 'refresh_token', client_id: 'web', client_secret: 'x'.repeat(60_000) }),
      ),
      'Basic of 40 KB, percent-encoded': form(`${AT}/token`, 'grant_type=x', {
        authorization: `Basic ${Buffer.from(`${text.PERCENTS.slice(0, 28_000)}:x`).toString('base64')}`,
      }),
      'assertion of 64 KB, dots': form(
        `${AT}/token`,
        query({ client_assertion_type: ASSERTION_TYPE, client_assertion: text.DOTS.slice(0, 60_000) }),
      ),
      'assertion of 64 KB, JSON': form(
        `${AT}/token`,
        query({
          client_assertion_type: ASSERTION_TYPE,
          client_assertion: text.aJwt({ alg: 'RS256' }, { sub: 'jwt' }, 60_000),
        }),
      ),
      'assertion of 8 KB, wrong audience': form(
        `${AT}/token`,
        query({
          client_assertion_type: ASSERTION_TYPE,
          client_assertion: text.aJwt({ alg: 'RS256' }, { sub: 'jwt', iss: 'jwt' }, 8000),
        }),
      ),
      'PBES2 key wrapping': form(
        `${AT}/token`,
        query({
          client_assertion_type: ASSERTION_TYPE,
          client_assertion: text.aJwt({ alg: 'PBES2-HS512+A256KW', p2c: 2 ** 31 }, { sub: 'jwt' }, 4000),
        }),
      ),
      'subject_token of 64 KB': form(
        `${AT}/token`,
        query({
          grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
          client_id: 'spa',
          subject_token: text.aJwt({ alg: 'ES256' }, {}, 50_000),
        }),
      ),
      'DPoP of 40 KB': form(`${AT}/token`, code({ client_id: 'spa', code: 'x' }), {
        dpop: text.aJwt({ typ: 'dpop+jwt', alg: 'ES256' }, {}, 38_000),
      }),
      ...withHeaders(form(`${AT}/token`, code({ client_id: 'spa', code: 'x' }))),
    },
  },
  {
    name: '/token, wrong client assertion',
    usual: form(`${AT}/token`, code({ client_id: 'spa', code: 'x' })),
    dear: { 'signed with another key': assertion({}), 'the same with 500 claims': assertion(members) },
    bounded: 'signature',
  },
  {
    name: '/token, DPoP proof',
    usual: world =>
      form(`${AT}/token`, code({ client_id: 'spa', code: 'x', code_verifier: VERIFIER }), {
        dpop: aProof(aSigningPair('ES256'), 'POST', `${issuer(world)}/token`, { now: world.now }),
      }),
    dear: { 'key of 8192 bits, exponent of 32': largeProof },
    bounded: 'signature',
  },
  {
    name: 'a body in chunks of one byte',
    usual: { ...form(`${AT}/token`, code({ client_id: 'spa', code: 'x' })), isByteByByte: true },
    dear: { '64 KB of them': { ...form(`${AT}/token`, 'a'.repeat(64_000)), isByteByByte: true } },
    bounded: 'parser of Node.js',
  },
  {
    name: '/par',
    usual: form(`${AT}/par`, word({})),
    dear: {
      ...floods(`${AT}/par`),
      '190 parameters, 4 KB': form(`${AT}/par`, `${word({})}&${Array(190).fill('resource=https://a').join('&')}`),
      'request of 64 KB': form(`${AT}/par`, word({ state: 's'.repeat(60_000) })),
    },
  },
  {
    name: '/device_authorization',
    usual: form(`${AT}/device_authorization`, 'client_id=spa'),
    dear: floods(`${AT}/device_authorization`),
  },
  {
    name: '/introspect',
    usual: form(`${AT}/introspect`, 'token=x', WRONG_BASIC),
    dear: {
      ...floods(`${AT}/introspect`),
      ...floods(`${AT}/introspect?${text.BROKEN_200.slice(0, 30_000)}`),
      'bearer token of 40 KB, JSON': form(`${AT}/introspect`, 'token=x', {
        authorization: `Bearer ${text.aJwt({ alg: 'ES256', typ: 'at+jwt' }, {}, 38_000)}`,
      }),
    },
  },
  {
    name: '/revoke',
    usual: form(`${AT}/revoke`, 'client_id=spa&token=x'),
    dear: {
      ...floods(`${AT}/revoke`),
      'token of 64 KB, JSON': form(
        `${AT}/revoke`,
        query({ client_id: 'spa', token: text.aJwt({ alg: 'ES256', typ: 'at+jwt' }, {}, 60_000) }),
      ),
      'token of 64 KB, dots': form(`${AT}/revoke`, query({ client_id: 'spa', token: text.DOTS.slice(0, 60_000) })),
    },
  },
  {
    name: '/userinfo',
    usual: get(`${AT}/userinfo`, { authorization: 'Bearer x' }),
    dear: {
      ...floods(`${AT}/userinfo`),
      'access_token of 64 KB, JSON': form(
        `${AT}/userinfo`,
        query({ access_token: text.aJwt({ alg: 'ES256', typ: 'at+jwt' }, {}, 60_000) }),
      ),
      'bearer token of 40 KB, JSON': get(`${AT}/userinfo`, {
        authorization: `Bearer ${text.aJwt({ alg: 'ES256', typ: 'at+jwt' }, {}, 38_000)}`,
      }),
      'DPoP of 40 KB': get(`${AT}/userinfo`, {
        authorization: 'DPoP x',
        dpop: text.aJwt({ typ: 'dpop+jwt', alg: 'ES256' }, {}, 38_000),
      }),
      ...withHeaders(get(`${AT}/userinfo`)),
    },
  },
  {
    name: '/logout of an application',
    usual: get(`${AT}/logout`),
    dear: {
      ...floods(`${AT}/logout`),
      'id_token_hint of 64 KB, JSON': form(
        `${AT}/logout`,
        query({ id_token_hint: text.aJwt({ alg: 'ES256', typ: 'JWT' }, {}, 60_000) }),
      ),
      'id_token_hint of 64 KB, dots': form(`${AT}/logout`, query({ id_token_hint: text.DOTS.slice(0, 60_000) })),
      'state of 60 KB': form(`${AT}/logout`, `state=${'你'.repeat(20_000)}`),
    },
  },
  {
    name: '/register',
    usual: json(`${AT}/register`, metadata({})),
    dear: {
      'JSON of 32,000 levels': json(`${AT}/register`, text.NESTED_JSON),
      'JSON of 6,000 members': json(`${AT}/register`, manyMembers),
      'JSON of 1,990 members': json(`${AT}/register`, fewMembers),
      'JSON of 16,000 texts': json(`${AT}/register`, manyTexts),
      'JSON of 10,000 escapes': json(`${AT}/register`, escapes),
      'no JSON': json(`${AT}/register`, '"'.repeat(60_001)),
      '30 addresses of 2 KB': json(
        `${AT}/register`,
        metadata({
          redirect_uris: Array.from({ length: 30 }, (_, index) => `https://rp.example/${index}${'a/../'.repeat(390)}`),
        }),
      ),
      'grant_types of 12,000': json(`${AT}/register`, metadata({ grant_types: Array(12_000).fill('x') })),
      'default_acr_values of 12,000': json(`${AT}/register`, metadata({ default_acr_values: Array(12_000).fill('x') })),
      'jwks of 160 keys': json(
        `${AT}/register`,
        metadata({
          token_endpoint_auth_method: 'private_key_jwt',
          jwks: {
            keys: Array.from({ length: 160 }, (_, index) => ({
              kty: 'RSA',
              n: 'A'.repeat(342),
              e: 'AQAB',
              kid: `k${index}`,
            })),
          },
        }),
      ),
      'jwks of 9,000 wrong keys': json(
        `${AT}/register`,
        metadata({ token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: Array(9000).fill({}) } }),
      ),
      'scope of 9,000 words': json(`${AT}/register`, metadata({ scope: 'opemid '.repeat(8000) })),
      'client_name of 60 KB': json(`${AT}/register`, metadata({ client_name: text.MARKS.slice(0, 29_000) })),
      'software_statement of 60 KB': json(
        `${AT}/register`,
        metadata({ software_statement: text.DOTS.slice(0, 60_000) }),
      ),
    },
  },
  {
    name: '/register/{client_id}',
    usual: get(`${AT}/register/x`, { authorization: 'Bearer x' }),
    dear: {
      'PUT of 6,000 members': {
        ...json(`${AT}/register/x`, manyMembers, { authorization: 'Bearer x' }),
        method: 'PUT',
      },
    },
  },
];

const people: readonly Endpoint[] = [
  {
    name: '/login',
    usual: get('/login'),
    dear: {
      ...floods('/login'),
      ...withHeaders(get('/login')),
      'pending of 64 KB': own('/login', `pending=${'A'.repeat(60_000)}`),
      'passkey of 60 KB': step('/login', `action=passkey&passkey=${encodeURIComponent(manyMembers).slice(0, 50_000)}`),
    },
  },
  {
    name: '/login, wrong password',
    usual: step('/login', ({ now }) => `username=nobody-${now}&password=wrong`),
    dear: {
      'password of 30 KB of combining characters': step(
        '/login',
        ({ now }) => `username=somebody-${now}&password=${text.MARKS.slice(0, 14_000)}`,
      ),
    },
    bounded: 'password hash',
  },
  {
    name: '/signup',
    usual: step('/signup', 'email=wrong'),
    dear: {
      'e-mail of 60 KB of combining characters': step('/signup', `email=${text.MARKS}`),
      'user name of 60 KB of combining characters': step('/signup', `email=a%40example.com&username=${text.MARKS}`),
      'password of 60 KB of combining characters': step('/signup', `email=a%40example.com&password=${text.MARKS}`),
      'e-mail of 60 KB': step('/signup', `email=${'a'.repeat(30_000)}@${'a.'.repeat(14_000)}`),
    },
  },
  ...['/login/totp', '/login/recovery', '/login/verify-email', '/login/new-password', '/consent'].map(path => ({
    name: path,
    usual: step(path, 'code=1'),
    dear: {
      '60 KB of combining characters': step(
        path,
        `code=${text.MARKS.slice(0, 20_000)}&password=${text.MARKS.slice(0, 9000)}&email=a`,
      ),
    },
  })),
  {
    name: '/forgot-password',
    usual: own('/forgot-password', 'username=a'),
    dear: {
      ...floods('/forgot-password'),
      '64 KB of combining characters': own('/forgot-password', `username=${text.MARKS}`),
      'pending of 60 KB': own('/forgot-password', `username=a&pending=${'A'.repeat(60_000)}`),
    },
  },
  {
    name: '/reset-password',
    usual: get('/reset-password?token=x'),
    dear: {
      'token of 40 KB': get(`/reset-password?token=${text.LONG_HEADER}`),
      'password of 60 KB of combining characters': own('/reset-password', `token=x&password=${text.MARKS}`),
    },
  },
  {
    name: '/device',
    usual: get('/device'),
    dear: {
      'user_code of 60 KB': own('/device', `user_code=${text.MARKS}`),
      'user_code of 40 KB': get(`/device?user_code=${text.PERCENTS}`),
    },
  },
  ...['/confirm-email', '/undo-email'].map(path => ({
    name: path,
    usual: get(`${path}?token=x`),
    dear: {
      'token of 40 KB': get(`${path}?token=${text.LONG_HEADER}`),
      '60 KB of combining characters': own(
        path,
        `token=x&username=${text.MARKS.slice(0, 14_000)}&password=${text.MARKS.slice(0, 14_000)}`,
      ),
    },
  })),
  {
    name: '/logout',
    usual: get('/logout'),
    dear: { 'pending of 40 KB': get(`/logout?pending=${text.LONG_HEADER}`), ...withHeaders(get('/logout')) },
  },
  { name: '/account', usual: get('/account'), dear: { ...floods('/account'), ...withHeaders(get('/account')) } },
  {
    name: '/console',
    usual: get('/console'),
    dear: {
      'form of 64 KB': own('/console/users/new', text.PAIRS_200),
      'form of 15 KB': own('/console/users/new', 'a='.concat('b'.repeat(15_000))),
      'query of 40 KB': get(`/console/users?q=${text.PERCENTS}`),
      ...withHeaders(get('/console')),
    },
  },
  {
    name: '/first-owner',
    usual: get('/first-owner?token=x'),
    dear: {
      '60 KB of combining characters': own(
        '/first-owner',
        `token=x&username=${text.MARKS.slice(0, 14_000)}&password=${text.MARKS.slice(0, 14_000)}`,
      ),
    },
  },
  { name: '/readyz', usual: get('/readyz'), dear: { '/metrics': get('/metrics'), '/healthz': get('/healthz') } },
  { name: '/', usual: get('/'), dear: withHeaders(get('/')) },
];

const documents: readonly Endpoint[] = [
  {
    name: 'discovery',
    usual: get(`${AT}/.well-known/openid-configuration`),
    dear: withHeaders(get(`${AT}/.well-known/openid-configuration`)),
  },
  { name: '/jwks', usual: get(`${AT}/jwks`), dear: withHeaders(get(`${AT}/jwks`)) },
  { name: 'openapi.json', usual: get(`${ADMIN}/openapi.json`), dear: withHeaders(get(`${ADMIN}/openapi.json`)) },
  { name: '/docs/api', usual: get('/docs/api'), dear: withHeaders(get('/docs/api')) },
  { name: '/docs/errors', usual: get('/docs/errors'), dear: { 'one of them': get('/docs/errors/invalid_request') } },
  {
    name: '/assets',
    usual: get('/favicon.ico'),
    dear: {
      'stylesheet of an accent': get('/assets/accent-123456.000000000000.css'),
      'name of 40 KB': get(`/assets/${text.PERCENTS}`),
    },
  },
  { name: 'logo', usual: get(`${AT}/logo/x`), dear: { 'name of 40 KB': get(`${AT}/logo/${text.PERCENTS}`) } },
  {
    name: 'admin API, wrong key',
    usual: get(`${ADMIN}/users`, { authorization: 'Bearer x' }),
    dear: {
      'JSON of 6,000 members': json(`${ADMIN}/users`, manyMembers, { authorization: 'Bearer gak_x' }),
      'JSON of 1,990 members': json(`${ADMIN}/users`, fewMembers),
      'JSON of 16,000 texts': json(`${ADMIN}/users`, manyTexts),
      'JSON of 32,000 levels': json(`${ADMIN}/users`, text.NESTED_JSON),
      'access token of 40 KB': get(`${ADMIN}/users`, {
        authorization: `Bearer ${text.aJwt({ alg: 'ES256', typ: 'at+jwt' }, {}, 38_000)}`,
      }),
      'query of 40 KB': get(`${ADMIN}/users?${text.BROKEN_200.slice(0, 40_000)}`),
    },
  },
  {
    name: 'not found',
    usual: get('/nothing'),
    dear: {
      '20,000 segments': get(text.SLASHES),
      'path of 40 KB, encoded': get(`/${text.PERCENTS}`),
      'query of 40 KB of %zz&': get(`/nothing?${text.BROKEN_PAIRS.slice(0, 40_000)}`),
      '200 parameters, 40 KB': get(`/nothing?${text.BROKEN_200.slice(0, 40_000)}`),
      'unknown application, 40 KB': get(`/api/v1/authorize/${text.LONG_HEADER}/oauth2/auth`),
      'client of 40 KB': get(`${AT}/register/${text.PERCENTS}`),
      ...withHeaders(get('/nothing')),
      ...withLines(get('/nothing')),
    },
  },
  {
    name: 'OPTIONS',
    usual: { method: 'OPTIONS', path: `${AT}/token` },
    dear: {
      'Origin of 40 KB': { method: 'OPTIONS', path: `${AT}/token`, headers: { origin: `https://${text.LONG_HEADER}` } },
    },
  },
];

export const endpoints: readonly Endpoint[] = [...protocol, ...people, ...documents];

export async function made(make: Make, world: World): Promise<Sent> {
  return typeof make === 'function' ? make(world) : make;
}
