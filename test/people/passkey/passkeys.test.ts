import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { anAuthenticator, TOTP_SECRET } from '../../build/authenticator.ts';
import { delivered } from '../../build/delivered.ts';
import { PASSWORD } from '../../build/fixture.ts';
import { aPasskey, askedBy } from '../../build/passkey.ts';
import { press } from '../../build/people.ts';
import { suitePart, testPart } from '../../build/suite-part.ts';
import { formWith, Visitor } from '../../build/visitor.ts';
import { anAct } from '../../store/contract/users-fixture.ts';
import {
  aPerson,
  byPasskey,
  byPassword,
  enrolled,
  essentialAcr,
  hasSession,
  idTokenOf,
  loginPage,
  passkeysPage,
  sendPasskey,
  startPasskeyServer,
} from './passkeys-fixture.ts';

let username: string;
const server = suitePart(() => startPasskeyServer());
const visitor = testPart(() => new Visitor(server.base));
beforeEach(async () => {
  username = await aPerson(server);
});

const events = async (type: 'factor.used' | 'user.login.succeeded') =>
  (await server.services.store.listEvents({ types: [type] }, { after: undefined, limit: 1 }))[0];

describe('signing in with a passkey (accounts contract, /login)', () => {
  it('with user verification: acr phr, amr by where the key lives (RFC 8176), and one session', async () => {
    const cases = [
      [aPasskey(), ['hwk', 'user', 'mfa']],
      [aPasskey({ isSynced: true, hasCounter: false }), ['swk', 'user', 'mfa']],
    ] as const;
    for (const [passkey, expected] of cases) {
      await enrolled(server, await aPerson(server), passkey);
      const { amr, acr, auth_time } = await idTokenOf(server, await byPasskey(server, passkey));
      assert.deepEqual([amr, acr, auth_time], [expected, 'phr', server.clock.now()]);
    }
    const used = await events('factor.used');
    assert.equal(used?.details?.factor, 'passkey');
  });

  it('is a passkey in the activity of the account, not a code', async () => {
    const passkey = await enrolled(server, username);
    await byPasskey(server, passkey, { visitor });
    const other = new Visitor(server.base);
    const page = await loginPage(server, other);
    await sendPasskey(other, page, passkey.assert(askedBy(page), { signature: Buffer.alloc(70) }));
    await server.services.recorder.drain();
    for (const [language, used, failed] of [
      ['en', 'A passkey was used', 'A sign-in failed: the passkey was not accepted'],
      ['zh', '使用了通行密钥', '登录失败：通行密钥未被接受'],
      ['de', 'Ein Passkey wurde verwendet', 'Eine Anmeldung ist fehlgeschlagen: Der Passkey wurde nicht angenommen'],
    ] as const) {
      const headers = { 'accept-language': language };
      const { text } = await visitor.go(`${server.base}/account/activity`, { headers });
      assert(text.includes(used) && text.includes(failed), text);
      assert.doesNotMatch(text, /recovery code|恢复码|Wiederherstellungscode/);
    }
  });

  it('without user verification it is one factor, and the password is asked for where two are needed', async () => {
    const passkey = await enrolled(server, username, aPasskey({ isVerifying: false }));
    const open = await idTokenOf(server, await byPasskey(server, passkey, { app: 'open' }), 'open');
    assert.deepEqual([open.amr, open.acr], [['hwk'], '1']);
    const page = await byPasskey(server, passkey, { visitor });
    assert.match(page.text, /Enter your password as well/);
    assert.equal(hasSession(visitor), false);
    const seen = await visitor.send(formWith(page, 'password'), { username, password: 'wrong' });
    assert.equal(hasSession(visitor), false);
    const both = await visitor.send(formWith(seen, 'password'), {
      username,
      password: PASSWORD,
    });
    const { amr, acr } = await idTokenOf(server, both);
    assert.deepEqual([amr, acr], [['hwk', 'pwd', 'mfa'], '2']);
  });

  it('the page offers it by autofill and by a button that needs script; nothing is stored for it (row 26)', async () => {
    const page = await loginPage(server, visitor);
    assert.match(page.text, /name="username"[^>]*autocomplete="username webauthn"/);
    assert.match(page.text, /<form [^>]*data-passkey="get"[^>]* data-autofill hidden>/);
    const { challenge, ...options } = askedBy(page) as unknown as Record<string, unknown>;
    assert.match(String(challenge), /^[\w-]{43}$/);
    assert.deepEqual(
      [options.rpId, options.userVerification, options.allowCredentials],
      ['localhost', 'preferred', []],
    );
  });

  it('an unknown passkey, one of a disabled user and a wrong signature get the same page', async () => {
    const [stranger, disabled, wrong] = [aPasskey(), await enrolled(server, username), aPasskey()];
    const other = await aPerson(server);
    await enrolled(server, other, wrong);
    await server.provision({ users: [{ username, disabled: true }] });
    const answers: string[] = [];
    for (const [passkey, lies] of [
      [stranger, { userHandle: 'AAAA' }],
      [disabled, {}],
      [wrong, { signature: Buffer.alloc(70) }],
    ] as const) {
      const page = await loginPage(server, visitor);
      const seen = await sendPasskey(visitor, page, passkey.assert(askedBy(page), lies));
      assert.equal(seen.status, 400);
      assert.equal(hasSession(visitor), false);
      answers.push(seen.text.replaceAll(/pending=[\w-]+|value="[\w-]{100,}"|data-options="[^"]*"/g, ''));
    }
    assert.equal(new Set(answers).size, 1);
    assert.match(answers[0] ?? '', /role="alert"[^>]*>That passkey did not work/);
  });

  it('an application with passkeys: false does not offer it, and refuses one that is sent all the same', async () => {
    const passkey = await enrolled(server, username);
    const page = await loginPage(server, visitor, {}, 'plain');
    assert.doesNotMatch(page.text, /data-passkey|webauthn/);
    const asked = askedBy(await loginPage(server, visitor));
    const form = formWith(page, 'password');
    const seen = await visitor.send(form, { action: 'passkey', passkey: passkey.assert(asked) });
    assert.equal(seen.status, 403);
    assert.match(seen.text, /Passkeys cannot be used here/);
    const answer = await byPassword(server, username, visitor, {}, 'plain');
    assert.equal((await idTokenOf(server, answer, 'plain')).acr, '1', 'nor is it the second factor there');
  });
});

describe('a passkey as second factor (accounts contract, mfa)', () => {
  it('is asked for after the password, of the credentials of this user, and there is no session before it', async () => {
    const passkey = await enrolled(server, username);
    const page = await byPassword(server, username, visitor);
    assert.match(page.url, /\/login\/passkey\?/);
    assert.equal(hasSession(visitor), false);
    const asked = askedBy(page) as unknown as { readonly allowCredentials: readonly object[] };
    assert.deepEqual(asked.allowCredentials, [
      { type: 'public-key', id: passkey.credentialId, transports: ['internal'] },
    ]);
    const { amr, acr } = await idTokenOf(server, await sendPasskey(visitor, page, passkey.assert(askedBy(page))));
    assert.deepEqual([amr, acr], [['pwd', 'hwk', 'user', 'mfa'], 'phr']);
  });

  it('without user verification it makes two factors with the password, and no more', async () => {
    const passkey = await enrolled(server, username, aPasskey({ isVerifying: false }));
    const page = await byPassword(server, username, visitor);
    const { amr, acr } = await idTokenOf(server, await sendPasskey(visitor, page, passkey.assert(askedBy(page))));
    assert.deepEqual([amr, acr], [['pwd', 'hwk', 'mfa'], '2']);
  });

  it('links to the authenticator app and to recovery codes, where the user has them', async () => {
    username = await aPerson(server, { totp_secret: TOTP_SECRET });
    const app = anAuthenticator(server.clock);
    const enrolling = new Visitor(server.base);
    const code = await passkeysPage(server, enrolling, username);
    await enrolling.send(formWith(code, 'code'), { code: app.code() });
    const passkey = await enrolled(server, username, aPasskey(), enrolling);
    assert(passkey);
    server.clock.advance(60);
    const page = await byPassword(server, username, visitor);
    const link = /href="(\/login\/totp[^"]+)"/.exec(page.text)?.[1] ?? '';
    assert.match(page.text, /href="\/login\/recovery\?/);
    const totp = await visitor.go(server.base + link.replaceAll('&amp;', '&'));
    assert.match(totp.text, /href="\/login\/passkey\?/);
    const { acr } = await idTokenOf(server, await visitor.send(formWith(totp, 'code'), { code: app.code() }));
    assert.equal(acr, '2');
  });

  it('an essential acr phr steps a live session up; of a user without a passkey it is refused', async () => {
    const passkey = await enrolled(server, username);
    await byPassword(server, username, visitor, {}, 'open');
    const before = visitor.cookies.get('gatehouse_session');
    const page = await loginPage(server, visitor, { claims: essentialAcr('phr') }, 'open');
    assert.match(page.url, /\/login\/passkey\?/);
    assert.doesNotMatch(page.text, /\/login\/(recovery|totp)/, 'they would not help');
    const weak = await sendPasskey(visitor, page, passkey.assert(askedBy(page), { isVerified: false }));
    assert.equal(weak.status, 400, 'without user verification it is not phishing resistant');
    const seen = await sendPasskey(visitor, weak, passkey.assert(askedBy(weak)));
    const { amr, acr } = await idTokenOf(server, seen, 'open');
    assert.deepEqual([amr, acr], [['pwd', 'hwk', 'user', 'mfa'], 'phr']);
    assert.notEqual(visitor.cookies.get('gatehouse_session'), before);
    const other = new Visitor(server.base);
    const refused = await byPassword(server, await aPerson(server), other, { claims: essentialAcr('phr') }, 'open');
    assert.equal(delivered(refused).fields.error, 'unmet_authentication_requirements');
  });

  it('five wrong answers end the sign-in, counted with the codes', async () => {
    const passkey = await enrolled(server, username);
    const page = await byPassword(server, username, visitor);
    const wrong = () => sendPasskey(visitor, page, passkey.assert(askedBy(page), { challenge: 'AAAA' }));
    const recovery = { ...formWith(page, 'passkey'), action: `${server.base}/login/recovery` };
    for (let each = 0; each < 3; each++) assert.equal((await wrong()).status, 400);
    for (let each = 0; each < 2; each++) assert.equal((await visitor.send(recovery, { code: 'aaaa' })).status, 400);
    assert.equal((await wrong()).status, 403);
    assert.equal((await sendPasskey(visitor, page, passkey.assert(askedBy(page)))).status, 403);
    assert.equal(hasSession(visitor), false);
  });

  it('gets the owner in when somebody with the password has used up the codes of the day (docs/decisions/throttling.md)', async () => {
    const passkey = await enrolled(server, username);
    const statuses: number[] = [];
    for (let round = 0; round < 9; round++) {
      const thief = new Visitor(server.base);
      const asked = formWith(await byPassword(server, username, thief), 'passkey');
      const recovery = { ...asked, action: `${server.base}/login/recovery` };
      for (let each = 0; each < 5; each++) statuses.push((await thief.send(recovery, { code: 'aaaa' })).status);
      server.clock.advance(150);
    }
    assert.deepEqual(statuses.slice(-4), Array(4).fill(429));
    const page = await byPassword(server, username, visitor);
    assert.equal((await idTokenOf(server, await sendPasskey(visitor, page, passkey.assert(askedBy(page))))).acr, 'phr');
  });
});

describe('a user with a passkey who has asked to delete the account (accounts contract, 14 days of grace)', () => {
  let isDisabled: () => Promise<boolean | undefined>;
  const leaving = async (passkey = aPasskey()) => {
    await enrolled(server, username, passkey);
    const { store, clock } = server.services;
    const { sub = '' } = (await store.findAccount(username)) ?? {};
    await store.scheduleDeletion(sub, clock.now() + 86_400, clock.now(), anAct('user.disabled', sub));
    isDisabled = async () => (await store.findUser(sub))?.disabled;
    assert.equal(await isDisabled(), true);
    return passkey;
  };
  const kept = async () => [await isDisabled(), hasSession(visitor)];

  for (const app of ['open', 'plain']) {
    it(`attack: the password alone does not cancel it, the passkey does, also of the application ${app}`, async () => {
      const passkey = await leaving();
      const seen = await byPassword(server, username, visitor, {}, app);
      const asked = app === 'plain' ? await press(visitor, seen, 'keep') : seen;
      assert.match(asked.url, /\/login\/passkey\?/);
      const pending = formWith(asked, 'passkey').fields.get('pending') ?? '';
      const fields = new URLSearchParams({ pending, action: 'keep' });
      await visitor.send({ action: `${server.base}/login/keep-account`, fields });
      assert.deepEqual(await kept(), [true, false]);
      await press(visitor, await sendPasskey(visitor, asked, passkey.assert(askedBy(asked))), 'keep');
      assert.deepEqual(await kept(), [false, true]);
    });
  }

  it('is asked once after a passkey that did not verify the user and the password', async () => {
    const passkey = await leaving(aPasskey({ isVerifying: false }));
    const asked = await byPasskey(server, passkey, { visitor, app: 'open' });
    const question = await visitor.send(formWith(asked, 'password'), { username, password: PASSWORD });
    assert.deepEqual(await kept(), [true, false]);
    assert(delivered(await press(visitor, question, 'keep')).fields.code);
    assert.deepEqual(await kept(), [false, true]);
  });
});
