import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { nameOfPasskey } from '../../../src/people/passkey/html.ts';
import { passkeyIdOf } from '../../../src/people/passkey/rules.ts';
import { anAuthenticator } from '../../build/authenticator.ts';
import { delivered } from '../../build/delivered.ts';
import { PASSWORD } from '../../build/fixture.ts';
import { anOperatorClient } from '../../build/operator.ts';
import { aPasskey, askedBy } from '../../build/passkey.ts';
import { suitePart } from '../../build/suite-part.ts';
import { startTestServer } from '../../build/test-server.ts';
import { authorizationUrl, formWith, type Seen, signIn, Visitor } from '../../build/visitor.ts';
import {
  addPasskey,
  aPerson,
  byPasskey,
  byPassword,
  enrolled,
  hasSession,
  idTokenOf,
  loginPage,
  PASSKEYS,
  passkeysPage,
  sendPasskey,
  startPasskeyServer,
} from './passkeys-fixture.ts';

let visitor: Visitor;
let username: string;
const server = suitePart(() => startPasskeyServer());
beforeEach(async () => {
  visitor = new Visitor(server.base);
  username = await aPerson(server);
});

const press = (page: Seen, action: string, values: Record<string, string> = {}) =>
  visitor.send(formWith(page, `action" value="${action}`), { action, ...values });
const open = () => visitor.follow(`${server.base}${PASSKEYS}`);
const lastEvent = async (type: 'factor.added' | 'factor.removed') =>
  (await server.services.store.listEvents({ types: [type] }, { after: undefined, limit: 1 }))[0]?.details;

describe('the passkeys of a user (accounts contract, /account/security/passkeys)', () => {
  it('the first is added with recovery codes, and the session that added it is stepped up', async () => {
    const page = await passkeysPage(server, visitor, username);
    const before = visitor.cookies.get('gatehouse_session');
    const passkey = aPasskey();
    const added = await addPasskey(visitor, page, passkey.register(askedBy(page)), 'My laptop');
    assert.equal(added.text.match(/class="recovery-code"/g)?.length, 10);
    assert.notEqual(visitor.cookies.get('gatehouse_session'), before);
    assert.deepEqual(await lastEvent('factor.added'), { factor: 'passkey', id: passkeyIdOf(passkey.credentialId) });
    const listed = await open();
    assert.equal(listed.status, 200);
    assert.match(listed.text, /<strong>My laptop<\/strong>[\s\S]*not used yet/);
    const { acr } = await idTokenOf(server, await loginPage(server, visitor));
    assert.equal(acr, 'phr');
  });

  it('an authenticator app added beside it shows no further codes: those that the user has stay good', async () => {
    await enrolled(server, username, aPasskey(), visitor);
    const page = await visitor.follow(`${server.base}/account/security/totp`);
    const key = /id="totp-key"[^>]*>([^<]+)</.exec(page.text)?.[1]?.replaceAll(' ', '') ?? '';
    const code = anAuthenticator(server.clock, key).code();
    const added = await visitor.send(formWith(page, 'code'), { code });
    assert.doesNotMatch(added.text, /class="recovery-code"/);
    assert.match(added.url, /\/account\/security$/);
  });

  it('several have names of their own; a second one brings no further codes, and the list says when each was used', async () => {
    const first = await enrolled(server, username, aPasskey(), visitor);
    const page = await open();
    assert.deepEqual(
      (askedBy(page) as unknown as { excludeCredentials: { id: string }[] }).excludeCredentials.map(({ id }) => id),
      [first.credentialId],
    );
    const listed = await addPasskey(visitor, page, aPasskey({ isSynced: true }).register(askedBy(page)), '<Phone>');
    assert.doesNotMatch(listed.text, /recovery-code/);
    assert.match(listed.text, /&lt;Phone&gt;[\s\S]*synced between your devices/);
    assert(delivered(await byPasskey(server, first)).fields.code);
    assert.match((await open()).text, /last used on/);
  });

  it('one without a name gets one; a long name is cut', async () => {
    const page = await passkeysPage(server, visitor, username);
    await addPasskey(visitor, page, aPasskey().register(askedBy(page)), ' ');
    const next = await open();
    await addPasskey(visitor, next, aPasskey().register(askedBy(next)), 'x'.repeat(80));
    const { sub = '' } = (await server.services.store.findAccount(username)) ?? {};
    const names = (await server.services.store.passkeysOf(sub)).map(({ name }) => name).sort();
    assert.deepEqual(names, ['Passkey', 'x'.repeat(50)]);
    const firefox = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:145.0) Gecko/20100101 Firefox/145.0';
    assert.equal(nameOfPasskey('en', firefox), 'Firefox on Windows', 'the browser and system it was made with');
  });

  it('is renamed and removed; with the last one the recovery codes go', async () => {
    const passkey = await enrolled(server, username, aPasskey(), visitor);
    const renamed = await press(await open(), 'rename', { name: 'Blue key' });
    assert.match(renamed.text, /<strong>Blue key<\/strong>/);
    const removed = await press(renamed, 'remove');
    assert.match(removed.text, /You have no passkey yet/);
    const id = passkeyIdOf(passkey.credentialId);
    assert.deepEqual(await lastEvent('factor.removed'), { factor: 'passkey', id });
    assert(delivered(await byPassword(server, username, new Visitor(server.base))).fields.code);
    const { sub = '' } = (await server.services.store.findAccount(username)) ?? {};
    assert.equal((await server.services.store.secondFactorsOf(sub)).recoveryCodesLeft, 0);
  });

  it('the last way in stays: no password, no link, no other passkey', async () => {
    const passkey = await enrolled(server, username, aPasskey(), visitor);
    const { store, clock } = server.services;
    const { sub = '' } = (await store.findAccount(username)) ?? {};
    await store.changePassword(sub, undefined, clock.now());
    const login = await open();
    const page = await sendPasskey(visitor, login, passkey.assert(askedBy(login)));
    assert.equal(page.url, `${server.base}${PASSKEYS}`);
    const refused = await press(page, 'remove');
    assert.equal(refused.status, 409);
    assert.match(refused.text, /it is your only way to sign in/);
    assert.equal((await store.passkeysOf(sub)).length, 1);
  });

  it('needs an authentication not older than 5 minutes with the strongest factor the user has', async () => {
    const passkey = await enrolled(server, username, aPasskey(), visitor);
    assert.equal((await open()).status, 200);
    server.clock.advance(301);
    const login = await open();
    assert.match(login.url, /\/login\?/);
    const page = await byPasswordHere(login);
    assert.match(page.url, /\/login\/passkey\?/, 'the password is not enough');
    const back = await sendPasskey(visitor, page, passkey.assert(askedBy(page)));
    assert.equal(back.url, `${server.base}${PASSKEYS}`, 'and it comes back');
    server.clock.advance(301);
    const again = await open();
    assert.equal((await sendPasskey(visitor, again, passkey.assert(askedBy(again)))).url, `${server.base}${PASSKEYS}`);
  });

  it('a recovery code stands in for a lost passkey, so that it can be removed', async () => {
    const page = await passkeysPage(server, visitor, username);
    const shown = await addPasskey(visitor, page, aPasskey().register(askedBy(page)));
    const code = /class="recovery-code">([^<]+)</.exec(shown.text)?.[1] ?? '';
    visitor = new Visitor(server.base);
    const asked = await byPasswordHere(await open());
    const link = /href="(\/login\/recovery[^"]+)"/.exec(asked.text)?.[1] ?? '';
    const recovery = await visitor.go(server.base + link.replaceAll('&amp;', '&'));
    const listed = await visitor.send(formWith(recovery, 'code'), { code });
    assert.equal(listed.url, `${server.base}${PASSKEYS}`);
    assert.match((await press(listed, 'remove')).text, /You have no passkey yet/);
  });

  it('an operator sees it without its key, and removes it (GET and DELETE /users/{sub}/factors)', async () => {
    const passkey = await enrolled(server, username);
    const owner = await anOperatorClient(server);
    const { sub = '' } = (await server.services.store.findAccount(username)) ?? {};
    const listed = await owner.ask('GET', `/users/${sub}/factors`);
    const held = listed.json.items.find(({ kind }: { kind: string }) => kind === 'passkey');
    assert.deepEqual(Object.keys(held).sort(), ['created_at', 'id', 'kind']);
    assert(!JSON.stringify(listed.json).includes(passkey.credentialId));
    assert.equal((await owner.ask('DELETE', `/users/${sub}/factors/${held.id}`)).status, 204);
    assert(delivered(await byPassword(server, username, visitor)).fields.code);
  });

  const byPasswordHere = async (page: Seen): Promise<Seen> =>
    visitor.send(formWith(page, 'password'), { username, password: PASSWORD });
});

describe('the offer of a passkey', () => {
  const account = () => visitor.follow(`${server.base}/account`);
  it('is on the account page after a password sign-in, hidden without script, until the user says not now', async () => {
    assert(
      delivered(await byPassword(server, username, visitor)).fields.code,
      'it stands between no client and its answer',
    );
    const page = await account();
    assert.match(page.text, /<section class="offer" data-passkeys-only hidden>/);
    const declined = await press(page, 'not_now');
    assert.equal(declined.url, `${server.base}/account`);
    assert.doesNotMatch(declined.text, /class="offer"/);
    assert(hasSession(visitor));
  });

  it('is not for users who have one', async () => {
    await enrolled(server, username, aPasskey(), visitor);
    assert.doesNotMatch((await account()).text, /class="offer"/);
  });
});

describe('a server without a domain name (WebAuthn section 5.1.3)', () => {
  it('offers no passkeys: browsers refuse them for network addresses', async t => {
    const plain = await startTestServer();
    t.after(plain.close);
    const other = new Visitor(plain.base);
    const page = await other.follow(authorizationUrl(plain));
    assert.doesNotMatch(page.text, /data-passkey/);
    await signIn(plain, {}, { visitor: other });
    assert.equal((await other.follow(`${plain.base}${PASSKEYS}`)).status, 403);
    assert.doesNotMatch((await other.follow(`${plain.base}/account/security`)).text, /passkeys/);
  });
});
