import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { describe, it } from 'node:test';
import { type Provider, providerTypes } from '../../../src/directory/providers/rules.ts';
import { openProviderSecrets } from '../../../src/directory/providers/secrets.ts';
import { filledForm } from '../../build/console.ts';
import { eventDuring } from '../../build/events.ts';
import { actForm, contentOf, suiteConsole, titleOf } from '../../build/in-console.ts';
import { withStatus } from '../../build/with-status.ts';

const NEW = '/console/providers/new';
const GIVEN = { name: 'Corp', issuer: 'http://127.0.0.1:1', client_id: 'gatehouse', client_secret: 'a secret of corp' };

/** Identity providers in the console. */
for (const store of ['SQLite', 'PostgreSQL'] as const)
  describe(`identity providers in the console, on ${store}`, () => {
    const fixture = suiteConsole({ store, env: { GATEHOUSE_OUTBOUND_ALLOW: '127.0.0.1' } });
    const api = async (id: string) => (await fixture.owner.ask('GET', `/providers/${id}`)).json;
    const make = (over: object) =>
      fixture.owner.ask('POST', '/providers', { type: 'oidc', ...GIVEN, name: undefined, ...over });

    it('asks for four fields, shows the redirect URI before there is a provider, and makes one', async () => {
      const { visitor, seen } = await fixture.inConsole('/console/providers');
      assert.match(seen.text, /No identity providers yet/);
      const page = await visitor.go(fixture.at(NEW));
      const form = filledForm(page, 'issuer');
      assert.equal(form.fields.get('id'), 'corp');
      assert(page.text.includes(`<code>${fixture.server.base}/login/provider/corp/callback</code>`), page.text);
      const [before] = contentOf(page).split('<details');
      const asked = [...(before ?? '').matchAll(/<label for="([^"]+)"/g)].map(([, name]) => name);
      assert.deepEqual(asked, ['name', 'id', 'issuer', 'client_id', 'client_secret']);
      const made = await visitor.send(form, { ...GIVEN, id: 'company' });
      assert.equal(titleOf(made), 'Corp');
      assert(made.text.includes(`<code>${fixture.server.base}/login/provider/company/callback</code>`));
      assert(!made.text.includes(GIVEN.client_secret), 'the secret is shown nowhere');
      const { name, issuer, secrets, create_users } = await api('company');
      assert.deepEqual(
        { name, issuer, secrets, create_users },
        {
          ...{ name: 'Corp', issuer: GIVEN.issuer, secrets: ['client_secret'], create_users: true },
        },
      );
      const again = await visitor.send(form, { ...GIVEN, id: 'company' });
      assert.equal(titleOf(again), 'Corp', 'sent twice, made once');
    });

    it('says what is wrong beside the field, keeps what was typed, and no secret', async () => {
      const { visitor, seen } = await fixture.inConsole(NEW);
      const faulty = await visitor.send(filledForm(seen, 'issuer'), { ...GIVEN, id: 'Faulty ID', issuer: 'corp' });
      assert.equal(faulty.status, 400);
      assert.match(faulty.text, /id="id-fault"/);
      assert.match(faulty.text, /id="issuer-fault"/);
      assert.equal(filledForm(faulty, 'issuer').fields.get('client_id'), 'gatehouse');
      assert(!faulty.text.includes(GIVEN.client_secret));
    });

    it('offers each type as a card, and asks for what that type needs', async () => {
      const { visitor, seen } = await fixture.inConsole(NEW);
      const cards = [...seen.text.matchAll(/class="kind" href="\?type=([\w-]+)"/g)].map(([, type]) => type);
      assert.deepEqual(cards.toSorted(), providerTypes.toSorted());
      for (const type of providerTypes) {
        const page = await visitor.go(fixture.at(`${NEW}?type=${type}`));
        const [asked = ''] = contentOf(page).split('<details class="more"');
        const { declared } = (await fixture.server.services.tables.fields()).provider;
        for (const { name, neededBy = [], control } of declared) {
          if (control === 'none' || ['id', 'type'].includes(name)) continue;
          if (neededBy.some(each => each === type)) assert(asked.includes(`name="${name}"`), `${type} ${name}`);
        }
        const has = (name: string) => page.text.includes(`name="${name}"`);
        // Nobody goes to a directory by an address, and what it says of a person are attributes.
        assert.equal(has('domains'), !['ldap', 'password-check'].includes(type), type);
        assert.equal(has('claims'), type !== 'ldap', type);
      }
    });

    it('takes a private key with its lines, and shows it to nobody (Apple)', async () => {
      const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
      const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
      const { visitor, seen } = await fixture.inConsole(`${NEW}?type=apple`);
      const typed = { client_id: 'com.example.web', client_secret: pem, team_id: 'TEAM567890', key_id: 'KEY4567890' };
      const faulty = await visitor.send(filledForm(seen, 'client_secret'), { ...typed, id: 'Not an id' });
      assert.equal(faulty.status, 400);
      assert.doesNotMatch(faulty.text, /PRIVATE KEY/);
      const made = await visitor.send(filledForm(faulty, 'client_secret'), { ...typed, id: 'apple' });
      assert.equal(titleOf(made), 'Apple', made.text);
      assert.doesNotMatch(made.text, /PRIVATE KEY/);
      const provider = (await fixture.server.services.store.listProviders()).find(({ id }) => id === 'apple');
      const { client_secret: kept = '' } = openProviderSecrets(fixture.server.services, provider as Provider);
      assert.equal(kept.replaceAll('\r\n', '\n').trim(), pem.trim());
    });

    it('replaces a key of this server in steps, between which the provider reads both', async () => {
      const method = 'private_key_jwt';
      await make({ id: 'keyed', client_secret: undefined, token_endpoint_auth_method: method });
      const keys = async () => {
        const answer = await fetch(fixture.at('/login/provider/keyed/jwks'));
        const { keys: published } = (await answer.json()) as { keys: { kid: string }[] };
        return published.map(({ kid }) => kid);
      };
      const [first] = await keys();
      const { visitor, seen } = await fixture.inConsole('/console/providers/keyed');
      assert(seen.text.includes(`${fixture.server.base}/login/provider/keyed/jwks`));
      const added = await visitor.send(actForm(seen, 'key-add'));
      const two = await keys();
      assert.equal(two.length, 2);
      assert.equal(two[0], first, 'it goes on signing with the first');
      const used = await visitor.send(actForm(added, 'key-use'));
      assert.deepEqual(await keys(), two.toReversed());
      const dropped = await visitor.send(actForm(used, 'key-drop'));
      assert.deepEqual(await keys(), [two[1]]);
      assert.match(dropped.text, /This server signs with one key/);
    });

    it('proposes an identifier that is free', async () => {
      await make({ id: 'corp' });
      const { seen } = await fixture.inConsole(`${NEW}?type=oidc`);
      assert.equal(filledForm(seen, 'issuer').fields.get('id'), 'corp-2');
    });

    it('saves a section by itself; an empty secret stays, a typed one replaces it', async () => {
      await make({ id: 'edited' });
      const { visitor, seen } = await fixture.inConsole('/console/providers/edited');
      const people = filledForm(seen, 'trusts_email');
      const changed = await eventDuring(fixture.server, 'provider.updated', async () => {
        await withStatus(200, visitor.send(people, { trusts_email: 'true' }));
      });
      assert.deepEqual(changed.details, { fields: ['trusts_email'] });
      const connection = filledForm(await visitor.go(fixture.at('/console/providers/edited')), 'client_secret');
      await visitor.send(connection, { client_id: 'other' });
      assert.deepEqual((await api('edited')).secrets, ['client_secret']);
      const stored = async () => {
        const { services } = fixture.server;
        const found = (await services.store.listProviders()).find(({ id }) => id === 'edited');
        return found?.sealedSecrets && Buffer.from(found.sealedSecrets).toString('hex');
      };
      const before = await stored();
      const fresh = filledForm(await visitor.go(fixture.at('/console/providers/edited')), 'client_secret');
      await visitor.send(fresh, { client_secret: 'another secret' });
      assert.notEqual(await stored(), before);
    });

    it('lists them with what comes of them, and the search finds them', async () => {
      await make({ id: 'listed', name: 'Listed' });
      const { sub } = await linked('listed', 'there-1', 'carol');
      await fixture.owner.ask('PATCH', '/applications/shop', { providers: ['listed'] });
      const { visitor, seen } = await fixture.inConsole('/console/providers');
      const row = /<tr>(?:(?!<\/tr>)[\s\S])*>Listed<[\s\S]*?<\/tr>/.exec(seen.text)?.[0] ?? '';
      assert.match(row, /Not used yet/);
      assert.match(row, /href="\/console\/applications\/shop\/sign-in">shop</);
      assert.match(row, />1 person</);
      const found = await visitor.go(fixture.at('/console/search?q=liste'));
      assert.match(found.text, /href="\/console\/providers\/listed"/);
      await fixture.owner.ask('PATCH', '/applications/shop', { providers: [] });
      await fixture.owner.ask('DELETE', `/users/${sub}/links/listed:there-1`);
    });

    it('says how many people lose a way in, and for how many it is the only one, before it deletes by name', async () => {
      await make({ id: 'leaving' });
      await linked('leaving', 'there-1', 'carol');
      const { sub } = (await fixture.owner.ask('POST', '/users', { username: 'onlyway' })).json;
      await fixture.owner.ask('POST', `/users/${sub}/links`, { provider: 'leaving', subject: 'there-2' });
      await fixture.owner.ask('PATCH', '/applications/shop', { providers: ['leaving'] });
      const { visitor, seen } = await fixture.inConsole('/console/providers/leaving');
      assert.match(seen.text, /This removes the links of 2 people\./);
      assert.match(seen.text, /For 1 person of them it is the only way to sign in/);
      assert.doesNotMatch(seen.text, /name="confirm"/, 'an application still offers it');
      await fixture.owner.ask('PATCH', '/applications/shop', { providers: [] });
      const ready = await visitor.go(fixture.at('/console/providers/leaving'));
      const wrong = await withStatus(400, visitor.send(actForm(ready, 'delete'), { confirm: 'other' }));
      const gone = await visitor.send(actForm(wrong, 'delete'), { confirm: 'leaving' });
      assert.match(gone.text, /Deleted\./);
      assert.equal((await fixture.owner.ask('GET', '/providers/leaving')).status, 404);
      assert.deepEqual((await fixture.owner.ask('GET', `/users/${sub}/links`)).json.items, []);
    });

    it('an application chooses what it offers and in which order', async () => {
      await make({ id: 'first', name: 'First' });
      await make({ id: 'second', name: 'Second' });
      const { visitor, seen } = await fixture.inConsole('/console/applications/shop/sign-in');
      const chosen = filledForm(seen, 'local_sign_in');
      await withStatus(200, visitor.send(chosen, { 'providers.first': '2', 'providers.second': '1' }));
      const offered = async () => (await fixture.owner.ask('GET', '/applications/shop')).json.providers;
      assert.deepEqual(await offered(), ['second', 'first']);
      const page = await visitor.go(fixture.at('/console/applications/shop/sign-in'));
      const shown = filledForm(page, 'local_sign_in');
      assert.equal(shown.fields.get('providers.second'), '1');
      await visitor.send(shown, { 'providers.second': '' });
      assert.deepEqual(await offered(), ['first']);
      await fixture.owner.ask('PATCH', '/applications/shop', { providers: [] });
    });

    it('the page of a user lists the links and removes one', async () => {
      await make({ id: 'held', name: 'Held' });
      const { sub } = await linked('held', 'there-3', 'carol');
      const { visitor, seen } = await fixture.inConsole(`/console/users/${sub}`);
      assert.match(seen.text, /href="\/console\/providers\/held">Held</);
      assert.match(seen.text, />there-3</);
      const removed = await visitor.send(actForm(seen, 'unlink', 'held:there-3'));
      assert.match(removed.text, /The link is removed\./);
      assert.deepEqual((await fixture.owner.ask('GET', `/users/${sub}/links`)).json.items, []);
    });

    it('is not for whom it is not: an auditor reads, a limited operator does not see it', async () => {
      await make({ id: 'read', name: 'Read' });
      const { visitor, seen } = await fixture.inConsole('/console/providers/read', 'bob', 'auditor');
      assert.equal(seen.status, 200);
      assert.doesNotMatch(contentOf(seen), /<button type="submit"/);
      const typed = {
        action: fixture.at('/console/providers/read'),
        fields: new URLSearchParams({ section: 'people' }),
      };
      assert.equal((await visitor.send(typed)).status, 403);
      const sub = await fixture.subOf('bob');
      await fixture.owner.ask('PATCH', `/operators/${sub}`, { role: 'operator', applications: ['shop'] });
      const limited = await visitor.go(fixture.at('/console/applications'));
      assert.doesNotMatch(limited.text, /href="\/console\/providers"/);
      assert.equal((await visitor.go(fixture.at('/console/providers'))).status, 404);
    });

    async function linked(provider: string, subject: string, username: string) {
      const sub = await fixture.subOf(username);
      const { status, json } = await fixture.owner.ask('POST', `/users/${sub}/links`, { provider, subject });
      assert.equal(status, 201, JSON.stringify(json));
      return { sub };
    }
  });
