import type { Pool } from './pool.ts';
import type { Dice } from './random.ts';
import type { Draft } from './requests.ts';
import { HUSH, MARKER } from './values.ts';

const TOKEN = '/api/v1/authorize/shop/oauth2/token';
const AUTH = '/api/v1/authorize/shop/oauth2/auth';
const FORM: [string, string] = ['Content-Type', 'application/x-www-form-urlencoded'];

/** Requests that break HTTP itself, or are too large for it. Each gets a connection of its own. */
export function hostileRequest(dice: Dice, pool: Pool): Draft {
  const token: Draft = {
    route: 'token',
    method: 'POST',
    target: TOKEN,
    headers: [FORM, ['Authorization', dice.pick(pool.basics)]],
    body: `grant_type=refresh_token&refresh_token=${dice.pick(pool.refreshTokens)}`,
    hostile: true,
  };
  const withHeader = (name: string, text: string): Draft => ({ ...token, headers: [...token.headers, [name, text]] });
  const get = (target: string): Draft => ({
    ...token,
    route: 'other',
    method: 'GET',
    target,
    headers: [],
    body: undefined,
  });
  const smuggled = `GET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n`;
  const trusted = `client_id=web&response_type=code&redirect_uri=${encodeURIComponent(pool.redirectUris[0] ?? '')}`;
  const choices: (() => Draft)[] = [
    () => withHeader('Content-Length', '5'),
    () => withHeader('Content-Length', '100000'),
    () => withHeader('Content-Length', '-1'),
    () => withHeader('Content-Length', '99999999999999999999999'),
    () => withHeader('Content-Length', '5, 6'),
    () => ({ ...token, headers: [...token.headers, ['Content-Length', '5'], ['Content-Length', '6']] }),
    () => ({
      ...token,
      headers: [...token.headers, ['Content-Length', '5'], ['Transfer-Encoding', 'chunked']],
      body: `0\r\n\r\n${smuggled}`,
    }),
    () => ({ ...withHeader('Transfer-Encoding', 'chunked, identity'), body: `0\r\n\r\n${smuggled}` }),
    () => ({ ...withHeader('Transfer-Encoding', '\x0bchunked'), body: `0\r\n\r\n${smuggled}` }),
    () => ({ ...withHeader('Transfer-Encoding', 'chunked'), body: `zz\r\n${smuggled}` }),
    () => ({ ...withHeader('Transfer-Encoding', 'chunked'), body: `ffffffffffffffff\r\n${smuggled}` }),
    () => ({ ...withHeader('Transfer-Encoding', 'chunked'), body: '5\r\nab' }),
    () => ({ ...token, body: `${token.body}&x=${'x'.repeat(100 * 1024)}` }),
    () => ({ ...withHeader('Transfer-Encoding', 'chunked'), body: `20000\r\n${'x'.repeat(0x20000)}\r\n0\r\n\r\n` }),
    () => ({ ...get(`${AUTH}?${trusted}&state=${'s'.repeat(100 * 1024)}`), route: 'auth' }),
    () => ({ ...get(`${AUTH}?${trusted}&state=${'s'.repeat(40 * 1024)}`), route: 'auth' }),
    () => ({ ...get(`${AUTH}?${trusted}&state=${'\xe4\xb8\xad'.repeat(5000)}`), route: 'auth' }),
    () => ({ ...token, route: 'auth', target: AUTH, body: `${trusted}&state=${'s'.repeat(100 * 1024)}` }),
    () => ({ ...token, route: 'auth', target: AUTH, body: `${trusted}&state=${'s'.repeat(40 * 1024)}` }),
    () => get(`/api/v1/authorize/${'a'.repeat(45 * 1024)}/oauth2/token`),
    () => get(`/api/v1/authorize/${'a'.repeat(60 * 1024)}/oauth2/token`),
    () => get(`/login?x=\0${MARKER}`),
    () => get('/login?x=a\r\nX-Injected: 1'),
    () => get('/login?x=a b c'),
    () => get('/\xff\xfe\x80'),
    () => get('login'),
    () => get('\\login'),
    () => ({ ...get('/login'), method: 'G\0T' }),
    () => ({ ...get('/login'), method: 'get' }),
    () => ({ ...get('evil.example:443'), method: 'CONNECT' }),
    () => withHeader('Authorization', `Basic ${HUSH}${'x'.repeat(50 * 1024)}`),
    () => withHeader('Cookie', `${HUSH}=x; `.repeat(4000)),
    () => withHeader('Cookie', 'a=\0b'),
    () => withHeader('X\0Y', 'z'),
    () => withHeader('X Y', 'z'),
    () => withHeader('X', 'a\r\n folded'),
    () => withHeader('Expect', '100-continue'),
    () => withHeader('Expect', MARKER),
    () => withHeader('Upgrade', 'h2c'),
    () => ({
      ...withHeader('Connection', 'Upgrade'),
      headers: [...token.headers, ['Connection', 'Upgrade'], ['Upgrade', 'websocket']],
    }),
    () => ({ ...token, headers: [...token.headers, ['Host', 'a'], ['Host', 'b']] }),
    () => ({
      ...token,
      headers: [...token.headers, ...Array.from({ length: 2500 }, (_, at): [string, string] => [`h${at}`, '1'])],
    }),
  ];
  return dice.pick(choices)();
}
