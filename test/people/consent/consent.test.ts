import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { assertRefused, basic, isActive, redeem, refresh, userinfo } from '../../build/client.ts';
import { watchWrites } from '../../build/database.ts';
import { assertPage, assertSentBack, delivered } from '../../build/delivered.ts';
import { aClient, anApplication, aUser } from '../../build/fixture.ts';
import { atChooser, atConsent, atLogin, bob, logIn, press, signedIn, tokensFrom } from '../../build/people.ts';
import { suiteServer } from '../../build/test-server.ts';
import { authorizationUrl, type Fields, formWith, type Visitor } from '../../build/visitor.ts';

const ASKS = { auth: basic('asks', 'web-secret-1') };
const clients = [
  aClient(),
  aClient({ client_id: 'asks', client_name: 'Asker <b>', require_consent: true }),
  aClient({ client_id: 'asks-too', require_consent: true }),
];
const server = suiteServer({
  applications: [
    anApplication({ clients }),
    anApplication({ code: 'bank', name: 'Bank', clients: [aClient({ client_id: 'asks', require_consent: true })] }),
  ],
  users: [aUser(), bob()],
});

const url = (fields: Fields = {}, app?: string) =>
  authorizationUrl(server, { client_id: 'asks', scope: 'openid profile', ...fields }, app);

/** Signed in, and nothing agreed to yet. */
async function newcomer(username = 'alice'): Promise<Visitor> {
  const visitor = await signedIn(server, username);
  const sub = (await server.services.store.findAccount(username))?.sub ?? '';
  for (const { app, clientId } of await server.services.store.consentsOf(sub)) {
    await server.services.store.withdrawConsent(sub, app, clientId, server.services.clock.now());
  }
  return visitor;
}

async function agreed(visitor: Visitor, fields: Fields = {}) {
  return press(visitor, await visitor.follow(url(fields)), 'allow');
}

describe('consent for a client with require_consent', () => {
  it('is asked for after the login, on a page that names the client and what each scope gives', async () => {
    const visitor = await newcomer();
    const page = await visitor.follow(url({ prompt: 'login', scope: 'openid email' }));
    assert(atLogin(page));
    const consent = await logIn(visitor, page);
    assert(atConsent(consent));
    assert.match(consent.text, /Asker &lt;b&gt;/);
    assert.doesNotMatch(consent.text, /Asker <b>/);
    assert.match(consent.text, /alice/);
    assert.match(consent.text, /your e-mail address/);
    assert.doesNotMatch(consent.text, /phone number|nickname/);
    assert(delivered(await press(visitor, consent, 'allow')).fields.code);
  });

  it('names what the client gets when the request names no scope', async () => {
    const { text } = await (await newcomer()).follow(url({ scope: undefined }));
    for (const given of ['e-mail address', 'phone number', 'nickname']) assert(text.includes(given), given);
  });

  it('speaks the language of the request', async () => {
    assert.match((await (await newcomer()).follow(url({ ui_locales: 'zh' }))).text, /同意/);
  });

  it('is not asked for by a client that needs none', async () => {
    const visitor = await newcomer();
    assert(delivered(await visitor.go(url({ client_id: 'web' }))).fields.code);
  });

  it('is remembered per user, client and scopes, in every browser', async () => {
    const visitor = await newcomer();
    assert(delivered(await agreed(visitor, { scope: 'openid profile email' })).fields.code);
    for (const scope of ['openid profile email', 'email openid profile', 'openid email', 'openid']) {
      assert(delivered(await visitor.go(url({ scope, prompt: 'none' }))).fields.code, scope);
    }
    const elsewhere = await signedIn(server);
    assert(delivered(await elsewhere.go(url({ prompt: 'none' }))).fields.code);
  });

  it('is not taken over by another client, application or user', async () => {
    const visitor = await newcomer();
    await agreed(visitor);
    assert(atConsent(await visitor.follow(url({ client_id: 'asks-too' }))));
    assert(atConsent(await visitor.follow(url({}, 'bank'))));
    assert(atConsent(await (await newcomer('bob')).follow(url())));
  });

  it('is asked for again when new scopes come, and then covers the old ones too', async () => {
    const visitor = await newcomer();
    await agreed(visitor, { scope: 'openid profile' });
    const page = await visitor.follow(url({ scope: 'openid phone' }));
    assert(atConsent(page));
    assert.match(page.text, /phone number/);
    assert(delivered(await press(visitor, page, 'allow')).fields.code);
    const seen = await visitor.go(url({ scope: 'openid profile phone', prompt: 'none' }));
    assert(delivered(seen).fields.code);
  });

  it('covers what the parameter claims asks for beside the scopes', async () => {
    const visitor = await newcomer();
    await agreed(visitor, { scope: 'openid' });
    const claims = JSON.stringify({ userinfo: { email: null } });
    const seen = await visitor.follow(url({ scope: 'openid', claims }));
    if (atConsent(seen)) return assert.match(seen.text, /e-mail address/);
    const set = await tokensFrom(server, seen, { sending: ASKS });
    const { json } = await userinfo(server, set.access_token);
    assert.equal(json.email, undefined, 'the user agreed to openid, and the client got the e-mail address');
  });

  for (const prompt of ['consent', 'consent select_account']) {
    it(`prompt=${prompt} asks again in spite of what is remembered`, async () => {
      const visitor = await newcomer();
      await agreed(visitor);
      let page = await visitor.follow(url({ prompt }));
      if (atChooser(page)) page = await press(visitor, page, 'continue');
      assert(atConsent(page));
      assert(delivered(await press(visitor, page, 'allow')).fields.code);
      assert(delivered(await visitor.go(url())).fields.code, 'and only for that request');
    });
  }

  it('prompt=consent asks also for a client that needs none', async () => {
    const visitor = await newcomer();
    const page = await visitor.follow(url({ client_id: 'web', prompt: 'consent' }));
    assert(atConsent(page));
    assert(delivered(await press(visitor, page, 'allow')).fields.code);
  });

  it('missing, with prompt=none: consent_required; without a session login_required comes first', async () => {
    const visitor = await newcomer();
    assertSentBack(server, await visitor.go(url({ prompt: 'none' })), { error: 'consent_required' });
    await agreed(visitor, { scope: 'openid' });
    const wider = url({ prompt: 'none', scope: 'openid phone' });
    assertSentBack(server, await visitor.go(wider), { error: 'consent_required' });
    visitor.cookies.delete('gatehouse_session');
    assertSentBack(server, await visitor.go(wider), { error: 'login_required' });
  });

  it('missing in the implicit flow: consent_required where the tokens would have gone (row 15)', async () => {
    const fields = { prompt: 'none', response_type: 'id_token token', nonce: 'n' };
    const seen = await (await newcomer()).go(url(fields));
    assertSentBack(server, seen, { error: 'consent_required', place: 'fragment' });
  });

  it('denied: access_denied with the state, nothing is remembered, and it can be asked for again', async () => {
    const visitor = await newcomer();
    const seen = await press(visitor, await visitor.follow(url()), 'deny');
    assertSentBack(server, seen, { error: 'access_denied' });
    const again = await visitor.follow(url());
    assert(atConsent(again));
    assert(delivered(await press(visitor, again, 'allow')).fields.code);
  });

  it('denied for new scopes leaves the old ones', async () => {
    const visitor = await newcomer();
    await agreed(visitor);
    await press(visitor, await visitor.follow(url({ scope: 'openid phone' })), 'deny');
    assert(delivered(await visitor.go(url({ prompt: 'none' }))).fields.code);
    const seen = await visitor.go(url({ scope: 'openid phone', prompt: 'none' }));
    assertSentBack(server, seen, { error: 'consent_required' });
  });

  it('writes nothing before the user has answered (row 26)', async () => {
    const visitor = await newcomer();
    const watch = await watchWrites(server);
    const page = await visitor.follow(url());
    assert(atConsent(page));
    await server.services.recorder.drain();
    assert.equal(await watch.written(), false);
    await watch.close();
  });
});

describe('withdrawn consent', () => {
  const withdraw = async (visitor: Visitor) =>
    visitor.send(formWith(await visitor.follow(`${server.base}/account/access`), 'withdraw'));

  it('ends the tokens of the client at once, and is asked for again', async () => {
    const visitor = await newcomer();
    const set = await tokensFrom(server, await agreed(visitor), { sending: ASKS });
    await withdraw(visitor);
    assert.equal(await isActive(server, set.access_token), false);
    assertRefused(await userinfo(server, set.access_token), 401, 'invalid_token');
    assertRefused(await refresh(server, set.refresh_token, {}, ASKS), 400, 'invalid_grant');
    assert(atConsent(await visitor.follow(url())));
  });

  it('ends a code that was not redeemed yet', async () => {
    const visitor = await newcomer();
    const { code } = delivered(await agreed(visitor)).fields;
    await withdraw(visitor);
    assertRefused(await redeem(server, code, {}, ASKS), 400, 'invalid_grant');
  });
});

describe('the way back from a consent page', () => {
  it('is no consent any more once that was withdrawn (the back button of the browser)', async () => {
    const visitor = await newcomer();
    const { action, fields } = formWith(await visitor.follow(url()), 'sub');
    const headers = { 'content-type': 'application/x-www-form-urlencoded', origin: server.base };
    const body = `${fields}&action=allow`;
    const { location = '' } = await visitor.go(action, { method: 'POST', body, headers });
    assert(delivered(await visitor.go(location)).fields.code);
    await visitor.send(formWith(await visitor.follow(`${server.base}/account/access`), 'withdraw'));
    assert(atConsent(await visitor.follow(location)));
  });
});

describe('the consent form counts only for the user it was shown to, in the browser it was made for', () => {
  it('not for another user who signed in meanwhile', async () => {
    const visitor = await newcomer();
    const page = await visitor.follow(url());
    const second = await visitor.follow(authorizationUrl(server, { prompt: 'login' }));
    await logIn(visitor, second, 'bob');
    assertPage(await press(visitor, page, 'allow'), 403);
    assertSentBack(server, await visitor.go(url({ prompt: 'none' })), { error: 'consent_required' });
  });

  it('not with the name of another user in it', async () => {
    const visitor = await newcomer('bob');
    const alice = (await server.services.store.findAccount('alice'))?.sub ?? '';
    const form = formWith(await visitor.follow(url()), 'sub');
    assertPage(await visitor.send(form, { action: 'allow', sub: alice }), 403);
    form.fields.delete('sub');
    assertPage(await visitor.send(form, { action: 'allow' }), 403);
    assertSentBack(server, await visitor.go(url({ prompt: 'none' })), { error: 'consent_required' });
  });

  it('not without a session', async () => {
    const visitor = await newcomer();
    const page = await visitor.follow(url());
    visitor.cookies.delete('gatehouse_session');
    assertPage(await press(visitor, page, 'allow'), 403);
  });

  it('not in another browser', async () => {
    const page = await (await newcomer()).follow(url());
    assertPage(await press(await signedIn(server), page, 'allow'));
  });

  it('not from another site (login CSRF, clickjacking)', async () => {
    const visitor = await newcomer();
    const page = await visitor.follow(url());
    assert.match(page.headers.get('content-security-policy') ?? '', /frame-ancestors 'none'/);
    assertPage(await press(visitor, page, 'allow', { origin: 'https://evil.example' }), 403);
    assertPage(await press(visitor, page, 'allow', { 'sec-fetch-site': 'cross-site' }), 403);
    assertSentBack(server, await visitor.go(url({ prompt: 'none' })), { error: 'consent_required' });
  });

  it('not changed on its way', async () => {
    const visitor = await newcomer();
    const page = await visitor.follow(url());
    const form = formWith(page, 'sub');
    const pending = form.fields.get('pending') ?? '';
    assertPage(await visitor.send(form, { action: 'allow', pending: `${pending.slice(0, -2)}xx` }));
    assertPage(await visitor.send(form, { action: 'allow', pending: '' }));
  });
});
