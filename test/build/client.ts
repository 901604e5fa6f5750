import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { type Answer, exchange } from './exchange.ts';
import { CALLBACK, PASSWORD } from './fixture.ts';
import type { ServerAddress } from './test-server.ts';
import { answerIn, type Fields, query, signIn } from './visitor.ts';

/** Requests of a client to the token endpoint and the endpoints beside it, by fetch and without a client library. */
export interface Answered {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  readonly json: any;
}

export interface Sending {
  readonly auth?: string | undefined;
  readonly headers?: Record<string, string>;
}

export function basic(id: string, secret: string): string {
  return `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`;
}

export const WEB = basic('web', 'web-secret-1');
export const ALICE = { username: 'alice', password: PASSWORD };

export async function post(url: string, body: Fields | string, { auth, headers }: Sending = {}): Promise<Answered> {
  return read(
    await exchange(url, {
      method: 'POST',
      body: typeof body === 'string' ? body : query(body),
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        ...(auth === undefined ? {} : { authorization: auth }),
        ...headers,
      },
    }),
  );
}

export async function get(url: string, headers: Record<string, string> = {}): Promise<Answered> {
  return read(await exchange(url, { headers }));
}

/** Any request at all: methods, content types and headers that the others do not send. */
export async function send(url: string, init: RequestInit): Promise<Answered> {
  return read(await exchange(url, init));
}

function read({ status, headers, text }: Answer): Answered {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    json = undefined;
  }
  return { status, headers, text, json };
}

export const token = (server: ServerAddress, body: Fields | string, sending: Sending = { auth: WEB }, app?: string) =>
  post(`${server.at(app)}/token`, body, sending);
export const introspect = (
  server: ServerAddress,
  body: Fields | string,
  sending: Sending = { auth: WEB },
  app?: string,
) => post(`${server.at(app)}/introspect`, body, sending);
export const revoke = (server: ServerAddress, body: Fields | string, sending: Sending = { auth: WEB }, app?: string) =>
  post(`${server.at(app)}/revoke`, body, sending);
export const refresh = (
  server: ServerAddress,
  refreshToken: string,
  over: Fields = {},
  sending: Sending = { auth: WEB },
  app?: string,
) => token(server, { grant_type: 'refresh_token', refresh_token: refreshToken, ...over }, sending, app);
export const userinfo = (server: ServerAddress, accessToken: string, app?: string) =>
  get(`${server.at(app)}/userinfo`, { authorization: `Bearer ${accessToken}` });

export const redeem = (
  server: ServerAddress,
  code: string | undefined,
  over: Fields = {},
  sending: Sending = { auth: WEB },
  app?: string,
) => token(server, { grant_type: 'authorization_code', code, redirect_uri: CALLBACK, ...over }, sending, app);

/** A fresh authorization code, through the login page. */
export async function aCode(
  server: ServerAddress,
  fields: Fields = {},
  options?: Parameters<typeof signIn>[2],
): Promise<string> {
  const { code } = answerIn(await signIn(server, { scope: 'openid profile email phone', ...fields }, options));
  assert(code, 'no code in the answer');
  return code;
}

/** A token set by the password grant: the shortest way to live tokens. */
export async function aTokenSet(server: ServerAddress, over: Fields = {}, sending?: Sending, app?: string) {
  const answered = await token(server, { grant_type: 'password', ...ALICE, ...over }, sending, app);
  assert.equal(answered.status, 200, answered.text);
  return answered.json;
}

/** `asked` is what an authorization request has of it. */
export function aPkcePair() {
  const verifier = randomBytes(32).toString('base64url');
  const challenge = createHash('sha256').update(verifier).digest('base64url');
  return { verifier, challenge, asked: { code_challenge: challenge, code_challenge_method: 'S256' } };
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into claims of every shape
export function claimsOf(jwt: string): any {
  return JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString());
}

/** The error_description that names a parameter (interface 7.2; row 36). */
export const parameter = (name: string) => `OAuth 2.0 Parameter: ${name}`;

/** Section 7.1 of the interface: the three fields, the headers, and the page behind error_uri. */
export function assertRefused(answered: Answered, status: number, error: string, description?: string): void {
  assert.equal(answered.status, status, answered.text);
  assert.equal(answered.json?.error, error, answered.text);
  if (description !== undefined) assert.equal(answered.json.error_description, description);
  assert.match(answered.json.error_description, /\S/);
  assert.match(answered.json.error_uri, new RegExp(`/docs/errors/${error}$`));
  assert.equal(answered.headers.get('content-type'), 'application/json');
  assert.equal(answered.headers.get('cache-control'), 'no-store');
}

/** Every answer of the token endpoint and its neighbours (row 31; RFC 6749 section 5.1). */
export function assertNotStored({ headers }: Answered): void {
  assert.equal(headers.get('content-type'), 'application/json');
  assert.equal(headers.get('cache-control'), 'no-store');
  assert.equal(headers.get('pragma'), 'no-cache');
}

/** Whether introspection calls a token active. */
export async function isActive(
  server: ServerAddress,
  presented: string,
  sending?: Sending,
  app?: string,
): Promise<boolean> {
  const answered = await introspect(server, { token: presented }, sending, app);
  assert.equal(answered.status, 200, answered.text);
  return answered.json.active;
}
