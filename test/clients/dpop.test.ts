import assert from 'node:assert/strict';
import type { webcrypto } from 'node:crypto';
import { describe, it } from 'node:test';
import * as oauth from 'oauth4webapi';
import * as openid from 'openid-client';
import { aClient, aPublicClient } from '../build/fixture.ts';
import { allowed, logIn } from '../build/people.ts';
import { suiteServer } from '../build/test-server.ts';
import { Visitor } from '../build/visitor.ts';

const SECRET = 'a secret: 100% + /=&~';
const REDIRECT = 'http://127.0.0.1/cb';
const HTTP = { [oauth.allowInsecureRequests]: true };
/** Further away than a proof without a nonce may be. */
const WRONG_CLOCK_SECONDS = -3600;

/** RFC 9449 by two libraries of others: they make the proofs, and repeat a request that wants a nonce by themselves. */
describe('DPoP by client libraries', () => {
  const confidential = { client_secret: SECRET, redirect_uris: [REDIRECT], dpop_bound_access_tokens: true };
  const server = suiteServer({
    clients: [
      aClient(confidential),
      aClient({ ...confidential, client_id: 'jwt', access_token_format: 'jwt' }),
      aPublicClient({ redirect_uris: [REDIRECT] }),
    ],
  });

  /** Through the login page, to the address the library is called back at. */
  const visit = async (url: string): Promise<URL> => {
    const visitor = new Visitor(server.base);
    const page = await visitor.follow(url);
    const seen = await allowed(visitor, await logIn(visitor, page));
    assert(seen.location, `no redirect: ${seen.status}`);
    return new URL(seen.location);
  };

  const demands = () => server.logged().split('"use_dpop_nonce"').length - 1;

  describe('openid-client', () => {
    const configure = (clientId: string) =>
      openid.discovery(
        new URL(server.at()),
        clientId,
        undefined,
        clientId === 'spa' ? openid.None() : openid.ClientSecretBasic(SECRET),
        { execute: [openid.allowInsecureRequests, openid.enableNonRepudiationChecks] },
      );

    const run = async (config: openid.Configuration, DPoP: openid.DPoPHandle, isPushed: boolean) => {
      const pkceCodeVerifier = openid.randomPKCECodeVerifier();
      const expectedState = openid.randomState();
      const parameters = {
        redirect_uri: REDIRECT,
        scope: 'openid profile email',
        code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
        code_challenge_method: 'S256',
        state: expectedState,
      };
      const address = isPushed
        ? await openid.buildAuthorizationUrlWithPAR(config, parameters, { DPoP })
        : openid.buildAuthorizationUrl(config, {
            ...parameters,
            dpop_jkt: await DPoP.calculateThumbprint(),
          });
      const back = await visit(address.href);
      const checks = { pkceCodeVerifier, expectedState, idTokenExpected: true };
      const tokens = await openid.authorizationCodeGrant(config, back, checks, undefined, { DPoP });
      assert.equal(tokens.token_type, 'dpop');
      assert(tokens.refresh_token);
      const sub = tokens.claims()?.sub ?? assert.fail('no sub');
      const seen = await openid.fetchUserInfo(config, tokens.access_token, sub, { DPoP });
      assert.equal(seen.preferred_username, 'alice');
      const next = await openid.refreshTokenGrant(config, tokens.refresh_token, undefined, { DPoP });
      assert.equal(next.token_type, 'dpop');
      assert.equal((await openid.fetchUserInfo(config, next.access_token, sub, { DPoP })).sub, sub);
      return next;
    };

    for (const clientId of ['web', 'jwt', 'spa']) {
      it(`binds tokens at code and refresh, and uses them at userinfo: ${clientId}`, async () => {
        const config = await configure(clientId);
        const DPoP = openid.getDPoPHandle(config, await openid.randomDPoPKeyPair());
        const tokens = await run(config, DPoP, false);
        if (clientId === 'spa') return;
        const seen = await openid.tokenIntrospection(config, tokens.access_token);
        assert.deepEqual([seen.active, seen.token_type], [true, 'DPoP']);
        assert.deepEqual(seen.cnf, { jkt: await DPoP.calculateThumbprint() });
      });

      it(`gets a nonce where its clock is wrong, at every endpoint (section 8): ${clientId}`, async () => {
        const config = await configure(clientId);
        const keys = await openid.randomDPoPKeyPair('EdDSA');
        const before = demands();
        const skewed = { [openid.modifyAssertion]: backdate };
        await run(config, openid.getDPoPHandle(config, keys, skewed), true);
        assert.equal(demands() - before, 1, 'the nonce of one endpoint is good at all of them');
      });
    }
  });

  describe('oauth4webapi', () => {
    for (const alg of ['ES256', 'RS256', 'PS256', 'Ed25519']) {
      it(`binds, refreshes, uses and introspects a token: ${alg}`, async () => {
        const issuer = new URL(server.at());
        const as = await oauth.processDiscoveryResponse(
          issuer,
          await oauth.discoveryRequest(issuer, { algorithm: 'oidc', ...HTTP }),
        );
        assert(as.dpop_signing_alg_values_supported?.includes(alg));
        const client: oauth.Client = { client_id: 'web' };
        const auth = oauth.ClientSecretBasic(SECRET);
        const keys = (await oauth.generateKeyPair(alg)) as webcrypto.CryptoKeyPair;
        const DPoP = oauth.DPoP(client, keys, { [oauth.modifyAssertion]: backdate });

        const verifier = oauth.generateRandomCodeVerifier();
        const form = {
          response_type: 'code',
          redirect_uri: REDIRECT,
          scope: 'openid profile',
          code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
          code_challenge_method: 'S256',
        };
        const push = () => oauth.pushedAuthorizationRequest(as, client, auth, form, { DPoP, ...HTTP });
        const pushed = await withNonce(
          () => push().then(response => oauth.processPushedAuthorizationResponse(as, client, response)),
          1,
        );
        const url = `${as.authorization_endpoint}?client_id=web&request_uri=${encodeURIComponent(pushed.request_uri)}`;
        const back = oauth.validateAuthResponse(as, client, await visit(url), oauth.expectNoState);
        const response = await oauth.authorizationCodeGrantRequest(as, client, auth, back, REDIRECT, verifier, {
          DPoP,
          ...HTTP,
        });
        const tokens = await oauth.processAuthorizationCodeResponse(as, client, response);
        assert.equal(tokens.token_type, 'dpop');
        assert(tokens.refresh_token);
        const renewed = await oauth.processRefreshTokenResponse(
          as,
          client,
          await oauth.refreshTokenGrantRequest(as, client, auth, tokens.refresh_token, { DPoP, ...HTTP }),
        );
        const seen = await oauth.userInfoRequest(as, client, renewed.access_token, { DPoP, ...HTTP });
        const sub = oauth.getValidatedIdTokenClaims(tokens)?.sub ?? assert.fail('no sub');
        assert.equal((await oauth.processUserInfoResponse(as, client, sub, seen)).preferred_username, 'alice');
        const looked = await oauth.introspectionRequest(as, client, auth, renewed.access_token, HTTP);
        const { cnf } = await oauth.processIntrospectionResponse(as, client, looked);
        assert.deepEqual(cnf, { jkt: await DPoP.calculateThumbprint() });
      });
    }
  });
});

function backdate(_header: unknown, payload: Record<string, unknown>): void {
  payload.iat = Math.floor(Date.now() / 1000) + WRONG_CLOCK_SECONDS;
}

/** oauth4webapi leaves the repetition to its caller. `expected`: how often the server asks for a nonce. */
async function withNonce<T>(request: () => Promise<T>, expected: number): Promise<T> {
  for (let asked = 0; ; asked++) {
    try {
      const answer = await request();
      assert.equal(asked, expected);
      return answer;
    } catch (error) {
      if (!oauth.isDPoPNonceError(error) || asked === expected) throw error;
    }
  }
}
