import assert from 'node:assert/strict';
import { type Answered, aPkcePair, send } from './client.ts';
import { elsewhere } from './limits.ts';
import { atConsent, atLogin, logIn } from './people.ts';
import type { ServerAddress } from './test-server.ts';
import { authorizationUrl, type Fields, type Seen, Visitor } from './visitor.ts';

/** A client that nobody has vouched for: it registers itself (RFC 7591), or publishes a document about itself. */
export const CALLBACK = 'https://assistant.example/cb';
export const METADATA = { client_name: 'Assistant', redirect_uris: [CALLBACK] };
export const PUBLIC = { ...METADATA, token_endpoint_auth_method: 'none' };

const { verifier, asked } = aPkcePair();
/** Of its authorization requests, and of its token requests. */
export const PKCE = asked;
export const WITH_VERIFIER = { redirect_uri: CALLBACK, code_verifier: verifier };

export interface Registered {
  readonly client_id: string;
  readonly client_secret: string;
  readonly registration_client_uri: string;
  readonly registration_access_token: string;
}

/** From a network of its own, unless the headers name one. */
export function sendJson(
  url: string,
  method: string,
  body: unknown,
  {
    token,
    headers = elsewhere(),
  }: { readonly token?: string | undefined; readonly headers?: Record<string, string> } = {},
): Promise<Answered> {
  return send(url, {
    method,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    headers: {
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...headers,
    },
  });
}

export const register = (server: ServerAddress, metadata: unknown, app?: string) =>
  sendJson(`${server.at(app)}/register`, 'POST', metadata);

/** What a successful registration answers. */
export async function registered(server: ServerAddress, metadata: unknown, app?: string): Promise<Registered> {
  const { status, text, json } = await register(server, metadata, app);
  assert.equal(status, 201, text);
  return json;
}

/** RFC 7592 section 2.2. */
export const changeRegistration = (client: Registered, metadata: object) =>
  sendJson(
    client.registration_client_uri,
    'PUT',
    { client_id: client.client_id, ...metadata },
    { token: client.registration_access_token },
  );

export const requestOf = (clientId: string, fields: Fields = {}): Fields => ({
  ...{ client_id: clientId, response_type: 'code', redirect_uri: CALLBACK, scope: 'openid', state: 'st' },
  ...PKCE,
  ...fields,
});

export const requestUrl = (server: ServerAddress, clientId: string, fields?: Fields, app?: string) =>
  authorizationUrl(server, requestOf(clientId, fields), app);

/** The page after the sign-in, if the login page is shown at all. */
export async function signInFor(
  server: ServerAddress,
  clientId: string,
  fields: Fields = {},
  visitor = new Visitor(server.base),
  username = 'alice',
): Promise<Seen> {
  const seen = await visitor.follow(requestUrl(server, clientId, fields), { headers: elsewhere() });
  return atLogin(seen) ? logIn(visitor, seen, username) : seen;
}

export async function consentPageOf(...asking: Parameters<typeof signInFor>): Promise<Seen> {
  const page = await signInFor(...asking);
  assert(atConsent(page), page.text);
  return page;
}
