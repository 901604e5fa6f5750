import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { anAuthenticator, TOTP_SECRET } from '../../build/authenticator.ts';
import { claimsOf, redeem, WEB } from '../../build/client.ts';
import { delivered } from '../../build/delivered.ts';
import { eventsOf } from '../../build/events.ts';
import { anApplication, aUser, PASSWORD } from '../../build/fixture.ts';
import { codeIn, linkIn, MailTown } from '../../build/mail-people.ts';
import { bob } from '../../build/people.ts';
import { testPart } from '../../build/suite-part.ts';
import { authorizationUrl, formWith, type Seen, signIn, Visitor } from '../../build/visitor.ts';

describe('an application that demands a verified address (accounts contract, /login/verify-email)', () => {
  const town = testPart(() => new MailTown());
  const server = testPart(() =>
    town.start({
      applications: [
        anApplication({ require_verified_email: true }),
        anApplication({ code: 'open', name: 'Open', mfa: 'off' }),
        anApplication({ code: 'lax', name: 'Lax', mfa: 'off', require_verified_email: true }),
      ],
      users: [
        aUser(),
        bob({ email_verified: false }),
        aUser({ username: 'dave', email: null, phone_number: null }),
        aUser({ username: 'nora', email: null, phone_number: null, totp_secret: TOTP_SECRET }),
        aUser({
          ...{ username: 'tina', email: 'tina@example.com', email_verified: false, phone_number: null },
          totp_secret: TOTP_SECRET,
        }),
      ],
    }),
  );
  const visitor = testPart(() => new Visitor(server.base));

  const login = (username: string, app?: string, by = visitor) =>
    signIn(server, {}, { visitor: by, username, ...(app === undefined ? {} : { app }) });
  const typeCode = (page: Seen, code: string, by = visitor) => by.send(formWith(page, 'code'), { code });
  const hasSession = () => visitor.cookies.has('gatehouse_session');
  const emailOf = async (name: string) => {
    const { email, emailVerified } = (await server.services.store.findAccount(name)) ?? {};
    return [email, emailVerified];
  };

  it('asks for the code of a mail after the password, and there is no session before it', async () => {
    const page = await login('bob');
    assert.match(page.url, /\/login\/verify-email\?pending=/);
    assert.match(page.text, /<input id="code" name="code"/);
    assert.equal(hasSession(), false);
    const mail = await town.newestMail();
    assert.equal(mail.headers.get('to'), 'bob@example.com');
    const seen = await typeCode(page, codeIn(mail));
    assert(hasSession());
    const { json } = await redeem(server, delivered(seen).fields.code ?? '', {}, { auth: WEB });
    const { email_verified, amr, sub } = claimsOf(json.id_token);
    assert.deepEqual([email_verified, amr], [true, ['pwd']]);
    const [event] = await eventsOf(server, { types: ['user.email.verified'] });
    assert.deepEqual([event?.subject, event?.app], [sub, 'shop']);
    assert.match(server.logged(), /"event":"email.verified"/);
    assert(delivered(await login('bob', undefined, new Visitor(server.base))).fields.code, 'not asked again');
  });

  it('asks a live session too, and a user whose address is verified not at all', async () => {
    assert(delivered(await login('bob', 'open')).fields.code, 'another application does not demand it');
    const page = await visitor.follow(authorizationUrl(server));
    assert.match(page.url, /\/login\/verify-email/);
    assert(delivered(await typeCode(page, codeIn(await town.newestMail()))).fields.code);
    assert(delivered(await login('alice', undefined, new Visitor(server.base))).fields.code);
    assert.equal(town.mails().length, 1);
  });

  it('a session older than five minutes gives a user without an address no first one: the password is due', async () => {
    await login('dave', 'open');
    town.clock.advance(300);
    assert.match((await visitor.follow(authorizationUrl(server))).text, /name="email"/, 'recent enough');
    town.clock.advance(1);
    const page = await visitor.follow(authorizationUrl(server));
    assert.match(page.url, /\/login\?/);
    assert.match(page.text, /name="password"/);
    const proved = await visitor.send(formWith(page, 'password'), { username: 'dave', password: PASSWORD });
    assert.match(proved.text, /name="email"/);
  });

  it('a first address takes the strongest factor, also where the application asks for one', async () => {
    const app = anAuthenticator(town.clock);
    const page = await login('nora', 'lax');
    assert.match(page.url, /\/login\/totp/);
    assert.match((await typeCode(page, app.code())).text, /name="email"/);
  });

  it('prompt=none: login_required', async () => {
    await login('bob', 'open');
    const seen = await visitor.go(authorizationUrl(server, { prompt: 'none' }));
    assert.equal(delivered(seen).fields.error, 'login_required');
  });

  it('comes after the second factor, also where that steps up a session', async () => {
    const app = anAuthenticator(town.clock);
    await login('tina', 'open');
    const totp = await visitor.follow(authorizationUrl(server));
    assert.match(totp.url, /\/login\/totp/);
    const page = await typeCode(totp, app.code());
    assert.match(page.url, /\/login\/verify-email/);
    const seen = await typeCode(page, codeIn(await town.newestMail()));
    const { json } = await redeem(server, delivered(seen).fields.code ?? '', {}, { auth: WEB });
    assert.deepEqual(claimsOf(json.id_token).amr, ['pwd', 'otp', 'mfa']);
  });

  it('a user without an address is asked for one first', async () => {
    const page = await login('dave');
    assert.match(page.text, /<input id="email" name="email"/);
    assert.equal((await town.sendMails()).length, 0);
    const wrong = await visitor.send(formWith(page, 'email'), { email: 'nowhere' });
    assert.equal(wrong.status, 400);
    const asked = await visitor.send(formWith(wrong, 'email'), { email: 'dave@example.com' });
    assert.deepEqual((await emailOf('dave'))[0], undefined, 'not before the code');
    assert(delivered(await typeCode(asked, codeIn(await town.newestMail()))).fields.code);
    assert.deepEqual(await emailOf('dave'), ['dave@example.com', true]);
  });

  it('an address of somebody else: the same answer, a mail to its owner, and no code works', async () => {
    const page = await visitor.send(formWith(await login('dave'), 'email'), { email: 'alice@example.com' });
    assert.equal(page.status, 200);
    const mail = await town.newestMail();
    assert.equal(mail.headers.get('to'), 'alice@example.com');
    assert.match(mail.subject, /Somebody tried to use your e-mail address/);
    assert.deepEqual(mail.links, []);
    assert.equal((await typeCode(page, '00000000')).status, 400);
    const retype = /<a href="(\/login\/verify-email\?[^"]+)">Use another address/.exec(page.text)?.[1] ?? '';
    assert.match((await visitor.go(server.base + retype)).text, /name="email"/);
  });

  it('the link of the mail works in another browser, and the page goes on by a button', async () => {
    const page = await login('bob');
    const link = linkIn(await town.newestMail());
    const phone = new Visitor(server.base);
    const seen = await phone.send(formWith(await phone.go(link), 'token'));
    assert.match(seen.text, /Your address is confirmed/);
    assert.equal(phone.cookies.has('gatehouse_session'), false, 'the link signs nobody in');
    assert.deepEqual(await emailOf('bob'), ['bob@example.com', true]);
    const again = await visitor.go(page.url);
    assert.match(again.text, /Your address is confirmed/);
    assert(delivered(await visitor.send(formWith(again, 'action'), { action: 'continue' })).fields.code);
  });

  it('the link in the same browser comes back to the sign-in', async () => {
    await login('bob');
    const page = await visitor.go(linkIn(await town.newestMail()));
    const seen = await visitor.send(formWith(page, 'token'));
    assert.match(seen.url, /\/login\/verify-email/);
    assert(delivered(await visitor.send(formWith(seen, 'action'), { action: 'continue' })).fields.code);
  });

  it('reloading the page sends no further mail, the button does: 3 while one is good', async () => {
    let page = await login('bob');
    await town.sendMails();
    for (let times = 0; times < 3; times++) await visitor.go(page.url);
    await visitor.follow(authorizationUrl(server));
    assert.equal((await town.sendMails()).length, 1);
    for (let times = 0; times < 4; times++) {
      page = await visitor.send(formWith(page, 'action" value="send'), { action: 'send' });
      await town.sendMails();
    }
    assert.equal(town.mails().length, 3);
    assert(delivered(await typeCode(page, codeIn(await town.newestMail()))).fields.code);
  });

  it('a wrong code is asked for again, in both languages; the user can cancel', async () => {
    const page = await login('bob');
    const wrong = await typeCode(page, '00000000');
    assert.equal(wrong.status, 400);
    assert.match(wrong.text, /role="alert"[^>]*>That code is not correct/);
    assert.equal((await typeCode(page, '')).status, 400);
    assert.match((await visitor.go(page.url, { headers: { 'accept-language': 'zh' } })).text, /请查看您的邮箱/);
    const cancelled = await visitor.send(formWith(page, 'action" value="cancel'), { action: 'cancel' });
    assert.equal(delivered(cancelled).fields.error, 'access_denied');
    const failed = await eventsOf(server, { types: ['user.login.failed'] });
    const factors = failed.map(({ details }) => details?.factor);
    assert.deepEqual(factors, ['email']);
  });

  it('without mail the user is told, and an operator can verify the address', async () => {
    const silent = await town.start({
      applications: [anApplication({ require_verified_email: true })],
      users: [bob({ email_verified: false })],
      env: { MAIL_URL: 'none' },
    });
    const seen = await signIn(silent, {}, { username: 'bob' });
    assert.equal(seen.status, 403);
  });

  it('the password grant cannot ask for it, and does not tell that the password was right', async () => {
    const ask = (username: string, password: string) =>
      fetch(`${server.at()}/token`, {
        method: 'POST',
        headers: { authorization: `Basic ${btoa('web:web-secret-1')}` },
        body: new URLSearchParams({ grant_type: 'password', username, password }),
      });
    const [right, wrong] = [await ask('bob', PASSWORD), await ask('bob', 'wrong')];
    assert.deepEqual([right.status, await right.text()], [400, await wrong.text()]);
    assert.equal((await ask('alice', PASSWORD)).status, 200);
  });

  describe('attacks on the verification of an address', () => {
    it('step skipping: neither /auth nor the page without the password lets a sign-in through', async () => {
      const page = await login('bob');
      const pending = new URL(page.url).searchParams.get('pending') ?? '';
      assert.match(
        (await visitor.follow(`${server.at()}/auth?gatehouse_pending=${pending}`)).url,
        /\/login\/verify-email/,
      );
      const other = new Visitor(server.base);
      const first = formWith(await other.follow(authorizationUrl(server)), 'password').fields.get('pending') ?? '';
      const action = `${server.base}/login/verify-email`;
      const fields = new URLSearchParams({ pending: first, code: codeIn(await town.newestMail()) });
      assert.match((await other.send({ action, fields })).url, /\/login\?/);
      assert.equal(hasSession(), false);
      assert.deepEqual(await emailOf('bob'), ['bob@example.com', false]);
    });

    it('step skipping: the address cannot be verified before the second factor', async () => {
      const totp = await login('tina');
      const pending = formWith(totp, 'code').fields.get('pending') ?? '';
      const seen = await visitor.follow(`${server.base}/login/verify-email?pending=${pending}`);
      assert.match(seen.url, /\/login\/totp/);
      assert.equal((await town.sendMails()).length, 0);
    });

    it('requests of others for the address of a user do not keep its owner from verifying it', async () => {
      const stranger = new Visitor(server.base);
      const form = formWith(await login('dave', undefined, stranger), 'email');
      for (let each = 0; each < 6; each++) await stranger.send(form, { email: 'bob@example.com' });
      assert.equal((await town.sendMails()).length, 5);
      const page = await login('bob');
      assert(delivered(await typeCode(page, codeIn(await town.newestMail()))).fields.code);
    });

    it('a pending sign-in moved to another browser is refused', async () => {
      const page = await login('bob');
      const code = codeIn(await town.newestMail());
      const thief = new Visitor(server.base);
      await thief.follow(authorizationUrl(server));
      assert.equal((await typeCode(page, code, thief)).status, 400);
      assert.equal(thief.cookies.has('gatehouse_session'), false);
    });

    it('a password that changes between the steps ends the sign-in', async () => {
      const page = await login('bob');
      const code = codeIn(await town.newestMail());
      const { store, passwords, clock } = server.services;
      const { sub = '' } = (await store.findAccount('bob')) ?? {};
      await store.changePassword(sub, await passwords.hash('another one'), clock.now());
      assert.equal((await typeCode(page, code)).status, 400);
      assert.equal(hasSession(), false);
    });

    it('codes guessed in parallel: exactly 5 are evaluated', async () => {
      const page = await login('bob');
      const code = codeIn(await town.newestMail());
      const guesses = await Promise.all(Array.from({ length: 30 }, () => typeCode(page, '00000000')));
      assert.equal(guesses.filter(({ status }) => status === 400).length, 5);
      assert.equal((await typeCode(page, code)).status, 403);
    });

    it('an address that the user types for somebody else is not verified by the code of the own mail', async () => {
      const page = await login('dave');
      const mine = await visitor.send(formWith(page, 'email'), { email: 'mine@example.com' });
      const code = codeIn(await town.newestMail());
      await visitor.send(formWith(page, 'email'), { email: 'victim@example.com' });
      await town.sendMails();
      assert.equal((await typeCode(mine, code)).status, 400, 'the newest mail counts');
      assert.deepEqual((await emailOf('dave'))[0], undefined);
    });
  });
});
