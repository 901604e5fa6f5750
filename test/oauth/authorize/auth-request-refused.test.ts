import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Client } from '../../../src/directory/clients/rules.ts';
import { CHALLENGE, type Fields, PKCE, parameter, refused } from './auth-request-given.ts';

describe('a refused authorization request of the code flow', () => {
  const rows: readonly (readonly [string, Fields, string, string, string, Partial<Client>?])[] = [
    ['row 14', { response_type: undefined }, '', 'invalid_request', 'response_type'],
    ['row 14', { response_type: '' }, '', 'invalid_request', 'response_type'],
    ['row 14', { response_type: 'token' }, '', 'unsupported_response_type', 'response_type'],
    ['row 14', { response_type: 'code id_token' }, '', 'unsupported_response_type', 'response_type'],
    ['row 14', { response_type: 'CODE' }, '', 'unsupported_response_type', 'response_type'],
    ['row 14', { response_type: 'code ' }, '', 'unsupported_response_type', 'response_type'],
    [
      'row 14',
      { response_type: 'token', response_mode: 'form_post' },
      '',
      'unsupported_response_type',
      'response_type',
    ],
    ['row 20', { response_mode: 'web_message' }, '', 'invalid_request', 'response_mode'],
    ['row 20', { response_mode: 'QUERY' }, '', 'invalid_request', 'response_mode'],
    ['row 18', { scope: 'openid admin' }, '', 'invalid_scope', 'scope'],
    ['row 18', { scope: ' ' }, '', 'invalid_scope', 'scope'],
    ['row 18', { scope: 'openid "' }, '', 'invalid_scope', 'scope'],
    ['row 18', { scope: 'openid email' }, '', 'invalid_scope', 'scope', { scope: ['openid'] }],
    ['row 19', { code_challenge: 'short', code_challenge_method: 'S256' }, '', 'invalid_request', 'code_challenge'],
    [
      'row 19',
      { code_challenge: `${CHALLENGE}==`, code_challenge_method: 'S256' },
      '',
      'invalid_request',
      'code_challenge',
    ],
    ['row 19', { code_challenge_method: 'S256' }, '', 'invalid_request', 'code_challenge'],
    ['row 19', { code_challenge_method: 'plain' }, '', 'invalid_request', 'code_challenge'],
    ['row 19', { code_challenge: 'short', code_challenge_method: 'plain' }, '', 'invalid_request', 'code_challenge'],
    ['row 19', { code_challenge: CHALLENGE }, '', 'invalid_request', 'code_challenge_method'],
    ['row 19', { ...PKCE, code_challenge_method: 'plain' }, '', 'invalid_request', 'code_challenge_method'],
    ['row 19', { ...PKCE, code_challenge_method: 's256' }, '', 'invalid_request', 'code_challenge_method'],
    ['row 19', {}, '', 'invalid_request', 'code_challenge', { require_pkce: true }],
    ['row 19', {}, '', 'invalid_request', 'code_challenge', { token_endpoint_auth_method: 'none' }],
    ['row 21', { prompt: 'none login' }, '', 'invalid_request', 'prompt'],
    ['row 21', { prompt: 'create' }, '', 'invalid_request', 'prompt'],
    ['row 21', { max_age: '-1' }, '', 'invalid_request', 'max_age'],
    ['row 21', { max_age: '1.5' }, '', 'invalid_request', 'max_age'],
    ['row 21', { max_age: 'soon' }, '', 'invalid_request', 'max_age'],
    ['row 21', { claims: '[]' }, '', 'invalid_request', 'claims'],
    ['row 17', { claims: '{}' }, '&claims={}', 'invalid_request', 'claims'],
    ['row 17', { id_token_hint: 'x' }, '&id_token_hint=x', 'invalid_request', 'id_token_hint'],
    ['row 17', {}, '&state=other', 'invalid_request', 'state'],
    ['row 17', {}, '&response_type=code', 'invalid_request', 'response_type'],
    ['row 17', { scope: 'openid' }, '&scope=openid', 'invalid_request', 'scope'],
    ['row 17', { nonce: 'n' }, '&nonce=n', 'invalid_request', 'nonce'],
    ['row 17', { ...PKCE }, `&code_challenge=${CHALLENGE}`, 'invalid_request', 'code_challenge'],
    ['row 17', { ...PKCE }, '&code_challenge_method=S256', 'invalid_request', 'code_challenge_method'],
    ['row 17', { response_mode: 'query' }, '&response_mode=query', 'invalid_request', 'response_mode'],
    ['row 17', { prompt: 'login' }, '&prompt=login', 'invalid_request', 'prompt'],
    ['RFC 6749 appendix B', {}, '&nonce=%ff', 'invalid_request', 'nonce'],
    ['RFC 6749 appendix B', {}, '&scope=%ff', 'invalid_scope', 'scope'],
  ];
  for (const [row, fields, extra, error, name, over] of rows) {
    it(`${JSON.stringify(fields)}${extra}: ${error} for ${name}, in the query (${row})`, () => {
      assert.deepEqual(refused(fields, extra, over), { error, description: parameter(name), mode: 'query' });
    });
  }

  for (const [fields, over, error] of [
    [{}, { grant_types: ['implicit'] }, 'unauthorized_client'],
    [{ request: 'jwt' }, {}, 'request_not_supported'],
    [{ request_uri: 'https://x.example' }, {}, 'request_uri_not_supported'],
    [{ request_uri: 'https://x.example', response_type: '' }, {}, 'request_uri_not_supported'],
    [{ claims: '{"id_token":{"acr":{"essential":true,"value":"x"}}}' }, {}, 'unmet_authentication_requirements'],
  ] as readonly (readonly [Fields, Partial<Client>, string])[]) {
    it(`${JSON.stringify(fields)} of ${JSON.stringify(over)}: ${error} (rows 14, 21)`, () => {
      assert.equal(refused(fields, '', over).error, error);
    });
  }

  it('goes where success would have gone, unless it is one of the four (rows 13, 15)', () => {
    for (const response_mode of ['query', 'fragment', 'form_post']) {
      assert.equal(refused({ response_mode, prompt: 'x' }).mode, response_mode);
      assert.equal(refused({ response_mode, scope: 'x' }).mode, 'query');
      assert.equal(refused({ response_mode, code_challenge: 'x' }).mode, 'query');
    }
  });
});

describe('a refused authorization request of the implicit flow', () => {
  const implicit = { response_type: 'id_token', nonce: 'n' };
  for (const [fields, error, name, mode, strictMode] of [
    [{ scope: 'admin"' }, 'invalid_scope', 'scope', 'query', 'fragment'],
    [{ scope: 'email' }, 'invalid_scope', 'scope', 'query', 'fragment'],
    [{ response_mode: 'x' }, 'invalid_request', 'response_mode', 'query', 'fragment'],
    [{ code_challenge: 'x' }, 'invalid_request', 'code_challenge', 'query', 'fragment'],
    [{ code_challenge: CHALLENGE }, 'invalid_request', 'code_challenge_method', 'query', 'fragment'],
    [{ scope: 'admin', response_mode: 'form_post' }, 'invalid_scope', 'scope', 'query', 'form_post'],
    [{ nonce: undefined }, 'invalid_request', 'nonce', 'fragment', 'fragment'],
    [{ prompt: 'x' }, 'invalid_request', 'prompt', 'fragment', 'fragment'],
    [{ nonce: undefined, response_mode: 'form_post' }, 'invalid_request', 'nonce', 'form_post', 'form_post'],
  ] as const) {
    for (const strict of [false, true]) {
      const place = strict ? strictMode : mode;
      it(`${JSON.stringify(fields)}${strict ? ' (strict_oidc)' : ''}: ${name} in the ${place} (row 15)`, () => {
        const result = refused({ ...implicit, ...fields }, '', {}, strict);
        assert.deepEqual(result, { error, description: parameter(name), mode: place });
      });
    }
  }

  it('by the query goes to the query too (row 15)', () => {
    assert.equal(refused({ ...implicit, nonce: undefined, response_mode: 'query' }).mode, 'query');
  });

  it('is unauthorized_client when the client may not use it, in the fragment (row 14)', () => {
    const result = refused(implicit, '', { grant_types: ['authorization_code'] });
    assert.deepEqual([result.error, result.mode], ['unauthorized_client', 'fragment']);
  });

  it('must not put tokens into the query in strict_oidc', () => {
    const result = refused({ ...implicit, response_mode: 'query' }, '', {}, true);
    assert.deepEqual(result, {
      error: 'invalid_request',
      description: parameter('response_mode'),
      mode: 'fragment',
    });
  });

  it('needs a nonce with id_token token too in strict_oidc (row 16)', () => {
    const result = refused({ response_type: 'id_token token' }, '', {}, true);
    assert.equal(result.description, parameter('nonce'));
  });
});

describe('where a refusal goes in strict_oidc: where the response_mode of the request says (row 13)', () => {
  for (const [fields, mode] of [
    [{ scope: 'openid "' }, 'query'],
    [{ scope: 'openid "', response_mode: 'fragment' }, 'fragment'],
    [{ scope: 'openid "', response_mode: 'form_post' }, 'form_post'],
    [{ code_challenge: 'x', response_mode: 'form_post' }, 'form_post'],
    [{ response_type: undefined }, 'query'],
    [{ response_type: undefined, response_mode: 'form_post' }, 'form_post'],
    [{ response_type: undefined, response_mode: 'fragment' }, 'fragment'],
    [{ response_type: 'token' }, 'fragment'],
    [{ response_type: 'code token' }, 'fragment'],
    [{ response_type: 'token', response_mode: 'query' }, 'fragment'],
    [{ response_type: 'token', response_mode: 'form_post' }, 'form_post'],
    [{ response_type: 'none' }, 'query'],
    [{ response_mode: 'x' }, 'query'],
  ] as readonly (readonly [Fields, string])[]) {
    it(`${JSON.stringify(fields)}: ${mode}; and the query by the interface`, () => {
      assert.equal(refused(fields, '', {}, true).mode, mode);
      assert.equal(refused(fields).mode, 'query');
    });
  }
});

/** A request object without a signature (RFC 9101 section 10.8 warns of them; OIDC Core section 6.1 allows them). */
function unsigned(payload: object, alg = 'none'): string {
  return [{ alg }, payload]
    .map(part => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.')
    .concat('.');
}

describe('an unsigned request object is refused in the response_mode inside it', () => {
  const refusedIn = (request: string, fields: Fields = {}) => {
    const { error, mode } = refused({ request, ...fields });
    assert.equal(error, 'request_not_supported');
    return mode;
  };
  it('form_post and fragment', () => {
    assert.equal(refusedIn(unsigned({ response_mode: 'form_post' })), 'form_post');
    assert.equal(refusedIn(unsigned({ response_mode: 'fragment' })), 'fragment');
  });

  it('which stands for the one beside it (OIDC Core section 6.1)', () => {
    assert.equal(refusedIn(unsigned({ response_mode: 'form_post' }), { response_mode: 'query' }), 'form_post');
    assert.equal(refusedIn(unsigned({ state: 'x' }), { response_mode: 'form_post' }), 'form_post');
  });

  it('also when response_type stands inside alone, or nowhere (RFC 9101 section 5)', () => {
    const alone = { response_type: undefined };
    assert.equal(refusedIn(unsigned({ response_type: 'code', response_mode: 'form_post' }), alone), 'form_post');
    assert.equal(refusedIn(unsigned({ response_mode: 'fragment' }), alone), 'fragment');
    assert.equal(refusedIn(unsigned({ response_type: 'code', response_mode: 'form_post' }, 'RS256'), alone), 'query');
  });

  it('or in the default mode of the response_type inside it', () => {
    assert.equal(refusedIn(unsigned({ response_type: 'id_token' }), { response_type: undefined }), 'fragment');
    assert.equal(refusedIn(unsigned({ response_type: 'code' }), { response_type: undefined }), 'query');
    assert.equal(refusedIn(unsigned({ response_type: 'id_token token' })), 'fragment');
    assert.equal(refusedIn(unsigned({ response_type: 'id_token' }, 'RS256'), { response_type: undefined }), 'query');
  });

  it('whatever else is wrong beside it, since what is inside would stand for that', () => {
    const inside = unsigned({ response_type: 'code', response_mode: 'form_post' });
    for (const beside of [{ response_type: 'none' }, { response_mode: 'x' }, { scope: 'x' }]) {
      assert.equal(refusedIn(inside, beside), 'form_post', JSON.stringify(beside));
    }
  });

  it('and anything else inside, signed or malformed, changes nothing', () => {
    const hostile = [
      unsigned({ response_mode: 'x' }),
      unsigned({ response_mode: { toString: 'form_post' } }),
      unsigned({ response_type: ['id_token'] }),
      unsigned({ response_mode: 'form_post' }, 'RS256'),
      'x',
      '..',
      'bnVsbA.bnVsbA.',
      unsigned([]),
    ];
    for (const request of hostile) assert.equal(refusedIn(request), 'query', request);
  });
});
