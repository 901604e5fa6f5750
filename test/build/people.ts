import assert from 'node:assert/strict';
import { redeem, type Sending } from './client.ts';
import { delivered } from './delivered.ts';
import { aUser, PASSWORD, type UserInput } from './fixture.ts';
import type { ServerAddress, TestServer } from './test-server.ts';
import { authorizationUrl, type Fields, formWith, type Seen, signIn, Visitor } from './visitor.ts';

/** Users in front of the pages: they sign in, recognise the page they see, and press its buttons. */
export const SESSION_COOKIE = 'gatehouse_session';

export function bob(over: Partial<UserInput> = {}): UserInput {
  return aUser({ username: 'bob', email: 'bob@example.com', phone_number: '+8613800000002', ...over });
}

export async function signedIn(
  server: ServerAddress,
  username = 'alice',
  visitor = new Visitor(server.base),
): Promise<Visitor> {
  assert(delivered(await signIn(server, {}, { visitor, username })).fields.code);
  return visitor;
}

export const atLogin = (seen: Seen) => seen.status === 200 && seen.text.includes('name="password"');
export const atChooser = (seen: Seen) => seen.status === 200 && seen.text.includes('value="another"');
export const atConsent = (seen: Seen) => seen.status === 200 && seen.text.includes('action="/consent"');
export const atLogoutQuestion = (seen: Seen) => seen.status === 200 && seen.text.includes('action="/logout"');

/** The button of this value, in the form that holds it. */
export function press(visitor: Visitor, page: Seen, action: string, headers?: Record<string, string>): Promise<Seen> {
  return visitor.send(formWith(page, `action" value="${action}`), { action }, headers);
}

export function logIn(visitor: Visitor, page: Seen, username = 'alice'): Promise<Seen> {
  return visitor.send(formWith(page, 'password'), { username, password: PASSWORD });
}

/** A yes on the consent page, where there is one: native clients are asked for at their first use (row 27). */
export async function allowed(visitor: Visitor, seen: Seen): Promise<Seen> {
  return atConsent(seen) ? press(visitor, seen, 'allow') : seen;
}

export interface TokensOptions {
  readonly app?: string;
  readonly sending?: Sending;
  readonly redirectUri?: string;
}

/** The token set for the code in an answer. */
export async function tokensFrom(server: TestServer, seen: Seen, options: TokensOptions = {}) {
  const { code } = delivered(seen, options.redirectUri).fields;
  const over = options.redirectUri === undefined ? {} : { redirect_uri: options.redirectUri };
  const answered = await redeem(server, code, over, options.sending, options.app);
  assert.equal(answered.status, 200, answered.text);
  return answered.json;
}

/** Through an authorization request that needs no page. */
export async function tokensOf(server: TestServer, visitor: Visitor, fields: Fields = {}, options: TokensOptions = {}) {
  const target: Fields = options.redirectUri === undefined ? {} : { redirect_uri: options.redirectUri };
  return tokensFrom(server, await visitor.go(authorizationUrl(server, { ...fields, ...target }, options.app)), options);
}
