import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { aPkcePair, get, parameter } from '../../build/client.ts';
import { assertSentBack, type Delivered, delivered, type Expected } from '../../build/delivered.ts';
import { aClient, aPublicClient } from '../../build/fixture.ts';
import { suiteServer } from '../../build/test-server.ts';
import { authorizationUrl, type Fields, Visitor } from '../../build/visitor.ts';

const { asked: PKCE, challenge } = aPkcePair();
const WITH_QUERY = 'https://client.example/cb?tenant=1';

const server = suiteServer({
  clients: [
    aClient({ redirect_uris: ['https://client.example/cb', WITH_QUERY] }),
    aClient({ client_id: 'narrow', scope: 'openid email' }),
    aClient({ client_id: 'code-only', grant_types: ['authorization_code'] }),
    aClient({ client_id: 'implicit-only', grant_types: ['implicit'] }),
    aClient({ client_id: 'careful', require_pkce: true }),
    aPublicClient({ redirect_uris: ['https://client.example/cb'] }),
  ],
});

const ask = (fields: Fields, more = '') => new Visitor(server.base).go(authorizationUrl(server, fields) + more);

type Case = readonly [string, Fields, Expected, string?];

function table(cases: readonly Case[]): void {
  for (const [name, fields, expected, more] of cases) {
    it(name, async () => assertSentBack(server, await ask(fields, more), expected));
  }
}

const SCOPE: Expected = { error: 'invalid_scope', description: parameter('scope') };
const invalid = (name: string): Expected => ({ error: 'invalid_request', description: parameter(name) });

describe('the four errors of interface 7.2, word by word', () => {
  const bad: readonly (readonly [string, Fields, Expected])[] = [
    ['scope', { scope: 'openid admin' }, SCOPE],
    ['code_challenge', { ...PKCE, code_challenge: 'short' }, invalid('code_challenge')],
    ['code_challenge_method', { ...PKCE, code_challenge_method: 'plain' }, invalid('code_challenge_method')],
  ];
  const flows = ['code', 'id_token', 'id_token token'];
  const modes = [undefined, 'query', 'fragment', 'form_post'];
  for (const [name, fields, expected] of bad) {
    for (const response_type of flows) {
      for (const response_mode of modes) {
        it(`${name} of ${response_type} with response_mode ${response_mode}: in the query (row 15)`, async () => {
          assertSentBack(server, await ask({ nonce: 'n', response_type, response_mode, ...fields }), expected);
        });
      }
    }
  }
  for (const response_type of flows) {
    for (const response_mode of ['web_message', 'QUERY', 'query fragment', 'jwt', ' query']) {
      it(`response_mode ${response_mode} of ${response_type}: in the query (rows 15 and 20)`, async () => {
        const seen = await ask({ nonce: 'n', response_type, response_mode });
        assertSentBack(server, seen, invalid('response_mode'));
      });
    }
  }

  it('stands in the address exactly as interface 7.2 has it, spaces as %20', async () => {
    const seen = await ask({ scope: 'admin', state: undefined });
    const uri = encodeURIComponent(`${server.base}/docs/errors/invalid_scope`);
    const iss = encodeURIComponent(server.at());
    assert.equal(
      seen.headers.get('location'),
      `https://client.example/cb?error=invalid_scope&error_description=OAuth%202.0%20Parameter%3A%20scope&error_uri=${uri}&iss=${iss}`,
    );
  });

  it('has an error_uri that leads to a page (row 6)', async () => {
    const { error_uri = '' } = delivered(await ask({ scope: 'admin' })).fields;
    assert.equal((await get(error_uri)).status, 200);
  });

  it('is added to the query that the redirect address already has (RFC 6749 section 3.1.2)', async () => {
    assertSentBack(server, await ask({ redirect_uri: WITH_QUERY, scope: 'admin' }), { ...SCOPE, to: WITH_QUERY });
  });
});

describe('scope (rows 18 and 23)', () => {
  table([
    ['unknown', { scope: 'admin' }, SCOPE],
    ['in another case', { scope: 'openid Email' }, SCOPE],
    ['not allowed to the client', { client_id: 'narrow', scope: 'openid phone' }, SCOPE],
    ['separated by a tab', { scope: 'openid\temail' }, SCOPE],
    ['separated by a comma', { scope: 'openid,email' }, SCOPE],
    ['in quotation marks', { scope: '"openid"' }, SCOPE],
    ['with a character beyond ASCII', { scope: 'openid é' }, SCOPE],
    ['with a line break', { scope: 'openid\nemail' }, SCOPE],
    ['nothing but a space', { scope: ' ' }, SCOPE],
    ['with a broken encoding', {}, SCOPE, '&scope=openid%zz'],
    ['id_token without openid (row 23)', { response_type: 'id_token', nonce: 'n', scope: 'email' }, SCOPE],
    [
      'id_token without openid, asked into the fragment: still the query (rows 15 and 23)',
      { response_type: 'id_token', nonce: 'n', scope: 'email', response_mode: 'fragment' },
      SCOPE,
    ],
  ]);
});

describe('PKCE (row 19)', () => {
  const CHALLENGE = invalid('code_challenge');
  const METHOD = invalid('code_challenge_method');
  const challenges = [challenge.slice(1), `${challenge}A`, `${challenge.slice(1)}=`, `${challenge.slice(1)}+`];
  table([
    ...challenges.map((text): Case => [`challenge ${text}`, { ...PKCE, code_challenge: text }, CHALLENGE]),
    ['challenge with a line break', { ...PKCE, code_challenge: `${challenge}\n` }, CHALLENGE],
    ['challenge of a verifier in the clear', { ...PKCE, code_challenge: 'v'.repeat(64) }, CHALLENGE],
    ['challenge without method', { code_challenge: challenge }, METHOD],
    ['method plain', { ...PKCE, code_challenge_method: 'plain' }, METHOD],
    ['method in lower case', { ...PKCE, code_challenge_method: 's256' }, METHOD],
    ['method with a space', { ...PKCE, code_challenge_method: 'S256 ' }, METHOD],
    ['method without challenge', { code_challenge_method: 'S256' }, CHALLENGE],
    ['bad method without challenge', { code_challenge_method: 'plain' }, CHALLENGE],
    ['both bad', { code_challenge: 'x', code_challenge_method: 'plain' }, CHALLENGE],
    ['empty challenge beside a method', { ...PKCE, code_challenge: '' }, CHALLENGE],
    ['none from a client with require_pkce', { client_id: 'careful' }, CHALLENGE],
    ['none from a client without a secret', { client_id: 'spa' }, CHALLENGE],
    [
      'challenge without method from a client without a secret',
      { client_id: 'spa', code_challenge: challenge },
      METHOD,
    ],
  ]);
});

describe('response_type (row 14)', () => {
  const NOT_ALLOWED = (grant: string) =>
    `This client may not use this response_type: ${grant} is not among its grant_types.`;
  const UNSUPPORTED: Expected = { error: 'unsupported_response_type', description: parameter('response_type') };
  const unknown = [
    'token',
    'none',
    'code token',
    'code id_token',
    'code id_token token',
    'CODE',
    'id_token,token',
    ' ',
  ];
  const modes = ['query', 'fragment', 'form_post'];
  table([
    ['missing', { response_type: undefined }, invalid('response_type')],
    ['empty', { response_type: '' }, invalid('response_type')],
    ...unknown.map((response_type): Case => [JSON.stringify(response_type), { response_type }, UNSUPPORTED]),
    ...modes.flatMap((response_mode): Case[] => [
      [`missing, ${response_mode}: query`, { response_type: undefined, response_mode }, invalid('response_type')],
      [`unknown, ${response_mode}: query`, { response_type: 'token', response_mode }, UNSUPPORTED],
    ]),
    [
      'code for a client that may not: unauthorized_client',
      { client_id: 'implicit-only' },
      { error: 'unauthorized_client', description: NOT_ALLOWED('authorization_code') },
    ],
    [
      'id_token for a client that may not, where its tokens would go (row 15)',
      { client_id: 'code-only', response_type: 'id_token', nonce: 'n' },
      { error: 'unauthorized_client', place: 'fragment', description: NOT_ALLOWED('implicit') },
    ],
    [
      'id_token token for a client that may not, response_mode=query',
      { client_id: 'code-only', response_type: 'id_token token', response_mode: 'query' },
      { error: 'unauthorized_client', place: 'query' },
    ],
  ]);
});

describe('every other error goes where success would have gone (rows 13, 15 and 16)', () => {
  const places: readonly (readonly [string, string | undefined, Delivered['place']])[] = [
    ['code', undefined, 'query'],
    ['code', 'query', 'query'],
    ['code', 'fragment', 'fragment'],
    ['code', 'form_post', 'form_post'],
    ['id_token', undefined, 'fragment'],
    ['id_token', 'query', 'query'],
    ['id_token', 'fragment', 'fragment'],
    ['id_token', 'form_post', 'form_post'],
    ['token id_token', undefined, 'fragment'],
    ['id_token token', 'query', 'query'],
  ];
  for (const [response_type, response_mode, place] of places) {
    const asked = { response_type, response_mode, nonce: 'n' };
    describe(`${response_type}, response_mode ${response_mode}: ${place}`, () => {
      table([
        ['login_required', { ...asked, prompt: 'none' }, { error: 'login_required', place }],
        ['a bad prompt', { ...asked, prompt: 'never' }, { ...invalid('prompt'), place }],
        ['a duplicated nonce (row 17)', asked, { ...invalid('nonce'), place }, '&nonce=m'],
        ['a request object', { ...asked, request: 'e30.e30.' }, { error: 'request_not_supported', place }],
      ]);
      if (response_type === 'id_token') {
        table([['nonce missing (row 16)', { ...asked, nonce: undefined }, { ...invalid('nonce'), place }]]);
      }
    });
  }
});

describe('duplicated parameters, and unknown parameters (row 17)', () => {
  const base: Fields = { nonce: 'n', prompt: 'login', max_age: '5', login_hint: 'a', ui_locales: 'en', ...PKCE };
  const single = ['response_type', 'response_mode', 'nonce', 'prompt', 'max_age', 'login_hint', 'ui_locales'];
  const asked = { ...base, response_mode: 'query', scope: 'openid', acr_values: '0', display: 'page' };
  const more = ['scope', 'code_challenge', 'code_challenge_method', 'acr_values', 'display'];
  table([
    ...[...single, ...more].map((name): Case => [`${name} twice`, asked, invalid(name), `&${name}=x`]),
    ['nonce twice with the same value', asked, invalid('nonce'), '&nonce=n'],
    ['nonce twice, the second empty', asked, invalid('nonce'), '&nonce='],
    ['state twice: not echoed', {}, { ...invalid('state'), state: undefined }, '&state=other'],
    ['state twice, another error beside it', { scope: 'x' }, { ...invalid('state'), state: undefined }, '&state=st'],
    [
      'state with a broken encoding: not echoed',
      { state: undefined },
      { ...invalid('state'), state: undefined },
      '&state=%ff',
    ],
  ]);

  it('ignores unknown parameters, also when they come twice', async () => {
    const seen = await ask({}, '&resource=a&resource=b&__proto__=x&constructor=y&foo');
    assert.match(seen.location ?? '', /\/login\?pending=/);
  });
});

describe('what OIDC Core adds (row 21)', () => {
  table([
    ['prompt unknown', { prompt: 'create' }, invalid('prompt')],
    ['prompt in another case', { prompt: 'NONE' }, invalid('prompt')],
    ['prompt none with login', { prompt: 'none login' }, invalid('prompt')],
    ['prompt consent with none', { prompt: 'consent none' }, invalid('prompt')],
    ...['-1', '1.5', 'abc', '1e3', '0x10', ' 5', '5s', '٣'].map(
      (max_age): Case => [`max_age ${JSON.stringify(max_age)}`, { max_age }, invalid('max_age')],
    ),
    ['request', { request: 'eyJhbGciOiJub25lIn0.e30.' }, { error: 'request_not_supported' }],
    ['request_uri', { request_uri: 'https://client.example/r' }, { error: 'request_uri_not_supported' }],
    ['prompt none without a session', { prompt: 'none' }, { error: 'login_required' }],
    ['prompt none and max_age 0', { prompt: 'none', max_age: '0' }, { error: 'login_required' }],
  ]);

  it('takes every max_age of 0 or more', async () => {
    for (const max_age of ['0', '000', '3600', '99999999999999999999']) {
      const seen = await ask({ max_age });
      assert.match(seen.location ?? '', /\/login\?pending=/, `max_age=${max_age}: ${seen.location}`);
    }
  });
});

describe('state in an error (row 13)', () => {
  for (const state of ['a b+c&d=e#f%20', '状态 🔑', '"><script>', 'x'.repeat(4000), '0']) {
    it(`echoes ${JSON.stringify(state.slice(0, 20))} (${state.length} characters) unchanged`, async () => {
      assertSentBack(server, await ask({ state, scope: 'admin' }), { ...SCOPE, state });
      const fragment = { response_type: 'id_token', state };
      assertSentBack(server, await ask(fragment), { ...invalid('nonce'), state, place: 'fragment' });
      const form = { response_mode: 'form_post', prompt: 'x', state };
      assertSentBack(server, await ask(form), { ...invalid('prompt'), state, place: 'form_post' });
    });
  }

  it('that is too long for the sign-in pages goes back with the error (row 13)', async () => {
    // 15 KB in the address, and twice as many in JSON.
    const state = '\u0001'.repeat(5000);
    const tooLarge: Expected = { error: 'invalid_request', state };
    assertSentBack(server, await ask({ state }), tooLarge);
    assertSentBack(server, await ask({ state, response_mode: 'form_post' }), { ...tooLarge, place: 'form_post' });
    const fragment = { state, response_type: 'id_token', nonce: 'n' };
    assertSentBack(server, await ask(fragment), { ...tooLarge, place: 'fragment' });
  });

  it('sends none when none was sent, or an empty one (RFC 6749 section 3.1)', async () => {
    for (const state of [undefined, '']) {
      assertSentBack(server, await ask({ state, scope: 'admin' }), { ...SCOPE, state: undefined });
    }
  });
});
