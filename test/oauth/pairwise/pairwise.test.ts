import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fromPairwise, sectorKeys, sectorOf, toPairwise } from '../../../src/oauth/pairwise/rules.ts';
import { aTokenSet, basic, claimsOf, get, introspect, refresh, userinfo } from '../../build/client.ts';
import { delivered } from '../../build/delivered.ts';
import { aClient, anApplication, aUser } from '../../build/fixture.ts';
import { anOperatorClient } from '../../build/operator.ts';
import { atLogin, atLogoutQuestion, bob, signedIn, tokensOf } from '../../build/people.ts';
import { fc } from '../../build/random.ts';
import { suiteServer, type TestServer } from '../../build/test-server.ts';
import { authorizationUrl, query, type Visitor } from '../../build/visitor.ts';

const ONE = 'https://one.example/cb';
const TWO = 'https://two.example/cb';
const pairwise = (client_id: string, redirect: string, over = {}) =>
  aClient({ client_id, redirect_uris: [redirect], subject_type: 'pairwise', ...over });
const API = { identifier: 'https://api.example', name: 'API', scopes: { read: 'Read' } };
const scope = 'openid profile email offline_access read';
const clients = () => [
  aClient({ apis: [API.identifier], client_id: 'web' }),
  pairwise('one', ONE, { scope }),
  pairwise('one-too', `${ONE}/too`),
  pairwise('two', TWO, { access_token_format: 'jwt' }),
  pairwise('three', TWO, { sector_identifier_uri: 'https://one.example/sector.json' }),
];
const server = suiteServer({
  applications: [
    anApplication({ apis: [API], clients: clients() }),
    anApplication({ code: 'bank', name: 'Bank', clients: [pairwise('one', ONE)] }),
  ],
  users: [aUser(), bob()],
});

const REDIRECT: Record<string, string> = { one: ONE, 'one-too': `${ONE}/too`, two: TWO, three: TWO };
const sending = (id: string) => ({ auth: basic(id, 'web-secret-1') });
const tokensAt = (visitor: Visitor, client_id: string, over = {}, app = 'shop') => {
  const redirectUri = REDIRECT[client_id];
  const options = { sending: sending(client_id), app, ...(redirectUri !== undefined && { redirectUri }) };
  return tokensOf(
    server,
    visitor,
    { client_id, prompt: 'none', scope: 'openid profile offline_access', ...over },
    options,
  );
};
const localSub = async (on: TestServer, name: string) => (await on.services.store.findAccount(name))?.sub;

describe('pairwise subjects (OpenID Connect Core section 8)', () => {
  it('are the same for one sector, and different for another, for another application and for a public client (8.1)', async () => {
    const visitor = await signedIn(server);
    const seen = new Map<string, string>();
    for (const id of ['web', 'one', 'one-too', 'two', 'three']) {
      const { id_token } = await tokensAt(visitor, id);
      seen.set(id, String(claimsOf(id_token).sub));
    }
    const bank = await tokensAt(visitor, 'one', {}, 'bank');
    const { one, two, three, web, 'one-too': tooOne } = Object.fromEntries(seen);
    assert.deepEqual([tooOne, three], [one, one]);
    const different = [web, one, two, claimsOf(bank.id_token).sub];
    assert.equal(new Set(different).size, different.length);
    assert.equal(web, await localSub(server, 'alice'));
    // Again after everything was forgotten: it is derived from what is stored.
    const again = await tokensAt(await signedIn(server), 'one');
    assert.equal(claimsOf(again.id_token).sub, one);
  });

  it('are the same in the ID token, at userinfo, in the JWT access token, after a refresh and at introspection by anybody', async () => {
    const visitor = await signedIn(server);
    for (const id of ['one', 'two']) {
      const set = await tokensAt(visitor, id);
      const { sub } = claimsOf(set.id_token);
      assert.notEqual(sub, await localSub(server, 'alice'));
      assert.equal((await userinfo(server, set.access_token)).json.sub, sub);
      assert.equal((await introspect(server, { token: set.access_token })).json.sub, sub);
      assert.equal((await introspect(server, { token: set.access_token }, sending(id))).json.sub, sub);
      if (id === 'two') assert.equal(claimsOf(set.access_token).sub, sub);
      const { json } = await refresh(server, set.refresh_token, {}, sending(id));
      assert.equal(claimsOf(json.id_token).sub, sub);
    }
    const forApi = await tokensAt(visitor, 'one', { scope: 'openid read', resource: API.identifier });
    const seen = await introspect(server, { token: forApi.access_token });
    assert.equal(seen.json.sub, claimsOf(forApi.id_token).sub);
  });

  it('hide the session too: sid is another for each sector', async () => {
    const visitor = await signedIn(server);
    const sids = [];
    for (const id of ['web', 'one', 'two']) sids.push(claimsOf((await tokensAt(visitor, id)).id_token).sid);
    assert.equal(new Set(sids).size, 3);
  });

  it('are understood in id_token_hint and in claims, and those of another sector are not (3.1.2.1, 5.5.1)', async () => {
    const visitor = await signedIn(server);
    const { id_token } = await tokensAt(visitor, 'one');
    const { sub } = claimsOf(id_token);
    const ask = (client_id: string, fields: Record<string, string>) =>
      visitor.go(authorizationUrl(server, { client_id, redirect_uri: REDIRECT[client_id], prompt: 'none', ...fields }));
    const answer = async (client_id: string, fields: Record<string, string>) =>
      delivered(await ask(client_id, fields), REDIRECT[client_id]).fields;
    assert((await answer('one', { id_token_hint: id_token })).code);
    const claims = (value: unknown) => JSON.stringify({ id_token: { sub: { value } } });
    assert((await answer('one', { claims: claims(sub) })).code);
    for (const value of [claimsOf((await tokensAt(visitor, 'two')).id_token).sub, await localSub(server, 'alice')]) {
      assert.equal((await answer('one', { claims: claims(value) })).error, 'login_required');
    }
    const bobs = await signedIn(server, 'bob');
    const other = await bobs.go(
      authorizationUrl(server, { client_id: 'one', redirect_uri: ONE, prompt: 'none', id_token_hint: id_token }),
    );
    assert.equal(delivered(other, ONE).fields.error, 'login_required');
  });

  it('end the session at once as a hint of the logout endpoint', async () => {
    const visitor = await signedIn(server);
    const { id_token } = await tokensAt(visitor, 'two');
    const seen = await visitor.follow(`${server.at()}/logout?${query({ id_token_hint: id_token })}`);
    assert(!atLogoutQuestion(seen));
    assert.match(seen.text, /You are signed out/);
    assert(atLogin(await visitor.follow(authorizationUrl(server))));
  });

  it('need one host, or a sector', async () => {
    const owner = await anOperatorClient(server);
    const put = (body: object) => owner.ask('PATCH', '/applications/shop/clients/two', body);
    const refused = await put({ redirect_uris: [ONE, TWO] });
    assert.deepEqual([refused.status, refused.json.errors[0].pointer], [400, '/subject_type']);
    assert.equal((await put({ sector_identifier_uri: 'http://one.example/' })).status, 400);
    const { json } = await get(`${server.at()}/.well-known/openid-configuration`);
    assert.deepEqual(json.subject_types_supported, ['public', 'pairwise']);
  });

  it('are shown of an actor, too, where the subject is a client (RFC 8693 section 4.1)', async () => {
    const { subjects, registry } = server.services;
    const one = await registry.client('shop', 'one');
    const seen = await subjects.shownTo('shop', one, { sub: 'u-1' });
    const act = { sub: 'u-1', client_id: 'one', act: { sub: 'machine', client_id: 'machine' } };
    const shown = await subjects.shownTo('shop', one, { sub: 'machine', isOfClient: true, act });
    assert.equal(shown.sub, 'machine');
    assert.deepEqual(shown.act, { ...act, sub: seen.sub });
  });

  it('a client that acts for itself keeps its client_id', async () => {
    const owner = await anOperatorClient(server);
    const machine = { client_id: 'machine', client_secret: 'web-secret-1', grant_types: ['client_credentials'] };
    const sector = { subject_type: 'pairwise', sector_identifier_uri: 'https://one.example/sector.json' };
    const answered = await owner.ask('POST', '/applications/shop/clients', { ...machine, ...sector, scope: 'read' });
    assert.equal(answered.status, 201, answered.text);
    const set = await aTokenSet(
      server,
      { grant_type: 'client_credentials', username: undefined, password: undefined, scope: 'read' },
      sending('machine'),
    );
    assert.equal((await introspect(server, { token: set.access_token }, sending('machine'))).json.sub, 'machine');
  });
});

describe('the derivation of a pairwise subject', () => {
  const bytes = fc.uint8Array({ minLength: 32, maxLength: 32 });

  it('leads back with the keys of its sector, and never with others; two sectors never see the same', () => {
    fc.assert(
      fc.property(
        bytes,
        fc.webUrl(),
        fc.webUrl(),
        fc.string({ minLength: 1, maxLength: 60 }),
        (salt, one, two, sub) => {
          fc.pre(one !== two && sub.isWellFormed());
          const [own, other] = [sectorKeys(salt, one), sectorKeys(salt, two)];
          const shown = toPairwise(own, sub);
          assert.equal(toPairwise(own, sub), shown);
          assert.equal(fromPairwise(own, shown), sub);
          assert.equal(fromPairwise(other, shown), undefined);
          assert.notEqual(toPairwise(other, sub), shown);
          assert.equal(fromPairwise(own, sub), undefined);
        },
      ),
    );
  });

  it('takes the host of the redirect URIs, or that of sector_identifier_uri', () => {
    const of = (redirect_uris: string[], sector_identifier_uri?: string) =>
      sectorOf({ redirect_uris, sector_identifier_uri, subject_type: 'pairwise' });
    assert.equal(of(['https://a.example/x', 'https://a.example:8443/y']), 'a.example');
    assert.equal(of(['https://a.example/x', 'https://b.example/y']), undefined);
    assert.equal(of(['https://a.example/x', 'https://b.example/y'], 'https://c.example/list'), 'c.example');
    assert.deepEqual([of([]), of(['com.example.app:/cb'])], [undefined, undefined]);
    // Anybody can write a host after a scheme of their own.
    assert.equal(of(['evil://a.example/cb']), undefined);
    // Every native client has them.
    for (const uri of ['http://localhost:1/cb', 'http://127.0.0.1/cb', 'http://[::1]:2/'])
      assert.equal(of([uri]), undefined);
  });
});
