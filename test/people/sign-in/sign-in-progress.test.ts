import assert from 'node:assert/strict';
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { beforeEach, describe, it } from 'node:test';
import { claimsOf } from '../../build/client.ts';
import { assertPage, assertSentBack, delivered } from '../../build/delivered.ts';
import { aClient, anApplication, aUser, type ClientInput, PASSWORD } from '../../build/fixture.ts';
import {
  atChooser,
  atConsent,
  atLogin,
  bob,
  logIn,
  press,
  SESSION_COOKIE,
  signedIn,
  tokensFrom,
} from '../../build/people.ts';
import { testPart } from '../../build/suite-part.ts';
import { startTestServer } from '../../build/test-server.ts';
import { authorizationUrl, type Fields, formWith, Visitor } from '../../build/visitor.ts';

let visitor: Visitor;
const server = testPart(() => startTestServer({ users: [aUser(), bob()] }));
beforeEach(() => {
  visitor = new Visitor(server.base);
});

const follow = (fields: Fields = {}) => visitor.follow(authorizationUrl(server, fields));
const isSignedIn = async () => 'code' in delivered(await follow({ prompt: 'none' })).fields;
const register = (over: Partial<ClientInput>) =>
  server.provision({ applications: [anApplication({ clients: [aClient(over)] })] });

describe('the client’s registration changes while the user is on the login page', () => {
  it('its redirect address is removed: a page, and no redirect (row 11)', async () => {
    const page = await follow();
    await register({ redirect_uris: ['https://client.example/other'] });
    assertPage(await logIn(visitor, page));
  });

  it('its scope is narrowed: invalid_scope', async () => {
    const page = await follow({ scope: 'openid email' });
    await register({ scope: 'openid' });
    assertSentBack(server, await logIn(visitor, page), { error: 'invalid_scope' });
  });

  it('its flow is taken away: unauthorized_client, where the tokens would have gone', async () => {
    await register({ grant_types: ['authorization_code', 'implicit'] });
    const page = await follow({ response_type: 'id_token', nonce: 'n' });
    await register({ grant_types: ['authorization_code'] });
    assertSentBack(server, await logIn(visitor, page), { error: 'unauthorized_client', place: 'fragment' });
  });

  it('it has to use PKCE now: invalid_request', async () => {
    const page = await follow();
    await register({ require_pkce: true });
    assertSentBack(server, await logIn(visitor, page), { error: 'invalid_request' });
  });

  it('it needs consent now: the consent page', async () => {
    const page = await follow();
    await register({ require_consent: true });
    assert(atConsent(await logIn(visitor, page)));
  });

  it('it is deleted: a page, and no session is opened', async () => {
    const page = await follow();
    assert(await server.services.store.deleteClient('shop', 'web', server.services.clock.now()));
    await server.services.registry.refresh();
    assertPage(await logIn(visitor, page));
    assert.equal(visitor.cookies.has(SESSION_COOKIE), false);
  });

  it('its scope is narrowed on the consent page: that has expired', async () => {
    await register({ require_consent: true });
    const page = await logIn(visitor, await follow({ scope: 'openid email' }));
    await register({ require_consent: true, scope: 'openid' });
    assertPage(await press(visitor, page, 'allow'));
  });
});

describe('the validated request travels through the pages (row 26)', () => {
  it('whole: state, nonce, language, hint, scopes and claims', async () => {
    const state = 'é世界 "\\\u2028 %20+&=';
    const claims = JSON.stringify({ id_token: { acr: null, nickname: null } });
    const asked = {
      state,
      claims,
      nonce: 'n "1"',
      ui_locales: 'zh',
      login_hint: 'a"b',
      scope: 'openid',
      prompt: 'consent',
    };
    const page = await follow(asked);
    assert.match(page.text, /<html lang="zh-Hans"/);
    assert(page.text.includes('value="a&quot;b"'));
    const consent = await logIn(visitor, page);
    assert(atConsent(consent));
    const seen = await press(visitor, consent, 'allow');
    assert.equal(delivered(seen).fields.state, state);
    const { nonce, acr, amr, nickname } = claimsOf((await tokensFrom(server, seen)).id_token);
    assert.deepEqual([nonce, acr, amr], ['n "1"', '1', ['pwd']]);
    assert.notEqual(nickname, undefined);
  });

  it('also when it is as long as a request may be', async () => {
    const short = authorizationUrl(server, { state: '' }).split('?')[1]?.length ?? 0;
    const state = 'x'.repeat(16 * 1024 - short);
    const [toLogin] = await patient(authorizationUrl(server, { state }));
    const { location: loginUrl = '' } = toLogin.headers;
    const cookie = (toLogin.headers['set-cookie'] ?? []).map(line => line.split(';')[0]).join('; ');
    const [, page] = await patient(loginUrl, { cookie });
    const pending = /name="pending" value="([^"]*)"/.exec(page)?.[1] ?? '';
    const body = new URLSearchParams({ pending, username: 'alice', password: PASSWORD }).toString();
    const [posted] = await patient(`${server.base}/login`, { cookie, origin: server.base }, body);
    const session = (posted.headers['set-cookie'] ?? []).map(line => line.split(';')[0]).join('; ');
    const [answer] = await patient(posted.headers.location ?? '', { cookie: `${cookie}; ${session}` });
    assert.equal(new URL(answer.headers.location ?? '').searchParams.get('state'), state);
  });

  it('not when sealing would make it longer than an address can be', async () => {
    const state = '\u0001'.repeat(5000);
    const { fields } = delivered(await follow({ state }));
    assert.equal(fields.error, 'invalid_request');
    assert.match(fields.error_description ?? '', /longer than this server accepts/);
    assert.equal(fields.state, state);
    assert(delivered(await logIn(visitor, await follow({ state: '\u0001'.repeat(1000) }))).fields.code);
  });
});

/** A request of a browser that takes long addresses: fetch ends at headers of 16 KiB. */
async function patient(
  url: string,
  headers: Record<string, string> = {},
  body?: string,
): Promise<[IncomingMessage, string]> {
  const method = body === undefined ? 'GET' : 'POST';
  const form = body === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' };
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const options = { method, headers: { accept: 'text/html', ...form, ...headers }, maxHeaderSize: 48 * 1024 };
    request(url, options, resolve).on('error', reject).end(body);
  });
  return [response, await text(response)];
}

describe('a session is opened at the end of the sign-in', () => {
  it('not for another user than the request names: login_required, and the session before stays', async () => {
    visitor = await signedIn(server);
    const mine = claimsOf((await tokensFrom(server, await follow())).id_token);
    const before = visitor.cookies.get(SESSION_COOKIE);
    const claims = JSON.stringify({ id_token: { sub: { value: mine.sub } } });
    const page = await follow({ claims, prompt: 'login' });
    assertSentBack(server, await logIn(visitor, page, 'bob'), { error: 'login_required' });
    assert.equal(visitor.cookies.get(SESSION_COOKIE), before);
    assert.equal(claimsOf((await tokensFrom(server, await follow({ prompt: 'none' }))).id_token).sub, mine.sub);
  });

  it('the proofs of a refused sign-in open no session, on any page', async () => {
    const page = await follow({ claims: JSON.stringify({ id_token: { sub: { value: 'somebody' } } }) });
    const form = formWith(page, 'password');
    const body = new URLSearchParams([...form.fields, ['username', 'bob'], ['password', PASSWORD]]);
    const headers = { 'content-type': 'application/x-www-form-urlencoded', origin: server.base };
    const { location = '' } = await visitor.go(form.action, { method: 'POST', body: body.toString(), headers });
    const sealed = new URL(location).searchParams.get('gatehouse_pending');
    assertSentBack(server, await visitor.go(location), { error: 'login_required' });
    assert(atLogin(await visitor.follow(`${server.base}/login?pending=${sealed}`)));
    assertSentBack(server, await visitor.follow(`${server.base}/consent?pending=${sealed}`), {
      error: 'login_required',
    });
    assert.equal(await isSignedIn(), false);
  });

  it('before the consent: a user who refuses it stays signed in', async () => {
    await register({ require_consent: true });
    const consent = await logIn(visitor, await follow());
    assert(atConsent(consent));
    assertSentBack(server, await press(visitor, consent, 'deny'), { error: 'access_denied' });
    assert.equal(delivered(await follow({ prompt: 'none' })).fields.error, 'consent_required');
  });
});

describe('two tabs and the back button', () => {
  it('each tab has a progress of its own: both get their answer', async () => {
    const first = await follow({ state: 'first' });
    const second = await follow({ state: 'second' });
    assert.equal(delivered(await logIn(visitor, first)).fields.state, 'first');
    assert.equal(delivered(await logIn(visitor, second)).fields.state, 'second');
  });

  it('back from the password of another account to the chooser: the present user can still continue', async () => {
    visitor = await signedIn(server);
    const chooser = await follow({ prompt: 'select_account' });
    assert(atChooser(chooser));
    assert(atLogin(await press(visitor, chooser, 'another')));
    assert(atChooser(await visitor.go(chooser.url)));
    assert(delivered(await press(visitor, chooser, 'continue')).fields.code);
  });

  it('consent sent twice is the same consent', async () => {
    const consent = await logIn(visitor, await follow({ prompt: 'consent' }));
    for (const time of ['first', 'second']) {
      assert(delivered(await press(visitor, consent, 'allow')).fields.code, time);
    }
  });

  it('prompt=login select_account asks for the password, which is a selection too', async () => {
    visitor = await signedIn(server);
    const page = await follow({ prompt: 'login select_account' });
    assert(atLogin(page));
    assert(delivered(await logIn(visitor, page, 'bob')).fields.code);
  });
});
