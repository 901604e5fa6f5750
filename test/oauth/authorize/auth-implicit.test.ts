import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import { createLocalJWKSet, type JWTPayload, jwtVerify } from 'jose';
import { claimsOf, get, introspect, userinfo } from '../../build/client.ts';
import { fixedClock } from '../../build/clock.ts';
import { delivered } from '../../build/delivered.ts';
import { aClient, CALLBACK } from '../../build/fixture.ts';
import { suiteServer } from '../../build/test-server.ts';
import { authorizationUrl, type Fields, signIn, Visitor } from '../../build/visitor.ts';

const WITH_QUERY = 'https://client.example/cb?tenant=1';
let alice: Visitor;
const clock = fixedClock();
const server = suiteServer(
  {
    clock,
    shop: {
      access_token_ttl: 1200,
      id_token_ttl: 300,
      clients: [
        aClient({ redirect_uris: [CALLBACK, WITH_QUERY] }),
        aClient({ client_id: 'ecdsa', id_token_signed_response_alg: 'ES256' }),
        aClient({ client_id: 'jwt', access_token_format: 'jwt' }),
      ],
    },
  },
  async () => {
    alice = new Visitor(server.base);
    await signIn(server, {}, { visitor: alice });
  },
);

const ID_TOKEN = { response_type: 'id_token', nonce: 'n1' };
const BOTH = { response_type: 'id_token token' };
const ask = (fields: Fields) => alice.go(authorizationUrl(server, fields));

/** Verified as a client would: with the published keys, for itself, now. */
async function verified(idToken: string | undefined, audience = 'web'): Promise<JWTPayload & { alg: string }> {
  const keys = createLocalJWKSet((await get(`${server.at()}/jwks`)).json);
  const now = new Date(clock.now() * 1000);
  const { payload, protectedHeader } = await jwtVerify(idToken ?? '', keys, {
    issuer: server.at(),
    audience,
    currentDate: now,
  });
  return { ...payload, alg: protectedHeader.alg };
}

const leftHalf = (text = '') => createHash('sha256').update(text).digest().subarray(0, 16).toString('base64url');

describe('response_type=id_token (interface 4.1, OIDC Core 3.2)', () => {
  it('answers in the fragment with the ID token, and neither access token, refresh token nor code', async () => {
    const seen = await signIn(server, { ...ID_TOKEN, scope: 'openid' });
    const { place, fields } = delivered(seen);
    assert.equal(place, 'fragment');
    assert.deepEqual(Object.keys(fields).sort(), ['id_token', 'iss', 'scope', 'state', 'token_type']);
    assert.deepEqual([fields.token_type, fields.scope, fields.state], ['Bearer', 'openid', 'st']);
    assert.equal(fields.iss, server.at());
  });

  it('has the claims of row 44, and acr (accounts contract)', async () => {
    const claims = await verified(delivered(await ask({ ...ID_TOKEN, scope: 'openid' })).fields.id_token);
    const now = clock.now();
    const { sub, sid, auth_time, ...rest } = claims;
    assert.match(String(sub), /\S/);
    assert.match(String(sid), /\S/);
    assert(Number(auth_time) <= now);
    assert.deepEqual(rest, {
      iss: server.at(),
      aud: 'web',
      azp: 'web',
      iat: now,
      exp: now + 300,
      amr: ['pwd'],
      acr: '1',
      nonce: 'n1',
      alg: 'RS256',
    });
  });

  it('tells the profile of the granted scopes, since no userinfo request can follow (row 44)', async () => {
    const all = await verified(delivered(await ask(ID_TOKEN)).fields.id_token);
    assert.deepEqual([all.preferred_username, all.nickname], ['alice', 'Al']);
    assert.equal(all.picture, 'https://example.com/a.png');
    assert.equal(typeof all.updated_at, 'number', 'a number in every dialect (row 61)');
    assert.deepEqual([all.email, all.email_verified], ['alice@example.com', true]);
    assert.deepEqual([all.phone_number, all.phone_number_verified], ['+8613800000001', true]);
    const some = await verified(delivered(await ask({ ...ID_TOKEN, scope: 'openid email' })).fields.id_token);
    assert.equal(some.email, 'alice@example.com');
    for (const name of ['preferred_username', 'nickname', 'picture', 'updated_at', 'phone_number']) {
      assert.equal(name in some, false, name);
    }
  });

  it('is signed with ES256 for a client registered so', async () => {
    const { id_token } = delivered(await ask({ ...ID_TOKEN, client_id: 'ecdsa' })).fields;
    assert.equal((await verified(id_token, 'ecdsa')).alg, 'ES256');
  });
});

describe('response_type=id_token token (interface 4.1, OIDC Core 3.2.2.5)', () => {
  for (const response_type of ['id_token token', 'token id_token']) {
    it(`${response_type}: both tokens in the fragment, no refresh token (rows 14 and 23)`, async () => {
      const { place, fields } = delivered(await ask({ response_type, nonce: 'n2', scope: 'openid email' }));
      assert.equal(place, 'fragment');
      const names = ['access_token', 'expires_in', 'id_token', 'iss', 'scope', 'state', 'token_type'];
      assert.deepEqual(Object.keys(fields).sort(), names);
      assert.deepEqual([fields.token_type, fields.expires_in, fields.scope], ['Bearer', '1200', 'openid email']);
      assert.equal((await userinfo(server, fields.access_token ?? '')).json.email, 'alice@example.com');
      const { json } = await introspect(server, { token: fields.access_token });
      assert.deepEqual([json.active, json.client_id, json.exp], [true, 'web', clock.now() + 1200]);
    });
  }

  for (const client_id of ['web', 'ecdsa', 'jwt']) {
    it(`binds the ID token to the access token by at_hash: client ${client_id} (row 23)`, async () => {
      const { access_token, id_token } = delivered(await ask({ ...BOTH, client_id, nonce: 'n3' })).fields;
      const claims = await verified(id_token, client_id);
      assert.equal(claims.at_hash, leftHalf(access_token));
      assert.equal(claims.nonce, 'n3');
      assert.equal('email' in claims, false, 'userinfo tells the rest');
    });
  }

  it('has no at_hash where no access token goes along', async () => {
    const { id_token = '' } = delivered(await ask(ID_TOKEN)).fields;
    assert.equal('at_hash' in claimsOf(id_token), false);
  });

  it('takes the nonce as optional (row 16)', async () => {
    const { id_token = '' } = delivered(await ask(BOTH)).fields;
    assert.equal('nonce' in claimsOf(id_token), false);
  });

  it('without the scope openid: the access token only (row 23)', async () => {
    const { fields } = delivered(await ask({ ...BOTH, scope: 'email' }));
    assert.deepEqual(Object.keys(fields).sort(), ['access_token', 'expires_in', 'iss', 'scope', 'state', 'token_type']);
    assert.equal(fields.token_type, 'Bearer');
    assert.equal((await userinfo(server, fields.access_token ?? '')).json.email, 'alice@example.com');
  });
});

describe('response_mode of the implicit flow (interface 4.1, row 20)', () => {
  for (const response_type of ['id_token', 'id_token token']) {
    it(`query: ${response_type} in the query, not stored and not passed on`, async () => {
      const seen = await ask({ response_type, nonce: 'n', response_mode: 'query' });
      const { place, fields } = delivered(seen);
      assert.equal(place, 'query');
      assert.doesNotMatch(seen.headers.get('location') ?? '', /#/);
      assert((await verified(fields.id_token)).sub);
      assert.equal('access_token' in fields, response_type !== 'id_token');
      assert.equal(seen.headers.get('cache-control'), 'no-store');
      assert.equal(seen.headers.get('referrer-policy'), 'no-referrer');
    });

    it(`fragment and form_post: ${response_type}`, async () => {
      for (const response_mode of ['fragment', 'form_post']) {
        const { place, fields, to } = delivered(await ask({ response_type, nonce: 'n', response_mode }));
        assert.equal(place, response_mode);
        assert.equal(to, CALLBACK);
        assert((await verified(fields.id_token)).sub);
      }
    });
  }

  it('keeps the query of the redirect address before the fragment', async () => {
    const seen = await ask({ ...ID_TOKEN, redirect_uri: WITH_QUERY });
    assert.match(seen.headers.get('location') ?? '', /^https:\/\/client\.example\/cb\?tenant=1#[^#?]*$/);
  });

  it('echoes odd characters of the state in the fragment, spaces as %20', async () => {
    const state = 'a b+c&d=é#';
    const { fields, raw } = delivered(await ask({ ...BOTH, state }));
    assert.equal(fields.state, state);
    assert.match(raw, /state=a%20b%2Bc%26d%3D%C3%A9%23/);
    assert.match(raw, /scope=openid%20profile/);
  });
});
