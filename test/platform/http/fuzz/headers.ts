import { oddProof } from './modern.ts';
import type { Pool } from './pool.ts';
import type { Dice } from './random.ts';
import type { Draft } from './requests.ts';
import { HUSH, MARKER } from './values.ts';

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'TRACE', 'PROPFIND', 'QUERY', 'PURGE'];
const TYPES = [
  'application/json',
  'text/plain',
  'multipart/form-data; boundary=x',
  'application/x-www-form-urlencoded; charset=utf-16',
  'APPLICATION/X-WWW-FORM-URLENCODED',
  'application/x-www-form-urlencodedx',
  '',
  ';;;',
  MARKER,
];

/** Headers and methods gone wrong, on top of whatever happened to the parameters. */
export function changed(dice: Dice, pool: Pool, draft: Draft): Draft {
  if (dice.chance(5)) draft.method = dice.pick(METHODS);
  const replace = (name: string, text: string) => {
    draft.headers = [...draft.headers.filter(([present]) => present !== name), [name, text]];
  };
  if (dice.chance(4)) replace('Content-Type', dice.pick(TYPES));
  if (dice.chance(8)) replace('Authorization', oddAuthorization(dice, pool));
  if (dice.chance(5)) draft.headers.push(['Authorization', dice.pick(pool.basics)]);
  if (dice.chance(10))
    replace('Accept', dice.pick(['application/json', 'text/html', '*/*', MARKER, 'application/json;q=x', '\xff']));
  if (dice.chance(10))
    replace('Accept-Language', dice.pick(['zh', 'zh;q=NaN', ';;;,,,', 'en;q=9e9', `${MARKER}`, 'a,'.repeat(2000)]));
  if (dice.chance(8))
    replace('Origin', dice.pick(['https://client.example', 'https://evil.example', 'null', MARKER, '\xff']));
  if (dice.chance(4)) replace('Sec-Fetch-Site', dice.pick(['same-origin', 'cross-site', 'none', MARKER]));
  if (dice.chance(3)) replace('X-Forwarded-For', dice.pick(['127.0.0.1', MARKER, ','.repeat(3000), '::ffff:1.2.3.4']));
  if (dice.chance(3)) replace('X-Forwarded-Host', 'evil.example');
  if (dice.chance(3)) replace('Host', dice.pick(['evil.example', `evil.example"><x`, 'evil.example:99999']));
  if (dice.chance(3)) replace('If-None-Match', dice.pick(['*', '"x"', 'W/"x", *', ',,,']));
  if (dice.chance(5)) replace('DPoP', oddProof(dice, pool));
  if (dice.chance(1)) draft.headers.push(['DPoP', dice.pick(pool.proofs)]);
  if (draft.body !== undefined && dice.chance(4)) chunk(dice, draft);
  return draft;
}

function oddAuthorization(dice: Dice, pool: Pool): string {
  const base64 = (text: string) => Buffer.from(text, 'latin1').toString('base64');
  return dice.pick([
    '',
    'Basic',
    'Basic ',
    'Basic ====',
    'Basic !!!',
    `Basic ${base64('web')}`,
    `Basic ${base64(':')}`,
    `Basic ${base64(`web:${HUSH}wrong`)}`,
    `Basic ${base64(`web\0:${HUSH}nul`)}`,
    `Basic ${base64(`\xff\xfe:${HUSH}\xff`)}`,
    `Basic ${base64(`%zz:${HUSH}%zz`)}`,
    `Basic ${base64(`${MARKER}:${HUSH}x`)}`,
    `Basic ${base64(`${'x'.repeat(20_000)}:${HUSH}x`)}`,
    `Bearer ${HUSH}${'x'.repeat(30_000)}`,
    `Bearer ${dice.pick(pool.accessTokens)}`,
    `bearer  ${dice.pick(pool.refreshTokens)}`,
    `Bearer ${pool.idToken}`,
    `Bearer ${pool.idToken.split('.').slice(0, 2).join('.')}.`,
    `Bearer ${base64('{"alg":"none"}')}.${base64('{}')}.`,
    'Bearer a b c',
    `Digest username="${MARKER}"`,
    `\xff ${HUSH}`,
  ]);
}

function chunk(dice: Dice, draft: Draft): void {
  const { body = '' } = draft;
  const cut = dice.below(body.length + 1);
  const parts = [body.slice(0, cut), body.slice(cut)].filter(part => part !== '');
  draft.body = `${parts.map(part => `${part.length.toString(16)}\r\n${part}\r\n`).join('')}0\r\n\r\n`;
  draft.headers.push(['Transfer-Encoding', 'chunked']);
}
