import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  aPkcePair,
  assertRefused,
  aTokenSet,
  claimsOf,
  introspect,
  isActive,
  redeem,
  refresh,
  token,
  userinfo,
} from '../../build/client.ts';
import { delivered } from '../../build/delivered.ts';
import { eventDuring, eventsDuring } from '../../build/events.ts';
import { aClient, anApplication, aPublicClient, aUser, PASSWORD } from '../../build/fixture.ts';
import { anOperatorClient } from '../../build/operator.ts';
import { atLogin, bob, logIn, press, tokensFrom } from '../../build/people.ts';
import { suitePart } from '../../build/suite-part.ts';
import { suiteServer } from '../../build/test-server.ts';
import { authorizationUrl, type Fields, signIn, Visitor } from '../../build/visitor.ts';

const ACCESS = { groups: ['staff'], roles: ['admin'], users: ['Dora'] };

const one = (username: string, over = {}) => aUser({ username, email: null, phone_number: null, ...over });
const server = suiteServer({
  applications: [
    anApplication(),
    anApplication({
      code: 'intranet',
      name: 'Intranet',
      access: ACCESS,
      clients: [aClient(), aClient({ client_id: 'asking', require_consent: true }), aPublicClient()],
    }),
  ],
  users: [
    aUser({ groups: ['staff'] }),
    bob(),
    one('carol', { roles: { intranet: ['admin'] } }),
    one('dora'),
    one('erin', { groups: ['sales'], roles: { shop: ['admin'] } }),
    one('root', { roles: { '*': ['admin'] } }),
    one('teller', { roles: { intranet: ['teller'] } }),
  ],
});
const operator = suitePart(() => anOperatorClient(server));

const enter = (username: string, fields: Fields = {}, visitor = new Visitor(server.base)) =>
  signIn(server, fields, { username, visitor, app: 'intranet' });
const atNoAccess = (url: string) => new URL(url).pathname === '/login/no-access';
const userPath = async (username: string) =>
  `/users/${(await server.services.store.findAccount(username))?.sub ?? assert.fail(username)}`;
const change = async (username: string, body: object) =>
  assert.equal((await operator.ask('PATCH', await userPath(username), body)).status, 200);

describe('who may enter an application (modern contract)', () => {
  for (const username of ['alice', 'carol', 'dora', 'root']) {
    it(`${username} is in the group, has the role here or everywhere, or is listed by name`, async () => {
      assert(delivered(await enter(username)).fields.code);
    });
  }

  for (const username of ['bob', 'erin', 'teller']) {
    it(`${username} sees a page that says so, in both languages`, async () => {
      const seen = await enter(username);
      assert(atNoAccess(seen.url), seen.url);
      assert.equal(seen.status, 200);
      assert.match(seen.text, new RegExp(`signed in as ${username}. This account has no access to Intranet`));
      assert.match((await enter(username, { ui_locales: 'zh' })).text, /此账户无权访问 Intranet/);
    });
  }

  it('the client gets access_denied when the user goes back', async () => {
    const visitor = new Visitor(server.base);
    const seen = await press(visitor, await enter('bob', {}, visitor), 'back');
    const { fields } = delivered(seen);
    assert.equal(fields.error, 'access_denied');
    assert.deepEqual([fields.error_description, fields.state], ['The user has no access to this application.', 'st']);
    assert.equal(fields.code, undefined);
  });

  it('the user can sign in with another account', async () => {
    const visitor = new Visitor(server.base);
    const login = await press(visitor, await enter('bob', {}, visitor), 'another');
    assert(atLogin(login), login.url);
    assert(delivered(await logIn(visitor, login)).fields.code);
  });

  it('the session stays: the account page and other applications are open', async () => {
    const visitor = new Visitor(server.base);
    await enter('bob', {}, visitor);
    assert.equal((await visitor.follow(`${server.base}/account`)).status, 200);
    assert(delivered(await visitor.go(authorizationUrl(server))).fields.code);
  });

  it('prompt=none is answered with access_denied, and without a session with login_required', async () => {
    const visitor = new Visitor(server.base);
    await enter('bob', {}, visitor);
    const silent = authorizationUrl(server, { prompt: 'none' }, 'intranet');
    assert.equal(delivered(await visitor.go(silent)).fields.error, 'access_denied');
    assert.equal(delivered(await new Visitor(server.base).go(silent)).fields.error, 'login_required');
  });

  it('a request that names the user offers no other account', async () => {
    const { id_token } = await aTokenSet(server, { username: 'erin' });
    const { sub } = claimsOf(id_token);
    const claims = JSON.stringify({ id_token: { sub: { value: sub } } });
    const seen = await enter('erin', { claims });
    assert(atNoAccess(seen.url));
    assert.doesNotMatch(seen.text, /value="another"/);
  });

  it('a form of the page, and the page itself, lead on when the user was admitted meanwhile', async () => {
    const visitor = new Visitor(server.base);
    const seen = await enter('teller', {}, visitor);
    await change('teller', { groups: ['staff'] });
    try {
      assert(delivered(await visitor.follow(seen.url)).fields.code);
      assert(delivered(await press(visitor, seen, 'back')).fields.code);
    } finally {
      await change('teller', { groups: null });
    }
  });

  it('the event user.login.denied is written once for a request', async () => {
    const visitor = new Visitor(server.base);
    const event = await eventDuring(server, 'user.login.denied', async () => {
      await press(visitor, await enter('bob', {}, visitor), 'back');
    });
    assert.equal(event.outcome, 'denied');
    assert.deepEqual([event.app, event.clientId, event.details], ['intranet', 'web', { reason: 'access' }]);
    const { sub } = (await server.services.store.findAccount('bob')) ?? {};
    assert.deepEqual([event.subject, event.actor], [sub, { kind: 'user', id: sub }]);
    const silent = authorizationUrl(server, { prompt: 'none' }, 'intranet');
    await eventDuring(server, 'user.login.denied', () => visitor.go(silent));
    assert.deepEqual(await eventsDuring(server, 'user.login.denied', () => enter('alice')), []);
  });
});

describe('the password grant of a user without access (RFC 6749 section 5.2)', () => {
  it('reads as a wrong password, and is an event', async () => {
    const refused = { grant_type: 'password', username: 'bob', password: PASSWORD };
    const event = await eventDuring(server, 'user.login.denied', async () => {
      const answered = await token(server, refused, undefined, 'intranet');
      assertRefused(answered, 400, 'invalid_grant', 'The username or password is incorrect.');
    });
    assert.equal(event.app, 'intranet');
    assert.equal((await token(server, refused)).status, 200, 'another application admits everybody');
    await aTokenSet(server, { username: 'carol' }, undefined, 'intranet');
  });
});

describe('tokens of a user who loses the access (modern contract; docs/decisions/access.md)', () => {
  for (const [what, over] of [
    ['with a profile in the ID token', {}],
    ['of a public client', { client_id: 'spa', redirect_uri: 'https://spa.example/cb' }],
  ] as const) {
    it(`are not refreshed, ${what}, until the access is back`, async () => {
      const isPublic = 'client_id' in over;
      await change('erin', { roles: { intranet: ['admin'] } });
      const { challenge, verifier } = aPkcePair();
      const pkce = isPublic ? { code_challenge: challenge, code_challenge_method: 'S256' } : {};
      const seen = await enter('erin', { ...over, ...pkce });
      const sending = isPublic ? {} : undefined;
      const proof = isPublic ? { code_verifier: verifier, ...over } : {};
      const { code } = delivered(seen, isPublic ? over.redirect_uri : undefined).fields;
      const { json } = await redeem(server, code, proof, sending, 'intranet');
      const id = isPublic ? { client_id: 'spa' } : {};
      const first = await refresh(server, json.refresh_token, id, sending, 'intranet');
      assert.equal(first.status, 200, first.text);

      await change('erin', { roles: { intranet: null } });
      for (let attempt = 0; attempt < 2; attempt++) {
        const refused = await refresh(server, first.json.refresh_token, id, sending, 'intranet');
        assertRefused(refused, 400, 'invalid_grant');
      }
      // Nothing was rotated, so a slip of an operator logs nobody out.
      await change('erin', { roles: { intranet: ['admin'] } });
      assert.equal((await refresh(server, first.json.refresh_token, id, sending, 'intranet')).status, 200);
      await change('erin', { roles: { intranet: null } });
    });
  }

  it('an access token lives until it expires, and ends with the sessions of the user', async () => {
    await change('erin', { groups: ['staff'] });
    const tokens = await tokensFrom(server, await enter('erin'), { app: 'intranet' });
    await change('erin', { groups: ['sales'] });
    assert.equal((await userinfo(server, tokens.access_token, 'intranet')).status, 200);
    assert(await isActive(server, tokens.access_token, undefined, 'intranet'));
    assert.equal((await operator.ask('POST', `${await userPath('erin')}/sign_out`)).status, 204);
    assert.deepEqual((await introspect(server, { token: tokens.access_token }, undefined, 'intranet')).json, {
      active: false,
    });
  });
});

describe('the setting access in the admin API', () => {
  const path = '/applications/club';
  const patch = (access: unknown) => operator.ask('PATCH', path, { access });

  it('is everybody by default, takes lists, merges them and is reset by null', async () => {
    const made = await operator.ask('POST', '/applications', { code: 'club', name: 'Club' });
    assert.equal(made.json.access, 'everybody');
    assert.deepEqual((await patch({ groups: ['a', 'a'] })).json.access, { groups: ['a'], roles: [], users: [] });
    assert.deepEqual((await patch({ users: ['bob'] })).json.access, { groups: ['a'], roles: [], users: ['bob'] });
    assert.equal((await patch('everybody')).json.access, 'everybody');
    await patch({ roles: ['x'] });
    assert.equal((await patch(null)).json.access, 'everybody');
  });

  it('refuses what is no list of names, and the built-in application takes none', async () => {
    for (const access of [
      'nobody',
      { groups: 'staff' },
      { groups: [''] },
      { users: [' '] },
      { teams: [] },
      ['staff'],
    ]) {
      assert.equal((await patch(access)).status, 400, JSON.stringify(access));
    }
    assert.equal((await operator.ask('PATCH', '/applications/gatehouse', { access: ACCESS })).status, 409);
  });

  it('counts for the next request', async () => {
    const visitor = new Visitor(server.base);
    await enter('alice', {}, visitor);
    const set = (access: unknown) => operator.ask('PATCH', '/applications/intranet', { access });
    await set({ groups: [], roles: [], users: [] });
    const url = authorizationUrl(server, {}, 'intranet');
    assert(atNoAccess((await visitor.follow(url)).url), 'empty lists admit nobody');
    await set(ACCESS);
    assert(delivered(await visitor.go(url)).fields.code);
  });
});
