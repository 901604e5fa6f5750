import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { claimsOf } from '../build/client.ts';
import { aClient, PASSWORD } from '../build/fixture.ts';
import { startTestServer, type TestServer } from '../build/test-server.ts';
import { answerIn, formWith, type Seen, Visitor } from '../build/visitor.ts';
import { type ClassicWebApp, openClassicWebApp, type SignedIn } from './classic-web-app.ts';
import { wander } from './wander.ts';

describe('passport-openidconnect in Express, as a classic web application', () => {
  let server: TestServer;
  let app: ClassicWebApp;
  let other: ClassicWebApp;
  let visitor: Visitor;
  before(async () => {
    [app, other] = await Promise.all([openClassicWebApp(), openClassicWebApp()]);
    const clientOf = ({ origin }: ClassicWebApp) => ({
      redirect_uris: [`${origin}/callback`],
      post_logout_redirect_uris: [`${origin}/`],
    });
    server = await startTestServer({
      clients: [aClient(clientOf(app)), aClient({ client_id: 'other', ...clientOf(other) })],
    });
  });
  after(() => Promise.all([server.close(), app.close(), other.close()]));
  beforeEach(() => {
    visitor = new Visitor(server.base);
    app.serve(server, {});
    other.serve(server, { clientID: 'other' });
  });

  /** From the application's login link over our login page to the address it is called back at, not visited yet. */
  const logInAtTheServer = async (by = visitor): Promise<Seen> => {
    const page = await wander(by, `${app.origin}/login`);
    const seen = await by.send(formWith(page, 'password'), { username: 'alice', password: PASSWORD });
    assert(seen.location?.startsWith(`${app.origin}/callback?`), `${seen.status} ${seen.location}`);
    return seen;
  };
  const logIn = async () => signedIn(await wander(visitor, await logInAtTheServer()));
  const signedIn = (seen: Seen): SignedIn => {
    assert.equal(seen.status, 200, seen.text);
    return JSON.parse(seen.text) as SignedIn;
  };
  const isSignedIn = async () => (await visitor.go(`${app.origin}/`)).status === 200;

  it('logs in and takes the profile from userinfo', async () => {
    const { issuer, userinfo, idToken } = await logIn();
    assert.deepEqual([issuer, userinfo.username], [server.at(), 'alice']);
    assert.deepEqual(userinfo.emails, [{ value: 'alice@example.com' }]);
    assert.equal(userinfo.id, idToken.id);
    assert(await isSignedIn());
  });

  it('gets what it asks for with nonce, max_age, login_hint and claims, and finds it as it wants it', async () => {
    app.serve(server, {
      nonce: true,
      maxAge: 600,
      loginHint: 'alice@example.com',
      claims: { id_token: { email: { essential: true }, preferred_username: null } },
    });
    const page = await wander(visitor, `${app.origin}/login`);
    assert.match(page.text, /name="username"[^>]* value="alice@example\.com"/);
    const { idToken, rawIdToken } = await logIn();
    assert.deepEqual([idToken.username, idToken.emails], ['alice', [{ value: 'alice@example.com' }]]);
    const { nonce, auth_time } = claimsOf(rawIdToken);
    assert.match(nonce, /./);
    assert.equal(typeof auth_time, 'number');
  });

  it('logs in again without a page, and so does a second web application (single sign-on)', async () => {
    const first = await logIn();
    for (const { origin } of [app, other]) {
      const again = signedIn(await wander(visitor, `${origin}/login`));
      assert.equal(again.userinfo.id, first.userinfo.id);
      assert.notEqual(again.rawIdToken, first.rawIdToken);
    }
  });

  it('asks for the password again with prompt=login', async () => {
    const first = await logIn();
    app.serve(server, { prompt: 'login' });
    assert.equal((await logIn()).userinfo.id, first.userinfo.id);
  });

  it('refuses an answer whose state is not the one it sent', async () => {
    const { location } = await logInAtTheServer();
    assert(location);
    const altered = new URL(location);
    altered.searchParams.set('state', `${altered.searchParams.get('state')}x`);
    assert.equal((await wander(visitor, altered.href)).status, 403);
    assert.equal(await isSignedIn(), false);
  });

  it('refuses an answer that was meant for another browser', async () => {
    const stranger = new Visitor(server.base);
    const { location } = await logInAtTheServer(stranger);
    assert(location);
    assert.equal((await wander(visitor, location)).status, 403);
    assert.equal(await isSignedIn(), false);
  });

  it('refuses an ID token with another nonce than it sent', async () => {
    app.serve(server, { nonce: true });
    const stranger = new Visitor(server.base);
    const { code } = answerIn(await logInAtTheServer(stranger));
    const own = new URL((await logInAtTheServer()).location ?? '');
    own.searchParams.set('code', code ?? '');
    assert.equal((await wander(visitor, own.href)).status, 403);
    assert.equal(await isSignedIn(), false);
  });

  it('treats a cancelled login as one that failed (row 24)', async () => {
    const page = await wander(visitor, `${app.origin}/login`);
    const seen = await visitor.send(formWith(page, 'action'), { action: 'cancel' });
    assert.equal(answerIn(seen).error, 'access_denied');
    assert.equal((await wander(visitor, seen)).status, 401);
    assert.equal(await isSignedIn(), false);
  });

  it('reports an error of the authorization request with its code and address (interface 7.2)', async () => {
    app.serve(server, { scope: ['profile', 'nonsense'] });
    const seen = await wander(visitor, `${app.origin}/login`);
    assert.deepEqual(JSON.parse(seen.text), {
      name: 'AuthorizationError',
      message: 'OAuth 2.0 Parameter: scope',
      code: 'invalid_scope',
      uri: `${server.base}/docs/errors/invalid_scope`,
    });
  });

  it('reports an error of the token request with its code and address (interface 7.1)', async () => {
    app.serve(server, { clientSecret: 'wrong' });
    const seen = await wander(visitor, await logInAtTheServer());
    assert.deepEqual(JSON.parse(seen.text), {
      name: 'TokenError',
      message: 'Client authentication failed. Either the client or the client credentials are invalid.',
      code: 'invalid_client',
      uri: `${server.base}/docs/errors/invalid_client`,
    });
    assert.equal(await isSignedIn(), false);
  });

  it('logs out of both sessions and comes back', async () => {
    await logIn();
    const seen = await wander(visitor, `${app.origin}/logout`);
    assert.deepEqual([seen.url, seen.status], [`${app.origin}/`, 401]);
    const page = await wander(visitor, `${app.origin}/login`);
    assert.match(page.text, /name="password"/, 'the server asks again');
  });
});
