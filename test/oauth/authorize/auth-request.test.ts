import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { NO_CLAIMS } from '../../../src/oauth/authorize/claims-request.rules.ts';
import { checkRedirectTarget } from '../../../src/oauth/authorize/request.rules.ts';
import { defaultScope } from '../../../src/oauth/token/scope.rules.ts';
import { parseParams } from '../../../src/platform/http/params.rules.ts';
import { CHALLENGE, PKCE, valid } from './auth-request-given.ts';
import { CALLBACK, client } from './given.ts';

describe('client and redirect address, before anything is sent anywhere (row 11)', () => {
  for (const [raw, known, name] of [
    ['', true, 'clientIdMissing'],
    ['client_id=&redirect_uri=x', true, 'clientIdMissing'],
    ['client_id=web&client_id=web', true, 'clientIdMissing'],
    [`client_id=web&redirect_uri=${CALLBACK}`, false, 'clientUnknown'],
    ['client_id=web', true, 'redirectUriMissing'],
    ['client_id=web&redirect_uri=', true, 'redirectUriMissing'],
    [`client_id=web&redirect_uri=${CALLBACK}&redirect_uri=${CALLBACK}`, true, 'redirectUriMissing'],
    ['client_id=web&redirect_uri=%ff', true, 'redirectUriMissing'],
    ['client_id=web&redirect_uri=https://evil.example/cb', true, 'redirectUriUntrusted'],
    [`client_id=web&redirect_uri=${CALLBACK}/`, true, 'redirectUriUntrusted'],
  ] as const) {
    it(`${JSON.stringify(raw)} of ${known ? 'a known' : 'an unknown'} client: ${name}`, () => {
      const result = checkRedirectTarget(parseParams(raw), known ? client() : undefined);
      assert(result.kind === 'untrusted');
      assert.equal(result.failure.name, name);
      assert.equal(result.failure.status, 400);
    });
  }

  it('trusts a registered address of a known client', () => {
    const web = client();
    const result = checkRedirectTarget(parseParams(`client_id=web&redirect_uri=${CALLBACK}`), web);
    assert.deepEqual(result, { kind: 'trusted', target: { client: web, redirectUri: CALLBACK } });
  });
});

describe('a valid authorization request (interface 4.1)', () => {
  it('of the code flow, with everything', () => {
    const more = {
      scope: 'openid email',
      nonce: 'n',
      prompt: 'login consent',
      max_age: '0',
      login_hint: 'al',
      idp_hint: 'corp',
      ui_locales: 'zh en',
      id_token_hint: 'a.b.c',
      claims: '{"userinfo":{"email":null}}',
      acr_values: '1',
      dpop_jkt: CHALLENGE,
    };
    assert.deepEqual(valid({ ...PKCE, ...more }), {
      clientId: 'web',
      redirectUri: CALLBACK,
      responseType: 'code',
      responseMode: 'query',
      state: 'st',
      scope: ['openid', 'email'],
      resources: undefined,
      nonce: 'n',
      codeChallenge: CHALLENGE,
      dpopJkt: CHALLENGE,
      prompt: ['login', 'consent'],
      maxAge: 0,
      loginHint: 'al',
      idpHint: 'corp',
      uiLocales: 'zh en',
      idTokenHint: 'a.b.c',
      claims: { userinfo: ['email'], id_token: ['acr'] },
      acr: { values: ['1'], essential: false },
    });
  });

  it('of the code flow, with the least', () => {
    const request = valid({ state: undefined });
    assert.deepEqual([request.state, request.codeChallenge], [undefined, undefined]);
    assert.deepEqual(request.prompt, []);
    assert.deepEqual([request.maxAge, request.idTokenHint], [undefined, undefined]);
    assert.deepEqual(request.claims, NO_CLAIMS);
  });

  for (const [fields, type, mode] of [
    [{ response_type: 'code' }, 'code', 'query'],
    [{ response_type: 'code', response_mode: 'query' }, 'code', 'query'],
    [{ response_type: 'code', response_mode: 'fragment' }, 'code', 'fragment'],
    [{ response_type: 'code', response_mode: 'form_post' }, 'code', 'form_post'],
    [{ response_type: 'id_token' }, 'id_token', 'fragment'],
    [{ response_type: 'id_token', response_mode: 'query' }, 'id_token', 'query'],
    [{ response_type: 'id_token', response_mode: 'form_post' }, 'id_token', 'form_post'],
    [{ response_type: 'id_token token' }, 'id_token token', 'fragment'],
    [{ response_type: 'token id_token' }, 'id_token token', 'fragment'],
    [{ response_type: 'id_token token', response_mode: 'query' }, 'id_token token', 'query'],
  ] as const) {
    it(`${JSON.stringify(fields)} is ${type} by ${mode} (rows 14, 20)`, () => {
      const request = valid({ nonce: 'n', ...fields });
      assert.equal(request.responseType, type);
      assert.equal(request.responseMode, mode);
    });
  }

  it('takes a challenge with the padding of base64, and keeps it without (row 19)', () => {
    assert.equal(valid({ ...PKCE, code_challenge: `${CHALLENGE}=` }).codeChallenge, CHALLENGE);
  });

  it('ignores unknown scopes in strict_oidc, and grants the rest (row 18)', () => {
    assert.deepEqual(valid({ scope: 'openid read:pets email' }, '', {}, true).scope, ['openid', 'email']);
  });

  it('takes the scope of the client when none is sent (row 18)', () => {
    assert.deepEqual(valid({}).scope, defaultScope);
    assert.deepEqual(valid({ scope: '' }, '', { scope: ['email'] }).scope, ['email']);
  });

  it('ignores parameters it does not know, also twice; resource is one where the application has no API (row 17)', () => {
    assert.equal(valid({}, '&resource=a&resource=b&utm_source=a&utm_source=b&utm=%ff').state, 'st');
  });

  it('needs no nonce with id_token token, unless strict_oidc (row 16)', () => {
    assert.equal(valid({ response_type: 'id_token token' }).nonce, undefined);
    assert.equal(valid({ response_type: 'id_token token', nonce: 'n' }, '', {}, true).nonce, 'n');
  });

  it('needs no openid with id_token token (row 23)', () => {
    assert.deepEqual(valid({ response_type: 'id_token token', scope: 'email' }).scope, ['email']);
  });

  it('keeps no challenge in the implicit flow', () => {
    assert.equal(valid({ response_type: 'id_token', nonce: 'n', ...PKCE }).codeChallenge, undefined);
  });

  it('does not ask a public client of the implicit flow for PKCE', () => {
    valid({ response_type: 'id_token', nonce: 'n' }, '', { token_endpoint_auth_method: 'none', require_pkce: true });
  });
});
