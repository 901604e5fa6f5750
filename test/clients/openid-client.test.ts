import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as client from 'openid-client';
import { aDesk, decideRequest } from '../build/approvals.ts';
import { aSigningPair } from '../build/assertion.ts';
import { aTv, decide } from '../build/device.ts';
import { aClient, aPublicClient, PASSWORD } from '../build/fixture.ts';
import { allowed, logIn } from '../build/people.ts';
import { suiteServer } from '../build/test-server.ts';
import { Visitor } from '../build/visitor.ts';

const SECRET = 'a secret: 100% + /=&~';
const LONG = 'a secret that is long enough to sign with';
const KEY = aSigningPair('ES256');
const REDIRECT = 'http://127.0.0.1/cb';
const EVERYTHING = { scope: 'openid profile email phone' };

/** The library checks what it gets as strictly as the specifications allow; what it accepts, other clients do too. */
describe('openid-client', () => {
  const confidential = { client_secret: SECRET, redirect_uris: [REDIRECT] };
  const server = suiteServer({
    shop: {
      dynamic_registration: 'open',
      clients: [
        aClient(confidential),
        aClient({ ...confidential, client_id: 'ecdsa', id_token_signed_response_alg: 'ES256' }),
        aClient({ ...confidential, client_id: 'jwt', access_token_format: 'jwt' }),
        aClient({ ...confidential, client_id: 'poster', token_endpoint_auth_method: 'client_secret_post' }),
        aClient({ ...confidential, client_id: 'pushing', require_pushed_authorization_requests: true }),
        aClient({
          ...confidential,
          client_id: 'signer',
          token_endpoint_auth_method: 'client_secret_jwt',
          client_secret: LONG,
        }),
        aClient({
          ...{ client_id: 'keys', client_secret: undefined, redirect_uris: [REDIRECT] },
          ...{ token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: [KEY.publicJwk] } },
        }),
        aPublicClient({ redirect_uris: [REDIRECT] }),
        aTv(),
        aDesk(),
      ],
    },
  });

  const configure = (clientId: string, authentication: client.ClientAuth, algorithm: 'oidc' | 'oauth2' = 'oidc') =>
    client.discovery(new URL(server.at()), clientId, undefined, authentication, {
      algorithm,
      // Signatures are checked too, which over TLS would be optional.
      execute: [client.allowInsecureRequests, client.enableNonRepudiationChecks],
    });

  /** Through the login page, to the address the library is called back at. */
  const visit = async (url: URL): Promise<URL> => {
    const visitor = new Visitor(server.base);
    const page = await visitor.follow(url.href);
    const seen = await allowed(visitor, await logIn(visitor, page));
    assert(seen.location, `no redirect: ${seen.status}`);
    return new URL(seen.location);
  };

  const codeWithPkce = async (
    config: client.Configuration,
    address: (parameters: Record<string, string>) => URL | Promise<URL> = parameters =>
      client.buildAuthorizationUrl(config, parameters),
  ) => {
    const pkceCodeVerifier = client.randomPKCECodeVerifier();
    const [expectedState, expectedNonce] = [client.randomState(), client.randomNonce()];
    const back = await visit(
      await address({
        ...EVERYTHING,
        redirect_uri: REDIRECT,
        code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
        code_challenge_method: 'S256',
        state: expectedState,
        nonce: expectedNonce,
      }),
    );
    return client.authorizationCodeGrant(config, back, {
      pkceCodeVerifier,
      expectedState,
      expectedNonce,
      idTokenExpected: true,
    });
  };

  const profileOf = async (config: client.Configuration, tokens: Awaited<ReturnType<typeof codeWithPkce>>) => {
    const sub = tokens.claims()?.sub;
    assert(sub);
    return client.fetchUserInfo(config, tokens.access_token, sub);
  };

  for (const [clientId, authentication] of [
    ['pushing', client.ClientSecretBasic(SECRET)],
    ['spa', client.None()],
  ] as const) {
    it(`pushes its request (RFC 9126): ${clientId}`, async () => {
      const config = await configure(clientId, authentication);
      const tokens = await codeWithPkce(config, parameters => client.buildAuthorizationUrlWithPAR(config, parameters));
      assert.equal((await profileOf(config, tokens)).preferred_username, 'alice');
    });
  }

  /** It waits the whole interval before each poll, so the test gives it a shorter one. */
  const INTERVAL_SECONDS = 1;

  it('connects a device (RFC 8628): it polls until the person has allowed it', async () => {
    const config = await configure('tv', client.None());
    const device = await client.initiateDeviceAuthorization(config, { scope: 'openid profile' });
    assert.equal(device.interval, 5);
    const polling = client.pollDeviceAuthorizationGrant(config, { ...device, interval: INTERVAL_SECONDS });
    await decide(server, device.user_code, 'allow');
    const tokens = await polling;
    assert.equal((await profileOf(config, tokens)).preferred_username, 'alice');
    const renewed = await client.refreshTokenGrant(config, tokens.refresh_token ?? '');
    assert(renewed.access_token);
  });

  it('is told that the person has denied the device', async () => {
    const config = await configure('tv', client.None());
    const device = await client.initiateDeviceAuthorization(config, { scope: 'openid' });
    await decide(server, device.user_code, 'deny');
    const polling = client.pollDeviceAuthorizationGrant(config, { ...device, interval: INTERVAL_SECONDS });
    await assert.rejects(polling, (error: client.ResponseBodyError) => error.error === 'access_denied');
  });

  const askAlice = (config: client.Configuration) =>
    client.initiateBackchannelAuthentication(config, {
      ...{ scope: 'openid profile', login_hint: 'alice@example.com', binding_message: 'Word 4711' },
    });

  it('asks a person through the backchannel (CIBA), and polls until the request is allowed', async () => {
    const config = await configure('desk', client.ClientSecretBasic('desk-secret-1'));
    const asked = await askAlice(config);
    assert.deepEqual([asked.expires_in, asked.interval], [600, 5]);
    const polling = client.pollBackchannelAuthenticationGrant(config, { ...asked, interval: INTERVAL_SECONDS });
    await decideRequest(server, 'allow');
    const tokens = await polling;
    assert.equal((await profileOf(config, tokens)).preferred_username, 'alice');
    assert((await client.refreshTokenGrant(config, tokens.refresh_token ?? '')).access_token);
  });

  it('is told that the person has denied the request', async () => {
    const config = await configure('desk', client.ClientSecretPost('desk-secret-1'));
    const asked = await askAlice(config);
    await decideRequest(server, 'deny');
    const polling = client.pollBackchannelAuthenticationGrant(config, { ...asked, interval: INTERVAL_SECONDS });
    await assert.rejects(polling, (error: client.ResponseBodyError) => error.error === 'access_denied');
  });

  for (const [name, clientId, authentication] of [
    ['client_secret_basic', 'web', client.ClientSecretBasic(SECRET)],
    ['client_secret_post', 'poster', client.ClientSecretPost(SECRET)],
    ['client_secret_jwt', 'signer', client.ClientSecretJwt(LONG)],
    [
      'private_key_jwt',
      'keys',
      client.PrivateKeyJwt({
        key: KEY.privateKey.toCryptoKey({ name: 'ECDSA', namedCurve: 'P-256' }, false, ['sign']),
        kid: KEY.publicJwk.kid,
      }),
    ],
    ['ES256 ID tokens', 'ecdsa', client.ClientSecretBasic(SECRET)],
    ['JWT access tokens', 'jwt', client.ClientSecretBasic(SECRET)],
  ] as const) {
    it(`runs a confidential client from discovery to revocation: ${name}`, async () => {
      const config = await configure(clientId, authentication);
      assert.equal(config.serverMetadata().supportsPKCE(), true);
      const tokens = await codeWithPkce(config);
      assert.equal((await profileOf(config, tokens)).preferred_username, 'alice');

      assert(tokens.refresh_token);
      const next = await client.refreshTokenGrant(config, tokens.refresh_token);
      assert.equal(next.claims()?.sub, tokens.claims()?.sub);
      assert.equal((await profileOf(config, next)).email, 'alice@example.com');

      const seen = await client.tokenIntrospection(config, next.access_token, { token_type_hint: 'access_token' });
      assert.deepEqual([seen.active, seen.client_id, seen.scope], [true, clientId, EVERYTHING.scope]);

      await client.tokenRevocation(config, next.access_token);
      assert.equal((await client.tokenIntrospection(config, next.access_token)).active, false);
      await assert.rejects(profileOf(config, next), { code: 'OAUTH_WWW_AUTHENTICATE_CHALLENGE', status: 401 });

      assert(next.refresh_token);
      await client.tokenRevocation(config, next.refresh_token);
      await assert.rejects(client.refreshTokenGrant(config, next.refresh_token), {
        error: 'invalid_grant',
        status: 400,
      });
    });
  }

  it('runs a public client from discovery to revocation', async () => {
    const config = await configure('spa', client.None());
    const tokens = await codeWithPkce(config);
    assert.equal((await profileOf(config, tokens)).preferred_username, 'alice');
    assert(tokens.refresh_token);
    const next = await client.refreshTokenGrant(config, tokens.refresh_token);
    assert(next.refresh_token);
    assert.notEqual(next.refresh_token, tokens.refresh_token);
    await client.tokenRevocation(config, next.refresh_token);
    await assert.rejects(client.refreshTokenGrant(config, next.refresh_token), { error: 'invalid_grant' });
  });

  it('registers itself (RFC 7591), and runs from there to the profile', async () => {
    const metadata = { redirect_uris: [REDIRECT], grant_types: ['authorization_code', 'refresh_token'] };
    const execute = [client.allowInsecureRequests, client.enableNonRepudiationChecks];
    const config = await client.dynamicClientRegistration(new URL(server.at()), metadata, undefined, { execute });
    assert(config.clientMetadata().client_secret);
    const tokens = await codeWithPkce(config);
    assert.equal((await profileOf(config, tokens)).preferred_username, 'alice');
    assert(tokens.refresh_token);
    assert((await client.refreshTokenGrant(config, tokens.refresh_token)).access_token);
  });

  it('discovers the server by RFC 8414, too', async () => {
    const config = await configure('web', client.ClientSecretBasic(SECRET), 'oauth2');
    assert.equal(config.serverMetadata().issuer, server.at());
    assert.equal((await profileOf(config, await codeWithPkce(config))).nickname, 'Al');
  });

  it('runs the password grant', async () => {
    const config = await configure('web', client.ClientSecretBasic(SECRET));
    const parameters = { username: 'alice', password: PASSWORD, ...EVERYTHING };
    const tokens = await client.genericGrantRequest(config, 'password', parameters);
    assert.equal((await profileOf(config, tokens)).phone_number, '+8613800000001');
  });

  it('runs the implicit flow', async () => {
    const config = await configure('web', client.None());
    client.useIdTokenResponseType(config);
    const [state, nonce] = [client.randomState(), client.randomNonce()];
    const request = { scope: 'openid email', redirect_uri: REDIRECT, state, nonce };
    const back = await visit(client.buildAuthorizationUrl(config, request));
    const claims = await client.implicitAuthentication(config, back, nonce, { expectedState: state });
    assert.equal(claims.email, 'alice@example.com');
  });

  it('reports an error of the authorization endpoint by its name', async () => {
    const config = await configure('web', client.ClientSecretBasic(SECRET));
    const url = client.buildAuthorizationUrl(config, { redirect_uri: REDIRECT, scope: 'openid', prompt: 'none' });
    const { location } = await new Visitor(server.base).go(url.href);
    assert(location);
    await assert.rejects(client.authorizationCodeGrant(config, new URL(location)), { error: 'login_required' });
  });

  it('reports an error of the token endpoint by its name', async () => {
    const config = await configure('web', client.ClientSecretBasic('wrong'));
    await assert.rejects(client.refreshTokenGrant(config, 'x'), {
      code: 'OAUTH_WWW_AUTHENTICATE_CHALLENGE',
      status: 401,
    });
  });
});
