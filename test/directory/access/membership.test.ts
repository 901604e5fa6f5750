import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { aCode, aTokenSet, claimsOf, get, redeem, refresh, userinfo } from '../../build/client.ts';
import { delivered } from '../../build/delivered.ts';
import { aClient, anApplication, aUser } from '../../build/fixture.ts';
import { anOperatorClient } from '../../build/operator.ts';
import { bob, press } from '../../build/people.ts';
import { suitePart } from '../../build/suite-part.ts';
import { suiteServer } from '../../build/test-server.ts';
import { authorizationUrl, formWith, signIn, Visitor } from '../../build/visitor.ts';

const SCOPE = 'openid profile groups roles';
const ORDERS = 'https://api.shop.example';

const api = { identifier: ORDERS, name: 'Orders', scopes: { 'orders:read': 'Read' }, access_token_format: 'jwt' };
const server = suiteServer({
  applications: [
    anApplication({
      apis: [{ ...api, access_token_format: 'jwt' as const }],
      clients: [
        aClient({ scope: `${SCOPE} orders:read` }),
        aClient({ client_id: 'plain' }),
        aClient({ client_id: 'asking', scope: SCOPE, require_consent: true }),
        aClient({ client_id: 'jwt', scope: SCOPE, access_token_format: 'jwt', id_token_claims: 'minimal' }),
      ],
    }),
    anApplication({ code: 'bank', name: 'Bank', clients: [aClient({ scope: SCOPE })] }),
    anApplication({ code: 'strict', name: 'Strict', strict_oidc: true, clients: [aClient({ scope: SCOPE })] }),
  ],
  users: [aUser({ groups: ['staff', 'sales'], roles: { shop: ['admin'], '*': ['auditor'] } }), bob()],
});
const operator = suitePart(() => anOperatorClient(server));

const AUTH = (id: string) => ({ auth: `Basic ${btoa(`${id}:web-secret-1`)}` });

describe('the claims groups and roles (modern contract; OIDC Core section 5.4)', () => {
  it('are in userinfo and in the ID token, for a client with the scopes', async () => {
    const { json } = await redeem(server, await aCode(server, { scope: SCOPE }));
    const expected = { groups: ['staff', 'sales'], roles: ['admin', 'auditor'] };
    const { groups, roles } = claimsOf(json.id_token);
    assert.deepEqual({ groups, roles }, expected);
    const told = (await userinfo(server, json.access_token)).json;
    assert.deepEqual({ groups: told.groups, roles: told.roles }, expected);
    const again = claimsOf((await refresh(server, json.refresh_token)).json.id_token);
    assert.deepEqual({ groups: again.groups, roles: again.roles }, expected);
  });

  it('roles are those at this application and at every one', async () => {
    const { json } = await redeem(
      server,
      await aCode(server, { scope: SCOPE }, { app: 'bank' }),
      {},
      undefined,
      'bank',
    );
    assert.deepEqual((await userinfo(server, json.access_token, 'bank')).json.roles, ['auditor']);
  });

  it('are empty lists for a user without any', async () => {
    const { access_token } = await aTokenSet(server, { scope: SCOPE, username: 'bob' });
    const { groups, roles } = (await userinfo(server, access_token)).json;
    assert.deepEqual([groups, roles], [[], []]);
  });

  it('need the scope, and the scope needs the registration (row 18)', async () => {
    const { access_token, id_token } = await aTokenSet(server, { scope: 'openid profile' });
    const told = { ...(await userinfo(server, access_token)).json, ...claimsOf(id_token) };
    assert.deepEqual([told.groups, told.roles], [undefined, undefined]);
    for (const scope of ['openid groups', 'openid roles']) {
      const seen = await new Visitor(server.base).go(authorizationUrl(server, { client_id: 'plain', scope }));
      assert.equal(delivered(seen).fields.error, 'invalid_scope');
    }
    assert.equal((await aTokenSet(server, {}, AUTH('plain'))).scope, 'openid profile email phone');
  });

  it('can be requested one by one (OIDC Core section 5.5), by a client that is registered for their scope', async () => {
    const claims = JSON.stringify({ userinfo: { roles: null }, id_token: { groups: null } });
    const code = await aCode(server, { scope: 'openid', claims }, { app: 'strict' });
    const { json } = await redeem(server, code, {}, undefined, 'strict');
    assert.deepEqual(claimsOf(json.id_token).groups, ['staff', 'sales']);
    assert.deepEqual((await userinfo(server, json.access_token, 'strict')).json.roles, ['auditor']);
    const plain = await redeem(server, await aCode(server, { client_id: 'plain', claims }), {}, AUTH('plain'));
    assert.equal(claimsOf(plain.json.id_token).groups, undefined);
    assert.equal((await userinfo(server, plain.json.access_token)).json.roles, undefined);
  });

  it('are in discovery', async () => {
    const { json } = await get(`${server.at()}/.well-known/openid-configuration`);
    for (const name of ['groups', 'roles']) {
      assert(json.scopes_supported.includes(name));
      assert(json.claims_supported.includes(name));
    }
  });

  it('are named on the consent page, in both languages', async () => {
    for (const [language, texts] of [
      ['en', ['the groups that you belong to', 'the roles that you have in this application']],
      ['zh', ['您所属的用户组', '您在此应用中的角色']],
    ] as const) {
      const seen = await signIn(server, { client_id: 'asking', scope: SCOPE, ui_locales: language });
      for (const text of texts) assert(seen.text.includes(text), text);
    }
    const visitor = new Visitor(server.base);
    const page = await signIn(server, { client_id: 'asking', scope: SCOPE }, { visitor });
    assert(delivered(await press(visitor, page, 'allow')).fields.code);
    assert(formWith(page, 'sub'));
  });
});

describe('groups and roles in JWT access tokens (RFC 9068 section 2.2.3.1)', () => {
  it('for the issuer, also after a refresh of a client whose ID tokens have no profile', async () => {
    const { json } = await redeem(server, await aCode(server, { client_id: 'jwt', scope: SCOPE }), {}, AUTH('jwt'));
    const again = (await refresh(server, json.refresh_token, {}, AUTH('jwt'))).json;
    for (const { access_token } of [json, again]) {
      const { groups, roles } = claimsOf(access_token);
      assert.deepEqual(
        [groups, roles],
        [
          ['staff', 'sales'],
          ['admin', 'auditor'],
        ],
      );
    }
    const { groups } = claimsOf(json.id_token);
    assert.equal(groups, undefined, 'id_token_claims: minimal');
  });

  it('for an API, by the scope of the grant', async () => {
    const { json } = await redeem(server, await aCode(server, { scope: 'openid roles orders:read', resource: ORDERS }));
    const { aud, scope, groups, roles } = claimsOf(json.access_token);
    assert.deepEqual([aud, scope, groups, roles], [ORDERS, 'orders:read', undefined, ['admin', 'auditor']]);
    const narrowed = await refresh(server, json.refresh_token, { scope: 'orders:read' });
    assert.equal(claimsOf(narrowed.json.access_token).roles, undefined);
  });
});

describe('groups and roles in the admin API (modern contract, users)', () => {
  const created = async (body: object) => (await operator.ask('POST', '/users', body)).json;

  it('are set, shown, merged and cleared (RFC 7396)', async () => {
    const roles = { shop: ['admin', 'admin'], bank: ['teller'], club: [] };
    const user = await created({ username: 'carol', groups: ['staff', 'staff'], roles });
    assert.deepEqual([user.groups, user.roles], [['staff'], { shop: ['admin'], bank: ['teller'] }]);
    const change = async (body: object) => (await operator.ask('PATCH', `/users/${user.sub}`, body)).json;
    const merged = await change({ roles: { bank: null, '*': ['auditor'] } });
    assert.deepEqual(merged.roles, { shop: ['admin'], '*': ['auditor'] });
    assert.deepEqual(merged.groups, ['staff']);
    const cleared = await change({ groups: null, roles: null });
    assert.deepEqual([cleared.groups, cleared.roles], [undefined, undefined]);
    assert.equal((await operator.ask('GET', `/users/${user.sub}`)).json.roles, undefined);
  });

  it('a change of the profile keeps them', async () => {
    const user = await created({ username: 'dora', groups: ['staff'], roles: { shop: ['admin'] } });
    const changed = (await operator.ask('PATCH', `/users/${user.sub}`, { nickname: 'D' })).json;
    assert.deepEqual([changed.groups, changed.roles], [['staff'], { shop: ['admin'] }]);
  });

  for (const [what, body, pointer] of [
    ['a group without a name', { groups: [''] }, '/groups/0'],
    ['a group with a control character', { groups: ['a\u0007'] }, '/groups/0'],
    ['a group of 65 characters', { groups: ['x'.repeat(65)] }, '/groups/0'],
    ['a group with a space at its end', { groups: ['staff '] }, '/groups/0'],
    ['101 groups', { groups: Array.from({ length: 101 }, (_, n) => `g${n}`) }, '/groups'],
    ['51 roles', { roles: { shop: Array.from({ length: 51 }, (_, n) => `r${n}`) } }, '/roles/shop'],
    [
      'roles of 101 applications',
      { roles: Object.fromEntries(Array.from({ length: 101 }, (_, n) => [`a${n}`, ['r']])) },
      '/roles',
    ],
    ['roles of what is no application', { roles: { 'Not a code': ['r'] } }, '/roles/Not a code'],
    ['groups that are no list', { groups: 'staff' }, '/groups'],
    ['roles that are a list', { roles: ['admin'] }, '/roles'],
  ] as const) {
    it(`refuses ${what}`, async () => {
      const { status, json } = await operator.ask('POST', '/users', { username: 'erin', ...body });
      assert.equal(status, 400, JSON.stringify(json));
      assert.deepEqual(
        json.errors?.map((one: { pointer: string }) => one.pointer),
        [pointer],
      );
    });
  }

  it('takes the most that is allowed', async () => {
    const groups = Array.from({ length: 100 }, (_, n) => `${n}`.padEnd(64, 'x'));
    const roles = { shop: Array.from({ length: 50 }, (_, n) => `${n}`.padEnd(64, 'y')) };
    assert.deepEqual((await created({ username: 'frank', groups, roles })).groups, groups);
  });
});
