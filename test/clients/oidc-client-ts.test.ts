import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { defaultScope } from '../../src/oauth/token/scope.rules.ts';
import { fillIn, signInButton, takeSession, type Visit, visit } from '../browser/browser-fixture.ts';
import { openChromium } from '../browser/chromium.ts';
import { userinfo } from '../build/client.ts';
import { anApplication, aPublicClient } from '../build/fixture.ts';
import { startTestServer, type TestServer } from '../build/test-server.ts';
import { openSinglePageApp, type SinglePageApp } from './single-page-app.ts';

/** What the library keeps of a signed-in person. */
interface Kept {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly id_token: string;
  readonly scope: string;
  readonly profile: Readonly<Record<string, unknown>>;
}

interface Arrived {
  readonly result?: unknown;
  readonly failed?: { readonly name: string; readonly message: string; readonly error: string };
}

const SCOPE = 'openid profile email phone';
/** Enough for the library to notice, short enough to wait for. */
const BRIEF = 4;
/** The library waits for a popup window for as long as it is open. */
const NOT_FOREVER = { timeout: 30_000 };

describe('oidc-client-ts in a browser, as a single-page application on another origin', () => {
  let server: TestServer;
  let app: SinglePageApp;
  let brief: SinglePageApp;
  let browser: Browser;
  let seen: Visit;
  let page: Page;
  let complaints: string[];

  before(async () => {
    [app, brief, browser] = await Promise.all([openSinglePageApp(), openSinglePageApp(), openChromium()]);
    const clientOf = ({ origin, otherSite }: SinglePageApp) =>
      aPublicClient({
        redirect_uris: [`${origin}/callback`, `${otherSite}/callback`],
        post_logout_redirect_uris: [`${origin}/bye`, `${otherSite}/bye`],
      });
    server = await startTestServer({
      applications: [
        anApplication({ clients: [clientOf(app)] }),
        anApplication({ code: 'brief', access_token_ttl: BRIEF, clients: [clientOf(brief)] }),
      ],
    });
    // At a loopback address it counts as native, and is asked for once (row 27): test/directory/clients/native-clients.test.ts.
    const { store, clock } = server.services;
    const sub = (await store.findAccount('alice'))?.sub ?? '';
    for (const code of ['shop', 'brief']) await store.addConsent(sub, code, 'spa', defaultScope, clock.now());
    const settings = { client_id: 'spa', scope: SCOPE, loadUserInfo: true, automaticSilentRenew: false };
    app.settings = { ...settings, authority: server.at() };
    brief.settings = {
      ...settings,
      authority: server.at('brief'),
      automaticSilentRenew: true,
      accessTokenExpiringNotificationTimeInSeconds: BRIEF - 1,
    };
  });
  after(async () => {
    await browser.close();
    await Promise.all([server.close(), app.close(), brief.close()]);
  });

  beforeEach(async () => {
    seen = await visit(browser);
    ({ page, complaints } = seen);
  });
  afterEach(() => seen.close());

  const logIn = async (at: Page = page) => {
    await fillIn(at);
    await signInButton(at).click();
  };
  const arrived = () => page.evaluate<Arrived>('arrived');
  const kept = () => page.evaluate<Kept | null>('manager.getUser()');
  const someone = async () => {
    const user = await kept();
    assert(user, 'no user is signed in');
    return user;
  };
  const callBack = async (at: string) => {
    await page.waitForURL(`${at}/callback?*`);
    return arrived();
  };
  const startSignIn = async (at = app.origin) => {
    await page.goto(at);
    await page.evaluate('void manager.signinRedirect()');
  };
  const signedIn = async (at = app.origin): Promise<Kept> => {
    assert.equal((await callBack(at)).failed, undefined);
    return someone();
  };
  /** In a session that is there already. */
  const signIn = async (at = app.origin): Promise<Kept> => {
    await takeSession(page, server);
    await startSignIn(at);
    return signedIn(at);
  };
  /** By hidden frame: settles with the new tokens or with the error that the library received. */
  const renewInFrame = () =>
    page.evaluate<Kept & { readonly error?: string }>(
      'manager.signinSilent({ forceIframeAuth: true }).catch(({ error, message }) => ({ error: error ?? message }))',
    );

  it('signs in with a code and PKCE, and reads userinfo from its own origin (row 55)', async () => {
    const [asked, exchanged] = [page.waitForRequest('**/auth?*'), page.waitForRequest('**/token')];
    await startSignIn();
    await logIn();
    const user = await signedIn();
    const sent = new URL((await asked).url()).searchParams;
    assert.equal(sent.get('code_challenge_method'), 'S256');
    assert.equal((await (await exchanged).allHeaders()).authorization, undefined);
    assert.equal(user.scope, SCOPE);
    const { preferred_username, email, email_verified, phone_number, iss, sid } = user.profile;
    assert.deepEqual(
      [preferred_username, email, email_verified, phone_number],
      ['alice', 'alice@example.com', true, '+8613800000001'],
    );
    assert.deepEqual([iss, typeof sid], [server.at(), 'string']);
    assert.deepEqual(complaints, []);
  });

  it('signs in from a popup window, which the login page does not cut off from its opener', NOT_FOREVER, async () => {
    await page.goto(app.origin);
    const opened = page.waitForEvent('popup');
    const ended = page.evaluate<Kept>('manager.signinPopup()');
    await logIn(await opened);
    assert.equal((await ended).profile.preferred_username, 'alice');
    assert.deepEqual(complaints, []);
  });

  it('receives access_denied for a cancelled login (row 24)', async () => {
    await startSignIn();
    await page.getByRole('button', { name: 'Cancel' }).click();
    const { failed } = await callBack(app.origin);
    assert.deepEqual([failed?.name, failed?.error], ['ErrorResponse', 'access_denied']);
    assert.equal(await kept(), null);
  });

  it('renews by refresh token, again and again (rows 35, 41)', async () => {
    const seen = [await signIn()];
    for (let times = 0; times < 3; times++) seen.push(await page.evaluate<Kept>('manager.signinSilent()'));
    assert.equal(new Set(seen.map(user => user.access_token)).size, 4);
    assert.equal(new Set(seen.map(user => user.refresh_token)).size, 4);
    assert.equal(new Set(seen.map(user => user.profile.sub)).size, 1);
    assert.deepEqual(seen.at(-1)?.access_token, (await someone()).access_token);
    assert.deepEqual(complaints, []);
  });

  it('stays signed in when two refreshes race with the same token (row 41)', async () => {
    await signIn();
    const both = await page.evaluate<Kept[]>('Promise.all([manager.signinSilent(), manager.signinSilent()])');
    assert.equal(both[0]?.refresh_token, both[1]?.refresh_token);
    assert.equal((await page.evaluate<Kept>('manager.signinSilent()')).profile.preferred_username, 'alice');
  });

  it('renews by itself before the access token ends', async () => {
    const first = await signIn(brief.origin);
    await page.waitForFunction('renewed.length >= 2');
    const user = await someone();
    assert.notEqual(user.access_token, first.access_token);
    assert.equal((await userinfo(server, user.access_token, 'brief')).status, 200);
    assert.doesNotMatch(await page.title(), /failed/);
    assert.deepEqual(complaints, []);
  });

  for (const [name, includeIdTokenInSilentRenew] of [
    ['', false],
    [', with the ID token as a hint', true],
  ] as const) {
    it(`renews in a hidden frame with prompt=none${name} (OIDC Core 3.1.2.1)`, async () => {
      const first = await signIn();
      await page.evaluate(`manager.settings.includeIdTokenInSilentRenew = ${includeIdTokenInSilentRenew}`);
      const asked = page.waitForRequest('**/auth?*');
      const user = await renewInFrame();
      const sent = new URL((await asked).url()).searchParams;
      assert.equal(sent.get('prompt'), 'none');
      assert.equal(sent.get('id_token_hint'), includeIdTokenInSilentRenew ? first.id_token : null);
      assert.equal(user.error, undefined);
      assert.notEqual(user.access_token, first.access_token);
      assert.equal(user.profile.sid, first.profile.sid);
      assert.deepEqual(complaints, []);
    });
  }

  it('signs in without a page when the person has signed in to another application (single sign-on)', async () => {
    const { profile } = await signIn(brief.origin);
    await page.goto(app.origin);
    assert.equal(await kept(), null);
    assert.equal((await renewInFrame()).profile.sub, profile.sub);
    assert.equal((await someone()).profile.preferred_username, 'alice');
  });

  it('receives login_required in a hidden frame when no user is signed in (row 21)', async () => {
    await page.goto(app.origin);
    assert.equal((await renewInFrame()).error, 'login_required');
    assert.deepEqual(complaints, []);
  });

  it('on another site receives login_required in a frame, since SameSite=Lax cookies stay away, yet refreshes', async () => {
    const first = await signIn(app.otherSite);
    assert.equal((await renewInFrame()).error, 'login_required');
    const user = await page.evaluate<Kept>('manager.signinSilent()');
    assert.notEqual(user.access_token, first.access_token);
    assert.equal(user.profile.email, 'alice@example.com');
    assert.deepEqual(complaints, []);
  });

  it('signs out with the ID token as a hint and comes back with its state (RP-Initiated Logout 2 and 3)', async () => {
    const { id_token } = await signIn();
    const asked = page.waitForRequest('**/logout?*');
    await page.evaluate('void manager.signoutRedirect({ state: { from: "the menu" } })');
    await page.waitForURL(`${app.origin}/bye?*`);
    const sent = new URL((await asked).url()).searchParams;
    assert.equal(sent.get('id_token_hint'), id_token);
    assert.equal(new URL(page.url()).searchParams.get('state'), sent.get('state'));
    const { result, failed } = await arrived();
    assert.equal(failed, undefined);
    assert.deepEqual((result as { userState: unknown }).userState, { from: 'the menu' });
    assert.equal(await kept(), null);
    assert.equal((await renewInFrame()).error, 'login_required', 'the session has ended');
    assert.deepEqual(complaints, []);
  });

  it('signs out from a popup window', NOT_FOREVER, async () => {
    await signIn();
    await page.evaluate('manager.signoutPopup()');
    assert.equal(await kept(), null);
    assert.equal((await renewInFrame()).error, 'login_required');
  });

  it('revokes its tokens from its own origin (RFC 7009)', async () => {
    const { access_token, refresh_token } = await signIn();
    await page.evaluate('manager.revokeTokens()');
    assert.equal((await userinfo(server, access_token)).status, 401);
    await page.evaluate(
      `manager.storeUser(Object.assign(new oidc.User({ profile: {} }), { refresh_token: '${refresh_token}' }))`,
    );
    const error = await page.evaluate<string>('manager.signinSilent().catch(({ error }) => error)');
    assert.equal(error, 'invalid_grant');
  });

  it('gets nothing from an origin that no client has registered (row 55)', async () => {
    const { access_token } = await signIn();
    const read = `fetch('${server.at()}/userinfo', { headers: { authorization: 'Bearer ${access_token}' } })`;
    const outcome = () => page.evaluate<string>(`${read}.then(() => 'read', error => error.name)`);
    assert.equal(await outcome(), 'read');
    await page.goto(brief.otherSite);
    assert.equal(await outcome(), 'TypeError');
  });
});
