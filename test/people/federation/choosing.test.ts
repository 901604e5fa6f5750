import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { ALICE, assertRefused, claimsOf, redeem, token } from '../../build/client.ts';
import { fixedClock } from '../../build/clock.ts';
import { type ApplicationInput, aClient, anApplication, aUser, PASSWORD } from '../../build/fixture.ts';
import { answerIn, authorizationUrl, type Fields, formWith, type Seen, Visitor } from '../../build/visitor.ts';
import { aProvider, buttonOf, federated, throughProvider } from './federated.ts';

describe('which provider a sign-in goes to (contract, Providers)', () => {
  const { server, corp } = federated();
  beforeEach(async () => {
    corp.person = { sub: 'u-1', email: 'bob@corp.example', preferred_username: 'bob' };
    await offer({ providers: ['corp', 'other'] }, ['corp.example', 'corp.test']);
  });
  async function offer(application: Partial<ApplicationInput>, domains: string[] = []) {
    await server.provision({
      providers: [
        aProvider(corp.issuer, { domains }),
        { ...aProvider(corp.issuer), id: 'other', name: 'Other' },
        { ...aProvider(corp.issuer), id: 'hidden', name: 'Hidden' },
      ],
      applications: [anApplication(application), anApplication({ code: 'blog', name: 'Blog', clients: [aClient()] })],
    });
  }
  const ask = (fields: Fields = {}, visitor = new Visitor(server.base), app?: string) =>
    visitor.follow(authorizationUrl(server, { scope: 'openid', ...fields }, app));
  const isAtLogin = (seen: Seen) => seen.status === 200 && seen.url.includes('/login?');
  /** The redirect URI by which the provider was asked. */
  const askedAs = (seen: Seen) => {
    const { location = '' } = seen;
    assert(location.startsWith(`${corp.issuer}/auth?`), `${seen.url} ${seen.status} ${location}`);
    const { searchParams } = new URL(location);
    return searchParams.get('redirect_uri')?.split('/').at(-2);
  };

  it('the buttons are in the order of the application', async () => {
    const { text } = await ask();
    assert.deepEqual(
      [...text.matchAll(/action="\/login\/provider\/(\w+)"/g)].map(([, id]) => id),
      ['corp', 'other'],
    );
    assert.match(text, /name="password"/);
  });

  it('idp_hint goes straight there; an unknown one, or one that the application does not offer, is ignored', async () => {
    assert.equal(askedAs(await ask({ idp_hint: 'other' })), 'other');
    for (const idp_hint of ['nobody', 'hidden', '', 'CORP', '../corp'])
      assert(isAtLogin(await ask({ idp_hint })), idp_hint);
    assert(isAtLogin(await ask({ idp_hint: 'corp' }, undefined, 'blog')), 'of another application');
    const twice = `${authorizationUrl(server, { idp_hint: 'corp' })}&idp_hint=other`;
    assert(isAtLogin(await new Visitor(server.base).follow(twice)), 'two of them say nothing');
  });

  it('login_hint goes to the provider that has the domain, with the hint; others fill in the form', async () => {
    const seen = await ask({ login_hint: 'Bob@CORP.example' });
    assert.equal(askedAs(seen), 'corp');
    assert.equal(new URL(seen.location ?? '').searchParams.get('login_hint'), 'Bob@CORP.example');
    for (const login_hint of [
      'bob@sub.corp.example',
      'corp.example',
      'bob@corp.example@evil.example',
      'bob@corp.example.',
    ]) {
      assert(isAtLogin(await ask({ login_hint })), login_hint);
    }
    assert(isAtLogin(await ask({ login_hint: 'bob@corp.example' }, undefined, 'blog')), 'of another application');
  });

  it('an address that is typed goes there too, unless its account has this password', async () => {
    await server.provision({
      users: [
        aUser({ username: 'carol', email: 'carol@corp.example', phone_number: null, phone_number_verified: false }),
      ],
    });
    const visitor = new Visitor(server.base);
    const page = await ask({}, visitor);
    for (const [username, password] of [
      ['new@corp.test', ''],
      ['new@corp.test', 'guess'],
      ['carol@corp.example', ''],
    ] as const) {
      const gone = await visitor.send(formWith(page, 'password'), { username, password });
      assert.equal(askedAs(gone), 'corp');
      assert.equal(new URL(gone.location ?? '').searchParams.get('login_hint'), username);
    }
    const local = await visitor.send(formWith(page, 'password'), {
      username: 'carol@corp.example',
      password: PASSWORD,
    });
    assert(answerIn(local).code, local.text);
    const wrong = await visitor.send(formWith(await ask(), 'password'), {
      username: 'alice@else.example',
      password: '',
    });
    assert.equal(wrong.status, 400);
  });

  it('with a session nobody is asked, whatever the hint', async () => {
    const visitor = new Visitor(server.base);
    await visitor.send(formWith(await ask({}, visitor), 'password'), { username: 'alice', password: PASSWORD });
    assert(answerIn(await ask({ idp_hint: 'corp' }, visitor)).code);
  });

  it('prompt=none asks no provider', async () => {
    await offer({ providers: ['corp'], local_sign_in: false }, ['corp.example']);
    const before = corp.count('/auth');
    const seen = await ask({ prompt: 'none', idp_hint: 'corp', login_hint: 'bob@corp.example' });
    assert.equal(answerIn(seen).error, 'login_required');
    assert.equal(corp.count('/auth'), before);
  });

  describe('local_sign_in: false', () => {
    it('one provider alone is used without a page', async () => {
      await offer({ providers: ['corp'], local_sign_in: false });
      const visitor = new Visitor(server.base);
      const seen = await throughProvider(server, visitor, await ask({}, visitor));
      const { code } = answerIn(seen);
      assert(code, seen.text);
      assert.deepEqual(claimsOf((await redeem(server, code)).json.id_token).amr, ['fed']);
    });

    it('of several the person chooses one, and there is no form', async () => {
      await offer({ providers: ['corp', 'other'], local_sign_in: false });
      const page = await ask();
      assert(isAtLogin(page));
      assert.doesNotMatch(page.text, /name="password"/);
      assert.equal(
        askedAs(await new Visitor(server.base).follow(authorizationUrl(server, { idp_hint: 'other' }))),
        'other',
      );
    });

    it('the form that was taken away is not accepted either', async () => {
      const visitor = new Visitor(server.base);
      const page = await ask({}, visitor);
      await offer({ providers: ['corp', 'other'], local_sign_in: false });
      const seen = await visitor.send(formWith(page, 'password'), { username: 'alice', password: PASSWORD });
      assert(isAtLogin(seen) || seen.text.includes('/login/provider/corp'), seen.text);
      assert.equal(visitor.cookies.get('gatehouse_session'), undefined);
    });

    it('who turns back there reads the page, and is not sent round and round', async () => {
      await offer({ providers: ['corp'], local_sign_in: false });
      corp.person = undefined;
      const visitor = new Visitor(server.base);
      const back = await throughProvider(server, visitor, await ask({}, visitor));
      assert(isAtLogin(back), back.url);
      assert.equal(askedAs(await visitor.send(buttonOf(back, 'corp'))), 'corp');
      const cancelled = await visitor.send(formWith(back, 'action" value="cancel'), { action: 'cancel' });
      assert.equal(answerIn(cancelled).error, 'access_denied');
    });

    it('a session that a password opened in another application does not count; the provider is asked', async () => {
      await offer({ providers: ['corp'], local_sign_in: false });
      const visitor = new Visitor(server.base);
      const page = await ask({}, visitor, 'blog');
      const typed = { username: 'alice', password: PASSWORD };
      assert(answerIn(await visitor.send(formWith(page, 'password'), typed)).code);
      assert.equal(answerIn(await ask({ prompt: 'none' }, visitor)).error, 'login_required');
      assert.equal(askedAs(await ask({}, visitor)), 'corp');
      const seen = await throughProvider(server, visitor, await ask({}, visitor));
      assert(answerIn(seen).code, seen.text);
      assert(
        answerIn(await ask({ prompt: 'none' }, visitor)).code,
        'whom the provider has identified is not asked again',
      );
      assert(answerIn(await ask({ prompt: 'none' }, visitor, 'blog')).code, 'and that session counts everywhere');
    });

    it('the password grant takes no password of this server either', async () => {
      const grant = { grant_type: 'password', ...ALICE };
      assert.equal((await token(server, grant)).status, 200);
      await offer({ providers: ['corp'], local_sign_in: false });
      assertRefused(await token(server, grant), 400, 'invalid_grant', 'The username or password is incorrect.');
    });

    it('the account page and the console keep the form', async () => {
      await offer({ providers: ['corp'], local_sign_in: false });
      const page = await new Visitor(server.base).follow(`${server.base}/account`);
      assert.match(page.text, /name="password"/);
      assert.match(page.text, /action="\/login\/provider\/corp"/);
    });
  });

  it('a provider that the application does not offer cannot be asked for by its address (POST /login/provider/{id})', async () => {
    const visitor = new Visitor(server.base);
    const form = buttonOf(await ask({}, visitor), 'corp');
    for (const id of ['hidden', 'nobody']) {
      const seen = await visitor.send({ ...form, action: `${server.base}/login/provider/${id}` });
      assert.equal(seen.status, 404, id);
    }
    const foreign = await visitor.send(form, {}, { origin: 'https://evil.example' });
    assert.equal(foreign.status, 403);
    const without = await visitor.send({ action: form.action, fields: new URLSearchParams() });
    assert.equal(without.status, 400);
    assert.equal((await visitor.go(form.action)).status, 405, 'a link of another site cannot begin it');
  });
});

describe('a provider that fails (contract: 5 s, then a page that says so; the button says it is not available)', () => {
  const clock = fixedClock();
  const { server, corp } = federated({ clock });

  it('is told each time; after three times the button is off and nobody waits; after a pause it is tried again', async () => {
    await corp.close();
    const visitor = new Visitor(server.base);
    let page = await visitor.follow(authorizationUrl(server, { scope: 'openid' }));
    for (let times = 0; times < 3; times++) {
      assert.doesNotMatch(page.text, /disabled/);
      page = await visitor.send(buttonOf(page, 'corp'));
      assert.match(page.text, /Corp didn’t answer/);
      assert.match(page.text, /name="password"/, 'the other ways are there');
    }
    assert.match(page.text, /<button type="submit" class="provider" disabled>Corp isn’t available right now/);
    assert.match((await visitor.send(buttonOf(page, 'corp'))).text, /Corp didn’t answer/);
    clock.advance(30);
    const later = await visitor.follow(authorizationUrl(server, { scope: 'openid' }));
    assert.match(later.text, /Continue with Corp/);
    const signedIn = await visitor.send(formWith(page, 'password'), { username: 'alice', password: PASSWORD });
    assert(answerIn(signedIn).code, signedIn.text);
  });
});
