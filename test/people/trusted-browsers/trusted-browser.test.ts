import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import type { Store } from '../../../src/store.ts';
import { anAuthenticator, TOTP_SECRET } from '../../build/authenticator.ts';
import { claimsOf, redeem, WEB } from '../../build/client.ts';
import { fixedClock } from '../../build/clock.ts';
import { delivered } from '../../build/delivered.ts';
import { anApplication, aUser, PASSWORD } from '../../build/fixture.ts';
import { testPart } from '../../build/suite-part.ts';
import { suiteServer } from '../../build/test-server.ts';
import { authorizationUrl, type Fields, formWith, type Seen, signIn, Visitor } from '../../build/visitor.ts';

const COOKIE = 'gatehouse_trusted_browser';
const DAY = 86_400;

let username: string;
let sub: string;
let count = 0;
const calls: string[] = [];
const clock = fixedClock();
const app = anAuthenticator(clock);
const server = suiteServer({
  clock,
  applications: [
    anApplication({ trusted_browsers: true }),
    anApplication({ code: 'bank', name: 'Bank', mfa: 'required', trusted_browsers: true }),
    anApplication({ code: 'strict', name: 'Strict' }),
  ],
  users: [],
  wrapStore: noting,
});
beforeEach(async () => {
  username = `user${++count}`;
  const names = { username, email: `${username}@example.com`, phone_number: null, phone_number_verified: false };
  await server.provision({ users: [aUser({ ...names, totp_secret: TOTP_SECRET })] });
  sub = (await server.services.store.findAccount(username))?.sub ?? '';
});
const visitor = testPart(() => new Visitor(server.base));
beforeEach(() => {
  clock.advance(600);
});

function noting(store: Store): Store {
  return new Proxy(store, {
    get(target, name) {
      const value = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      return (...args: unknown[]) => {
        calls.push(String(name));
        return Reflect.apply(value, target, args);
      };
    },
  });
}

const password = (fields: Fields = {}, of?: string, by = visitor) =>
  signIn(server, fields, { visitor: by, username, ...(of === undefined ? {} : { app: of }) });
const isAsked = (seen: Seen) => /\/login\/totp\?/.test(seen.url);
const codeOf = (seen: Seen) => delivered(seen).fields.code;

/** Signs in with both factors and ticks the box, then closes the session. */
async function trust(by = visitor, of?: string): Promise<void> {
  const page = await password({}, of, by);
  assert(isAsked(page));
  const seen = await by.send(formWith(page, 'code'), { code: app.code(), trust: 'true' });
  assert(codeOf(seen));
  by.cookies.delete('gatehouse_session');
  clock.advance(60);
}

describe('a trusted browser (accounts contract, Second factors)', () => {
  it('is offered with the one-time password, and only where the application allows it', async () => {
    const page = await password();
    assert.match(page.text, /<input type="checkbox" id="trust" name="trust" value="true"><label for="trust">/);
    const recovery = await visitor.go(page.url.replace('/login/totp', '/login/recovery'));
    assert.doesNotMatch(recovery.text, /name="trust"/);
    const strict = await password({}, 'strict', new Visitor(server.base));
    assert.doesNotMatch(strict.text, /name="trust"/);
    const zh = await visitor.go(page.url, { headers: { 'accept-language': 'zh' } });
    assert.match(zh.text, /30 天内在此浏览器中不再要求验证码/);
  });

  it('skips the second factor, not the first, and tells the client so: amr pwd, acr 1', async () => {
    await trust();
    const page = await visitor.follow(authorizationUrl(server));
    assert.match(page.text, /name="password"/);
    const seen = await visitor.send(formWith(page, 'password'), { username, password: PASSWORD });
    const { json } = await redeem(server, codeOf(seen) ?? '', {}, { auth: WEB });
    const { amr, acr } = claimsOf(json.id_token);
    assert.deepEqual([amr, acr], [['pwd'], '1']);
    assert(codeOf(await visitor.follow(authorizationUrl(server))), 'single sign-on');
    assert(codeOf(await visitor.follow(authorizationUrl(server, {}, 'bank'))), 'mfa: required');
    assert(codeOf(await visitor.follow(authorizationUrl(server, { prompt: 'none' }))));
  });

  it('does not count where the application does not allow it, for acr_values, nor for fresh proofs of account pages', async () => {
    await trust();
    await password();
    assert(isAsked(await visitor.follow(authorizationUrl(server, {}, 'strict'))));
    assert(isAsked(await visitor.follow(authorizationUrl(server, { acr_values: '2' }))));
    const claims = JSON.stringify({ id_token: { acr: { essential: true, value: '2' } } });
    assert(isAsked(await visitor.follow(authorizationUrl(server, { claims }))));
    assert(isAsked(await visitor.follow(`${server.base}/account/security`)));
    assert(isAsked(await visitor.follow(`${server.base}/account`)));
  });

  it('max_age and prompt=login ask for the password only', async () => {
    await trust();
    await password();
    for (const fields of [{ prompt: 'login' }, { max_age: '0' }]) {
      const page = await visitor.follow(authorizationUrl(server, fields));
      assert(codeOf(await visitor.send(formWith(page, 'password'), { username, password: PASSWORD })));
    }
  });

  it('ends after 30 days', async () => {
    await trust();
    clock.advance(29 * DAY);
    assert(codeOf(await password()));
    visitor.cookies.delete('gatehouse_session');
    clock.advance(DAY);
    assert(isAsked(await password()));
  });

  it('without the box ticked nothing is trusted', async () => {
    const page = await password();
    await visitor.send(formWith(page, 'code'), { code: app.code() });
    assert.equal(visitor.cookies.has(COOKIE), false);
  });

  it('is remembered for each of its users', async () => {
    const first = username;
    await trust();
    username = `other${count}`;
    const names = { username, email: `${username}@example.com`, phone_number: null, phone_number_verified: false };
    await server.provision({ users: [aUser({ ...names, totp_secret: TOTP_SECRET })] });
    await trust();
    for (const each of [first, username]) {
      username = each;
      assert(codeOf(await password()), each);
      visitor.cookies.delete('gatehouse_session');
    }
  });

  it('is listed on /account/security and withdrawn there, with events', async () => {
    await trust();
    const page = await visitor.follow(`${server.base}/account/security`);
    const asked = await visitor.send(formWith(page, 'password'), { username, password: PASSWORD });
    assert(isAsked(asked), 'a fresh proof needs both factors');
    const security = await visitor.send(formWith(asked, 'code'), { code: app.code() });
    assert.match(security.text, /<h2>Trusted browsers<\/h2>/);
    const after = await visitor.send(formWith(security, 'browser'), { action: 'distrust_browser' });
    assert.doesNotMatch(after.text, /Trusted browsers/);
    visitor.cookies.delete('gatehouse_session');
    assert(isAsked(await password()));
    const types = ['browser.trusted', 'browser.distrusted'] as const;
    const events = await server.services.store.listEvents({ types }, { after: undefined, limit: 50 });
    const own = events.filter(({ subject }) => subject === sub);
    assert.deepEqual(own.map(({ type }) => type).sort(), [...types].sort());
  });

  it('withdrawing it ends what a session of one factor may do', async () => {
    await trust();
    assert(codeOf(await password()));
    const { store } = server.services;
    const [browser] = await store.trustedBrowsersOf(sub, clock.now());
    await store.distrustBrowser(sub, browser?.id ?? '');
    assert(isAsked(await visitor.follow(authorizationUrl(server))));
  });

  for (const [what, end] of [
    ['a new password', async () => server.services.store.changePassword(sub, await hashed(), clock.now())],
    ['signing out everywhere', async () => server.services.store.endUserAccess(sub, clock.now())],
    ['a new second factor', async () => newTotp()],
  ] as const) {
    it(`ends with ${what}`, async () => {
      await trust();
      await end();
      assert(isAsked(await password()));
    });
  }
  const hashed = () => server.services.passwords.hash(PASSWORD);
  const newTotp = async () => {
    const { store } = server.services;
    const key = (await store.secondFactorsOf(sub)).totp?.sealedKey ?? '';
    await store.removeTotp(sub, clock.now());
    await store.addTotp(sub, { sealedKey: key, step: 1, recoveryHashes: [] }, clock.now());
  };

  it('is looked up only where it can make a difference', async () => {
    await trust();
    const asks = async (work: () => Promise<unknown>) => {
      calls.length = 0;
      await work();
      return calls.filter(name => name === 'isTrustedBrowser').length;
    };
    assert.equal(await asks(() => password({}, 'strict')), 0, 'the application does not allow it');
    visitor.cookies.delete('gatehouse_session');
    assert.equal(await asks(() => password({}, undefined, new Visitor(server.base))), 0, 'no cookie');
    assert.equal(await asks(() => visitor.follow(authorizationUrl(server))), 0, 'nobody is signed in');
  });
});

describe('attacks on trusted browsers', () => {
  it('the cookie of another user, a guessed one and one of the application’s own making skip nothing', async () => {
    await trust();
    const stolen = visitor.cookies.get(COOKIE) ?? '';
    username = `victim${count}`;
    const names = { username, email: `${username}@example.com`, phone_number: null, phone_number_verified: false };
    await server.provision({ users: [aUser({ ...names, totp_secret: TOTP_SECRET })] });
    for (const cookie of [stolen, 'gtb_guess', '', '....', `${'gtb_x.'.repeat(500)}`]) {
      const thief = new Visitor(server.base);
      thief.cookies.set(COOKIE, cookie);
      assert(isAsked(await password({}, undefined, thief)), cookie.slice(0, 20));
    }
  });

  it('a cookie that somebody put into the browser before is worth nothing afterwards', async () => {
    visitor.cookies.set(COOKIE, 'gtb_planted');
    await trust();
    const attacker = new Visitor(server.base);
    attacker.cookies.set(COOKIE, 'gtb_planted');
    assert(isAsked(await password({}, undefined, attacker)));
  });

  it('a form that ticks the box where none was offered trusts nothing', async () => {
    const page = await password({}, 'strict');
    assert(codeOf(await visitor.send(formWith(page, 'code'), { code: app.code(), trust: 'true' })));
    assert.equal(visitor.cookies.has(COOKIE), false);
    assert.deepEqual(await server.services.store.trustedBrowsersOf(sub, clock.now()), []);
  });

  it('a recovery code trusts nothing, whatever the form says', async () => {
    const { hashRecoveryCode } = await import('../../../src/people/recovery-codes/codes.ts');
    const code = 'abcd-efgh-jkmn-pqrs';
    await server.services.store.replaceRecoveryCodes(sub, [hashRecoveryCode(sub, code)], clock.now());
    const form = formWith(await password(), 'code');
    const sent = { ...form, action: `${server.base}/login/recovery` };
    assert(codeOf(await visitor.send(sent, { code, trust: 'true' })));
    assert.equal(visitor.cookies.has(COOKIE), false);
  });

  it('a form that names the browser of another user withdraws nothing', async () => {
    await trust();
    const { store } = server.services;
    const [browser] = await store.trustedBrowsersOf(sub, clock.now());
    assert.equal(await store.distrustBrowser('somebody else', browser?.id ?? ''), false);
    assert.equal((await store.trustedBrowsersOf(sub, clock.now())).length, 1);
  });
});
