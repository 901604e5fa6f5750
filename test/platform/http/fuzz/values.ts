import type { Dice } from './random.ts';

/** Comes back raw nowhere: wherever it is shown, all of its characters need escaping. */
export const MARKER = `<gh"'>`;
/** Every password, secret, token and cookie made up here holds this, so that one look finds them all in the log. */
export const HUSH = 'hush-hush-';

/** Texts as bytes (Latin-1), so that invalid UTF-8 can be written down too. */
const utf8 = (text: string) => Buffer.from(text).toString('latin1');
const encoded = (text: string) => encodeURIComponent(text);

/** Parameter values as they stand in a query or body. None holds a byte that ends a request line. */
const ENCODED: readonly string[] = [
  '',
  '0',
  '-1',
  '99999999999999999999',
  'null',
  'undefined',
  'true',
  '[object%20Object]',
  '%5B%5D',
  '%7B%22%24gt%22%3A%22%22%7D',
  encoded(MARKER),
  encoded(`"><script>${MARKER}</script>`),
  encoded(`javascript:alert(${MARKER})`),
  '%00',
  'a%00b',
  '%',
  '%zz',
  '%4',
  '%C3%28',
  '%ff%fe',
  '%ED%A0%80',
  '%ED%B0%80x',
  '%F4%90%80%80',
  '%C0%AE%C0%AE',
  '%0d%0aX-Injected:%201',
  '%0aSet-Cookie:%20gatehouse_session=x',
  '%E5%98%8A%E5%98%8DX-Injected:1',
  '%01%02%1b%7f%85',
  '%E2%80%A8%E2%80%AE',
  '%F0%9F%91%BE',
  '+',
  '%20%20',
  '%2B',
  '%26client_id%3Dweb',
  '%23fragment',
  '../../../../etc/passwd',
  '%2e%2e%2f%2e%2e%2f',
  '%27%20OR%201%3D1--',
  '%24%7B7*7%7D%7B%7B7*7%7D',
  '__proto__',
  'constructor',
  'code',
  'id_token',
  'id_token%20token',
  'openid',
  'openid%20admin',
  'S256',
  'plain',
  'none',
  'fragment',
  'query',
  'form_post',
];

/** Bytes that only a body may hold. */
const BODY_ONLY: readonly string[] = [
  '\r\nX-Injected: 1\r\n',
  '\0',
  'a\tb\x0bc',
  '\x1b[2J',
  ' ',
  `${MARKER}`,
  '#',
  '"',
  utf8('中文'),
  '\xff\xfe',
  '\xed\xa0\x80',
];

export function value(dice: Dice, place: 'query' | 'body'): string {
  if (dice.chance(4)) return dice.pick(['A', '%41', '%F0%9F%91%BE', encoded(MARKER)]).repeat(1 + dice.below(300));
  return dice.pick(place === 'body' && dice.chance(25) ? BODY_ONLY : ENCODED);
}

const ODD_NAMES = [
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  '__proto__%5Bstatus%5D',
  'client_id%5B%5D',
  'redirect%5Furi',
  '%63lient_id',
  'gatehouse_pending',
  'request',
  'request_uri',
  'resource',
  '%zz',
  '%00',
  '',
  '=',
  encoded(MARKER),
];

export type Pairs = [string, string][];

/** Up to four changes to a good set of parameters: drop, empty, repeat, replace, add. */
export function disturb(dice: Dice, pairs: Pairs, place: 'query' | 'body'): Pairs {
  const changed = [...pairs];
  for (let changes = dice.chance(30) ? 0 : dice.below(5); changes > 0; changes--) {
    const at = dice.below(Math.max(1, changed.length));
    const [name, old] = changed[at] ?? ['state', 'x'];
    switch (dice.below(6)) {
      case 0:
        changed.splice(at, 1);
        break;
      case 1:
        changed[at] = [name, ''];
        break;
      case 2:
        changed.push([name, dice.chance(50) ? old : value(dice, place)]);
        break;
      case 3:
        changed.push([dice.pick(ODD_NAMES), value(dice, place)]);
        break;
      default:
        changed[at] = [name, value(dice, place)];
    }
  }
  return changed;
}

export function joined(pairs: Pairs): string {
  return pairs.map(([name, text]) => `${name}=${text}`).join('&');
}

/** A script tag in every parameter. */
export function marked(pairs: Pairs): Pairs {
  return pairs.map(([name]) => [name, encoded(`<script>${MARKER}</script>`)]);
}

export function manyParameters(): string {
  return Array.from({ length: 10_000 }, (_, at) => `${at.toString(36)}=`).join('&');
}
