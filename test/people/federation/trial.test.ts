import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { filledForm } from '../../build/console.ts';
import { eventsDuring } from '../../build/events.ts';
import { openConsole } from '../../build/in-console.ts';
import { type OidcUpstream, openOidcUpstream, UPSTREAM_CLIENT } from '../../build/oidc-upstream.ts';
import { suitePart } from '../../build/suite-part.ts';
import { authorizationUrl, type Seen, Visitor } from '../../build/visitor.ts';
import { buttonOf, toAnswer } from './federated.ts';

const TRY = '/console/providers/corp/try';
const DORA = {
  sub: 'u-dora',
  email: 'dora@corp.example',
  email_verified: true,
  preferred_username: 'dora',
  name: 'Dora Dorn',
  groups: ['engineers', 'climbers'],
};

/** What the page says, without markup. */
const said = ({ text }: Seen) =>
  (/<main\b[\s\S]*<\/main>/.exec(text)?.[0] ?? '').replace(/<[^>]+>/g, ' ').replace(/\s+/g, ' ');

for (const store of ['SQLite', 'PostgreSQL'] as const)
  describe(`Try it of an identity provider, on ${store}`, () => {
    const fixture = suitePart(() => openConsole({ store, env: { GATEHOUSE_OUTBOUND_ALLOW: '127.0.0.1' } }));
    const corp = suitePart(() => openOidcUpstream([fixture.at('/login/provider/corp/callback')]));
    before(async () => {
      const made = await fixture.owner.ask('POST', '/providers', {
        ...{ id: 'corp', type: 'oidc', name: 'Corp', issuer: corp.issuer, ...UPSTREAM_CLIENT },
        groups: { engineers: 'staff' },
      });
      assert.equal(made.status, 201);
    });
    const set = (fields: object) => fixture.owner.ask('PATCH', '/providers/corp', fields);
    const state = async () => {
      await fixture.server.services.recorder.drain();
      return (await fixture.owner.ask('GET', '/provider_states/corp')).json;
    };

    /** Up to the address that the provider sends the browser back to. */
    async function sent(username = 'alice', again = false) {
      const { visitor, seen } = await fixture.inConsole(TRY, username);
      const gone = await visitor.send(filledForm(seen, 'again'), again ? { again: 'true' } : {});
      return { visitor, answer: await toAnswer(fixture.server, gone), gone };
    }
    async function tried(person: OidcUpstream['person'] | 'nobody' = DORA) {
      corp.person = person === 'nobody' ? undefined : person;
      const { visitor, answer } = await sent();
      return { visitor, answer, seen: await visitor.follow(answer) };
    }
    const users = async () => (await fixture.owner.ask('GET', '/users?limit=200')).json.items.length;

    it('shows what came back claim by claim and what it would become, and makes nothing', async () => {
      const before = await users();
      const [event, ...others] = await eventsDuring(fixture.server, 'provider.tried', async () => {
        const { seen, visitor } = await tried();
        assert.equal(seen.status, 200, seen.text);
        assert.match(said(seen), /No account, session or link was created/);
        assert.match(said(seen), /new account with the user name dora/);
        assert.match(said(seen), /Nobody here is linked to this person\. .*No account here has the e-mail address/);
        assert.match(said(seen), /username dora preferred_username/);
        assert.match(said(seen), /email dora@corp\.example not verified email/);
        assert.match(said(seen), /groups staff not mapped, dropped: climbers groups/);
        assert.match(said(seen), /Subject u-dora/);
        assert.match(said(seen), /Protocol claims .*iss/);
        assert.doesNotMatch(seen.text, /eyJ[\w-]{8,}\./, 'no token');
        assert(!seen.text.includes(UPSTREAM_CLIENT.client_secret));
        const console_ = await visitor.go(fixture.at('/console'));
        assert.equal(console_.status, 200, 'the operator is still signed in');
      });
      assert.equal(event?.outcome, 'success');
      assert.equal(event?.actor.kind, 'operator');
      assert.equal(event?.subject, 'corp');
      assert.deepEqual(others, []);
      assert.equal(await users(), before);
      const { state: now, linked_users } = await state();
      assert.deepEqual({ now, linked_users }, { now: 'works', linked_users: 0 });
    });

    it('tells by the rules of a sign-in whose account it would be, and why', async () => {
      const email = 'carol@example.com';
      const sub = await fixture.subOf('carol');
      await fixture.owner.ask('PATCH', `/users/${sub}`, { email, email_verified: true });
      const asked = said((await tried({ ...DORA, email })).seen);
      assert.match(asked, /is asked to sign in to carol once/);
      assert.match(asked, /Addresses of this provider are not trusted/);
      await set({ trusts_email: true });
      assert.match(said((await tried({ ...DORA, email })).seen), /is linked to carol and signed in/);
      const unverified = said((await tried({ ...DORA, email, email_verified: false })).seen);
      assert.match(unverified, /is asked to sign in to carol once.*does not mark the address as verified/);
      await set({ trusts_email: false, create_users: false });
      const refused = said((await tried()).seen);
      assert.match(refused, /This person may not sign in here\. .*No accounts are created/);
      await set({ create_users: true });
      await fixture.owner.ask('POST', `/users/${sub}/links`, { provider: 'corp', subject: DORA.sub });
      assert.match(said((await tried()).seen), /This person signs in to carol/);
      await fixture.owner.ask('PATCH', `/users/${sub}`, { disabled: true });
      assert.match(said((await tried()).seen), /may not sign in here\. .*The account is disabled/);
      await fixture.owner.ask('PATCH', `/users/${sub}`, { disabled: false });
      await fixture.owner.ask('DELETE', `/users/${sub}/links/corp:${DORA.sub}`);
      const links = await fixture.owner.ask('GET', `/users/${sub}/links`);
      assert.deepEqual(links.json.items, [], 'no trial has made a link');
    });

    it('shows users’ own fields that it becomes, and which value does not fit', async () => {
      await fixture.owner.ask('POST', '/user_attributes', { name: 'unit', label: 'Unit' });
      await fixture.owner.ask('POST', '/user_attributes', { name: 'size', label: 'Size', type: 'number' });
      await set({ claims: { 'attributes.unit': 'department', 'attributes.size': 'size' } });
      const shown = said((await tried({ ...DORA, department: 'Sales', size: 'large' })).seen);
      assert.match(shown, /attributes\.unit Sales department/);
      assert.match(shown, /attributes\.size not valid for this field size/);
      await set({ claims: null });
    });

    it('shows no token among the claims, wherever the provider puts it', async () => {
      const jwt = 'eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJzZWNyZXQifQ.c2lnbmF0dXJl';
      const { seen } = await tried({ ...DORA, nickname: jwt, picture: 'https://a.example/?p=1', locale: '<b>de</b>' });
      assert(!seen.text.includes('eyJzdWIi'), 'a JWT as the value of a claim');
      assert(!seen.text.includes('<b>de</b>'));
    });

    it('asks the provider to authenticate anew where the operator wants it', async () => {
      corp.person = DORA;
      await sent('alice', true);
      assert.equal(corp.asked().get('prompt'), 'login');
      await sent();
      assert.equal(corp.asked().get('prompt'), null);
    });

    it('says what the provider said, which check failed, and what to do; the list shows since when', async () => {
      await set({ client_secret: 'a wrong secret' });
      const { seen } = await tried();
      assert.equal(seen.status, 400);
      assert.match(said(seen), /invalid_client .*The secret there is another.*Make a new secret at the provider/);
      const now = await state();
      assert.equal(now.state, 'fails');
      assert.equal(now.reason, 'refused');
      assert.equal(now.detail, 'invalid_client');
      const listed = await (await fixture.inConsole('/console/providers')).seen;
      assert.match(said(listed), /Failing since .*It rejects requests\. \(invalid_client\)/);
      await set({ client_secret: UPSTREAM_CLIENT.client_secret });
      await tried();
      assert.equal((await state()).state, 'works');
      const turned = await tried('nobody');
      assert.match(said(turned.seen), /You cancelled, or the provider denied you access\./);
      assert.equal((await state()).state, 'works', 'a person who turns back says nothing of the provider');
    });

    it('tells of a provider that cannot be reached, before the browser goes anywhere', async () => {
      await fixture.owner.ask('POST', '/providers', {
        ...{ id: 'gone', type: 'oidc', issuer: 'http://127.0.0.1:1', client_id: 'gatehouse' },
      });
      const { visitor, seen } = await fixture.inConsole('/console/providers/gone/try');
      const failed = await visitor.send(filledForm(seen, 'again'));
      assert.equal(failed.status, 400);
      assert.match(said(failed), /It did not respond\./);
    });

    it('attack: an answer is shown once, in the browser and session of the operator who asked, and opens nothing', async () => {
      corp.person = DORA;
      const { visitor, answer } = await sent();
      const other = await fixture.inConsole('/console', 'bob', 'operator');
      assert.equal((await other.visitor.follow(answer)).status, 400, 'another browser');
      const stranger = await new Visitor(fixture.server.base).follow(answer);
      assert.equal(stranger.status, 400, 'nobody');
      const { search } = new URL(answer);
      const elsewhere = await visitor.go(fixture.at(`/console/providers/gone/try/answer${search}`));
      assert.equal(elsewhere.status, 400, 'another provider');
      const head = await visitor.go(fixture.at(`${TRY}/answer${search}`), { method: 'HEAD' });
      assert.equal(head.status, 400);
      assert.equal((await visitor.follow(answer)).status, 200);
      assert.match(
        said(await visitor.go(fixture.at(`${TRY}/answer${search}`))),
        /no test sign-in waiting for this response/,
      );
      assert.equal((await visitor.follow(answer)).status, 400, 'a second time');
    });

    it('attack: the answer of a sign-in is none of a trial', async () => {
      corp.person = DORA;
      await fixture.owner.ask('PATCH', '/applications/shop', { providers: ['corp'] });
      const { visitor } = await fixture.inConsole('/console');
      const page = await visitor.follow(authorizationUrl(fixture.server, { prompt: 'login' }));
      const answer = await toAnswer(fixture.server, await visitor.send(buttonOf(page, 'corp')));
      const { search } = new URL(answer);
      const tried = await visitor.go(fixture.at(`${TRY}/answer${search}`));
      assert.match(said(tried), /no test sign-in waiting for this response/);
      await fixture.owner.ask('PATCH', '/applications/shop', { providers: [] });
    });

    it('is not for an auditor, neither at its beginning nor at its end', async () => {
      const sub = await fixture.subOf('bob');
      await fixture.owner.ask('PATCH', `/operators/${sub}`, { role: 'auditor' });
      const { visitor, seen } = await fixture.inConsole(TRY, 'bob');
      assert.match(said(seen), /you need the role operator/);
      const form = { action: fixture.at(TRY), fields: new URLSearchParams() };
      assert.equal((await visitor.send(form)).status, 403);
      assert.equal((await visitor.go(fixture.at(`${TRY}/answer?code=x&state=y`))).status, 403);
    });
  });
