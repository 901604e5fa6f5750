import type { Pool } from './pool.ts';
import { isJsonRoute } from './requests.ts';
import { type Exchange, isOurs, type Received } from './wire.ts';

/** What every answer must keep to, whatever was sent. A broken rule is a sentence; none is an empty list. */
export function brokenRules(exchange: Exchange, pool: Pool): string[] {
  const { sent, received, end } = exchange;
  if (end === 'silent') return ['no answer, and the connection stays open'];
  if (received.length === 0 && !sent.hostile) return ['the connection was closed without an answer'];
  return received.flatMap(answer => (isOurs(answer) ? ownAnswer(exchange, answer, pool) : parserAnswer(answer)));
}

/** node:http refuses what is no HTTP before we see it: an empty answer with one of these. */
function parserAnswer({ status, body }: Received): string[] {
  const broken = [];
  if (![400, 408, 413, 417, 431].includes(status)) broken.push(`status ${status} from the parser`);
  if (body !== '') broken.push('a body from the parser');
  return broken;
}

function ownAnswer({ sent }: Exchange, answer: Received, pool: Pool): string[] {
  const { status } = answer;
  const body = Buffer.from(answer.body, 'latin1').toString();
  const header = (name: string) => answer.headers.find(([present]) => present === name)?.[1];
  const broken: string[] = [];
  const rule = (holds: boolean, sentence: string) => {
    if (!holds) broken.push(sentence);
  };
  rule(status < 500, `status ${status}`);
  rule(!LEAK.test(body), 'a stack trace or a file path in the body');
  // A registration is answered with its metadata (RFC 7591 section 3.2.1).
  const isMetadata = sent.route === 'register' && status < 300 && header('content-type') === 'application/json';
  rule(isMetadata || !body.includes('<gh'), 'markup of the request in the body');
  rule(
    answer.headers.every(([, text]) => !/[^\t\x20-\x7e]/.test(text)),
    'a header with bytes outside printable ASCII',
  );
  rule(header('x-injected') === undefined, 'a header that the request made up');
  rule(header('x-content-type-options') === 'nosniff', 'no nosniff');
  rule(
    answer.headers.every(([name, text]) => name !== 'set-cookie' || OWN_COOKIE.test(text)),
    'a cookie that is not ours',
  );
  const location = header('location');
  if (location !== undefined) {
    rule(
      (status === 302 || status === 303) &&
        (['auth', 'login', 'device'].includes(sent.route) || isFrontDoor(location, pool)),
      `a Location with ${status}`,
    );
    rule(!/[^\x21-\x7e]/.test(location), 'a Location with raw characters');
    rule(isAllowedTarget(location, pool), `a Location to ${location.slice(0, 80)}`);
    rule(header('cache-control') === 'no-store', 'a redirect that may be stored');
  }
  if (status >= 400) broken.push(...errorForm(sent.route, sent.method, header('content-type') ?? '', body));
  if (sent.route === 'token' && sent.method !== 'OPTIONS') {
    rule(
      header('cache-control') === 'no-store' && header('pragma') === 'no-cache',
      'a token answer that may be stored',
    );
  }
  return broken;
}

const LEAK = /\n\s+at |node:internal|node_modules|\/src\/|\.ts:\d|\b[A-Z]\w*Error:|ERR_[A-Z]|SQLITE|root:x:/;
const OWN_COOKIE = /^gatehouse_(browser|session|known_browser|trusted_browser)=[\w-]*; .*HttpOnly/;

/** Where /login leads without a request that waits for it (row 64), also from a target in absolute form. */
function isFrontDoor(location: string, { origin }: Pool): boolean {
  return location === `${origin}/`;
}

function isAllowedTarget(location: string, pool: Pool): boolean {
  const { origin, redirectUris } = pool;
  if (isFrontDoor(location, pool)) return true;
  if (/^\/(login|consent)\?pending=|^\/device\?gatehouse_pending=/.test(location.replace(origin, ''))) return true;
  if (/^\/api\/v1\/authorize\/(shop|strict|demo)\/oauth2\/auth\?/.test(location.replace(origin, ''))) return true;
  return redirectUris.some(uri => location.startsWith(`${uri}?`) || location.startsWith(`${uri}#`));
}

/** Section 7.1 of the interface: three fields and no more, at the endpoints for programs always. */
function errorForm(route: string, method: string, type: string, body: string): string[] {
  if (method === 'HEAD') return [];
  if (type !== 'application/json') return isJsonRoute(route) && type !== PAGE ? ['an error without the JSON form'] : [];
  const fields = Object.entries(JSON.parse(body) as Record<string, unknown>);
  const names = fields.map(([name]) => name).join(' ');
  const filled = fields.every(([, text]) => typeof text === 'string' && text !== '');
  return names === 'error error_description error_uri' && filled ? [] : [`an error with the fields ${names}`];
}

/** A path that is none of ours is answered with a page, whatever it resembles. */
const PAGE = 'text/html; charset=utf-8';

const NAMED_SECRET = /"(?:client_secret|user_code|request_uri)":"(?:urn:ietf:params:oauth:request_uri:)?([\w-]+)"/g;

/** What an answer handed out, and must never be seen in the log. */
export function secretsIn({ body, headers }: Received): string[] {
  const found: string[] = body.match(/g(?:ac|at|rt|dc|ra)_[\w-]{43}|eyJ[\w-]+\.[\w-]+\.[\w-]+/g) ?? [];
  for (const [, secret = ''] of body.matchAll(NAMED_SECRET)) found.push(secret);
  for (const [name, text] of headers) {
    if (name === 'location')
      found.push(...(text.match(/gac_[\w-]{43}|gat_[\w-]{43}|eyJ[\w-]+\.[\w-]+\.[\w-]+/g) ?? []));
    if (name === 'location') found.push(...[...text.matchAll(/pending=([\w-]{40,})/g)].map(match => match[1] ?? ''));
    if (name === 'set-cookie') found.push(/=([\w-]+);/.exec(text)?.[1] ?? '');
  }
  return found.filter(secret => secret !== '');
}
