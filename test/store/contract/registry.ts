import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { SealedKey } from '../../../src/store/store.ts';
import { account, application, client, digest, hex, NOW, type Opened, type OpenStore, unique } from './given.ts';

export function registryContract(open: OpenStore): void {
  describe('applications, clients and users', () => {
    let opened: Opened;
    before(async () => {
      opened = await open();
    });
    after(() => opened.discard());

    it('gives an application back as it was put in, and its newest form after a change', async () => {
      const { store } = opened;
      const first = application({ strict_oidc: true, access_token_ttl: 61 });
      assert.deepEqual(await store.provision([{ kind: 'application', application: first }]), { kind: 'done' });
      assert.deepEqual(await store.findApplication(first.code), first);
      const second = { ...first, name: 'Renamed', strict_oidc: false };
      await store.provision([{ kind: 'application', application: second }]);
      assert.deepEqual(await store.findApplication(first.code), second);
      assert.equal(await store.findApplication(unique('none')), undefined);
    });

    it('gives a client back as it was put in, every field of it', async () => {
      const { store } = opened;
      const app = application();
      const full = client();
      const bare = client({
        client_id: 'spa',
        secret_hash: undefined,
        token_endpoint_auth_method: 'none',
        backchannel_logout_uri: undefined,
        redirect_uris: [],
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

    it('changing an application keeps its clients and keys', async () => {
      const { store } = opened;
      const app = application();
      await store.provision([
        { kind: 'application', application: app },
        { kind: 'client', app: app.code, client: client() },
      ]);
      await store.addSigningKey(aKey(app.code));
      await store.provision([{ kind: 'application', application: { ...app, name: 'Renamed' } }]);
      assert.deepEqual(await store.findClient(app.code, 'web'), client());
      assert.equal((await store.signingKeys(app.code)).length, 1);
    });

    it('knows the web origins of redirect addresses, and forgets those that were changed away (row 55)', async () => {
      const { store } = opened;
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
      const { store } = opened;
      const other = await opened.another();
      const app = application();
      const user = account();
      const changes = [
        () => other.provision([{ kind: 'application', application: app }]),
        () => other.provision([{ kind: 'client', app: app.code, client: client() }]),
        () => other.provision([{ kind: 'user', account: user, loginNames: [user.username] }]),
        () => other.addSigningKey(aKey(app.code)),
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
      const other = await opened.another();
      const app = application();
      await opened.store.provision([{ kind: 'application', application: app }]);
      assert.deepEqual(await other.findApplication(app.code), app);
    });
  });

  describe('an empty store', () => {
    let opened: Opened;
    before(async () => {
      opened = await open();
    });
    after(() => opened.discard());

    it('is empty until there is an application or a user', async () => {
      assert.equal(await opened.store.isEmpty(), true);
      const user = account();
      await opened.store.provision([{ kind: 'user', account: user, loginNames: [user.username] }]);
      assert.equal(await opened.store.isEmpty(), false);
    });
  });

  describe('provisioning', () => {
    let opened: Opened;
    before(async () => {
      opened = await open();
    });
    after(() => opened.discard());

    it('writes nothing when a login name belongs to another user, and names it', async () => {
      const { store } = opened;
      const [owner, thief, friend] = [account(), account(), account()];
      await store.provision([{ kind: 'user', account: owner, loginNames: [owner.username, 'wanted@example.com'] }]);
      const app = application();
      const version = await store.registryVersion();
      const outcome = await store.provision([
        { kind: 'application', application: app },
        { kind: 'user', account: friend, loginNames: [friend.username] },
        { kind: 'user', account: thief, loginNames: [thief.username, 'wanted@example.com'] },
      ]);
      assert.deepEqual(outcome, { kind: 'loginTaken', loginName: 'wanted@example.com' });
      assert.equal(await store.findApplication(app.code), undefined);
      assert.equal(await store.findAccount(friend.username), undefined);
      assert.equal(await store.findAccount(thief.username), undefined);
      assert.equal((await store.findAccount('wanted@example.com'))?.sub, owner.sub);
      assert.equal(await store.registryVersion(), version);
    });

    it('writes nothing when one change cannot be written', async () => {
      const app = application();
      const changes = [
        { kind: 'application', application: app },
        { kind: 'client', app: unique('nowhere'), client: client() },
      ] as const;
      await assert.rejects(opened.store.provision(changes));
      assert.equal(await opened.store.findApplication(app.code), undefined);
    });

    it('lets two users swap their e-mail addresses in one batch', async () => {
      const { store } = opened;
      const [one, two] = [account(), account()];
      const [first, second] = [unique('a@example.com'), unique('b@example.com')];
      const put = (emailOfOne: string, emailOfTwo: string) =>
        store.provision([
          { kind: 'user', account: { ...one, email: emailOfOne }, loginNames: [one.username, emailOfOne] },
          { kind: 'user', account: { ...two, email: emailOfTwo }, loginNames: [two.username, emailOfTwo] },
        ]);
      assert.deepEqual(await put(first, second), { kind: 'done' });
      assert.deepEqual(await put(second, first), { kind: 'done' });
      assert.equal((await store.findAccount(first))?.sub, two.sub);
      assert.equal((await store.findAccount(second))?.sub, one.sub);
      assert.equal((await store.findAccount(second))?.email, second);
    });

    it('calls a name taken that two users of one batch claim, and writes nothing', async () => {
      const { store } = opened;
      const [one, two] = [account(), account()];
      const shared = unique('shared');
      const outcome = await store.provision([
        { kind: 'user', account: one, loginNames: [one.username, shared] },
        { kind: 'user', account: two, loginNames: [two.username, shared] },
      ]);
      assert.deepEqual(outcome, { kind: 'loginTaken', loginName: shared });
      assert.equal(await store.findAccount(one.username), undefined);
    });

    it('lets one of two racing store objects have a login name', async () => {
      const stores = [opened.store, await opened.another()];
      const shared = unique('shared');
      const outcomes = await Promise.all(
        stores.map(store => store.provision([{ kind: 'user', account: account(), loginNames: [shared] }])),
      );
      assert.deepEqual(outcomes.map(({ kind }) => kind).sort(), ['done', 'loginTaken']);
    });
  });

  describe('signing keys', () => {
    let opened: Opened;
    before(async () => {
      opened = await open();
    });
    after(() => opened.discard());

    it('come back as they were put in', async () => {
      const { store } = opened;
      const app = application();
      await store.provision([{ kind: 'application', application: app }]);
      const key = aKey(app.code);
      await store.addSigningKey(key);
      const [found, ...more] = await store.signingKeys(app.code);
      assert(found);
      assert.equal(more.length, 0);
      assert.equal(hex(found.sealedPrivateKey), hex(key.sealedPrivateKey));
      assert.deepEqual({ ...found, sealedPrivateKey: key.sealedPrivateKey }, key);
    });

    it('keeps the first of an application and algorithm, whichever store object wrote it', async () => {
      const { store } = opened;
      const other = await opened.another();
      const app = application();
      await store.provision([{ kind: 'application', application: app }]);
      await Promise.all([
        ...[1, 2, 3].map(() => store.addSigningKey(aKey(app.code))),
        ...[1, 2, 3].map(() => other.addSigningKey(aKey(app.code))),
        store.addSigningKey({ ...aKey(app.code), alg: 'RS256' }),
      ]);
      const algs = (await store.signingKeys(app.code)).map(({ alg }) => alg).sort();
      assert.deepEqual(algs, ['ES256', 'RS256']);
      assert.deepEqual(
        (await store.signingKeys(app.code)).map(({ kid }) => kid),
        (await other.signingKeys(app.code)).map(({ kid }) => kid),
      );
    });
  });
}

function aKey(app: string): SealedKey {
  const kid = unique('kid');
  return { app, kid, alg: 'ES256', publicJwk: `{"kid":"${kid}"}`, sealedPrivateKey: digest(), createdAt: NOW };
}
