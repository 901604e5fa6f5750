import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { aPkcePair, claimsOf, redeem } from '../../build/client.ts';
import { watchWrites } from '../../build/database.ts';
import { assertPage, delivered } from '../../build/delivered.ts';
import { aClient, CALLBACK } from '../../build/fixture.ts';
import { suiteServer } from '../../build/test-server.ts';
import { authorizationUrl, type Fields, formWith, query, type Seen, signIn, Visitor } from '../../build/visitor.ts';
import { withStatus } from '../../build/with-status.ts';

const WITH_QUERY = 'https://client.example/cb?tenant=1&next=%2Fa%20b';
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

let alice: Visitor;
const server = suiteServer(
  {
    clients: [
      aClient({ redirect_uris: [CALLBACK, WITH_QUERY, `${CALLBACK}?`] }),
      aClient({ client_id: 'narrow', scope: 'email openid' }),
    ],
  },
  async () => {
    alice = new Visitor(server.base);
    await signIn(server, {}, { visitor: alice });
  },
);

const ask = (fields: Fields = {}, visitor = alice) => visitor.go(authorizationUrl(server, fields));
const postTo = (visitor: Visitor, body: string, headers: Record<string, string> = FORM) =>
  visitor.go(`${server.at()}/auth`, { method: 'POST', body, headers, signal: AbortSignal.timeout(5000) });
const atLogin = (seen: Seen) => seen.status === 200 && seen.text.includes('name="password"');

describe('authorization code flow (interface 4.1)', () => {
  it('goes through the login page and ends in a 302 with code, state and iss, and nothing else (row 22)', async () => {
    const seen = await signIn(server);
    const { place, fields } = delivered(seen);
    assert.equal(place, 'query');
    assert.deepEqual(Object.keys(fields), ['code', 'state', 'iss']);
    assert.deepEqual([fields.state, fields.iss, seen.headers.get('cache-control')], ['st', server.at(), 'no-store']);
    assert.equal(seen.headers.get('referrer-policy'), 'no-referrer');
  });

  it('gives a new code each time, and each can be redeemed', async () => {
    const [one, other] = [delivered(await ask()).fields.code, delivered(await ask()).fields.code];
    assert.notEqual(one, other);
    for (const code of [one, other]) assert.equal((await redeem(server, code)).status, 200);
  });

  it('carries the nonce into the ID token, and none when none was sent (row 16)', async () => {
    const nonce = 'n-0S6_WzA2Mj "é"';
    const withNonce = await redeem(server, delivered(await ask({ nonce })).fields.code);
    assert.equal(claimsOf(withNonce.json.id_token).nonce, nonce);
    const without = await redeem(server, delivered(await ask()).fields.code);
    assert.equal('nonce' in claimsOf(without.json.id_token), false);
  });

  it('keeps the challenge with the code (row 19)', async () => {
    const { challenge, verifier } = aPkcePair();
    const pkce = { code_challenge: challenge, code_challenge_method: 'S256' };
    const { code } = delivered(await ask(pkce)).fields;
    assert.equal((await redeem(server, code, { code_verifier: aPkcePair().verifier }, {})).json.error, 'invalid_grant');
    assert.equal((await redeem(server, code, { code_verifier: verifier }, {})).status, 200);
  });

  const scopes: readonly (readonly [string, Fields, string])[] = [
    ['the four when the client names none', {}, 'openid profile email phone'],
    ['the default of the client', { client_id: 'narrow' }, 'email openid'],
    ['what was asked', { scope: 'email' }, 'email'],
    ['an empty scope counts as omitted', { scope: '', client_id: 'narrow' }, 'email openid'],
    ['a repeated scope counts once', { scope: 'openid openid' }, 'openid'],
  ];
  for (const [name, fields, granted] of scopes) {
    it(`grants ${name} (row 18)`, async () => {
      const { code } = delivered(await ask(fields)).fields;
      const auth = `Basic ${btoa(`${fields.client_id ?? 'web'}:web-secret-1`)}`;
      const { scope } = (await redeem(server, code, {}, { auth })).json;
      assert.deepEqual(scope.split(' ').sort(), granted.split(' ').sort());
    });
  }

  it('adds to a redirect address that has a query, and leaves its encoding alone', async () => {
    const { fields, place } = delivered(await ask({ redirect_uri: WITH_QUERY }), WITH_QUERY);
    assert(fields.code);
    assert.equal(place, 'query');
    const bare = await ask({ redirect_uri: `${CALLBACK}?` });
    assert.match(bare.headers.get('location') ?? '', /^https:\/\/client\.example\/cb\?code=/);
  });

  it('can be asked into the fragment (row 20)', async () => {
    const { fields, place } = delivered(await ask({ response_mode: 'fragment' }));
    assert.equal(place, 'fragment');
    assert.equal((await redeem(server, fields.code)).status, 200);
    assert.equal(delivered(await ask({ response_mode: 'query' })).place, 'query');
  });
});

const STATES = [
  'a b',
  'a+b',
  '&=?#/;,:@$!*()~',
  '100%',
  '%41%20',
  '"\'<>`',
  '[]{}|\\^',
  '状态 ✓ é',
  '🔑👩‍👩‍👧',
  '\u007f\u00a0\u2028\ufeff',
  '0',
  ' ',
  '{"a":["b"]}',
  'x'.repeat(8000),
  'é'.repeat(1500),
];

describe('state is echoed unchanged (interface 4.1)', () => {
  for (const state of STATES) {
    it(`${JSON.stringify(state.slice(0, 24))} (${state.length} characters)`, async () => {
      assert.equal(delivered(await signIn(server, { state })).fields.state, state);
      for (const response_mode of ['query', 'fragment', 'form_post']) {
        const { place, fields } = delivered(await ask({ state, response_mode }));
        assert.equal(place, response_mode);
        assert.equal(fields.state, state);
      }
    });
  }

  it('line breaks and tabs survive in the address, encoded', async () => {
    const state = 'a\r\nSet-Cookie: x=y\tz';
    assert.equal(delivered(await signIn(server, { state })).fields.state, state);
  });

  it('none is sent back when none came', async () => {
    for (const state of [undefined, '']) {
      assert.deepEqual(Object.keys(delivered(await ask({ state })).fields), ['code', 'iss']);
    }
  });

  it('a request that is too long is refused with a page', async () => {
    assertPage(await ask({ state: 'x'.repeat(20_000) }));
  });
});

describe('form_post (row 20, OAuth 2.0 Form Post Response Mode)', () => {
  it('is a page that submits itself to the redirect address, with a button where script is off', async () => {
    const seen = await withStatus(200, ask({ response_mode: 'form_post', redirect_uri: WITH_QUERY }));
    assert.equal(seen.headers.get('location'), null);
    assert.equal(seen.headers.get('content-type'), 'text/html; charset=utf-8');
    assert.equal(seen.headers.get('cache-control'), 'no-store');
    assert.match(seen.text, /<form method="post" action="https:\/\/client\.example\/cb\?tenant=1&amp;next=%2Fa%20b">/);
    assert.match(seen.text, /<button type="submit">/);
    const script = /<script src="([^"]+)"/.exec(seen.text)?.[1] ?? '';
    assert.match((await alice.go(server.base + script)).text, /\.submit\(\)/);
    assert.match(seen.headers.get('content-security-policy') ?? '', /form-action 'self' https:;/);
    assert.deepEqual([...formWith(seen, 'code').fields.keys()], ['code', 'state', 'iss']);
  });

  it('gives a code that works', async () => {
    const { fields } = delivered(await signIn(server, { response_mode: 'form_post' }));
    assert.equal((await redeem(server, fields.code)).status, 200);
  });

  it('lets nothing of the state become markup', async () => {
    const { text } = await ask({ response_mode: 'form_post', state: `"><script>alert('1')</script>&quot;` });
    assert(text.includes('value="&quot;&gt;&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&amp;quot;"'));
    assert.doesNotMatch(text, /<script>/);
  });
});

describe('GET and POST behave alike, HEAD issues nothing (row 10, OIDC Core 3.1.2.1)', () => {
  const asked = { client_id: 'web', response_type: 'code', redirect_uri: CALLBACK, state: 'a b+c', nonce: 'n' };

  it('POST of a signed-in user', async () => {
    const { fields } = delivered(await postTo(alice, query(asked)));
    assert.equal(fields.state, 'a b+c');
    assert.equal(claimsOf((await redeem(server, fields.code)).json.id_token).nonce, 'n');
  });

  it('POST of a user that is not signed in leads to the login page and back', async () => {
    const visitor = new Visitor(server.base);
    const page = await visitor.follow(`${server.at()}/auth`, { method: 'POST', body: query(asked), headers: FORM });
    assert(atLogin(page), page.text);
    const seen = await visitor.send(formWith(page, 'password'), {
      username: 'alice',
      password: 'correct horse battery staple',
    });
    assert.equal(delivered(seen).fields.state, 'a b+c');
  });

  it('POST from a page of another site, whose browser withholds our cookies, still finds the session', async () => {
    const withheld = await withStatus(303, postTo(new Visitor(server.base), query(asked)));
    assert.equal(delivered(await alice.go(withheld.location ?? '')).fields.state, 'a b+c');
  });

  it('POST takes its parameters from the body alone', async () => {
    const headers = FORM;
    const url = `${server.at()}/auth?${query(asked)}`;
    assertPage(await alice.go(url, { method: 'POST', body: '', headers }));
    const seen = await alice.go(`${server.at()}/auth?state=other`, { method: 'POST', body: query(asked), headers });
    assert.equal(delivered(seen).fields.state, 'a b+c');
  });

  it('POST of something that is no form is refused on a page', async () => {
    assertPage(await postTo(alice, JSON.stringify(asked), { 'content-type': 'application/json' }));
  });

  for (const [name, state] of [
    ['text beyond Latin-1', '状态'],
    ['a line break', 'a\nb'],
  ]) {
    it(`POST with ${name} in its body as it is, signed in or not`, async () => {
      const body = `${query({ ...asked, state: undefined })}&state=${state}`;
      assert.equal(delivered(await postTo(alice, body)).fields.state, state);
      const first = await postTo(new Visitor(server.base), body);
      assert.equal(delivered(await alice.follow(first.location ?? '')).fields.state, state);
    });
  }

  it('HEAD has no Location, issues no code and writes nothing, signed in or not', async () => {
    const watch = await watchWrites(server);
    for (const visitor of [alice, new Visitor(server.base)]) {
      const seen = await visitor.go(authorizationUrl(server), { method: 'HEAD' });
      assert.deepEqual([seen.headers.get('location'), seen.headers.getSetCookie().length], [null, 0]);
    }
    assert.equal(await watch.written(), false);
    await ask();
    assert.equal(await watch.written(), true, 'the watch would have seen a code');
    await watch.close();
  });
});
