import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createLocalJWKSet, jwtVerify } from 'jose';
import * as oauth from 'oauth4webapi';
import { signingAlgs } from '../../../src/oauth/signing-keys/algorithms.rules.ts';
import { aTokenSet, basic, get, send } from '../../build/client.ts';
import { fixedClock } from '../../build/clock.ts';
import { aClient } from '../../build/fixture.ts';
import { suiteServer } from '../../build/test-server.ts';
import { query } from '../../build/visitor.ts';

const JWT = 'application/token-introspection+jwt';
const clock = fixedClock();
const server = suiteServer({
  clock,
  clients: [aClient(), ...signingAlgs.map(alg => aClient({ client_id: alg, introspection_signed_response_alg: alg }))],
});

const ask = (clientId: string, token: string, accept: string | undefined) =>
  send(`${server.at()}/introspect`, {
    method: 'POST',
    body: query({ token }),
    headers: {
      authorization: basic(clientId, 'web-secret-1'),
      'content-type': 'application/x-www-form-urlencoded',
      ...(accept === undefined ? {} : { accept }),
    },
  });
const opened = async (jwt: string, audience: string) => {
  const keys = createLocalJWKSet((await get(`${server.at()}/jwks`)).json);
  return jwtVerify(jwt, keys, { issuer: server.at(), audience, typ: 'token-introspection+jwt' });
};

describe('signed answers of introspection (RFC 9701)', () => {
  for (const alg of signingAlgs) {
    it(`says in a JWT with ${alg} what the JSON says, for the client that asked (section 5)`, async () => {
      const { access_token } = await aTokenSet(server);
      const { text, headers } = await ask(alg, access_token, `application/json;q=0.5, ${JWT}`);
      assert.equal(headers.get('content-type'), JWT);
      assert.match(headers.get('cache-control') ?? '', /no-store/);
      const { payload, protectedHeader } = await opened(text, alg);
      assert.equal(protectedHeader.alg, alg);
      const { iss: _, aud: __, iat, token_introspection: told, ...rest } = payload;
      assert.equal(iat, clock.now());
      assert.deepEqual(rest, {}, 'nothing of the token is a claim of the answer');
      assert.deepEqual(told, (await ask('web', access_token, undefined)).json);
    });
  }

  it('says of a token that is none that it is not active, in the same form', async () => {
    const { text } = await ask('ES256', 'nothing', JWT);
    assert.deepEqual((await opened(text, 'ES256')).payload.token_introspection, { active: false });
  });

  it('is JSON where nobody asks for it, and for a client that has not said how', async () => {
    const { access_token } = await aTokenSet(server);
    for (const [client, accept] of [
      ['ES256', undefined],
      ['ES256', 'application/json'],
      ['ES256', '*/*'],
      ['web', JWT],
    ] as const) {
      const { headers, json } = await ask(client, access_token, accept);
      assert.match(headers.get('content-type') ?? '', /^application\/json/);
      assert.equal(json.active, true);
    }
  });

  it('is verified by oauth4webapi', async () => {
    const { access_token } = await aTokenSet(server);
    const issuer = new URL(server.at());
    const insecure = { [oauth.allowInsecureRequests]: true };
    const as = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, insecure));
    const client = { client_id: 'ES256', introspection_signed_response_alg: 'ES256' };
    const auth = oauth.ClientSecretBasic('web-secret-1');
    const options = { ...insecure, requestJwtResponse: true };
    const response = await oauth.introspectionRequest(as, client, auth, access_token, options);
    assert.equal((await oauth.processIntrospectionResponse(as, client, response)).active, true);
    await oauth.validateApplicationLevelSignature(as, response, insecure);
  });

  it('is in discovery (section 7)', async () => {
    const { json } = await get(`${server.at()}/.well-known/openid-configuration`);
    assert.deepEqual(json.introspection_signing_alg_values_supported, signingAlgs);
  });
});
