import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { aCode, aTokenSet, basic, claimsOf, redeem, refresh, userinfo } from '../../build/client.ts';
import { delivered } from '../../build/delivered.ts';
import { aClient, anApplication, aUser, PASSWORD } from '../../build/fixture.ts';
import { signedIn } from '../../build/people.ts';
import { suiteServer } from '../../build/test-server.ts';
import { authorizationUrl } from '../../build/visitor.ts';

/** Most client libraries look for the user in the ID token alone: Auth.js, next-auth, kubelogin, Spring (rows 44 and 53). */
const clients = [
  aClient(),
  aClient({ client_id: 'minimal', id_token_claims: 'minimal' }),
  aClient({ client_id: 'scope', id_token_claims: 'scope' }),
];
const standard = { name: 'Alice Example', given_name: 'Alice', locale: 'en-US', birthdate: '1990-01-31' };
const address = { formatted: '1 Main Street\nExampleton', country: 'FR' };
const server = suiteServer({
  applications: [
    anApplication({ clients }),
    anApplication({ code: 'strict', name: 'Strict', strict_oidc: true, clients }),
  ],
  users: [aUser({ ...standard, address }), { username: 'bare', password: PASSWORD }],
});

const SCOPE = 'openid profile email address';
const as = (client: string) => ({ auth: basic(client, 'web-secret-1') });

/** The claims about the person; those about the login are tested elsewhere. */
function person(idToken: string) {
  const { iss, sub, aud, azp, iat, exp, auth_time, amr, sid, nonce, at_hash, acr, ...rest } = claimsOf(idToken);
  return rest;
}

async function byCode(client: string, app = 'shop', scope = SCOPE, fields = {}) {
  const visitor = await signedIn(server);
  const seen = await visitor.go(authorizationUrl(server, { client_id: client, scope, ...fields }, app));
  return (await redeem(server, delivered(seen).fields.code, {}, as(client), app)).json;
}

describe('profile claims in the ID token of the code flow and of refresh (row 44)', () => {
  const expected = {
    preferred_username: 'alice',
    nickname: 'Al',
    picture: 'https://example.com/a.png',
    email: 'alice@example.com',
    email_verified: true,
    ...standard,
    address,
  };

  it('are those of the granted scopes, and agree with userinfo', async () => {
    const set = await byCode('web');
    const { updated_at, ...claims } = person(set.id_token);
    assert.deepEqual(claims, expected);
    const { sub, updated_at: written, ...info } = (await userinfo(server, set.access_token)).json;
    assert.deepEqual(info, expected);
    // Libraries that give claims a type refuse a text here; userinfo keeps the text of the interface.
    assert.equal(typeof updated_at, 'number');
    assert.match(written, /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
  });

  it('leave out what is not set: Auth.js would take an empty nickname for the name', async () => {
    const scope = 'openid profile phone';
    const { id_token, access_token } = await aTokenSet(server, { username: 'bare', scope });
    assert.deepEqual(Object.keys(person(id_token)), ['preferred_username', 'updated_at']);
    assert.equal((await userinfo(server, access_token)).json.nickname, '');
  });

  it('are not more than the scopes give', async () => {
    assert.deepEqual(person((await byCode('web', 'shop', 'openid')).id_token), {});
    assert.deepEqual(person((await byCode('web', 'shop', 'openid email')).id_token), {
      email: 'alice@example.com',
      email_verified: true,
    });
  });

  it('come again with every refresh, as they are then', async () => {
    const first = await byCode('web');
    const again = (await refresh(server, first.refresh_token)).json;
    assert.equal(person(again.id_token).name, 'Alice Example');
    // Without a password, which would end the grant.
    const { password, ...alice } = aUser({ ...standard, address });
    await server.provision({ users: [{ ...alice, name: 'Alice Other' }] });
    const changed = (await refresh(server, again.refresh_token)).json;
    assert.equal(person(changed.id_token).name, 'Alice Other');
    await server.provision({ users: [alice] });
  });

  it('narrow with a narrowed refresh', async () => {
    const { refresh_token } = await byCode('web');
    const narrowed = (await refresh(server, refresh_token, { scope: 'openid email' })).json;
    assert.deepEqual(person(narrowed.id_token), { email: 'alice@example.com', email_verified: true });
  });

  it('come with the password grant too', async () => {
    assert.equal(person((await aTokenSet(server, { scope: SCOPE })).id_token).name, 'Alice Example');
  });

  it('are not there under strict_oidc, by code, refresh or password', async () => {
    const set = await byCode('web', 'strict');
    assert.deepEqual(person(set.id_token), {});
    assert.deepEqual(person((await refresh(server, set.refresh_token, {}, undefined, 'strict')).json.id_token), {});
    assert.deepEqual(person((await aTokenSet(server, { scope: SCOPE }, undefined, 'strict')).id_token), {});
    assert.equal((await userinfo(server, set.access_token, 'strict')).json.name, 'Alice Example');
  });

  it('unless the parameter claims asks for them (OIDC Core section 5.5)', async () => {
    const claims = JSON.stringify({ id_token: { name: null, email: null } });
    assert.deepEqual(person((await byCode('web', 'strict', 'openid', { claims })).id_token), {
      name: 'Alice Example',
      email: 'alice@example.com',
    });
  });

  it('id_token_claims of the client overrides either dialect, in both directions', async () => {
    for (const app of ['shop', 'strict']) {
      const minimal = await byCode('minimal', app);
      assert.deepEqual(person(minimal.id_token), {}, app);
      const refreshed = await refresh(server, minimal.refresh_token, {}, as('minimal'), app);
      assert.deepEqual(person(refreshed.json.id_token), {}, app);
      assert.equal(person((await byCode('scope', app)).id_token).name, 'Alice Example', app);
    }
  });

  it('is the same for a code that was asked for without a session before', async () => {
    const { json } = await redeem(server, await aCode(server, { scope: SCOPE }));
    assert.equal(person(json.id_token).name, 'Alice Example');
  });
});
