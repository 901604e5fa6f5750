import { DEVICE_GRANT } from '../../../../src/oauth/device/rules.ts';
import { ASSERTION_TYPE } from '../../../build/assertion.ts';
import type { Pool } from './pool.ts';
import type { Dice } from './random.ts';
import type { Draft } from './requests.ts';
import { HUSH, MARKER, type Pairs } from './values.ts';

/** Endpoints and credentials of the modern protocol: devices, registrations, client assertions, DPoP proofs. */

/** In place of the Authorization header, or beside it. An assertion counts once, so most are refused later than the first checks. */
export function assertionPairs(dice: Dice, { assertions }: Pool): Pairs {
  return [
    ['client_assertion_type', encodeURIComponent(ASSERTION_TYPE)],
    ['client_assertion', dice.chance(70) ? dice.pick(assertions) : oddJwt(dice, dice.pick(assertions))],
  ];
}

export function oddProof(dice: Dice, { proofs }: Pool): string {
  return dice.chance(50) ? dice.pick(proofs) : oddJwt(dice, dice.pick(proofs));
}

/** A JWT of which one part is another, or none at all. */
function oddJwt(dice: Dice, jwt: string): string {
  const [header = '', payload = '', signature = ''] = jwt.split('.');
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  return dice.pick([
    '',
    '.',
    '..',
    `${HUSH}jwt`,
    `${header}.${payload}`,
    `${header}.${payload}.`,
    `${header}.${payload}.${signature}.${signature}`,
    `${header}.${payload}.${signature.toLowerCase()}`,
    `${header}.${part({ jti: `${HUSH}${'x'.repeat(3000)}`, iat: 1e308, exp: -1, aud: [[]], htm: {}, htu: null })}.${signature}`,
    `${header}.${part(null)}.${signature}`,
    `${header}.${part([])}.${signature}`,
    `${part({ alg: 'none' })}.${payload}.`,
    `${part({ alg: 'HS256', typ: 'dpop+jwt', jwk: { kty: 'oct', k: HUSH } })}.${payload}.${signature}`,
    `${part({ alg: 'ES256', typ: 'dpop+jwt', jwk: { kty: 'EC', crv: 'P-256', x: MARKER, y: null } })}.${payload}.${signature}`,
    `${part({ alg: 'ES256', typ: 'dpop+jwt', jwk: { __proto__: [], kty: 'RSA', n: '', e: 'AQAB' } })}.${payload}.${signature}`,
    `${part({ alg: MARKER, kid: '../../etc/passwd', crit: ['b64'], b64: false })}.${payload}.${signature}`,
    `!!!.${HUSH}.%%%`,
    `${HUSH}${'x'.repeat(20_000)}.y.z`,
  ]);
}

export function deviceTokenPairs(dice: Dice, { deviceCodes }: Pool): Pairs {
  return [
    ['grant_type', encodeURIComponent(DEVICE_GRANT)],
    ['device_code', dice.pick([...deviceCodes, `gdc_${HUSH}code`])],
    ['client_id', dice.pick(['tv', 'tv', 'web'])],
  ];
}

export function deviceRequestPairs(dice: Dice): Pairs {
  const pairs: Pairs = [['client_id', dice.pick(['tv', 'tv', 'web', 'nobody'])]];
  if (dice.chance(60)) pairs.push(['scope', 'openid%20profile']);
  if (dice.chance(20)) pairs.push(['resource', encodeURIComponent('https://api.shop.example')]);
  return pairs;
}

/** The form of the code, or that of the answer. */
export function devicePairs(dice: Dice, { userCodes, pendings }: Pool): Pairs {
  if (dice.chance(70)) return [['user_code', dice.pick([...userCodes, 'BCDF-GHJK', encodeURIComponent(MARKER)])]];
  return [
    ['pending', dice.pick(pendings)],
    ['action', dice.pick(['allow', 'deny', 'another'])],
    ['sub', 'x'],
    ['scope', 'openid'],
  ];
}

/** Of a new client, or of one at its own address with its own token (RFC 7592). */
export function registration(dice: Dice, pool: Pool, at: (name: string) => string): Draft {
  const headers: Pairs = [['Content-Type', 'application/json']];
  const draft: Draft = { route: 'register', method: 'POST', target: at('register'), headers, body: metadata(dice) };
  if (dice.chance(60)) return draft;
  const own = dice.pick(pool.registrations);
  const token = dice.pick([own.token, own.token, dice.pick(pool.registrations).token, `gra_${HUSH}token`]);
  headers.push(['Authorization', `Bearer ${token}`]);
  const body = metadata(dice, { client_id: own.clientId });
  const target = at(`register/${dice.pick([own.clientId, own.clientId, own.clientId, 'web', '%00', '..'])}`);
  const method = dice.pick(['GET', 'GET', 'PUT', 'PUT', 'DELETE']);
  return { ...draft, target, method, headers, body: method === 'PUT' ? body : undefined };
}

const ODD_JSON: readonly unknown[] = [
  null,
  true,
  -1,
  1e308,
  '',
  MARKER,
  'x'.repeat(5000),
  [],
  [[]],
  [null],
  {},
  { toString: 1 },
  ['https://client.example/cb', 7],
  [`javascript:alert(${MARKER})`],
  ['https://client.example/cb#fragment'],
];

function metadata(dice: Dice, own: Record<string, unknown> = {}): string {
  const fields: Record<string, unknown> = {
    ...own,
    client_name: dice.pick(['Assistant', MARKER, 'A\u0000B', '\u202eevil']),
    redirect_uris: ['https://assistant.example/cb'],
    token_endpoint_auth_method: dice.pick(['none', 'client_secret_basic', 'client_secret_jwt', 'private_key_jwt']),
    grant_types: dice.pick([['authorization_code'], ['authorization_code', 'refresh_token'], [DEVICE_GRANT]]),
    scope: dice.pick(['openid', 'openid profile', 'openid admin:write']),
  };
  if (dice.chance(20)) fields.jwks = dice.pick([{ keys: [] }, { keys: [{ kty: 'oct', k: HUSH }] }, { keys: 'x' }]);
  if (dice.chance(10)) fields.jwks_uri = dice.pick(['https://127.0.0.1:1/keys', 'file:///etc/passwd', 'x']);
  if (dice.chance(10)) fields.software_statement = oddJwt(dice, 'a.b.c');
  for (let changes = dice.chance(30) ? 0 : dice.below(4); changes > 0; changes--) {
    fields[dice.pick([...Object.keys(fields), 'logo_uri', 'contacts', 'constructor'])] = dice.pick(ODD_JSON);
  }
  if (dice.chance(90)) return Buffer.from(JSON.stringify(fields)).toString('latin1');
  return dice.pick(['', '{', '[]', 'null', '"x"', '{"__proto__":{"client_id":"web"}}', '\xff', '['.repeat(20_000)]);
}
