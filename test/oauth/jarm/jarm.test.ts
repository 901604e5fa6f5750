import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createLocalJWKSet, jwtVerify } from 'jose';
import * as client from 'openid-client';
import { signingAlgs } from '../../../src/oauth/signing-keys/algorithms.rules.ts';
import { get, redeem } from '../../build/client.ts';
import { delivered } from '../../build/delivered.ts';
import { aClient, anApplication, CALLBACK } from '../../build/fixture.ts';
import { atLogoutQuestion, signedIn } from '../../build/people.ts';
import { suitePart } from '../../build/suite-part.ts';
import { suiteServer } from '../../build/test-server.ts';
import { authorizationUrl, type Fields, query, Visitor } from '../../build/visitor.ts';

const grant_types = ['authorization_code', 'implicit'] as const;
const signing = (over: Parameters<typeof aClient>[0] = {}) =>
  aClient({ authorization_signed_response_alg: 'ES256', grant_types, ...over });
const server = suiteServer({
  applications: [
    anApplication({
      clients: [
        signing(),
        aClient({ client_id: 'plain' }),
        ...signingAlgs.map(alg => signing({ client_id: alg, authorization_signed_response_alg: alg })),
      ],
    }),
    anApplication({ code: 'strict', strict_oidc: true, clients: [signing({ client_id: 'strict' })] }),
  ],
});
const alice = suitePart(() => signedIn(server));

const ask = (fields: Fields, app?: string, visitor = alice) =>
  visitor.go(authorizationUrl(server, { nonce: 'n1', scope: 'openid email', prompt: 'none', ...fields }, app));
/** Verified as the client does. */
const opened = async (
  jwt: string | undefined,
  audience = 'web',
  app = 'shop',
): Promise<Readonly<Record<string, unknown>>> => {
  const keys = createLocalJWKSet((await get(`${server.at(app)}/jwks`)).json);
  const { payload, protectedHeader } = await jwtVerify(jwt ?? '', keys, { issuer: server.at(app), audience });
  return { ...payload, alg: protectedHeader.alg };
};

describe('signed authorization responses (JARM)', () => {
  for (const [response_mode, response_type, place] of [
    ['jwt', 'code', 'query'],
    ['query.jwt', 'code', 'query'],
    ['fragment.jwt', 'code', 'fragment'],
    ['form_post.jwt', 'code', 'form_post'],
    ['jwt', 'id_token token', 'fragment'],
    ['form_post.jwt', 'id_token', 'form_post'],
  ] as const) {
    it(`${response_mode} of ${response_type}: one parameter, response, by ${place} (section 2.3)`, async () => {
      const answer = delivered(await ask({ response_mode, response_type }));
      assert.equal(answer.place, place);
      assert.deepEqual(Object.keys(answer.fields), ['response']);
      const { exp, alg, ...claims } = await opened(answer.fields.response);
      assert.equal(alg, 'ES256');
      assert(Number(exp) - server.services.clock.now() <= 600);
      assert.deepEqual([claims.iss, claims.aud, claims.state], [server.at(), 'web', 'st']);
      assert.equal('code' in claims, response_type === 'code');
    });
  }

  for (const alg of signingAlgs) {
    it(`is signed with ${alg} where the client says so`, async () => {
      const { fields } = delivered(await ask({ response_mode: 'jwt', client_id: alg }));
      assert.equal((await opened(fields.response, alg)).alg, alg);
    });
  }

  it('carries errors, too: of the request, and of what the user did (section 2.1)', async () => {
    const scope = delivered(await ask({ response_mode: 'jwt', scope: 'openid admin' }));
    assert.deepEqual(Object.keys(scope.fields), ['response']);
    assert.equal((await opened(scope.fields.response)).error, 'invalid_scope');
    const stranger = delivered(await ask({ response_mode: 'fragment.jwt' }, undefined, new Visitor(server.base)));
    assert.equal(stranger.place, 'fragment');
    const { error, state } = await opened(stranger.fields.response);
    assert.deepEqual([error, state], ['login_required', 'st']);
    const strict = delivered(await ask({ response_mode: 'jwt', client_id: 'strict', max_age: 'x' }, 'strict'));
    assert.equal((await opened(strict.fields.response, 'strict', 'strict')).error, 'invalid_request');
  });

  it('is not there for a client that did not ask for it', async () => {
    for (const response_mode of ['jwt', 'query.jwt', 'fragment.jwt', 'form_post.jwt']) {
      const { place, fields } = delivered(await ask({ response_mode, client_id: 'plain' }));
      assert.deepEqual([place, fields.error], ['query', 'invalid_request'], response_mode);
      assert.equal(fields.error_description, 'OAuth 2.0 Parameter: response_mode');
    }
  });

  it('never puts tokens into the query (section 2.3.1)', async () => {
    const { place, fields } = delivered(await ask({ response_mode: 'query.jwt', response_type: 'id_token token' }));
    assert.deepEqual([place, fields.error], ['query', 'invalid_request']);
  });

  it('is no ID token: it ends no session as a hint', async () => {
    const { fields } = delivered(await ask({ response_mode: 'jwt' }));
    const seen = await alice.follow(`${server.at()}/logout?${query({ id_token_hint: fields.response })}`);
    assert(atLogoutQuestion(seen));
  });

  it('is understood by openid-client, with code and PKCE', async () => {
    const config = await client.discovery(
      new URL(server.at()),
      'web',
      { client_secret: 'web-secret-1', authorization_signed_response_alg: 'ES256' },
      undefined,
      {
        execute: [client.allowInsecureRequests, client.useJwtResponseMode],
      },
    );
    const code_verifier = client.randomPKCECodeVerifier();
    const code_challenge = await client.calculatePKCECodeChallenge(code_verifier);
    const url = client.buildAuthorizationUrl(config, {
      ...{ redirect_uri: CALLBACK, scope: 'openid email', state: 'st', prompt: 'none' },
      ...{ code_challenge, code_challenge_method: 'S256' },
    });
    assert.equal(url.searchParams.get('response_mode'), 'jwt');
    const { location } = await alice.go(url.href);
    const tokens = await client.authorizationCodeGrant(config, new URL(location ?? ''), {
      ...{ pkceCodeVerifier: code_verifier, expectedState: 'st' },
    });
    assert(tokens.access_token);
  });

  it('the code in it is a code like any other', async () => {
    const { fields } = delivered(await ask({ response_mode: 'jwt' }));
    const { code } = await opened(fields.response);
    assert.equal((await redeem(server, String(code))).status, 200);
  });

  it('is in discovery (section 4)', async () => {
    const { json } = await get(`${server.at()}/.well-known/openid-configuration`);
    assert.deepEqual(json.authorization_signing_alg_values_supported, signingAlgs);
    for (const mode of ['jwt', 'query.jwt', 'fragment.jwt', 'form_post.jwt']) {
      assert(json.response_modes_supported.includes(mode), mode);
    }
  });
});
