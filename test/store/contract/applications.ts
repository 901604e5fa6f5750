import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import type { Application } from '../../../src/directory/applications/rules.ts';
import { logoHash } from '../../../src/directory/branding/rules.ts';
import { PNG } from '../../build/branding.ts';
import { account, aFixture, application, client, DAY, NOW, type OpenStore, signingKey, unique } from './given.ts';
import { ALIVE, aFamily, alive, code, DEAD, presentedCode, rotation, tokens } from './given-tokens.ts';
import { openForSuite } from './open-store.ts';
import { anEvent, aWebhook } from './webhooks-fixture.ts';

export function applicationsContract(open: OpenStore): void {
  describe('applications and clients', () => {
    const { store, another } = openForSuite(open);

    it('gives an application back as it was put in, and its newest form after a change', async () => {
      const first = application({ strict_oidc: true, access_token_ttl: 61 });
      assert.deepEqual(await store.provision([{ kind: 'application', application: first }]), { kind: 'done' });
      assert.deepEqual(await store.findApplication(first.code), first);
      const second = { ...first, name: 'Renamed', strict_oidc: false };
      await store.provision([{ kind: 'application', application: second }]);
      assert.deepEqual(await store.findApplication(first.code), second);
      assert.equal(await store.findApplication(unique('none')), undefined);
    });

    it('keeps the logo of an application apart: its hash comes with the application, the image by itself and for operators', async () => {
      const put = async (logo_uri: string | undefined) => {
        const value = application({ code, accent_color: '#112233', ...(logo_uri === undefined ? {} : { logo_uri }) });
        await store.provision([{ kind: 'application', application: value }]);
        return value;
      };
      const code = unique('app');
      const { logo_uri, ...rest } = await put(PNG);
      assert.deepEqual(await store.findApplication(code), { ...rest, logo_hash: logoHash(PNG) });
      assert.equal(await store.findLogo(code), logo_uri);
      assert.deepEqual((await store.findStoredApplication(code))?.application, { ...rest, logo_uri });
      const page = { after: undefined, limit: 200, among: [code], deleted: false };
      assert.deepEqual(
        (await store.listApplications(page)).map(found => found.application),
        [rest],
      );
      await put(undefined);
      assert.equal(await store.findLogo(code), undefined);
      assert.deepEqual(await store.findApplication(code), rest);
      await put(PNG);
      await store.provision([{ kind: 'deleteApplication', app: code, now: NOW }]);
      assert.equal(await store.findLogo(code), undefined, 'that of a deleted application is served no more');
      assert.equal((await store.findStoredApplication(code))?.application.logo_uri, PNG);
      assert.equal(await store.findLogo(unique('none')), undefined);
    });

    it('finds clients of every application by a part of identifier or name, within the applications that may be seen', async () => {
      const [one, other, gone] = [application(), application(), application()];
      const word = unique('w').toLowerCase();
      const clients = [
        [one.code, client({ client_id: `${word}-a`, client_name: 'Till' })],
        [other.code, client({ client_id: `${word}-b` })],
        [other.code, client({ client_id: unique('c'), client_name: `The ${word.toUpperCase()} of 100%_"` })],
        [other.code, client({ client_id: unique('d'), redirect_uris: [`https://${word}.example/cb`] })],
        [gone.code, client({ client_id: `${word}-e` })],
      ] as const;
      await store.provision([one, other, gone].map(each => ({ kind: 'application' as const, application: each })));
      await store.provision(clients.map(([app, each]) => ({ kind: 'client' as const, app, client: each })));
      await store.provision([{ kind: 'deleteApplication', app: gone.code, now: NOW }]);
      const find = async (text: string, among?: readonly string[], limit = 10) =>
        (await store.searchClients({ text, among, limit })).map(found => [found.app, found.client.client_id]);
      const [first, second, third] = clients.map(([app, { client_id }]) => [app, client_id]);
      assert.deepEqual((await find(word.toUpperCase())).sort(), [first, second, third].sort());
      assert.deepEqual(await find(word, [one.code]), [first]);
      assert.deepEqual(await find(word, []), []);
      assert.equal((await find(word, undefined, 2)).length, 2);
      assert.deepEqual(await find(`${word} of 100%_"`), [third]);
      assert.deepEqual(await find(`${word}_a`), [], 'an underscore is no placeholder');
    });

    it('gives an application of an earlier release the defaults of what was added since (row 44: RS256)', async () => {
      const { id_token_signed_response_alg: _, ...written } = application({ access_token_ttl: 61 });
      await store.provision([{ kind: 'application', application: written as Application }]);
      assert.deepEqual(await store.findApplication(written.code), {
        ...written,
        id_token_signed_response_alg: 'RS256',
      });
    });

    it('gives a client back as it was put in, every field of it', async () => {
      const app = application();
      const full = client();
      const bare = client({
        client_id: 'spa',
        secret_hash: undefined,
        token_endpoint_auth_method: 'none',
        backchannel_logout_uri: undefined,
        redirect_uris: [],
        refresh_token_rotation: true,
      });
      await store.provision([
        { kind: 'application', application: app },
        { kind: 'client', app: app.code, client: full },
        { kind: 'client', app: app.code, client: bare },
      ]);
      assert.deepEqual(await store.findClient(app.code, 'web'), full);
      assert.deepEqual({ backchannel_logout_uri: undefined, ...(await store.findClient(app.code, 'spa')) }, bare);
      assert.equal(await store.findClient(app.code, 'WEB'), undefined);
    });

    it('deletes a client, and revokes every grant and code of it, but of no other client', async () => {
      const fixture = await aFixture(store);
      const pair = await aFamily(store, fixture);
      const neighbour = await aFamily(store, { ...fixture, grant: { ...fixture.grant, clientId: 'other' } });
      const put = code(fixture.grant);
      await store.addCode(fixture.app, put);
      assert.equal(await store.deleteClient(fixture.app, 'web', NOW), true);
      assert.equal(await store.findClient(fixture.app, 'web'), undefined);
      const other = await another();
      assert.deepEqual(await alive(other, fixture.app, pair), DEAD);
      assert.deepEqual(await alive(other, fixture.app, neighbour), ALIVE);
      assert.equal((await other.redeemCode(fixture.app, put.codeHash, presentedCode, tokens())).kind, 'refused');
      assert.equal((await other.rotateRefreshToken(fixture.app, rotation(pair.refresh.hash))).kind, 'refused');
      assert.equal(await store.deleteClient(fixture.app, 'web', NOW), false);
    });

    it('issues nothing to a deleted client, also from a request that began before, or when it is registered again', async () => {
      const fixture = await aFixture(store);
      await store.deleteClient(fixture.app, 'web', NOW);
      const put = code(fixture.grant);
      assert.equal(await store.addCode(fixture.app, put), 'clientGone');
      const pair = tokens();
      assert.equal(await store.addTokenFamily(fixture.app, fixture.grant, pair), 'clientGone');
      assert.equal(await store.noteSessionClient(fixture.app, 'web', 'sid-1'), 'clientGone');
      await store.provision([{ kind: 'client', app: fixture.app, client: client() }]);
      assert.deepEqual(await alive(store, fixture.app, pair), DEAD);
      assert.deepEqual(await store.redeemCode(fixture.app, put.codeHash, presentedCode, tokens()), { kind: 'unknown' });
      assert.deepEqual(await alive(store, fixture.app, await aFamily(store, fixture)), ALIVE);
    });

    it('tells a deleted client nothing about the tokens of others', async () => {
      const fixture = await aFixture(store);
      const pair = await aFamily(store, { ...fixture, grant: { ...fixture.grant, clientId: 'other' } });
      const asked = async (by: string) => [
        (await store.findAccessToken(fixture.app, pair.access.hash, NOW, by)) !== undefined,
        (await store.findRefreshToken(fixture.app, pair.refresh.hash, NOW, by)) !== undefined,
      ];
      assert.deepEqual(await asked('web'), [true, true]);
      await store.deleteClient(fixture.app, 'web', NOW);
      assert.deepEqual(await asked('web'), [false, false]);
      assert.deepEqual(await asked('other'), [true, true]);
    });

    it('lists the clients of an application by name, and of no other', async () => {
      const fixture = await aFixture(store);
      await aFixture(store, 'elsewhere');
      const listed = await store.clientsOf(fixture.app);
      assert.deepEqual(
        listed.map(each => each.client_id),
        ['mobile', 'other', 'web'],
      );
      assert.deepEqual(listed.at(-1), client());
      assert.deepEqual(await store.clientsOf('nowhere'), []);
    });

    it('changing an application keeps its clients and keys', async () => {
      const app = application();
      await store.provision([
        { kind: 'application', application: app },
        { kind: 'client', app: app.code, client: client() },
      ]);
      await store.addSigningKey(signingKey(app.code), undefined);
      await store.provision([{ kind: 'application', application: { ...app, name: 'Renamed' } }]);
      assert.deepEqual(await store.findClient(app.code, 'web'), client());
      assert.equal((await store.signingKeys(app.code)).length, 1);
    });

    it('knows the web origins of redirect addresses, and forgets those that were changed away (row 55)', async () => {
      const app = application();
      const put = (redirect_uris: string[]) =>
        store.provision([
          { kind: 'application', application: app },
          { kind: 'client', app: app.code, client: client({ redirect_uris }) },
        ]);
      await put(['https://a.example:443/cb', 'https://a.example/other', 'http://127.0.0.1:8080/cb', 'com.app:/cb']);
      const known = async (origin: string) => store.isClientOrigin(app.code, origin);
      assert.equal(await known('https://a.example'), true);
      assert.equal(await known('http://127.0.0.1:8080'), true);
      for (const origin of ['http://a.example', 'https://a.example:444', 'https://b.example', 'null', '', 'com.app:'])
        assert.equal(await known(origin), false, origin);
      await put(['https://b.example/cb']);
      assert.equal(await known('https://a.example'), false);
      assert.equal(await known('https://b.example'), true);
    });

    it('grows its version with every change, also for another store object', async () => {
      const other = await another();
      const app = application();
      const user = account();
      const key = signingKey(app.code);
      const changes = [
        () => other.provision([{ kind: 'application', application: app }]),
        () => other.provision([{ kind: 'client', app: app.code, client: client() }]),
        () => other.provision([{ kind: 'newUser', account: user }]),
        () => other.addSigningKey(key, undefined),
        () => other.addSigningKey(signingKey(app.code, { signFrom: NOW + DAY }), key.kid),
        () => other.dropSigningKeys(app.code, [key.kid]),
      ];
      for (const change of changes) {
        const before = await store.registryVersion();
        await change();
        assert(before < (await store.registryVersion()), 'the version did not grow');
      }
      const settled = await store.registryVersion();
      await store.findClient(app.code, 'web');
      assert.equal(await store.registryVersion(), settled);
    });

    it('shows an acknowledged write to every other store object at once', async () => {
      const other = await another();
      const app = application();
      await store.provision([{ kind: 'application', application: app }]);
      assert.deepEqual(await other.findApplication(app.code), app);
    });

    it('shows it also to a store object that read while the write was on its way', async () => {
      const other = await another();
      const app = application();
      const write = store.provision([{ kind: 'application', application: app }]);
      // Before or after the write: the contract does not say which.
      await other.findApplication(app.code);
      await write;
      // A caller that knows of the write reads in a later turn of the event loop.
      await setImmediate();
      assert.deepEqual(await other.findApplication(app.code), app);
    });

    it('tells whether a name is among the users whom an application admits, as login names are compared, also of a deleted one', async () => {
      const [lower, address] = [unique('ada'), `${unique('ada')}@example.com`];
      const access = { groups: [unique('staff')], roles: [unique('admin')], users: [lower.toUpperCase(), address] };
      const restricted = application({ access });
      const put = (each: Application) => store.provision([{ kind: 'application', application: each }]);
      assert.equal(await store.isNamedInAccess(lower), false);
      await put(application());
      await put(restricted);
      for (const name of [lower, address]) assert.equal(await store.isNamedInAccess(name), true, name);
      const others = [...access.groups, ...access.roles, `${lower}x`, restricted.code, ''];
      for (const name of others) assert.equal(await store.isNamedInAccess(name), false, name);
      await store.changeApplication(restricted.code, current => {
        const value = { application: current?.application ?? restricted, deletedAt: NOW, keys: [] };
        return { result: undefined, write: { value, act: { event: anEvent() } } };
      });
      assert.equal(await store.isNamedInAccess(lower), true, 'it can be restored');
      await put({ ...restricted, access: 'everybody' });
      assert.equal(await store.isNamedInAccess(lower), false);
    });

    it('lists the codes of all applications', async () => {
      const made = [application(), application()];
      const before = new Set(await store.applicationCodes());
      await store.provision(made.map(each => ({ kind: 'application', application: each })));
      const added = (await store.applicationCodes()).filter(code => !before.has(code));
      assert.deepEqual(added.sort(), made.map(({ code }) => code).sort());
    });
  });

  describe('an empty store', () => {
    const { store } = openForSuite(open);

    it('is empty until there is an application or a user', async () => {
      assert.equal(await store.isEmpty(), true);
      const user = account();
      await store.provision([{ kind: 'newUser', account: user }]);
      assert.equal(await store.isEmpty(), false);
    });
  });

  describe('the secrets of the server that a store was written with', () => {
    const { store } = openForSuite(open);

    it('are known by what signing keys, client secrets and webhook secrets begin with, each with how many there are', async () => {
      assert.deepEqual(await store.secretsInUse(), []);
      const app = application();
      const sealed = (id: string) => Buffer.from(`${id}aabbccdd`, 'hex');
      const withSecret = (client_id: string, secret_hash: string | undefined) =>
        ({ kind: 'client', app: app.code, client: client({ client_id, secret_hash }) }) as const;
      await store.provision([
        { kind: 'application', application: app },
        withSecret('one', '0a0b0c0d:hash'),
        withSecret('two', 'ffffffff:hash'),
        withSecret('public', undefined),
      ]);
      const first = signingKey(app.code, { sealedPrivateKey: sealed('0a0b0c0d') });
      await store.addSigningKey(first, undefined);
      const next = signingKey(app.code, { sealedPrivateKey: sealed('0a0b0c0d'), signFrom: first.signFrom + 1 });
      await store.addSigningKey(next, first.kid);
      await aWebhook(store, { sealedSecrets: sealed('ffffffff') });
      assert.deepEqual(await store.secretsInUse(), [
        { id: '0a0b0c0d', signingKeys: 2, clientSecrets: 1, webhookSecrets: 0, providerSecrets: 0, totpKeys: 0 },
        { id: 'ffffffff', signingKeys: 0, clientSecrets: 1, webhookSecrets: 1, providerSecrets: 0, totpKeys: 0 },
      ]);
    });
  });
}
