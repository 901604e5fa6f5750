import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { aClient, anApplication } from '../../build/fixture.ts';
import { anOperatorClient } from '../../build/operator.ts';
import { stopOwnServer } from '../../build/postgres.ts';
import { testPart } from '../../build/suite-part.ts';
import { startTestServer } from '../../build/test-server.ts';

after(stopOwnServer);

const CORP = { id: 'corp', type: 'oidc', issuer: 'https://login.corp.example', client_id: 'gatehouse' };
const CLIENT_SECRET = 'web-secret-1';
const WEB = '/applications/shop/clients/web';

for (const store of ['SQLite', 'PostgreSQL'] as const) {
  describe(`apply, where something has changed since it was compared, on ${store} (running.md: what an entry leaves out stays as it is)`, () => {
    const server = testPart(() =>
      startTestServer({ applications: [anApplication({ clients: [aClient()] })], users: [], store }),
    );
    const owner = testPart(() => anOperatorClient(server));
    const done = async (method: string, path: string, body?: object) => {
      const { status, text, json } = await owner.ask(method, path, body);
      assert(status < 300, text);
      return json;
    };
    const web = async () => {
      const found = await server.services.store.findClient('shop', 'web');
      assert(found);
      return found;
    };
    const isSecret = async (secret: string) =>
      server.services.ring.verifyClientSecret('shop', 'web', secret, (await web()).secret_hash ?? '');

    /** Each of `acts` happens between the comparison and the write of one attempt. */
    const applyWhile = (file: object, ...acts: readonly (() => Promise<unknown>)[]) => {
      const { store } = server.services;
      const { provision } = store;
      const waiting = [...acts];
      store.provision = async (...args) => {
        await waiting.shift()?.();
        return provision(...args);
      };
      return owner.ask('POST', '/apply', { file }).finally(() => {
        store.provision = provision;
      });
    };
    const rename = (client_name: string) => ({
      applications: [{ code: 'shop', clients: [{ client_id: 'web', client_name }] }],
    });

    it('a secret that was replaced because it leaked stays replaced', async () => {
      let secret = '';
      const applied = await applyWhile(rename('Renamed'), async () => {
        secret = (await done('POST', `${WEB}/secrets`, { previous_valid_for: 0 })).client_secret;
      });
      assert.equal(applied.status, 200, applied.text);
      assert.equal((await web()).client_name, 'Renamed');
      assert.equal(await isSecret(secret), true);
      assert.equal(await isSecret(CLIENT_SECRET), false);
    });

    it('a change of another field stays', async () => {
      const uris = ['https://shop.example/new'];
      const applied = await applyWhile(rename('Renamed again'), () => done('PATCH', WEB, { redirect_uris: uris }));
      assert.equal(applied.status, 200, applied.text);
      assert.deepEqual((await web()).redirect_uris, uris);
      assert.equal((await web()).client_name, 'Renamed again');
    });

    it('a setting of the application stays', async () => {
      const file = { applications: [{ code: 'shop', name: 'New name' }] };
      const applied = await applyWhile(file, () => done('PATCH', '/applications/shop', { access_token_ttl: 77 }));
      assert.equal(applied.status, 200, applied.text);
      const shop = await server.services.store.findApplication('shop');
      assert.equal(shop?.access_token_ttl, 77);
      assert.equal(shop?.name, 'New name');
    });

    it('a setting of a provider stays', async () => {
      await done('POST', '/providers', CORP);
      const file = { providers: [{ ...CORP, name: 'Staff' }] };
      const applied = await applyWhile(file, () => done('PATCH', '/providers/corp', { sign_out: true }));
      assert.equal(applied.status, 200, applied.text);
      const corp = await done('GET', '/providers/corp');
      assert.equal(corp.sign_out, true);
      assert.equal(corp.name, 'Staff');
    });

    it('a client that is deleted is a new one with a new secret, and the answer says so', async () => {
      const applied = await applyWhile(rename('Web'), () => done('DELETE', WEB));
      assert.equal(applied.status, 200, applied.text);
      const [change] = applied.json.changes;
      assert.equal(change.action, 'create');
      assert.equal(await isSecret(change.generated_secret ?? change.client_secret), true);
      assert.equal(await isSecret(CLIENT_SECRET), false);
    });

    it('what changes at every attempt is not written over: the file is refused, and nothing of it is written', async () => {
      let changed = 0;
      const change = () => done('PATCH', '/applications/shop', { refresh_family_ttl: 1000 + changed++ });
      const file = { applications: [{ code: 'shop', name: 'Never' }], users: [{ username: 'nobody' }] };
      const refused = await applyWhile(file, ...Array.from({ length: 10 }, () => change));
      assert.equal(refused.status, 400, refused.text);
      assert.match(refused.text, /changed while it was compared/);
      assert(changed > 1 && changed < 10, `${changed} attempts`);
      assert.notEqual((await server.services.store.findApplication('shop'))?.name, 'Never');
      assert.equal(await server.services.store.findAccount('nobody'), undefined);
    });
  });
}
