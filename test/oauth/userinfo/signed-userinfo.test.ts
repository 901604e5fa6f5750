import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createLocalJWKSet, jwtVerify } from 'jose';
import * as client from 'openid-client';
import { signingAlgs } from '../../../src/oauth/signing-keys/algorithms.rules.ts';
import { aTokenSet, basic, get } from '../../build/client.ts';
import { aClient } from '../../build/fixture.ts';
import { anOperatorClient } from '../../build/operator.ts';
import { atLogoutQuestion, signedIn } from '../../build/people.ts';
import { suiteServer } from '../../build/test-server.ts';
import { query } from '../../build/visitor.ts';
import { withStatus } from '../../build/with-status.ts';

const server = suiteServer({
  clients: [aClient(), ...signingAlgs.map(alg => aClient({ client_id: alg, userinfo_signed_response_alg: alg }))],
});

const answerTo = async (clientId: string) => {
  const { access_token } = await aTokenSet(server, {}, { auth: basic(clientId, 'web-secret-1') });
  const answered = await withStatus(200, get(`${server.at()}/userinfo`, { authorization: `Bearer ${access_token}` }));
  return answered;
};
const verified = async (jwt: string, audience: string) =>
  jwtVerify(jwt, createLocalJWKSet((await get(`${server.at()}/jwks`)).json), { issuer: server.at(), audience });

describe('signed userinfo (OpenID Connect Core section 5.3.2)', () => {
  for (const alg of signingAlgs) {
    it(`answers with a JWT signed with ${alg}, which has iss, aud and the same claims as the JSON`, async () => {
      const { text, headers } = await answerTo(alg);
      assert.equal(headers.get('content-type'), 'application/jwt');
      assert.match(headers.get('cache-control') ?? '', /no-store/);
      const { payload, protectedHeader } = await verified(text, alg);
      assert.equal(protectedHeader.alg, alg);
      const { iss: _, aud: __, ...claims } = payload;
      assert.deepEqual(claims, (await answerTo('web')).json);
    });
  }

  it('openid-client takes it where the client expects it', async () => {
    const config = await client.discovery(
      new URL(server.at()),
      'ES256',
      { client_secret: 'web-secret-1', userinfo_signed_response_alg: 'ES256' },
      undefined,
      { execute: [client.allowInsecureRequests] },
    );
    const { access_token, id_token } = await aTokenSet(server, {}, { auth: basic('ES256', 'web-secret-1') });
    const { sub } = JSON.parse(Buffer.from(id_token.split('.')[1], 'base64url').toString());
    const claims = await client.fetchUserInfo(config, access_token, sub);
    assert.equal(claims.preferred_username, 'alice');
  });

  it('is no ID token: it ends no session as a hint', async () => {
    const { text } = await answerTo('ES256');
    const visitor = await signedIn(server);
    assert(atLogoutQuestion(await visitor.follow(`${server.at()}/logout?${query({ id_token_hint: text })}`)));
  });

  it('gets its key with the setting, before the first answer', async () => {
    const owner = await anOperatorClient(server);
    await withStatus(201, owner.ask('POST', '/applications', { code: 'late', name: 'Late' }));
    await owner.ask('POST', '/applications/late/clients', { client_id: 'late', client_secret: 'web-secret-1' });
    const changed = { userinfo_signed_response_alg: 'EdDSA' };
    assert.equal((await owner.ask('PATCH', '/applications/late/clients/late', changed)).status, 200);
    const { keys } = (await get(`${server.at('late')}/jwks`)).json;
    assert(keys.some(({ alg }: { alg: string }) => alg === 'EdDSA'));
  });

  it('is in discovery (section 3)', async () => {
    const { json } = await get(`${server.at()}/.well-known/openid-configuration`);
    assert.deepEqual(json.userinfo_signing_alg_values_supported, signingAlgs);
  });
});
