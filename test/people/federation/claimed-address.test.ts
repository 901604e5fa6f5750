import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { loginName } from '../../../src/directory/users/login-name.rules.ts';
import { anApplication, aUser } from '../../build/fixture.ts';
import { anOperatorClient } from '../../build/operator.ts';
import { discovery, openRecordedProvider } from '../../build/recorded-provider.ts';
import { firstInSuite, suitePart } from '../../build/suite-part.ts';
import { suiteServer } from '../../build/test-server.ts';
import { answerIn, authorizationUrl, Visitor } from '../../build/visitor.ts';
import { aProvider } from './federated.ts';

for (const store of ['SQLite', 'PostgreSQL'] as const) {
  describe(`an address that a provider names and nobody vouches for (contract, Linking), on ${store}`, () => {
    const server = suiteServer({
      store,
      env: { GATEHOUSE_OUTBOUND_ALLOW: '127.0.0.1' },
      applications: [],
      users: [aUser()],
    });
    let claims: Readonly<Record<string, unknown>> = {};
    const provider = suitePart(() =>
      openRecordedProvider(() => ({
        documents: discovery({ userinfo_endpoint: undefined }),
        tokenPath: '/token',
        tokens: { access_token: 'theirs', token_type: 'Bearer' },
        claims: { iss: '{base}', ...claims },
      })),
    );
    const operator = suitePart(() => anOperatorClient(server));
    firstInSuite(() =>
      server.provision({
        providers: [
          aProvider(provider.base, { trusts_email: false, update_profile: 'always' }),
          { ...aProvider(provider.base, { trusts_email: true, update_profile: 'always' }), id: 'sure' },
        ],
        applications: [anApplication({ providers: ['corp', 'sure'] })],
      }),
    );
    let person = 0;
    beforeEach(() => {
      person++;
    });
    const address = () => `victim${person}@example.com`;
    async function signIn(sub: string, said: Readonly<Record<string, unknown>> = {}, id = 'corp'): Promise<string> {
      claims = { sub: `${sub}-${person}`, email: address(), email_verified: false, ...said };
      const visitor = new Visitor(server.base);
      const { location = '' } = await visitor.follow(authorizationUrl(server, { idp_hint: id, scope: 'openid' }));
      assert(answerIn(await visitor.follow(provider.answerTo(location))).code);
      const account = await server.services.store.findLinkedAccount({ provider: id, subject: `${sub}-${person}` });
      return account?.sub ?? assert.fail('the person has an account');
    }
    const ownerOf = (name: string) => server.services.store.findAccount(loginName(name) ?? '');
    const userOf = async (sub: string) => (await operator.ask('GET', `/users/${sub}`)).json;

    it('is that of the new account, unverified, and no name to sign in with', async () => {
      const sub = await signIn('one');
      const { username, email, email_verified } = await userOf(sub);
      assert.deepEqual([email, email_verified], [address(), false]);
      assert.match(username, /^corp-[0-9a-f]{10}$/);
      assert.equal(await ownerOf(address()), undefined);
      assert.equal((await ownerOf(username))?.sub, sub);
    });

    it('two people of providers can have the same, and neither is kept from signing in again', async () => {
      const one = await signIn('one');
      const other = await signIn('other');
      assert.notEqual(one, other);
      assert.equal(await signIn('one', { email: 'again@example.com' }), one);
      assert.equal((await userOf(one)).email, 'again@example.com');
      assert.equal(await signIn('other'), other);
      assert.equal(await ownerOf('again@example.com'), undefined);
    });

    it('belongs to whoever proves it, and the account that named it before keeps no claim to it', async () => {
      const thief = await signIn('thief');
      const owner = await signIn('owner', { email_verified: true }, 'sure');
      assert.notEqual(owner, thief);
      assert.equal((await ownerOf(address()))?.sub, owner);
      assert.equal(await signIn('thief'), thief);
      assert.equal((await ownerOf(address()))?.sub, owner);
      const refused = await operator.ask('PATCH', `/users/${thief}`, { email_verified: true });
      assert.equal(refused.status, 409, refused.text);
      assert.equal((await userOf(thief)).email_verified, false);
    });

    it('operators give it to anybody, and to the account itself by setting it', async () => {
      const sub = await signIn('one');
      assert.equal((await operator.ask('PATCH', `/users/${sub}`, { nickname: 'One' })).status, 200);
      assert.equal(await ownerOf(address()), undefined, 'another change leaves it as it is');
      assert.equal((await operator.ask('PATCH', `/users/${sub}`, { email: address() })).status, 200);
      assert.equal((await ownerOf(address()))?.sub, sub);
      person++;
      await signIn('two');
      const created = await operator.ask('POST', '/users', { username: `owner${person}`, email: address() });
      assert.equal(created.status, 201, created.text);
      assert.equal((await ownerOf(address()))?.username, `owner${person}`);
    });

    it('becomes a name to sign in with when the provider vouches for it', async () => {
      const sub = await signIn('one', {}, 'sure');
      assert.equal(await ownerOf(address()), undefined);
      assert.equal(await signIn('one', { email_verified: true }, 'sure'), sub);
      assert.equal((await ownerOf(address()))?.sub, sub);
    });

    it('is not exported, and neither is a number: a file would make names of them', async () => {
      const number = `+86138${String(person).padStart(8, '0')}`;
      const sub = await signIn('one', { phone_number: number });
      await signIn('one', { phone_number: number, nickname: 'Changed' });
      assert.equal(await ownerOf(number), undefined);
      const { username } = await userOf(sub);
      const { text } = await operator.ask('GET', '/export/users');
      assert(text.includes(username), text.slice(0, 300));
      assert(!text.includes(address()) && !text.includes(number));
    });
  });
}
