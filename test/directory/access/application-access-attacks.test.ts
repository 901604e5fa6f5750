import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { anAuthenticator, TOTP_SECRET } from '../../build/authenticator.ts';
import { assertRefused, aTokenSet, refresh, token } from '../../build/client.ts';
import { fixedClock } from '../../build/clock.ts';
import { delivered } from '../../build/delivered.ts';
import { aClient, anApplication, aUser, CALLBACK, PASSWORD } from '../../build/fixture.ts';
import { bob, logIn, press } from '../../build/people.ts';
import { suiteServer } from '../../build/test-server.ts';
import { authorizationUrl, type Fields, formWith, type Seen, signIn, Visitor } from '../../build/visitor.ts';

/** Bob has no access to the intranet and wants a code of it. Alice has. */
const APP = 'intranet';
const ESSENTIAL_2 = JSON.stringify({ id_token: { acr: { essential: true, values: ['2'] } } });

const clock = fixedClock();
const authenticator = anAuthenticator(clock);
const server = suiteServer({
  clock,
  applications: [
    anApplication({ clients: [aClient({ require_consent: false })] }),
    anApplication({
      code: APP,
      name: 'Intranet',
      mfa: 'off',
      access: { groups: ['staff'], roles: ['admin'], users: ['alice'] },
      clients: [aClient(), aClient({ client_id: 'asking', require_consent: true })],
    }),
  ],
  users: [aUser(), bob({ totp_secret: TOTP_SECRET, roles: { shop: ['admin'] }, groups: ['Staff'] })],
});

const at = (fields: Fields = {}) => authorizationUrl(server, fields, APP);
const resumed = (page: Seen) => {
  const pending = formWith(page, 'pending').fields.get('pending') ?? '';
  return `${server.at(APP)}/auth?gatehouse_pending=${pending}`;
};
const bobAt = (visitor: Visitor, fields: Fields = {}) => signIn(server, fields, { visitor, username: 'bob', app: APP });

/** The client got nothing, or an error. */
function assertNoCode(seen: Seen): void {
  assert(seen.status < 500, `${seen.status}`);
  const answered = seen.location ?? seen.text;
  assert.doesNotMatch(answered, /[?&#](code|access_token|id_token)=/);
  assert.doesNotMatch(seen.text, /name="(code|access_token|id_token)"/);
}

describe('attack: a user without access wants a code of the application', () => {
  it('skips the page: back to the authorization endpoint, again and again', async () => {
    const visitor = new Visitor(server.base);
    const page = await bobAt(visitor);
    for (const url of [resumed(page), resumed(page), at(), at({ response_mode: 'form_post' })]) {
      const seen = await visitor.follow(url);
      assertNoCode(seen);
      assert.match(seen.url, /\/login\/no-access/);
    }
  });

  it('skips the page: sends it the forms of the other pages', async () => {
    const visitor = new Visitor(server.base);
    const page = await bobAt(visitor, { client_id: 'asking' });
    const { sub = '' } = (await server.services.store.findAccount('bob')) ?? {};
    const { fields } = formWith(page, 'pending');
    for (const path of ['/login', '/consent', '/login/no-access', '/login/new-password', '/login/enrol']) {
      for (const action of ['allow', 'continue', 'another', 'back', 'submit', '']) {
        assertNoCode(await visitor.send({ action: server.base + path, fields }, { action, sub }));
      }
    }
    assertNoCode(await visitor.follow(resumed(page)));
  });

  it('replays the login form, and the form of the page', async () => {
    const visitor = new Visitor(server.base);
    const login = await visitor.follow(at());
    const page = await logIn(visitor, login, 'bob');
    assertNoCode(await logIn(visitor, login, 'bob'));
    assertNoCode(await press(visitor, page, 'back'));
    assertNoCode(await press(visitor, page, 'back'));
    const again = await press(visitor, page, 'another');
    assertNoCode(await logIn(visitor, again, 'bob'));
    assertNoCode(await logIn(visitor, again, 'bob'));
  });

  for (const [what, fields] of [
    ['select_account', { prompt: 'select_account' }],
    ['prompt=none', { prompt: 'none' }],
    ['prompt=login', { prompt: 'login' }],
    ['prompt=consent', { prompt: 'consent' }],
    ['max_age=0', { max_age: '0' }],
    ['the implicit flow', { response_type: 'id_token token', nonce: 'n', scope: 'openid' }],
    ['an ID token alone', { response_type: 'id_token', nonce: 'n', scope: 'openid' }],
    ['single claims', { claims: JSON.stringify({ userinfo: { roles: null, groups: null } }) }],
  ] as const) {
    it(`comes with a session of another application, by ${what}`, async () => {
      const visitor = new Visitor(server.base);
      const shop = await signIn(server, {}, { visitor, username: 'bob' });
      assert(delivered(await code(visitor, shop)).fields.code, 'the other application is open');
      let seen = await visitor.follow(at(fields));
      assertNoCode(seen);
      if (seen.text.includes('value="continue"')) seen = await press(visitor, seen, 'continue');
      if (seen.text.includes('name="password"')) seen = await logIn(visitor, seen, 'bob');
      assertNoCode(seen);
      if (seen.text.includes('value="back"')) seen = await press(visitor, seen, 'back');
      assertNoCode(seen);
      assert.match(seen.location ?? '', /error=(access_denied|login_required)/);
    });
  }

  it('steps up: a second factor proves who it is, not that it may enter', async () => {
    const visitor = new Visitor(server.base);
    await bobAt(visitor);
    const asked = await visitor.follow(at({ claims: ESSENTIAL_2 }));
    const seen = await code(visitor, asked);
    assertNoCode(seen);
    assert.match(seen.url, /\/login\/no-access/);
    assertNoCode(await press(visitor, seen, 'back'));
  });

  it('takes the sign-in of a member: address and form of another browser', async () => {
    const [alice, mallory] = [new Visitor(server.base), new Visitor(server.base)];
    await signIn(server, {}, { visitor: alice });
    const chooser = await alice.follow(at({ prompt: 'select_account' }));
    await bobAt(mallory);
    assertNoCode(await mallory.follow(chooser.url));
    assertNoCode(await mallory.follow(resumed(chooser)));
    assertNoCode(await press(mallory, chooser, 'continue'));
  });

  it('begins as a member and ends as itself, in one browser', async () => {
    const visitor = new Visitor(server.base);
    await signIn(server, {}, { visitor });
    const chooser = await visitor.follow(at({ prompt: 'select_account' }));
    const other = new Visitor(server.base);
    for (const [name, value] of visitor.cookies) other.cookies.set(name, value);
    // Bob signs in to another application in the same browser while Alice's choice is open.
    await code(visitor, await signIn(server, { prompt: 'login' }, { visitor, username: 'bob' }));
    assertNoCode(await press(visitor, chooser, 'continue'));
    // The session of Alice was replaced, so its cookie is of no use either.
    assertNoCode(await other.follow(at({ prompt: 'none' })));
  });

  it('asks the token endpoint: password grant, and a refresh token of another application', async () => {
    const grant = { grant_type: 'password', username: 'bob', password: PASSWORD };
    assertRefused(await token(server, grant, undefined, APP), 400, 'invalid_grant');
    const { refresh_token } = await aTokenSet(server);
    assertRefused(await refresh(server, refresh_token, {}, undefined, APP), 400, 'invalid_grant');
  });
});

describe('attack: a user keeps the access after it was withdrawn', () => {
  it('by refresh tokens, however often and in parallel', async () => {
    const { store } = server.services;
    const { sub = '' } = (await store.findAccount('bob')) ?? {};
    const set = (groups: readonly string[] | null) =>
      store.provision([{ kind: 'user', sub, profile: { groups }, now: clock.now() }]);
    await set(['staff']);
    const visitor = new Visitor(server.base);
    const answer = delivered(await code(visitor, await bobAt(visitor))).fields;
    const grant = { grant_type: 'authorization_code', code: answer.code, redirect_uri: CALLBACK };
    const { json } = await token(server, grant, undefined, APP);
    assert(json.refresh_token, JSON.stringify(json));
    await set(null);
    const attempts = Array.from({ length: 8 }, () => refresh(server, json.refresh_token, {}, undefined, APP));
    for (const answered of await Promise.all(attempts)) assertRefused(answered, 400, 'invalid_grant');
    clock.advance(31);
    assertRefused(await refresh(server, json.refresh_token, {}, undefined, APP), 400, 'invalid_grant');
    assertRefused(await refresh(server, json.refresh_token, { scope: 'openid' }, undefined, APP), 400, 'invalid_grant');
    assertNoCode(await visitor.follow(at({ prompt: 'none' })));
  });
});

/** Types the code of the authenticator app, where the page asks for it. */
async function code(visitor: Visitor, page: Seen): Promise<Seen> {
  if (!page.text.includes('name="code"')) return page;
  clock.advance(30);
  return visitor.send(formWith(page, 'code'), { code: authenticator.code() });
}
