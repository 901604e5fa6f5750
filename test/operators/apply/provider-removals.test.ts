import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { anApplication, aUser, CALLBACK } from '../../build/fixture.ts';
import { anOperatorClient, type OperatorClient } from '../../build/operator.ts';
import { stopOwnServer } from '../../build/postgres.ts';
import { testPart } from '../../build/suite-part.ts';
import { startTestServer } from '../../build/test-server.ts';
import { authorizationUrl, Visitor } from '../../build/visitor.ts';

after(stopOwnServer);

const CORP = { id: 'corp', type: 'oidc', issuer: 'https://login.corp.example', client_id: 'gatehouse' };
const GOOGLE = { id: 'google', type: 'google', client_id: 'gatehouse', client_secret: 'a secret of Google' };
const ALICE = { username: 'alice' };

for (const store of ['SQLite', 'PostgreSQL'] as const) {
  describe(`providers and links of an apply file on ${store} (running.md, The apply file)`, () => {
    const server = testPart(() =>
      startTestServer({
        applications: [anApplication({ clients: [] }), anApplication({ code: 'bank', clients: [] })],
        users: [aUser()],
        store,
      }),
    );
    const owner = testPart(() => anOperatorClient(server));
    const apply = (file: object, options: object = {}, by: OperatorClient = owner) =>
      by.ask('POST', '/apply', { file, ...options });
    const providers = async () => (await server.services.store.listProviders()).map(({ id }) => id);
    const subOfAlice = async () => (await server.services.store.findAccount('alice'))?.sub ?? '';
    const links = async () =>
      (await server.services.store.linksOf(await subOfAlice())).map(
        ({ provider, subject }) => `${provider}:${subject}`,
      );
    const present = async (applied: Promise<{ readonly status: number; readonly text: string }>) => {
      const { status, text } = await applied;
      assert.equal(status, 200, text);
    };
    const removed = (answer: { readonly json: { readonly changes: readonly { action: string; object: object }[] } }) =>
      answer.json.changes.filter(({ action }) => action === 'delete').map(({ object }) => object);
    const YES = { allow_removals: true };

    it('an empty list removes all providers; a file without the list leaves them, also when it prunes', async () => {
      await present(apply({ providers: [CORP, GOOGLE] }));
      await present(apply({ applications: [{ code: 'shop' }, { code: 'bank' }] }, { prune: true }));
      assert.deepEqual(await providers(), ['corp', 'google']);
      const planned = await owner.ask('POST', '/diff', { file: { providers: [] } });
      assert.deepEqual(removed(planned), [
        { type: 'provider', id: 'corp' },
        { type: 'provider', id: 'google' },
      ]);
      await present(apply({ providers: [] }, YES));
      assert.deepEqual(await providers(), []);
    });

    it('prune removes those that the list does not name, unless an application goes on to offer one', async () => {
      await present(apply({ providers: [CORP, GOOGLE], applications: [{ code: 'shop', providers: ['google'] }] }));
      for (const [file, options] of [
        [{ providers: [CORP], applications: [{ code: 'shop' }, { code: 'bank' }] }, { prune: true }],
        [{ providers: [], applications: [{ code: 'bank' }] }, {}],
      ] as const) {
        const refused = await apply(file, { ...options, ...YES });
        assert.equal(refused.status, 400, refused.text);
        assert.match(refused.text, /provider google: is offered by application shop, and cannot be removed/);
      }
      const applications = [{ code: 'shop', providers: ['corp'] }, { code: 'bank' }];
      await present(apply({ providers: [CORP], applications }, { prune: true }));
      assert.deepEqual(await providers(), ['corp']);
    });

    it('an application that is deleted keeps no provider; restored, it offers those that are left', async () => {
      const shop = {
        ...{ code: 'shop', providers: ['google', 'corp'] },
        clients: [{ client_id: 'web', redirect_uris: [CALLBACK] }],
      };
      await present(apply({ providers: [CORP, GOOGLE], applications: [shop] }));
      const offered = await owner.ask('DELETE', '/providers/google');
      assert.equal(offered.status, 409, offered.text);
      assert.equal((await owner.ask('DELETE', '/applications/shop')).status, 204);
      assert.equal((await owner.ask('DELETE', '/providers/google')).status, 204);
      const restored = await owner.ask('POST', '/applications/shop/restore', {});
      assert.equal(restored.status, 200, restored.text);
      await server.services.registry.refresh();
      const login = await new Visitor(server.base).follow(authorizationUrl(server));
      assert.match(login.text, /provider\/corp/);
      assert.doesNotMatch(login.text, /provider\/google/);
      const changed = await owner.ask('PATCH', '/applications/shop', { name: 'Shop again' });
      assert.equal(changed.status, 200, changed.text);
    });

    it('an empty list of links removes them, prune those that the list does not name, and no list none', async () => {
      const all = [
        { provider: 'corp', subject: '1' },
        { provider: 'google', subject: '2' },
      ];
      await present(apply({ providers: [CORP, GOOGLE], users: [{ ...ALICE, links: all }] }));
      await present(apply({ users: [ALICE] }));
      await present(apply({ users: [{ ...ALICE, links: all.slice(1) }] }));
      assert.deepEqual(await links(), ['corp:1', 'google:2']);
      const applications = [{ code: 'shop' }, { code: 'bank' }];
      const pruned = { applications, users: [{ ...ALICE, links: all.slice(1) }] };
      const planned = await owner.ask('POST', '/diff', { file: pruned, prune: true });
      const link = { type: 'link', username: 'alice', sub: await subOfAlice(), provider: 'corp', subject: '1' };
      assert.deepEqual(removed(planned), [link]);
      await present(apply(pruned, { prune: true }));
      assert.deepEqual(await links(), ['google:2']);
      const emptied = { users: [{ ...ALICE, links: [] }] };
      await present(apply(emptied, YES));
      assert.deepEqual(await links(), []);
      const { json } = await owner.ask('GET', '/events?type=user.unlinked');
      assert.deepEqual(
        json.items.map(({ details }: { details: object }) => details),
        [{ provider: 'google' }, { provider: 'corp' }],
      );
    });

    it('only an owner changes a provider, by operation or apply file: it says who somebody is, an owner too', async () => {
      await present(apply({ providers: [CORP] }));
      const operator = await anOperatorClient(server, { role: 'operator' });
      const path = '/providers/corp';
      for (const refused of [
        await operator.ask('POST', '/providers', GOOGLE),
        await operator.ask('PATCH', path, { trusts_email: true }),
        await operator.ask('POST', `${path}/rotate-key`, { step: 'add' }),
        await operator.ask('DELETE', path),
      ]) {
        assert.equal(refused.status, 403, refused.text);
      }
      for (const changed of [[{ ...CORP, trusts_email: true }], [CORP, GOOGLE]]) {
        const refused = await apply({ providers: changed }, {}, operator);
        assert.equal(refused.status, 400, refused.text);
        assert.match(refused.text, /only an owner changes identity providers/);
      }
      await present(apply({ providers: [CORP] }, {}, operator));
    });

    it('a provider that somebody has changed meanwhile is not deleted (If-Match)', async () => {
      await present(apply({ providers: [CORP] }));
      const seen = await owner.ask('GET', '/providers/corp');
      const etag = seen.headers.get('etag') ?? '';
      await owner.ask('PATCH', '/providers/corp', { name: 'Corporation' });
      const stale = await owner.ask('DELETE', '/providers/corp', undefined, { 'if-match': etag });
      assert.equal(stale.status, 412, stale.text);
      assert.deepEqual(await providers(), ['corp']);
    });
  });
}
