/** What a case is, and the parts that cases of several addresses are made of. */
import { randomBytes } from 'node:crypto';
import { ASSERTION_TYPE, aSigningPair, signedBy } from '../../test/build/assertion.ts';
import { CALLBACK } from '../../test/build/fixture.ts';
import { authorizationUrl, formWith, query, Visitor } from '../../test/build/visitor.ts';
import { form, get, type Sent } from './request.ts';
import * as text from './text.ts';

export interface World {
  readonly base: string;
  /** Of the server, in seconds. */
  readonly now: number;
}

/** Made anew for each batch: what it refers to may have expired. */
export type Make = Sent | ((world: World) => Promise<Sent> | Sent);

export interface Endpoint {
  readonly name: string;
  readonly usual: Make;
  readonly dear: Readonly<Record<string, Make>>;
  /** What dominates the cost, and is limited for itself. */
  readonly bounded?: string;
}

export const AT = '/api/v1/authorize/shop/oauth2';
export const ADMIN = '/api/v1/admin';
export const issuer = ({ base }: World) => base + AT;

export const code = (fields: Record<string, string>) =>
  query({ grant_type: 'authorization_code', redirect_uri: CALLBACK, ...fields });
export const auth = (fields: Record<string, string>) =>
  get(`${AT}/auth?${query({ client_id: 'web', response_type: 'code', redirect_uri: CALLBACK, ...fields })}`);
export const word = (fields: Record<string, string>) =>
  query({
    client_id: 'spa',
    redirect_uri: 'https://spa.example/cb',
    response_type: 'code',
    code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    code_challenge_method: 'S256',
    ...fields,
  });

/** On the page of a sign-in that has begun. */
export const step =
  (path: string, fields: string | ((world: World) => string)): Make =>
  async world => {
    const visitor = new Visitor(world.base);
    const page = await visitor.follow(authorizationUrl({ base: world.base, at: () => issuer(world) }));
    const pending = formWith(page, 'password').fields.get('pending') ?? '';
    const cookie = [...visitor.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const rest = typeof fields === 'string' ? fields : fields(world);
    return form(path, `${query({ pending })}&${rest}`, { cookie, origin: world.base });
  };
export const own =
  (path: string, body: string): Make =>
  ({ base }) =>
    form(path, body, { origin: base });

/** Verifying takes as long with the modulus of nobody's key. */
export const rsaJwk = () => {
  const n = randomBytes(1024);
  n[0] = 0xff;
  n[1023] = (n[1023] ?? 0) | 1;
  return { kty: 'RSA', n: n.toString('base64url'), e: '____9w' };
};
export const VERIFIER = 'y'.repeat(43);
export const largeProof: Make = world => {
  const claims = { jti: 'a', htm: 'POST', htu: `${issuer(world)}/token`, iat: world.now };
  const proof = text.aJwt({ typ: 'dpop+jwt', alg: 'PS512', jwk: rsaJwk() }, claims, 8000, 'A'.repeat(1366));
  return form(`${AT}/token`, code({ client_id: 'spa', code: 'x', code_verifier: VERIFIER }), { dpop: proof });
};
export const assertion =
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
export const members = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`m${index}`, index]));

export const metadata = (more: object) => JSON.stringify({ redirect_uris: ['https://rp.example/cb'], ...more });
/** The most that are taken. */
export const MEMBERS = 1990;
export const fewMembers = JSON.stringify(
  Object.fromEntries(Array.from({ length: MEMBERS }, (_, index) => [`member-number-${index}`, 'a'.repeat(8)])),
);
export const manyMembers = JSON.stringify(
  Object.fromEntries(Array.from({ length: 6000 }, (_, index) => [`m${index}`, 1])),
);
export const manyTexts = JSON.stringify(Array(16_000).fill('a'));
export const escapes = JSON.stringify({ a: '\u0001'.repeat(10_000) });

/** Beside those that every request has, to 46 KB. */
export const manyLines: Readonly<Record<string, string>> = {
  '9,000 header lines': 'a:b\r\n'.repeat(9000),
  '3,000 header lines with a name of their own': Array.from({ length: 3000 }, (_, index) => `h${index}: a\r\n`).join(
    '',
  ),
  '3,000 cookie lines': 'cookie: a=%\r\n'.repeat(3000),
};
export const withLines = (sent: Sent): Record<string, Make> =>
  Object.fromEntries(Object.entries(manyLines).map(([name, lines]) => [name, { ...sent, lines }]));

export const manyHeaders: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  '4,000 cookies with broken encoding': { cookie: text.COOKIES },
  'Accept of 40 KB': { accept: text.SEMICOLONS },
  'Accept-Language of 40 KB': { 'accept-language': text.SEMICOLONS },
  'X-Forwarded-For of 40 KB': { 'x-forwarded-for': text.ADDRESSES },
  'If-None-Match of 40 KB': { 'if-none-match': text.TAGS },
  'User-Agent of 40 KB': { 'user-agent': text.LONG_HEADER },
  'Authorization of 40 KB, spaces': { authorization: `Bearer ${text.SPACES}` },
};
export const withHeaders = (sent: Sent): Record<string, Make> =>
  Object.fromEntries(
    Object.entries(manyHeaders).map(([name, headers]) => [name, { ...sent, headers: { ...sent.headers, ...headers } }]),
  );
export const floods = (path: string, headers: Record<string, string> = {}): Record<string, Make> => ({
  '64 KB of %zz&': form(path, text.BROKEN_PAIRS, headers),
  '200 parameters, 64 KB': form(path, text.PAIRS_200, headers),
  '200 parameters with broken encoding': form(path, text.BROKEN_200, headers),
  'one parameter, 64 KB': form(path, `client_id=${text.LONG_ENCODED}`, headers),
  'scope of 9,000 words': form(path, `client_id=web&scope=${text.MISSPELT_WORDS}`, headers),
});
export const WRONG_BASIC = { authorization: `Basic ${Buffer.from('web:wrong').toString('base64')}` };

export async function made(make: Make, world: World): Promise<Sent> {
  return typeof make === 'function' ? make(world) : make;
}
