/**
 * The floor: the least processor time that we know how to reach on Node.js. Bare node:http, no routing, no client
 * authentication, no checks, no parsing beyond finding the token; the same statements with the same durability, one ES256
 * signature, and an answer of the same size.
 */
import { argon2, generateKeyPairSync, hash, sign } from 'node:crypto';
import { createServer, type ServerResponse } from 'node:http';
import { keyOf, newCredential } from '../../../src/platform/crypto/credential.ts';
import { systemRandom } from '../../../src/platform/crypto/random.ts';
import { ACCESS_TOKEN_TTL, APP, CLIENT_ID, PASSWORD, REFRESH_TOKEN_TTL, SCOPE } from '../../fixture.ts';
import { openPostgres } from './postgres.ts';
import { openSqlite } from './sqlite.ts';
import type { AccessUserRow, FloorStore, FloorTokens } from './store.ts';

const [port = '', database = ''] = process.argv.slice(2);
const issuer = `http://localhost:${port}/api/v1/authorize/${APP}/oauth2`;
const path = database.startsWith('sqlite:') ? database.slice('sqlite:'.length) : undefined;
const store = path === undefined ? await openPostgres(database) : openSqlite(path);
const { privateKey: key } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const JOSE_HEADER = base64url(JSON.stringify({ alg: 'ES256', typ: 'JWT', kid: hash('sha256', issuer, 'base64url') }));

const TOKEN_AT = 'token='.length;
const BEARER = 'Bearer '.length;
const CODE_AT = 'grant_type=authorization_code&code='.length;
const REFRESH_AT = 'grant_type=refresh_token&refresh_token='.length;
const GRANT_AT = 'grant_type='.length;
const [LETTER_A, LETTER_P] = [97, 112];

createServer((incoming, outgoing) => {
  if (incoming.method === 'GET') {
    userinfo(outgoing, authorization(incoming.rawHeaders).slice(BEARER));
    return;
  }
  const introspecting = incoming.url?.endsWith('/introspect');
  incoming.once('data', (body: Buffer) => {
    if (introspecting) introspect(outgoing, upToNext(body, TOKEN_AT));
    else if (body[GRANT_AT] === LETTER_P) password(outgoing);
    else if (body[GRANT_AT] === LETTER_A) issue(outgoing, store.redeem, upToNext(body, CODE_AT));
    else issue(outgoing, store.rotate, upToNext(body, REFRESH_AT));
  });
}).listen(Number(port), '127.0.0.1');
// A profile is written at the end of the process.
process.once('SIGTERM', () => process.exit());

function authorization(rawHeaders: readonly string[]): string {
  for (let index = 0; index < rawHeaders.length; index += 2) {
    if (rawHeaders[index] === 'authorization') return rawHeaders[index + 1] ?? '';
  }
  return '';
}

function upToNext(body: Buffer, start: number): string {
  const end = body.indexOf('&', start);
  return body.toString('latin1', start, end === -1 ? body.length : end);
}

function introspect(outgoing: ServerResponse, token: string): void {
  store.access(keyOf(token), row => {
    if (!row) return refuse(outgoing);
    const [clientId, sub, scope, iat, exp] = row;
    const common = `"scope":"${scope}","sub":"${sub}","token_type":"Bearer","token_use":"access_token"`;
    const whose = `"iss":"${issuer}","aud":"${issuer}"`;
    send(outgoing, `{"active":true,"client_id":"${clientId}","iat":${iat},"exp":${exp},${common},${whose}}`);
  });
}

function userinfo(outgoing: ServerResponse, token: string): void {
  store.accessWithUser(keyOf(token), row => (row ? send(outgoing, profile(row)) : refuse(outgoing)));
}

function profile(row: AccessUserRow): string {
  const [, sub, , , , , , username, nickname, picture, email, emailVerified, phone, phoneVerified, updatedAt] = row;
  return JSON.stringify({
    sub,
    preferred_username: username,
    nickname,
    picture,
    updated_at: updatedAt,
    email,
    email_verified: !!emailVerified,
    phone_number: phone,
    phone_number_verified: !!phoneVerified,
  });
}

/** One hash with the parameters of src/people/password/passwords.ts, one at a time as there, and no tokens: beside it they are nothing. */
function password(outgoing: ServerResponse): void {
  const message = Buffer.from(PASSWORD);
  const nonce = systemRandom.bytes(16);
  const parameters = { message, nonce, memory: 19 * 1024, passes: 2, parallelism: 1, tagLength: 32 };
  hashing = hashing.then(
    () =>
      new Promise(resolve => {
        argon2('argon2id', parameters, () => resolve(send(outgoing, '{}')));
      }),
  );
}

let hashing = Promise.resolve();

function issue(outgoing: ServerResponse, spend: FloorStore['redeem'], presented: string): void {
  const now = Math.floor(Date.now() / 1000);
  const accessEnd = now + ACCESS_TOKEN_TTL;
  const refreshEnd = now + REFRESH_TOKEN_TTL;
  const access = newCredential('access', accessEnd, systemRandom);
  const refresh = newCredential('refresh', refreshEnd, systemRandom);
  const tokens: FloorTokens = {
    grantId: systemRandom.bytes(16).toString('base64url'),
    now,
    access: keyOf(access),
    accessEnd,
    refresh: keyOf(refresh),
    refreshEnd,
  };
  spend(keyOf(presented), tokens, sub => {
    if (sub === undefined) return refuse(outgoing);
    const rest = `"refresh_token":"${refresh}","token_type":"Bearer","scope":"${SCOPE}","id_token":"${idToken(sub, now)}"`;
    send(outgoing, `{"access_token":"${access}","expires_in":${ACCESS_TOKEN_TTL},${rest}}`);
  });
}

/** As long as those of a user of the fixture. */
const PROFILE =
  '"preferred_username":"user-1","nickname":"User 1","picture":"https://bench.example/pictures/1.png",' +
  '"updated_at":1700000000,"email":"user-1@bench.example","email_verified":true,"phone_number":"+15550000001",' +
  '"phone_number_verified":true';

/** As long as a real one: what stands for `at_hash`, `nonce` and the profile is there, but not worked out. */
function idToken(sub: string, now: number): string {
  const times = `"iat":${now},"exp":${now + ACCESS_TOKEN_TTL},"auth_time":${now}`;
  const rest = `"amr":["pwd"],"at_hash":"0123456789abcdefghijkl","azp":"${CLIENT_ID}",${PROFILE}`;
  const claims = `{"iss":"${issuer}","sub":"${sub}","aud":"${CLIENT_ID}",${times},${rest}}`;
  const input = `${JOSE_HEADER}.${base64url(claims)}`;
  return `${input}.${sign('sha256', Buffer.from(input, 'latin1'), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`;
}

function base64url(text: string): string {
  return Buffer.from(text, 'latin1').toString('base64url');
}

function send(outgoing: ServerResponse, text: string): void {
  const type = ['content-type', 'application/json', 'cache-control', 'no-store'];
  outgoing.writeHead(200, [...type, 'content-length', String(text.length)]);
  outgoing.end(text, 'latin1');
}

/** So that the load notices. */
function refuse(outgoing: ServerResponse): void {
  outgoing.writeHead(400).end();
}
