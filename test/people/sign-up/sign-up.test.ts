import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { claimsOf, redeem, WEB } from '../../build/client.ts';
import { delivered } from '../../build/delivered.ts';
import { eventsOf } from '../../build/events.ts';
import { anApplication } from '../../build/fixture.ts';
import { codeIn, linkIn } from '../../build/mail-people.ts';
import { atLogin } from '../../build/people.ts';
import { authorizationUrl, formWith, signIn, Visitor } from '../../build/visitor.ts';
import {
  accountOf,
  CHOSEN,
  hasSession,
  NEW,
  openTown,
  server,
  signUp,
  town,
  typeCode,
  visitor,
} from './sign-up-fixture.ts';

/** accounts.md: /signup and /login/verify-email. */
describe('signing up (accounts contract, /signup)', () => {
  beforeEach(() => openTown());
  afterEach(() => town.close());

  it('leads by the code of a mail to an account and to the client, with amr pwd', async () => {
    const page = await signUp({ username: 'erin' });
    assert.match(page.url, /\/login\/verify-email\?pending=/);
    assert.match(page.text, /<input id="code" name="code"/);
    assert.equal(await accountOf('erin'), undefined, 'no account before the code');
    const mail = await town.newestMail();
    assert.equal(mail.headers.get('to'), NEW);
    const seen = await typeCode(page, codeIn(mail).toLowerCase());
    assert(hasSession());
    const { code = '' } = delivered(seen).fields;
    const { json } = await redeem(server, code, {}, { auth: WEB });
    const claims = claimsOf(json.id_token);
    assert.deepEqual(
      [claims.amr, claims.email, claims.email_verified, claims.preferred_username],
      [['pwd'], NEW, true, 'erin'],
    );
    const [created, login] = (await eventsOf(server)).filter(({ subject }) => subject === claims.sub);
    assert.deepEqual(
      [created?.type, created?.app, created?.details?.reason, login?.type],
      ['user.created', 'shop', 'sign_up', 'user.login.succeeded'],
    );
    assert.match(server.logged(), /"event":"signup.succeeded"/);
    assert(delivered(await signIn(server, {}, { username: 'erin', password: CHOSEN })).fields.code);
  });

  it('without a user name, the address is the name', async () => {
    await typeCode(await signUp(), codeIn(await town.newestMail()));
    assert.equal((await accountOf(NEW))?.username, NEW);
  });

  it('goes on by the link in the same browser', async () => {
    await signUp();
    const link = linkIn(await town.newestMail());
    assert.match(link, new RegExp(`^${server.base}/confirm-email\\?token=gec_[\\w-]{22}$`));
    const page = await visitor.go(link);
    assert.equal(await accountOf(NEW), undefined, 'opening the link changes nothing');
    assert(delivered(await visitor.send(formWith(page, 'token'))).fields.code);
    assert.equal((await visitor.go(link)).status, 400, 'once');
  });

  it('is in both languages, with mails of text and HTML', async () => {
    const zh = { 'accept-language': 'zh-CN' };
    const page = await visitor.follow(authorizationUrl(server, { ui_locales: 'zh-CN' }));
    const link = /<a href="(\/signup\?[^"]+)">创建账户</.exec(page.text)?.[1] ?? '';
    const form = formWith(await visitor.go(server.base + link, { headers: zh }), 'email');
    await visitor.send(form, { email: NEW, password: CHOSEN }, zh);
    const mail = await town.newestMail();
    assert.match(mail.subject, /确认您在 Shop 的电子邮箱/);
    assert.match(mail.html, new RegExp(codeIn(mail)));
    assert.match(mail.html, new RegExp(linkIn(mail).replace(/[?]/g, '\\?')));
  });

  it('is refused by the server where the application does not allow it, and without a pending request', async () => {
    const login = await visitor.follow(authorizationUrl(server, {}, 'closed'));
    assert(atLogin(login));
    assert.doesNotMatch(login.text, /\/signup/);
    const pending = formWith(login, 'password').fields.get('pending') ?? '';
    const action = `${server.base}/signup`;
    assert.equal((await visitor.go(`${action}?pending=${pending}`)).status, 403);
    const fields = new URLSearchParams({ pending, email: NEW, password: CHOSEN });
    const refused = await visitor.send({ action, fields });
    assert.equal(refused.status, 403);
    assert.match(refused.text, /You cannot create an account here/);
    assert.equal((await visitor.go(action)).status, 400);
    fields.delete('pending');
    assert.equal((await visitor.send({ action, fields })).status, 400);
    assert.equal((await town.sendMails()).length, 0);
  });

  it('is refused for the pages of the server itself, and where sign_up was turned off meanwhile', async () => {
    const login = await visitor.follow(`${server.base}/account`);
    const pending = formWith(login, 'password').fields.get('pending') ?? '';
    assert.equal((await visitor.go(`${server.base}/signup?pending=${pending}`)).status, 403);
    const page = await signUp();
    const code = codeIn(await town.newestMail());
    await server.provision({ applications: [anApplication()], users: [] });
    assert.equal((await typeCode(page, code)).status, 403);
    assert.equal(await accountOf(NEW), undefined);
  });

  it('is not offered without mail', async () => {
    const silent = await town.start({ applications: [anApplication({ sign_up: true })], env: { MAIL_URL: 'none' } });
    const login = await new Visitor(silent.base).follow(authorizationUrl(silent));
    assert.doesNotMatch(login.text, /\/signup/);
  });

  it('asks again for what is wrong, by the rules for passwords and password_min_length of the application', async () => {
    const wrong: [Record<string, string>, RegExp][] = [
      [{ email: 'nobody' }, /Enter an e-mail address/],
      [{ email: '' }, /Enter an e-mail address/],
      [{ username: 'someone@example.com' }, /no @/],
      [{ username: '+86 138' }, /at least one letter/],
      [{ username: '13800000001' }, /at least one letter/],
      [{ username: 'x'.repeat(65) }, /at most 64/],
      [{ password: 'nine char' }, /at least 10 characters/],
      [{ password: 'erin@example.com1' }, /too similar to the e-mail address/],
      [{ username: 'erin-the-great', password: 'erin-the-great' }, /too similar to the user name/],
    ];
    for (const [fields, text] of wrong) {
      const seen = await signUp(fields);
      assert.equal(seen.status, 400, JSON.stringify(fields));
      assert.match(seen.text, text);
      assert.match(seen.text, /aria-invalid="true"/);
    }
    assert.equal((await town.sendMails()).length, 0);
  });

  it('a user name that is taken is told only after the code, and another one is asked for', async () => {
    const page = await signUp({ username: 'ALICE' });
    assert.match(page.url, /\/login\/verify-email/);
    const again = await typeCode(page, codeIn(await town.newestMail()));
    assert.equal(again.status, 400);
    assert.match(again.text, /This user name is taken/);
    assert.equal(hasSession(), false);
    const taken = await visitor.send(formWith(again, 'username'), { username: 'alice' });
    assert.equal(taken.status, 400);
    assert(delivered(await visitor.send(formWith(taken, 'username'), { username: 'erin' })).fields.code);
    assert.equal((await accountOf('erin'))?.email, NEW);
  });

  it('sends another mail when asked, whose code replaces the one before: 3 while one is good', async () => {
    let page = await signUp();
    const first = codeIn(await town.newestMail());
    const send = () => visitor.send(formWith(page, 'action" value="send'), { action: 'send' });
    page = await send();
    assert.match(page.url, /\/login\/verify-email/);
    const second = codeIn(await town.newestMail());
    assert.equal((await typeCode(page, first)).status, 400);
    for (let more = 0; more < 4; more++) await send();
    assert.equal((await town.sendMails()).length, 3);
    assert.match(server.logged(), /"event":"confirmation.refused"/);
    assert.equal((await typeCode(page, second)).status, 400);
    assert(delivered(await typeCode(page, codeIn(await town.newestMail()))).fields.code);
  });

  it('waits half an hour for the mail', async () => {
    const page = await signUp();
    const mail = await town.newestMail();
    town.clock.advance(1799);
    assert(delivered(await typeCode(page, codeIn(mail))).fields.code);
    const other = new Visitor(server.base);
    const late = await signUp({ email: 'late@example.com' }, other);
    const code = codeIn(await town.newestMail());
    town.clock.advance(1800);
    assert.equal((await typeCode(late, code, other)).status, 400);
    assert.equal(await accountOf('late@example.com'), undefined);
  });

  it('the session that exists is not changed before the code (fixation)', async () => {
    await signIn(server, {}, { visitor });
    const before = visitor.cookies.get('gatehouse_session');
    const login = await visitor.follow(authorizationUrl(server, { prompt: 'login' }));
    const link = /<a href="(\/signup\?[^"]+)">/.exec(login.text)?.[1] ?? '';
    const form = formWith(await visitor.go(server.base + link), 'email');
    const page = await visitor.send(form, { email: NEW, password: CHOSEN });
    assert.equal(visitor.cookies.get('gatehouse_session'), before);
    await typeCode(page, codeIn(await town.newestMail()));
    assert.notEqual(visitor.cookies.get('gatehouse_session'), before);
  });
});
