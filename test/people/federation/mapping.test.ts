import assert from 'node:assert/strict';
import { after, beforeEach, describe, it } from 'node:test';
import { sql } from '../../../src/platform/store/sql.ts';
import { anAuthenticator } from '../../build/authenticator.ts';
import { claimsOf, redeem } from '../../build/client.ts';
import { aClient, anApplication, type ProviderInput } from '../../build/fixture.ts';
import { discovery, openRecordedProvider } from '../../build/recorded-provider.ts';
import { answerIn, authorizationUrl, type Fields, formWith, type Seen, Visitor } from '../../build/visitor.ts';
import { aProvider, buttonOf, federated, signInAtCorp, throughProvider } from './federated.ts';

describe('what a sign-in there means here (contract, Providers)', () => {
  const { server, corp } = federated({ users: [] });
  const provide = (over: Partial<Omit<ProviderInput, 'id' | 'type'>> = {}, more: object = {}) =>
    server.provision({
      providers: [{ ...NONE, ...aProvider(corp.issuer, over) }],
      applications: [anApplication({ providers: ['corp'], mfa: 'off', ...more })],
    });
  let subject = 0;
  beforeEach(async () => {
    corp.person = { sub: `m-${++subject}`, email: `m${subject}@corp.example`, name: 'First Name' };
  });
  const person = (claims: object) => {
    const { sub = '' } = corp.person ?? {};
    corp.person = { ...corp.person, sub, ...claims };
  };
  const account = async () =>
    server.services.store.findLinkedAccount({ provider: 'corp', subject: corp.person?.sub ?? '' });
  const signIn = async (fields?: Fields) => signInAtCorp(server, fields ? { fields } : {});
  async function idTokenOf(seen: Seen) {
    const { code } = answerIn(seen);
    assert(code, seen.text);
    return claimsOf((await redeem(server, code)).json.id_token);
  }

  it('acr is 1 and amr fed, unless acr_map says more; with two factors there nobody is asked for one here', async () => {
    await provide({ acr_map: { 'urn:corp:mfa': '2' } }, { mfa: 'required' });
    const plain = await signIn();
    assert.match(plain.seen.url, /\/login\/enrol/, 'one factor is not enough for the policy');
    assert.equal(corp.asked().get('acr_values'), 'urn:corp:mfa', 'the provider is asked for it');
    person({ acr: 'urn:corp:mfa' });
    const { acr, amr } = await idTokenOf((await signIn()).seen);
    assert.deepEqual([acr, amr], ['2', ['fed', 'mfa']]);
    await provide({ acr_map: { 'urn:corp:mfa': 'phr' } }, { mfa: 'required' });
    assert.equal((await idTokenOf((await signIn()).seen)).acr, 'phr');
  });

  it('a class that is not mapped says nothing, whatever it is called', async () => {
    await provide({}, {});
    person({ acr: 'phr', amr: ['mfa', 'hwk', 'user'] });
    const { acr, amr } = await idTokenOf((await signIn()).seen);
    assert.deepEqual([acr, amr], ['1', ['fed']]);
  });

  it('the second factor of the account is asked for as after a password', async () => {
    await provide({}, { mfa: 'optional' });
    await signIn();
    const key = 'JBSWY3DPEHPK3PXP';
    const { username = '' } = (await account()) ?? {};
    const { planUser } = await import('../../../src/operators/apply/plan-user.ts');
    const entry = { username, totp_secret: key };
    const { change } = await planUser({ ...server.services, attributes: [] }, entry, { resetPasswords: true });
    if (change) await server.services.store.provision([change]);
    const { visitor, seen } = await signIn();
    assert.match(seen.url, /\/login\/totp/);
    const code = anAuthenticator(server.services.clock, key).code();
    const { amr, acr } = await idTokenOf(await visitor.send(formWith(seen, 'code'), { code }));
    assert.deepEqual([amr, acr], [['fed', 'otp', 'mfa'], '2']);
  });

  it('update_profile: first keeps what is here, always follows, never is only the beginning', async () => {
    for (const update_profile of ['first', 'never', 'always'] as const) {
      const after = update_profile === 'always' ? 'New Name' : 'First Name';
      await provide({ update_profile });
      person({ sub: `u-${update_profile}`, email: `u-${update_profile}@corp.example`, name: 'First Name' });
      await signIn();
      assert.equal((await account())?.standardClaims?.name, 'First Name');
      person({ name: 'New Name' });
      await signIn();
      assert.equal((await account())?.standardClaims?.name, after, update_profile);
    }
  });

  it('update_profile: always never takes a verified address for one that nobody vouches for, nor the address of somebody else', async () => {
    await provide({ update_profile: 'always', trusts_email: true });
    person({ email_verified: true });
    await signIn();
    const { email } = (await account()) ?? {};
    assert.equal((await account())?.emailVerified, true);
    await server.provision({ users: [{ username: 'owner', email: 'owner@corp.example', email_verified: true }] });
    person({ email: 'unproved@corp.example', email_verified: false });
    await signIn();
    assert.equal((await account())?.email, email);
    person({ email: 'owner@corp.example', email_verified: true, name: 'Still Follows' });
    await signIn();
    const { email: kept, standardClaims } = (await account()) ?? {};
    assert.deepEqual([kept, standardClaims?.name], [email, 'Still Follows']);
  });

  it('groups become groups here by the mapping alone; those that went there go here', async () => {
    await provide({ update_profile: 'always', groups: { engineers: 'staff', __proto__: 'x' } });
    person({ groups: ['engineers', 'staff', 'admins', 'constructor', '__proto__', 7, null] });
    await signIn();
    assert.deepEqual((await account())?.membership?.groups, ['staff']);
    person({ groups: [] });
    await signIn();
    assert.deepEqual((await account())?.membership?.groups ?? [], []);
    await provide({ update_profile: 'always' });
    person({ groups: ['staff'] });
    await signIn();
    assert.deepEqual((await account())?.membership?.groups ?? [], [], 'without a mapping none');
  });

  it('groups end here when the provider names none any more, and stay where it says that they are elsewhere (OIDC Core section 5.6.2)', async () => {
    const groups = async () => (await account())?.membership?.groups ?? [];
    await provide({ update_profile: 'always', groups: { engineers: 'staff' } });
    person({ groups: ['engineers'] });
    await signIn();
    const elsewhere = { src1: { endpoint: 'https://graph.example/groups' } };
    person({ groups: undefined, _claim_names: { groups: 'src1' }, _claim_sources: elsewhere });
    await signIn();
    assert.deepEqual(await groups(), ['staff']);
    person({ _claim_names: undefined, _claim_sources: undefined });
    await signIn();
    assert.deepEqual(await groups(), []);
    person({ groups: ['engineers'] });
    await signIn();
    await provide({ update_profile: 'always' });
    person({ groups: undefined });
    await signIn();
    assert.deepEqual(await groups(), ['staff'], 'without a mapping a provider says nothing of groups');
  });

  it('claims become fields, own ones too; what does not fit is left out, and nothing else can be set', async () => {
    await server.provision({
      user_attributes: [
        { name: 'department', type: 'string', label: 'Department' },
        { name: 'size', type: 'number', label: 'Size' },
      ],
    });
    const claims = {
      nickname: 'profile.nick',
      'attributes.department': 'department',
      'attributes.size': 'size',
      'attributes.unknown': 'department',
      disabled: 'department',
      roles: 'department',
      password: 'department',
      birthdate: 'department',
    };
    await provide({ update_profile: 'always', claims });
    person({ department: 'R&D', size: 'large' });
    await signIn();
    const first = await account();
    assert.deepEqual(first?.standardClaims?.attributes, { department: 'R&D' });
    assert.deepEqual([first?.disabled, first?.membership, first?.passwordHash], [false, undefined, undefined]);
    assert.equal(first?.standardClaims?.birthdate, undefined);
    person({ department: 'Sales', size: 42 });
    await signIn();
    assert.deepEqual((await account())?.standardClaims?.attributes, { department: 'Sales', size: 42 });
  });

  it('max_age of the provider is asked for and checked; that of a client is passed on, the lesser of both', async () => {
    await provide({ max_age: 3600 });
    await idTokenOf((await signIn()).seen);
    assert.equal(corp.asked().get('max_age'), '3600');
    await idTokenOf((await signIn({ max_age: '60' })).seen);
    assert.equal(corp.asked().get('max_age'), '60');
    await signIn({ prompt: 'login' });
    assert.equal(corp.asked().get('prompt'), 'login');
  });

  it('a page that wants a fresh proof asks the provider for one, whose session alone is none', async () => {
    await provide({});
    const { visitor } = await signIn();
    const page = await visitor.follow(`${server.base}/account/security`);
    assert.equal(new URL(page.url).pathname, '/account/security', 'just signed in');
    const other = new Visitor(server.base);
    const asked = await other.follow(`${server.base}/account/security`);
    await throughProvider(server, other, await other.send(buttonOf(asked, 'corp')));
    assert.equal(corp.asked().get('prompt'), 'login');
  });

  it('a token endpoint that fails over a code shuts the provider for nobody: anybody can bring a strange one', async () => {
    let status = 500;
    const recorded = await openRecordedProvider(() => ({
      ...PLAIN,
      tokenStatus: status,
      claims: { iss: '{base}', sub: 'strange' },
    }));
    after(() => recorded.close());
    await server.provision({ providers: [{ ...NONE, ...aProvider(recorded.base) }] });
    const seen = async () => {
      const visitor = new Visitor(server.base);
      const { location = '' } = await visitor.follow(authorizationUrl(server, { idp_hint: 'corp' }));
      return visitor.follow(recorded.answerTo(location));
    };
    for (let times = 0; times < 4; times++) assert.match((await seen()).text, /didn’t answer/);
    status = 200;
    assert(answerIn(await seen()).code);
  });

  it('a person whose subject no store can have is refused, and is no fault of this server', async () => {
    let sub = '';
    const recorded = await openRecordedProvider(() => ({ ...PLAIN, claims: { iss: '{base}', sub } }));
    after(() => recorded.close());
    await server.provision({ providers: [{ ...NONE, ...aProvider(recorded.base) }] });
    for (sub of ['a\0b', 'half \ud83d', 'x'.repeat(256)]) {
      const visitor = new Visitor(server.base);
      const { location = '' } = await visitor.follow(authorizationUrl(server, { idp_hint: 'corp' }));
      const seen = await visitor.follow(recorded.answerTo(location));
      assert.deepEqual([seen.status, seen.location], [200, undefined], JSON.stringify(sub).slice(0, 20));
      assert.match(seen.text, /name="password"/);
    }
  });

  it('an answer without auth_time, or with an older one, is refused where max_age is set; with prompt=login an older one', async () => {
    const now = Math.floor(Date.now() / 1000);
    let authTime: number | undefined;
    const recorded = await openRecordedProvider(() => ({
      ...PLAIN,
      claims: { iss: '{base}', sub: 'aged', auth_time: authTime },
    }));
    after(() => recorded.close());
    await server.provision({ providers: [{ ...NONE, ...aProvider(recorded.base, { max_age: 600 }) }] });
    for (const [time, taken, prompt] of [
      [undefined, false],
      [now - 3600, false],
      [now - 30, true],
      [now - 300, true],
      [now - 299.5, true],
      [now - 300, false, 'login'],
      [now + 5, true, 'login'],
    ] as const) {
      authTime = time;
      const visitor = new Visitor(server.base);
      const { location = '' } = await visitor.follow(authorizationUrl(server, { idp_hint: 'corp', prompt }));
      const seen = await visitor.follow(recorded.answerTo(location));
      const isTaken = seen.location?.startsWith('https://client.example/cb?') === true;
      assert.equal(isTaken, taken, `${time} ${seen.text.slice(0, 300)}`);
      if (!taken) continue;
      // What a client sees is when the person authenticated there, and never in the future.
      const { id_token } = (await redeem(server, answerIn(seen).code)).json;
      const claimed = Number(claimsOf(id_token).auth_time);
      assert(time < now ? claimed === Math.floor(time) : claimed >= now && claimed <= time, `${time} ${claimed}`);
    }
  });

  describe('sign_out', () => {
    const BYE = 'https://client.example/bye';
    const SIGNED_OUT = { clients: [aClient({ post_logout_redirect_uris: [BYE] })] };
    async function signOut(idToken: string, visitor: Visitor) {
      const params = new URLSearchParams({ id_token_hint: idToken, post_logout_redirect_uri: BYE, state: 'st' });
      return visitor.follow(`${server.at()}/logout?${params}`);
    }
    async function signedIn() {
      const { visitor, seen } = await signIn();
      const { code = '' } = answerIn(seen);
      return { visitor, idToken: (await redeem(server, code)).json.id_token as string };
    }

    it('signing out here goes on there, with the ID token, and comes back to where the client wanted it', async () => {
      await provide({ sign_out: true }, SIGNED_OUT);
      const { visitor, idToken } = await signedIn();
      const gone = await signOut(idToken, visitor);
      const { location = '' } = gone;
      assert(location.startsWith(`${corp.issuer}/session/end?`), `${gone.status} ${location} ${gone.text}`);
      const { searchParams } = new URL(location);
      const hint = claimsOf(searchParams.get('id_token_hint') ?? '');
      assert.deepEqual([hint.sub, hint.aud], [corp.person?.sub, 'gatehouse']);
      const returnTo = `${server.base}/login/provider/corp/signed-out`;
      assert.equal(searchParams.get('post_logout_redirect_uri'), returnTo);
      assert.equal((await new Visitor(corp.issuer).go(location)).status, 200, 'the provider takes it');
      const back = await visitor.follow(`${returnTo}?state=${searchParams.get('state')}`);
      assert.equal(back.location, `${BYE}?state=st`);
      assert.match((await visitor.follow(`${server.base}/account`)).url, /\/login/, 'signed out here');
    });

    it('the way back is good in this browser alone: elsewhere it ends on our page', async () => {
      await provide({ sign_out: true }, SIGNED_OUT);
      const { visitor, idToken } = await signedIn();
      const { location = '' } = await signOut(idToken, visitor);
      const state = new URL(location).searchParams.get('state');
      for (const sent of [state, 'https://evil.example/', '']) {
        const seen = await new Visitor(server.base).follow(
          `${server.base}/login/provider/corp/signed-out?state=${sent}`,
        );
        assert.equal(seen.url, `${server.base}/logout`);
      }
    });

    it('a second time there is nothing to end there, and without sign_out nothing is kept', async () => {
      await provide({ sign_out: true }, SIGNED_OUT);
      const { visitor, idToken } = await signedIn();
      await signOut(idToken, visitor);
      assert.equal((await signOut(idToken, visitor)).location, `${BYE}?state=st`);
      await provide({ sign_out: false }, SIGNED_OUT);
      const other = await signedIn();
      assert.equal((await signOut(other.idToken, other.visitor)).location, `${BYE}?state=st`);
    });

    it('what is kept is encrypted, and the user who is deleted takes it along', async () => {
      await provide({ sign_out: true }, SIGNED_OUT);
      await signedIn();
      const rows = await server.services.store.cold.read(ALL);
      const { sub = '' } = (await account()) ?? {};
      const own = rows.filter(row => row.sub === sub);
      assert.equal(own.length, 1);
      assert.doesNotMatch(Buffer.from(own[0]?.sealed as Uint8Array).toString('latin1'), /eyJ/);
      await server.services.store.provision([{ kind: 'deleteUser', sub, now: server.services.clock.now() }]);
      assert(!(await server.services.store.cold.read(ALL)).some(row => row.sub === sub));
    });
  });

  it('a provider that is asked through a redirect needs nothing else', async () => {
    await provide();
    const visitor = new Visitor(server.base);
    const gone = await visitor.follow(authorizationUrl(server, { idp_hint: 'corp' }));
    assert(answerIn(await throughProvider(server, visitor, gone)).code);
  });
});

const ALL = sql`SELECT sub, sealed FROM provider_sessions`;

/** A provider of which the tests need an ID token alone. */
const PLAIN = {
  documents: discovery({ userinfo_endpoint: undefined }),
  tokenPath: '/token',
  tokens: { access_token: 'a', token_type: 'Bearer' },
};

/** Every field that a former test has set. */
const NONE = {
  acr_map: null,
  claims: null,
  groups: null,
  max_age: null,
  sign_out: null,
  update_profile: null,
  trusts_email: null,
};
