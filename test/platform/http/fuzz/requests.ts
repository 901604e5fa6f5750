import { TOKEN_EXCHANGE } from '../../../../src/oauth/token-exchange/rules.ts';
import { changed } from './headers.ts';
import { hostileRequest } from './hostile.ts';
import { assertionPairs, devicePairs, deviceRequestPairs, deviceTokenPairs, registration } from './modern.ts';
import type { Pool } from './pool.ts';
import { type Dice, diceFor } from './random.ts';
import { disturb, HUSH, joined, MARKER, manyParameters, marked, type Pairs, value } from './values.ts';
import type { Wire } from './wire.ts';

/** What a request is made of before it becomes bytes; texts are Latin-1. */
export interface Draft {
  route: string;
  method: string;
  target: string;
  headers: Pairs;
  body: string | undefined;
  hostile?: boolean;
}

const FORM: [string, string] = ['Content-Type', 'application/x-www-form-urlencoded'];
const ODD_APPS = ['nowhere', 'SHOP', 'sh%6Fp', '..', '%2e%2e', '__proto__', 'x'.repeat(900)];
const JSON_ROUTES = [
  ...['token', 'introspect', 'userinfo', 'revoke', 'par', 'device_authorization', 'register'],
  ...['jwks', '.well-known/openid-configuration'],
];

export function isJsonRoute(route: string): boolean {
  return JSON_ROUTES.includes(route);
}

export function request(pool: Pool, seed: number, index: number): Wire {
  const dice = diceFor(seed, index);
  const draft = dice.chance(5) ? hostileRequest(dice, pool) : changed(dice, pool, good(dice, pool));
  return {
    index,
    route: draft.route,
    method: draft.method,
    hostile: draft.hostile ?? false,
    bytes: toBytes(draft, pool),
  };
}

function toBytes({ method, target, headers, body }: Draft, { origin }: Pool): Buffer {
  const lines = [`${method} ${target} HTTP/1.1`];
  const has = (name: string) => headers.some(([present]) => present.toLowerCase() === name);
  if (!has('host')) lines.push(`Host: ${origin.slice('http://'.length)}`);
  for (const [name, text] of headers) lines.push(`${name}: ${text}`);
  if (body !== undefined && !has('content-length') && !has('transfer-encoding')) {
    lines.push(`Content-Length: ${body.length}`);
  }
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n${body ?? ''}`, 'latin1');
}

/** A request that could succeed, most of the time. */
function good(dice: Dice, pool: Pool): Draft {
  const app = dice.chance(10) ? dice.pick(ODD_APPS) : dice.pick(['shop', 'shop', 'shop', 'shop', 'strict', 'demo']);
  const at = (name: string) => `/api/v1/authorize/${app}/oauth2/${name}`;
  const authorization = dice.pick(pool.basics);
  const post = (route: string, target: string, pairs: Pairs, headers: Pairs): Draft => {
    const body = shape(dice, pairs, 'body');
    return { route, method: 'POST', target, headers: [FORM, ...headers], body };
  };
  switch (dice.below(20)) {
    case 0:
    case 1:
    case 2: {
      const query = shape(dice, authPairs(dice, pool), 'query');
      const target = dice.chance(3)
        ? `${at('auth')}?gatehouse_pending=${dice.pick(pool.pendings)}`
        : `${at('auth')}?${query}`;
      return { route: 'auth', method: 'GET', target, headers: cookies(dice, pool), body: undefined };
    }
    case 3:
      return post('auth', at('auth'), authPairs(dice, pool), cookies(dice, pool));
    case 4:
    case 5:
    case 6: {
      const [pairs, headers] = credentials(dice, pool);
      const asked: Pairs = pairs.length > 0 ? [['grant_type', 'client_credentials']] : tokenPairs(dice, pool);
      return post('token', at('token'), [...asked, ...pairs], headers);
    }
    case 7: {
      const pairs: Pairs = [
        ['token', dice.pick([...pool.accessTokens, ...pool.refreshTokens, pool.idToken, ...pool.codes])],
        ['token_type_hint', dice.pick(['access_token', 'refresh_token'])],
      ];
      if (dice.chance(70)) return post('introspect', at('introspect'), pairs, [['Authorization', authorization]]);
      const target = `${at('introspect')}?${shape(dice, pairs, 'query')}`;
      return { route: 'introspect', method: 'POST', target, headers: [['Authorization', authorization]], body: '' };
    }
    case 8: {
      const bearer: Pairs = [['Authorization', `Bearer ${dice.pick(pool.accessTokens)}`]];
      if (dice.chance(30))
        return post('userinfo', at('userinfo'), [['access_token', dice.pick(pool.accessTokens)]], []);
      return { route: 'userinfo', method: 'GET', target: at('userinfo'), headers: bearer, body: undefined };
    }
    case 9:
      return post('revoke', at('revoke'), [['token', `gat_${HUSH}gone`]], [['Authorization', authorization]]);
    case 10:
      return { route: 'jwks', method: 'GET', target: at('jwks'), headers: [], body: undefined };
    case 11: {
      const route = '.well-known/openid-configuration';
      const inserted = `/.well-known/${dice.pick(['oauth-authorization-server', 'openid-configuration'])}`;
      const target = dice.chance(40) ? at(route) : `${inserted}/api/v1/authorize/${app}/oauth2`;
      return { route, method: 'GET', target, headers: [], body: undefined };
    }
    case 12: {
      const target = `/login?${shape(dice, [['pending', dice.pick(pool.pendings)]], 'query')}`;
      return { route: 'login', method: 'GET', target, headers: cookies(dice, pool), body: undefined };
    }
    case 13:
      return post('login', '/login', loginPairs(dice, pool), [...cookies(dice, pool), ['Origin', pool.origin]]);
    case 14: {
      const query = shape(
        dice,
        [
          ['code', 'gac_x'],
          ['state', 'x'],
          ['error', 'x'],
          ['access_token', 'x'],
        ],
        'query',
      );
      return { route: 'demo', method: 'GET', target: `/demo/callback?${query}`, headers: [], body: undefined };
    }
    case 15: {
      // Mostly without client_id, which comes first: the credentials name the client.
      const [pairs, headers] = credentials(dice, pool);
      return post('par', at('par'), [...authPairs(dice, pool).slice(dice.chance(80) ? 1 : 0), ...pairs], headers);
    }
    case 16:
      return post('device_authorization', at('device_authorization'), deviceRequestPairs(dice), []);
    case 17: {
      const headers: Pairs = [...cookies(dice, pool), ['Origin', pool.origin]];
      if (dice.chance(70)) return post('device', '/device', devicePairs(dice, pool), headers);
      const target = `/device?${shape(dice, [[dice.pick(['user_code', 'gatehouse_pending']), dice.pick(pool.userCodes)]], 'query')}`;
      return { route: 'device', method: 'GET', target, headers, body: undefined };
    }
    case 18:
      return registration(dice, pool, at);
    default:
      return { route: 'other', method: 'GET', target: dice.pick(ODD_PATHS), headers: [], body: undefined };
  }
}

const ODD_PATHS = [
  '/',
  '*',
  '//',
  '//evil.example/login',
  '/docs/errors',
  '/docs/errors/invalid_request',
  '/docs/errors/__proto__',
  '/docs/errors/../login',
  `/docs/errors/${encodeURIComponent(MARKER)}`,
  `/docs/errors/${MARKER.replaceAll('"', '%22')}`,
  '/assets/',
  '/assets/../src/main.ts',
  '/assets/%2e%2e/%2e%2e/etc/passwd',
  '/assets/..%2f..%2fetc%2fpasswd',
  '/assets/gatehouse.css%00',
  '/%2e%2e/login',
  '/login/',
  '/login;x=1',
  '/login%2f',
  '/LOGIN',
  '/api/v1/authorize//oauth2/token',
  '/api/v1/authorize/shop%2foauth2%2ftoken',
  '/api/v1/authorize/shop/oauth2/',
  '/api/v1/authorize/shop/oauth2/../../demo/oauth2/token',
  '/api/v1/authorize/shop/oauth2/__proto__',
  '/api/v1/authorize/__proto__/oauth2/jwks',
  'http://evil.example/login',
  'http://user:pass@127.0.0.1/api/v1/authorize/shop/oauth2/jwks',
];

function shape(dice: Dice, pairs: Pairs, place: 'query' | 'body'): string {
  if (dice.chance(2)) return joined(marked(pairs));
  if (place === 'body' && dice.below(400) === 0) return `${joined(pairs)}&${manyParameters()}`;
  return joined(disturb(dice, pairs, place));
}

function authPairs(dice: Dice, pool: Pool): Pairs {
  const pairs: Pairs = [
    ['client_id', dice.pick(['web', 'web', 'spa', 'jwt', 'nobody'])],
    ['redirect_uri', encodeURIComponent(dice.pick(pool.redirectUris))],
    ['response_type', dice.pick(['code', 'code', 'id_token', 'id_token%20token'])],
    ['state', dice.pick(['st', encodeURIComponent(MARKER), '%0d%0aX-Injected:1'])],
  ];
  if (dice.chance(50)) pairs.push(['scope', 'openid%20profile']);
  if (dice.chance(50))
    pairs.push(['code_challenge', 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'], ['code_challenge_method', 'S256']);
  if (dice.chance(50)) pairs.push(['nonce', 'n']);
  for (const name of [
    'response_mode',
    'prompt',
    'max_age',
    'login_hint',
    'id_token_hint',
    'ui_locales',
    'claims',
    'display',
  ]) {
    if (dice.chance(10)) pairs.push([name, value(dice, 'query')]);
  }
  return pairs;
}

/** Parameters and headers: an assertion, or a secret; with a proof or without. */
function credentials(dice: Dice, pool: Pool): [Pairs, Pairs] {
  const proof: Pairs = dice.chance(15) ? [['DPoP', dice.pick(pool.proofs)]] : [];
  if (dice.chance(15)) return [assertionPairs(dice, pool), proof];
  return [[], [['Authorization', dice.pick(pool.basics)], ...proof]];
}

/** Password checks are costly on purpose, so only few requests get as far as one. */
function tokenPairs(dice: Dice, pool: Pool): Pairs {
  const pick = dice.below(60);
  if (pick === 0) {
    return [
      ['grant_type', 'password'],
      ['username', 'alice'],
      ['password', guess(dice, pool)],
    ];
  }
  if (pick < 6) return deviceTokenPairs(dice, pool);
  if (pick < 24)
    return [
      ['grant_type', 'refresh_token'],
      ['refresh_token', dice.pick(pool.refreshTokens)],
      ['scope', 'openid'],
    ];
  const code: Pairs = [
    [
      'grant_type',
      dice.pick(['authorization_code', 'authorization_code', 'implicit', 'client_credentials', TOKEN_EXCHANGE]),
    ],
    ['code', dice.pick([...pool.codes, `gac_${HUSH}code`])],
    ['redirect_uri', encodeURIComponent(dice.pick(pool.redirectUris))],
  ];
  if (dice.chance(50)) code.push(['code_verifier', pool.verifier]);
  if (dice.chance(20)) code.push(['client_id', 'web'], ['client_secret', dice.pick(pool.clientSecrets)]);
  return code;
}

/** Mostly right: throttled, every other login would end at the same answer. */
function guess(dice: Dice, pool: Pool): string {
  return dice.chance(90) ? pool.password : `${HUSH}wrong`;
}

function loginPairs(dice: Dice, pool: Pool): Pairs {
  const pending: [string, string] = [
    'pending',
    dice.pick(pool.pendings) + dice.pick(['', '', '', '=', '=%0d%0a', '=%E4%B8%AD']),
  ];
  if (dice.chance(50)) return [pending, ['action', 'cancel']];
  if (dice.chance(80)) return [pending, ['username', encodeURIComponent(MARKER)]];
  return [pending, ['username', dice.pick(['alice', 'alice', 'alice', 'nobody'])], ['password', guess(dice, pool)]];
}

function cookies(dice: Dice, pool: Pool): Pairs {
  const jar = [`gatehouse_browser=${pool.browser}`];
  if (dice.chance(40)) jar.push(`gatehouse_session=${pool.session}`);
  if (dice.chance(10)) return [];
  if (dice.chance(5)) jar.unshift(...Array.from({ length: 400 }, (_, at) => `c${at}=${HUSH}${at}`));
  if (dice.chance(5))
    jar.unshift(dice.pick([';;;=', '__proto__=x', 'gatehouse_session=%zz', `gatehouse_session="${MARKER}"`, '=\xff']));
  return [['Cookie', jar.join('; ')]];
}
