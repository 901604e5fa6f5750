import assert from 'node:assert/strict';
import type { webcrypto } from 'node:crypto';
import { describe, it } from 'node:test';
import * as oauth from 'oauth4webapi';
import { aDesk, decideRequest } from '../build/approvals.ts';
import { aSigningPair } from '../build/assertion.ts';
import { aTv, decide } from '../build/device.ts';
import { aClient, aPublicClient } from '../build/fixture.ts';
import { allowed, logIn } from '../build/people.ts';
import { aStatement } from '../build/software-statement.ts';
import { suiteServer } from '../build/test-server.ts';
import { Visitor } from '../build/visitor.ts';

const SECRET = 'a secret: 100% + /=&~';
const LONG = 'a secret that is long enough to sign with';
const KEYS = (['RS256', 'PS256', 'ES256', 'EdDSA'] as const).map(alg => aSigningPair(alg));
const REDIRECT = 'http://127.0.0.1/cb';
const HTTP = { [oauth.allowInsecureRequests]: true };

/** The lower-level library: every request and every check of its answer is a call of its own. */
describe('oauth4webapi', () => {
  const confidential = { client_secret: SECRET, redirect_uris: [REDIRECT] };
  const server = suiteServer({
    shop: {
      dynamic_registration: 'open',
      software_statements: { issuers: [{ issuer: 'directory', jwks: { keys: KEYS.map(key => key.publicJwk) } }] },
      clients: [
        aClient(confidential),
        aClient({ ...confidential, client_id: 'poster', token_endpoint_auth_method: 'client_secret_post' }),
        aClient({
          ...confidential,
          client_id: 'signer',
          token_endpoint_auth_method: 'client_secret_jwt',
          client_secret: LONG,
        }),
        ...KEYS.map(({ alg, publicJwk }) =>
          aClient({
            ...{ client_id: alg, client_secret: undefined, redirect_uris: [REDIRECT] },
            ...{ token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: [publicJwk] } },
          }),
        ),
        aPublicClient({ redirect_uris: [REDIRECT] }),
        aTv(),
        aDesk(),
      ],
    },
  });

  const discover = async (algorithm: 'oidc' | 'oauth2' = 'oidc') => {
    const issuer = new URL(server.at());
    const response = await oauth.discoveryRequest(issuer, { algorithm, ...HTTP });
    return oauth.processDiscoveryResponse(issuer, response);
  };

  interface Party {
    readonly as: oauth.AuthorizationServer;
    readonly client: oauth.Client;
    readonly auth: oauth.ClientAuth;
  }

  const codeWithPkce = async ({ as, client, auth }: Party) => {
    const verifier = oauth.generateRandomCodeVerifier();
    const [state, nonce] = [oauth.generateRandomState(), oauth.generateRandomNonce()];
    const url = new URL(as.authorization_endpoint ?? '');
    url.search = new URLSearchParams({
      client_id: client.client_id,
      response_type: 'code',
      redirect_uri: REDIRECT,
      scope: 'openid profile',
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      state,
      nonce,
      max_age: '300',
    }).toString();
    const visitor = new Visitor(server.base);
    const page = await visitor.follow(url.href);
    const seen = await allowed(visitor, await logIn(visitor, page));
    const back = oauth.validateAuthResponse(as, client, new URL(seen.location ?? ''), state);
    const response = await oauth.authorizationCodeGrantRequest(as, client, auth, back, REDIRECT, verifier, HTTP);
    const tokens = await oauth.processAuthorizationCodeResponse(as, client, response, {
      expectedNonce: nonce,
      maxAge: 300,
      requireIdToken: true,
    });
    await oauth.validateApplicationLevelSignature(as, response, HTTP);
    return tokens;
  };

  const renew = async ({ as, client, auth }: Party, tokens: oauth.TokenEndpointResponse) => {
    assert(tokens.refresh_token);
    const response = await oauth.refreshTokenGrantRequest(as, client, auth, tokens.refresh_token, HTTP);
    return oauth.processRefreshTokenResponse(as, client, response);
  };

  const profileOf = async ({ as, client }: Party, tokens: oauth.TokenEndpointResponse) => {
    const sub = oauth.getValidatedIdTokenClaims(tokens)?.sub;
    assert(sub);
    const response = await oauth.userInfoRequest(as, client, tokens.access_token, HTTP);
    return oauth.processUserInfoResponse(as, client, sub, response);
  };

  const look = async ({ as, client, auth }: Party, token: string) => {
    const response = await oauth.introspectionRequest(as, client, auth, token, HTTP);
    return oauth.processIntrospectionResponse(as, client, response);
  };

  const revoke = async ({ as, client, auth }: Party, token: string | undefined) => {
    assert(token);
    await oauth.processRevocationResponse(await oauth.revocationRequest(as, client, auth, token, HTTP));
  };

  const IMPORTS: Readonly<Record<string, webcrypto.Algorithm & Partial<webcrypto.EcKeyImportParams>>> = {
    RS256: { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' } as webcrypto.Algorithm,
    PS256: { name: 'RSA-PSS', hash: 'SHA-256' } as webcrypto.Algorithm,
    ES256: { name: 'ECDSA', namedCurve: 'P-256' },
    EdDSA: { name: 'Ed25519' },
  };
  const byKey = async ({ alg, privateKey, publicJwk: { kid } }: (typeof KEYS)[number]) => {
    const key = privateKey.toCryptoKey(IMPORTS[alg] ?? alg, false, ['sign']);
    return oauth.PrivateKeyJwt({ key, kid });
  };

  for (const [clientId, authenticate] of [
    ['web', async () => oauth.ClientSecretBasic(SECRET)],
    ['poster', async () => oauth.ClientSecretPost(SECRET)],
    ['signer', async () => oauth.ClientSecretJwt(LONG)],
    ...KEYS.map(pair => [pair.alg, () => byKey(pair)] as const),
  ] as const) {
    for (const algorithm of ['oidc', 'oauth2'] as const) {
      it(`runs the confidential client ${clientId} from discovery (${algorithm}) to revocation`, async () => {
        const auth = await authenticate();
        const party = { as: await discover(algorithm), client: { client_id: clientId }, auth };
        const tokens = await codeWithPkce(party);
        assert.equal((await profileOf(party, tokens)).preferred_username, 'alice');
        const next = await renew(party, tokens);
        assert.equal((await look(party, next.access_token)).active, true);
        await revoke(party, next.access_token);
        assert.equal((await look(party, next.access_token)).active, false);
        await revoke(party, next.refresh_token);
        await assert.rejects(renew(party, next), { error: 'invalid_grant', status: 400 });
      });
    }
  }

  it('runs a public client from discovery to revocation', async () => {
    const party = { as: await discover(), client: { client_id: 'spa' }, auth: oauth.None() };
    const tokens = await codeWithPkce(party);
    assert.equal((await profileOf(party, tokens)).preferred_username, 'alice');
    const next = await renew(party, tokens);
    await revoke(party, next.refresh_token);
    await assert.rejects(renew(party, next), { error: 'invalid_grant', status: 400 });
    // Introspection needs client authentication (row 51).
    await assert.rejects(look(party, next.access_token), { status: 401 });
  });

  it('reads the challenge of a wrong secret', async () => {
    const party = { as: await discover(), client: { client_id: 'web' }, auth: oauth.ClientSecretBasic('wrong') };
    await assert.rejects(look(party, 'x'), (error: unknown) => {
      assert(error instanceof oauth.WWWAuthenticateChallengeError);
      assert.equal(error.cause[0]?.scheme, 'basic');
      return true;
    });
  });

  it('registers itself with a software statement (RFC 7591), and runs from there to revocation', async () => {
    const as = await discover();
    const [, , signer] = KEYS;
    assert(signer);
    const software_statement = aStatement(signer, {
      iss: 'directory',
      redirect_uris: [REDIRECT],
      client_name: 'Vouched',
    });
    const metadata = {
      redirect_uris: ['https://other.example/cb'],
      grant_types: ['authorization_code', 'refresh_token'],
    };
    const response = await oauth.dynamicClientRegistrationRequest(as, { ...metadata, software_statement }, HTTP);
    const client = await oauth.processDynamicClientRegistrationResponse(response);
    assert.deepEqual([client.redirect_uris, client.software_statement], [[REDIRECT], software_statement]);
    assert(typeof client.client_secret === 'string');
    const party = { as, client, auth: oauth.ClientSecretBasic(client.client_secret) };
    const next = await renew(party, await codeWithPkce(party));
    await revoke(party, next.refresh_token);
    await assert.rejects(renew(party, next), { error: 'invalid_grant', status: 400 });
  });

  it('connects a device (RFC 8628), from discovery to the ID token', async () => {
    const as = await discover('oauth2');
    const client: oauth.Client = { client_id: 'tv' };
    const auth = oauth.None();
    const asked = await oauth.deviceAuthorizationRequest(as, client, auth, { scope: 'openid profile' }, HTTP);
    const device = await oauth.processDeviceAuthorizationResponse(as, client, asked);
    const poll = async () => {
      const response = await oauth.deviceCodeGrantRequest(as, client, auth, device.device_code, HTTP);
      return oauth.processDeviceCodeResponse(as, client, response);
    };
    await assert.rejects(poll, (error: oauth.ResponseBodyError) => error.error === 'authorization_pending');
    await assert.rejects(poll, (error: oauth.ResponseBodyError) => error.error === 'slow_down');
    await decide(server, device.user_code, 'allow');
    const tokens = await poll();
    assert.equal(oauth.getValidatedIdTokenClaims(tokens)?.aud, 'tv');
    await assert.rejects(poll, (error: oauth.ResponseBodyError) => error.error === 'invalid_grant');
  });

  it('asks a person through the backchannel (CIBA), from discovery to the ID token', async () => {
    const as = await discover();
    const client: oauth.Client = { client_id: 'desk' };
    const auth = oauth.ClientSecretBasic('desk-secret-1');
    const wanted = { scope: 'openid', login_hint: 'alice', acr_values: '1' };
    const answered = await oauth.backchannelAuthenticationRequest(as, client, auth, wanted, HTTP);
    const asked = await oauth.processBackchannelAuthenticationResponse(as, client, answered);
    const poll = async () => {
      const response = await oauth.backchannelAuthenticationGrantRequest(as, client, auth, asked.auth_req_id, HTTP);
      return oauth.processBackchannelAuthenticationGrantResponse(as, client, response);
    };
    await assert.rejects(poll, (error: oauth.ResponseBodyError) => error.error === 'authorization_pending');
    await assert.rejects(poll, (error: oauth.ResponseBodyError) => error.error === 'slow_down');
    await decideRequest(server, 'allow');
    assert.equal(oauth.getValidatedIdTokenClaims(await poll())?.aud, 'desk');
    await assert.rejects(poll, (error: oauth.ResponseBodyError) => error.error === 'invalid_grant');
  });
});
