import assert from 'node:assert/strict';
import { aSigningPair, type SigningPair } from '../../build/assertion.ts';
import { aTokenSet, basic, token } from '../../build/client.ts';
import { aClient, anApplication } from '../../build/fixture.ts';
import { anIdentityAssertion, ID_JAG, ID_TOKEN, JWT_BEARER, TOKEN_EXCHANGE } from '../../build/identity-assertion.ts';
import type { TestServer } from '../../build/test-server.ts';

const APP = 'across';
const OTHER = 'https://other.example';
const KEY: SigningPair = aSigningPair('ES256', 'across');
const AUTH = { auth: basic('web', 'web-secret-1') };

/** A client that gets an assertion for another issuer, and a token for one of it. Returns what was secret on the way. */
export async function actAcrossIssuers(server: TestServer, now: number): Promise<Record<string, string>> {
  const issuer = { issuer: OTHER, jwks: { keys: [KEY.publicJwk] }, subject: 'email' };
  const own = {
    code: APP,
    name: 'Across',
    clients: [aClient({ grant_types: ['password', TOKEN_EXCHANGE, JWT_BEARER] })],
  };
  await server.provision({
    applications: [
      anApplication({
        ...own,
        identity_assertions: [{ client: 'web', audience: OTHER, scopes: ['read'] }],
        assertion_issuers: [{ ...issuer, clients: ['web'], scopes: ['openid'] }],
      }),
    ],
  });
  const { id_token } = await aTokenSet(server, {}, AUTH, APP);
  const subject = { subject_token: id_token, subject_token_type: ID_TOKEN, audience: OTHER };
  const asked = { grant_type: TOKEN_EXCHANGE, requested_token_type: ID_JAG, ...subject };
  const issued = await token(server, asked, AUTH, APP);
  assert.equal(issued.status, 200, issued.text);
  const names = { iss: OTHER, sub: 'there', aud: server.at(APP), client_id: 'web' };
  const claims = { ...names, email: 'alice@example.com', email_verified: true };
  const assertion = anIdentityAssertion(KEY, { now, claims });
  const accepted = await token(server, { grant_type: JWT_BEARER, assertion }, AUTH, APP);
  assert.equal(accepted.status, 200, accepted.text);
  return {
    'issued assertion': issued.json.access_token,
    'presented assertion': assertion,
    'token of an assertion': accepted.json.access_token,
  };
}
