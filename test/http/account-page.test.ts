import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { aTokenSet, basic, claimsOf, isActive, revoke } from '../build/client.ts';
import { assertPage, assertSentBack, delivered } from '../build/delivered.ts';
import { aClient, anApplication, aUser } from '../build/fixture.ts';
import { atLogin, bob, logIn, press, SESSION_COOKIE, signedIn, tokensFrom, tokensOf } from '../build/people.ts';
import { startTestServer, type TestServer } from '../build/test-server.ts';
import { authorizationUrl, type Form, formWith, type Seen, Visitor } from '../build/visitor.ts';

let server: TestServer;
before(async () => {
  server = await startTestServer({
    applications: [
      anApplication({
        clients: [aClient(), aClient({ client_id: 'asks', client_name: 'Asker & <Sons>', require_consent: true })],
      }),
    ],
    users: [aUser(), bob(), bob({ username: 'carol', email: 'carol@example.com', phone_number: '+8613800000003' })],
  });
});
after(() => server.close());

const ACCOUNT = () => `${server.base}/account`;
const silently = (visitor: Visitor) => visitor.go(authorizationUrl(server, { prompt: 'none' }));
const sidOf = async (visitor: Visitor): Promise<string> => claimsOf((await tokensOf(server, visitor)).id_token).sid;
const rowOf = (page: Seen, name: string) =>
  (page.text.match(/<li>[\s\S]*?<\/li>/g) ?? []).find(text => text.includes(name)) ?? '';
const endForm = (page: Seen, sid: string): Form => formWith(page, `end_session" value="${sid}`);

describe('/account shows and ends the sessions of the signed-in user (row 2)', () => {
  it('asks a stranger to sign in first, and comes back', async () => {
    const visitor = new Visitor(server.base);
    const page = await visitor.follow(ACCOUNT());
    assert(atLogin(page));
    assert.equal(new URL(page.url).pathname, '/login');
    const seen = await logIn(visitor, page);
    assert.equal(seen.url, ACCOUNT());
    assert.equal(seen.status, 200);
    assert.match(seen.text, /alice/);
  });

  it('lists the sessions of every browser and says which one this is', async () => {
    const [here, there] = [await signedIn(server), await signedIn(server)];
    const page = await here.follow(ACCOUNT());
    const row = (sid: string) => rowOf(page, sid);
    assert.match(row(await sidOf(here)), /this browser/);
    assert.match(row(await sidOf(there)), /Signed in/);
    assert.doesNotMatch(row(await sidOf(there)), /this browser/);
    for (const visitor of [here, there]) assert(!page.text.includes(visitor.cookies.get(SESSION_COOKIE) ?? '?'));
  });

  it('ends the session of another browser, with its tokens', async () => {
    const [here, there] = [await signedIn(server), await signedIn(server)];
    const set = await tokensOf(server, there);
    const sid = claimsOf(set.id_token).sid;
    const page = await here.send(endForm(await here.follow(ACCOUNT()), sid));
    assert.equal(page.url, ACCOUNT());
    assert(!page.text.includes(sid));
    assertSentBack(server, await silently(there), { error: 'login_required' });
    assert.equal(await isActive(server, set.access_token), false);
    assert(delivered(await silently(here)).fields.code);
  });

  it('ends the session of this browser too, and then asks for a login', async () => {
    const visitor = await signedIn(server);
    const sid = await sidOf(visitor);
    assert(atLogin(await visitor.send(endForm(await visitor.follow(ACCOUNT()), sid))));
    assertSentBack(server, await silently(visitor), { error: 'login_required' });
  });

  it('shows and ends nothing of another user', async () => {
    const [alice, other] = [await signedIn(server), await signedIn(server, 'bob')];
    const sid = await sidOf(alice);
    const page = await other.follow(ACCOUNT());
    assert(!page.text.includes(sid));
    await other.send({ action: ACCOUNT(), fields: new URLSearchParams({ end_session: sid }) });
    assert(delivered(await silently(alice)).fields.code);
  });

  it('changes nothing for a form that has no session behind it', async () => {
    const visitor = await signedIn(server);
    const form = endForm(await visitor.follow(ACCOUNT()), await sidOf(visitor));
    assertPage(await new Visitor(server.base).send(form), 403);
    assert(delivered(await silently(visitor)).fields.code);
  });

  for (const headers of [
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
  ] as Record<string, string>[]) {
    it(`refuses a form of another site: ${JSON.stringify(headers)}`, async () => {
      const visitor = await signedIn(server);
      const form = endForm(await visitor.follow(ACCOUNT()), await sidOf(visitor));
      assertPage(await visitor.send(form, {}, headers), 403);
      assert(delivered(await silently(visitor)).fields.code);
    });
  }

  it('refuses a body that is no form', async () => {
    const visitor = await signedIn(server);
    const sent = {
      method: 'POST',
      body: `end_session=${await sidOf(visitor)}`,
      headers: { 'content-type': 'text/plain' },
    };
    assertPage(await visitor.go(ACCOUNT(), sent));
    assert(delivered(await silently(visitor)).fields.code);
  });

  it('cannot be reached with a request that is pending for an application, nor the other way round', async () => {
    const visitor = new Visitor(server.base);
    const page = await visitor.follow(ACCOUNT());
    const pending = formWith(page, 'password').fields.get('pending') ?? '';
    assertPage(await visitor.follow(`${server.at()}/auth?gatehouse_pending=${pending}`));
    assertPage(await visitor.follow(`${server.base}/consent?pending=${pending}`));
    assertPage(await visitor.follow(`${server.base}/logout?pending=${pending}`));
  });
});

describe('/account lists every client that holds a grant, also without a consent', () => {
  it('by a browser session or by the password grant, with all it may see', async () => {
    const visitor = await signedIn(server, 'carol');
    assert.doesNotMatch(
      (await visitor.follow(ACCOUNT())).text,
      /name="withdraw"/,
      'a code that was not redeemed is none',
    );
    const grants = [
      await tokensOf(server, visitor, { scope: 'openid email' }),
      await aTokenSet(server, { username: 'carol', scope: 'openid phone' }),
    ];
    const page = await visitor.follow(ACCOUNT());
    assert.match(rowOf(page, 'value="web"'), /e-mail address/);
    assert.match(rowOf(page, 'value="web"'), /phone number/);
    assert.doesNotMatch(rowOf(page, 'value="web"'), /picture/);
    const after = await visitor.send(formWith(page, 'withdraw" value="web'));
    assert.equal(rowOf(after, 'value="web"'), '');
    for (const set of grants) {
      assert.equal(await isActive(server, set.access_token), false);
      assert.equal(await isActive(server, set.refresh_token), false);
    }
    assert(delivered(await silently(visitor)).fields.code, 'the session itself stays');
  });

  it('with what was asked for claim by claim, and once for a client that has both a consent and a grant', async () => {
    const visitor = await signedIn(server, 'carol');
    const claims = JSON.stringify({ userinfo: { email: null } });
    const url = authorizationUrl(server, { client_id: 'asks', scope: 'openid', claims, prompt: 'consent' });
    const sending = { auth: basic('asks', 'web-secret-1') };
    await tokensFrom(server, await press(visitor, await visitor.follow(url), 'allow'), { sending });
    const page = await visitor.follow(ACCOUNT());
    assert.match(rowOf(page, 'value="asks"'), /e-mail address/);
    assert.equal(page.text.split('value="asks"').length, 2);
  });

  it('and no longer when its tokens were revoked', async () => {
    const visitor = await signedIn(server, 'carol');
    const set = await tokensOf(server, visitor);
    assert.notEqual(rowOf(await visitor.follow(ACCOUNT()), 'value="web"'), '');
    await revoke(server, { token: set.refresh_token });
    assert.equal(rowOf(await visitor.follow(ACCOUNT()), 'value="web"'), '');
  });
});

describe('/account shows and withdraws consent', () => {
  const ASKS = { auth: basic('asks', 'web-secret-1') };
  const consented = async () => {
    const visitor = await signedIn(server);
    const url = authorizationUrl(server, { client_id: 'asks', scope: 'openid email', prompt: 'consent' });
    const seen = await press(visitor, await visitor.follow(url), 'allow');
    return { visitor, set: await tokensFrom(server, seen, { sending: ASKS }) };
  };

  it('by client and by what it may see, escaped', async () => {
    const { visitor } = await consented();
    const text = rowOf(await visitor.follow(ACCOUNT()), 'value="asks"');
    assert.match(text, /Asker &amp; &lt;Sons&gt;/);
    assert.match(text, /e-mail address/);
    assert.doesNotMatch(text, /phone number/);
  });

  it('and withdrawing ends the tokens of that client, and of no other', async () => {
    const { visitor, set } = await consented();
    const kept = await tokensOf(server, visitor);
    const page = await visitor.follow(ACCOUNT());
    const after = await visitor.send(formWith(page, 'withdraw" value="asks'));
    assert.equal(after.url, ACCOUNT());
    assert.doesNotMatch(after.text, /Asker/);
    assert.equal(await isActive(server, set.access_token), false);
    assert.equal(await isActive(server, set.refresh_token, ASKS), false);
    assert.equal(await isActive(server, kept.access_token), true);
    assert(delivered(await silently(visitor)).fields.code, 'the session itself stays');
  });

  it('of another user stays as it is', async () => {
    const { set } = await consented();
    const other = await signedIn(server, 'bob');
    const fields = new URLSearchParams({ app: 'shop', withdraw: 'asks' });
    await other.send({ action: ACCOUNT(), fields });
    assert.equal(await isActive(server, set.access_token), true);
  });
});
