import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import type { SignUp } from '../../src/accounts/email-confirmation.ts';
import { claimsOf, redeem, WEB } from '../build/client.ts';
import { delivered } from '../build/delivered.ts';
import { eventsOf } from '../build/events.ts';
import { anApplication, aUser, PASSWORD } from '../build/fixture.ts';
import { codeIn, linkIn, MailTown } from '../build/mail-people.ts';
import { atLogin } from '../build/people.ts';
import type { TestServer } from '../build/test-server.ts';
import { authorizationUrl, formWith, type Seen, signIn, Visitor } from '../build/visitor.ts';

const NEW = 'erin@example.com';
const CHOSEN = 'a passphrase of erin';

/** accounts.md: /signup and /login/verify-email. */
describe('signing up (accounts contract, /signup)', () => {
  let town: MailTown;
  let server: TestServer;
  let visitor: Visitor;
  beforeEach(async () => {
    town = new MailTown();
    server = await town.start({
      applications: [
        anApplication({ sign_up: true, password_min_length: 10 }),
        anApplication({ code: 'closed', name: 'Closed' }),
      ],
      users: [aUser(), aUser({ username: 'dora', email: 'dora@example.com', phone_number: null, disabled: true })],
    });
    visitor = new Visitor(server.base);
  });
  afterEach(() => town.close());

  const signUpPage = async (by = visitor): Promise<Seen> => {
    const login = await by.follow(authorizationUrl(server));
    const link = /<a href="(\/signup\?[^"]+)">/.exec(login.text)?.[1];
    assert(link, 'the login page links to /signup');
    return by.go(server.base + link);
  };
  const signUp = async (fields: Record<string, string> = {}, by = visitor, headers: Record<string, string> = {}) =>
    by.send(formWith(await signUpPage(by), 'email'), { email: NEW, password: CHOSEN, ...fields }, headers);
  const typeCode = (page: Seen, code: string, by = visitor) => by.send(formWith(page, 'code'), { code });
  const hasSession = (by = visitor) => by.cookies.has('gatehouse_session');
  const accountOf = (name: string) => server.services.store.findAccount(name);

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
      [{ password: 'erin@example.com1' }, /too much like the e-mail address/],
      [{ username: 'erin-the-great', password: 'erin-the-great' }, /too much like the user name/],
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

  describe('user enumeration at sign-up', () => {
    const ADDRESSES = [NEW, 'alice@example.com', 'ALICE@example.com', 'dora@example.com'];

    it('by status, headers and text: known, unknown and disabled addresses have the same answer', async () => {
      const shown = async (email: string, username: string) => {
        const by = new Visitor(server.base);
        const form = formWith(await signUpPage(by), 'email');
        const body = new URLSearchParams(form.fields);
        for (const [name, value] of Object.entries({ email, username, password: CHOSEN })) body.set(name, value);
        const headers = { 'content-type': 'application/x-www-form-urlencoded', origin: server.base };
        const posted = await by.go(form.action, { method: 'POST', body: body.toString(), headers });
        const page = await by.go(posted.location ?? '');
        const wrong = await typeCode(page, 'WRONG000', by);
        const own = ['date', 'x-request-id', 'server-timing', 'content-length'];
        const steady = (text: string) =>
          text.replaceAll(/pending(=|" value=")[\w-]+/g, '…').replaceAll(email, 'the address');
        return [posted, page, wrong].map(seen => ({
          status: seen.status,
          text: steady(seen.text),
          headers: [...seen.headers].filter(([name]) => !own.includes(name)).map(each => each.map(steady)),
        }));
      };
      const first = await shown(NEW, 'erin');
      assert.deepEqual(
        first.map(({ status }) => status),
        [302, 200, 400],
      );
      for (const address of ADDRESSES) {
        for (const name of ['erin', 'alice', 'dora']) assert.deepEqual(await shown(address, name), first, address);
      }
    });

    it('by time: the request does the same for all addresses, and nobody is looked up in it', async () => {
      const calls: string[] = [];
      const watched = await town.start({
        applications: [anApplication({ sign_up: true })],
        wrapStore: store =>
          new Proxy(store, {
            get(target, name) {
              const value = Reflect.get(target, name);
              if (typeof value !== 'function') return value;
              return (...args: unknown[]) => {
                if (name !== 'recordEvents') calls.push(String(name));
                return Reflect.apply(value, target, args);
              };
            },
          }),
      });
      for (const email of [NEW, 'alice@example.com', 'nobody@example.com']) {
        const by = new Visitor(watched.base);
        const login = await by.follow(authorizationUrl(watched));
        const link = /<a href="(\/signup\?[^"]+)">/.exec(login.text)?.[1] ?? '';
        const form = formWith(await by.go(watched.base + link), 'email');
        calls.length = 0;
        const page = await by.send(form, { email, password: CHOSEN });
        assert.deepEqual(calls, ['addMail'], email);
        await town.sendMails(watched);
        calls.length = 0;
        await typeCode(page, 'WRONG000', by);
        assert.deepEqual(calls, ['attemptEmailCode'], email);
      }
    });

    it('by time, measured: the median of several runs does not tell a known address from an unknown one', async () => {
      const timed = async (email: string) => {
        const by = new Visitor(server.base);
        const form = formWith(await signUpPage(by), 'email');
        const startedAt = performance.now();
        await by.send(form, { email, password: CHOSEN }, { 'x-forwarded-for': `203.0.113.${runs++}` });
        return performance.now() - startedAt;
      };
      let runs = 0;
      const times: Record<'known' | 'unknown', number[]> = { known: [], unknown: [] };
      await timed('warm@example.com');
      for (let round = 0; round < 15; round++) {
        times.known.push(await timed('alice@example.com'));
        times.unknown.push(await timed(`user${round}@example.com`));
      }
      const median = (all: number[]) => all.toSorted((a, b) => a - b)[all.length >> 1] as number;
      const [known, unknown] = [median(times.known), median(times.unknown)];
      assert(Math.max(known, unknown) < 1.6 * Math.min(known, unknown), `${known} ms, ${unknown} ms`);
    });

    it('by mail: only the owner of a known address learns that it has an account, and no code works', async () => {
      const page = await signUp({ email: 'alice@example.com', username: 'somebody-else' });
      const mail = await town.newestMail();
      assert.equal(mail.headers.get('to'), 'alice@example.com');
      assert.match(mail.subject, /You have an account/);
      assert.deepEqual(mail.links, [`${server.base}/forgot-password`]);
      assert.doesNotMatch(mail.text, /^[0-9A-Z]{8}$/m);
      assert.equal((await typeCode(page, '00000000')).status, 400);
    });
  });

  describe('attacks on a sign-up', () => {
    const thief = () => new Visitor(server.base);

    it('account takeover by sign-up with an unverified e-mail: nothing exists until the mailbox confirms, and the password of the stranger never works', async () => {
      const stranger = thief();
      await signUp({ password: 'chosen by the stranger' }, stranger);
      assert.equal(await accountOf(NEW), undefined);
      const link = linkIn(await town.newestMail());
      const owner = thief();
      const page = await owner.go(link);
      assert.match(page.text, /in another browser/);
      const form = formWith(page, 'password');
      assert.equal(
        (await owner.send(form, { password: '' })).status,
        400,
        'no account without a password of the owner',
      );
      assert.equal((await owner.send(form, { password: CHOSEN })).status, 200);
      assert.equal(hasSession(owner), false);
      assert((await accountOf(NEW))?.emailVerified);
      const get = (password: string) => signIn(server, {}, { username: NEW, password });
      assert.equal((await get('chosen by the stranger')).status, 400);
      assert(delivered(await get(CHOSEN)).fields.code);
      assert.equal(hasSession(stranger), false);
    });

    it('account takeover by sign-up for the address of a user: the password of the user stays', async () => {
      await signUp({ email: 'alice@example.com', username: 'alice' }, thief());
      await town.sendMails();
      assert(delivered(await signIn(server)).fields.code);
      assert.equal((await signIn(server, {}, { password: CHOSEN })).status, 400);
    });

    it('a user name that is the address or telephone number of somebody else is refused', async () => {
      for (const username of ['frank@example.com', '+8613800000009', '13800000009']) {
        assert.equal((await signUp({ username })).status, 400, username);
      }
    });

    it('an address in compatibility characters is the address that it stands for', async () => {
      await signUp({ email: 'ａlice@example.com' });
      const mail = await town.newestMail();
      assert.equal(mail.headers.get('to'), 'alice@example.com');
      assert.match(mail.subject, /You have an account/);
    });

    it('a pending sign-up moved to another browser is refused, and its code is not looked at', async () => {
      const page = await signUp();
      const code = codeIn(await town.newestMail());
      const other = thief();
      await other.follow(authorizationUrl(server));
      assert.equal((await other.go(page.url)).status, 400);
      assert.equal((await typeCode(page, code, other)).status, 400);
      assert.equal(hasSession(other), false);
      assert(delivered(await typeCode(page, code)).fields.code);
    });

    it('the code of one sign-up does not confirm another', async () => {
      const page = await signUp();
      await town.sendMails();
      const other = thief();
      await signUp({ email: 'mallory@example.com' }, other);
      const code = codeIn(await town.newestMail());
      assert.equal((await typeCode(page, code)).status, 400);
      assert.equal(await accountOf(NEW), undefined);
    });

    it('codes guessed in parallel on two servers: exactly 5 are evaluated, and the right one after them is not', async () => {
      const other = await town.startAnother(server);
      const page = await signUp();
      const code = codeIn(await town.newestMail());
      const form = formWith(page, 'code');
      const at = (base: string) => ({ ...form, action: form.action.replace(server.base, base) });
      const guess = (base: string) => visitor.send(at(base), { code: 'WRONG000' }, { origin: base });
      const guesses = Array.from({ length: 60 }, (_, each) => guess(each % 2 === 0 ? server.base : other.base));
      const statuses = (await Promise.all(guesses)).map(({ status }) => status);
      assert.equal(statuses.filter(status => status === 400).length, 5, 'evaluated');
      assert.equal(statuses.filter(status => status === 403).length, 55);
      assert.equal((await typeCode(page, code)).status, 403);
      assert.equal(hasSession(), false);
    });

    it('a link that is raced creates one account, with one password', async () => {
      await signUp({}, thief());
      const token = new URL(linkIn(await town.newestMail())).searchParams.get('token') ?? '';
      const attempt = async (each: number) => {
        const password = `passphrase number ${each}`;
        const form = { action: `${server.base}/confirm-email`, fields: new URLSearchParams({ token, password }) };
        return (await thief().send(form)).status === 200 ? password : undefined;
      };
      const won = (await Promise.all([1, 2, 3, 4, 5, 6].map(attempt))).filter(password => password !== undefined);
      assert.equal(won.length, 1);
      assert(delivered(await signIn(server, {}, { username: NEW, password: won[0] as string })).fields.code);
    });

    it('a reused link is refused', async () => {
      await signUp();
      const link = linkIn(await town.newestMail());
      const page = await visitor.go(link);
      await visitor.send(formWith(page, 'token'));
      const again = await thief().send(formWith(page, 'token'), { password: 'another passphrase' });
      assert.equal(again.status, 400);
      assert.match(again.text, /does not work any more/);
    });

    it('a foreign Host header does not change the link', async () => {
      const form = formWith(await signUpPage(), 'email');
      const body = new URLSearchParams(form.fields);
      body.set('email', NEW);
      body.set('password', CHOSEN);
      const { request } = await import('node:http');
      const cookie = [...visitor.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
      const headers = {
        ...{ host: 'evil.example', 'x-forwarded-host': 'evil.example', forwarded: 'host=evil.example', cookie },
        'content-type': 'application/x-www-form-urlencoded',
      };
      const location = await new Promise<string | undefined>((resolve, reject) => {
        const sent = request(form.action, { method: 'POST', headers }, answer => {
          answer.resume();
          resolve(answer.headers.location);
        });
        sent.on('error', reject);
        sent.end(body.toString());
      });
      assert(location?.startsWith(`${server.base}/login/verify-email?`));
      const mail = await town.newestMail();
      assert(linkIn(mail).startsWith(`${server.base}/confirm-email?`));
      assert.doesNotMatch(mail.raw, /evil/);
    });

    it('mail header injection in address and user name: refused, or one line of the mail', async () => {
      const line = 'x\r\nBcc: victim@example.com';
      for (const email of [
        `a@example.com\r\nBcc: victim@example.com`,
        'a@example.com,b@example.com',
        '<a@example.com>',
      ])
        assert.equal((await signUp({ email })).status, 400, email);
      assert.equal((await signUp({ username: line })).status, 400);
      await signUp({ username: 'Visit evil.example now' });
      const mail = await town.newestMail();
      assert.equal(mail.headers.get('bcc'), undefined);
      assert.doesNotMatch(mail.raw, /evil\.example/, 'a stranger chooses no word of the mail');
    });

    it('1,000 sign-ups for one address, from many networks, send a handful of mails', async () => {
      const { services } = server;
      const form = formWith(await signUpPage(), 'email');
      const values = { email: NEW, password: CHOSEN };
      for (let each = 0; each < 20; each++) {
        const headers = { 'x-forwarded-for': `203.0.113.${each}` };
        assert.equal((await signUp({}, thief(), headers)).status, 200);
      }
      assert.equal((await visitor.send(form, values, { 'x-forwarded-for': '203.0.114.1' })).status, 200);
      // The rest as the request leaves it: in the queue.
      const { newRequestedConfirmation } = await import('../../src/mail/queue.ts');
      for (let each = 0; each < 980; each++) {
        const confirmation: SignUp = {
          purpose: 'sign-up',
          email: NEW,
          username: undefined,
          app: 'shop',
          pending: undefined,
        };
        const asked = { id: `pending ${each}`, locale: 'en', requestId: 'x', address: '::1', userAgent: 'x' } as const;
        await services.store.addMail(newRequestedConfirmation(services, { ...asked, confirmation }), 10_000);
      }
      await town.sendMails();
      await town.sendMails();
      assert.equal(await services.store.countWaitingMails(), 0);
      assert.equal(town.mails().length, 5);
      const page = await thief().go(linkIn(town.mails().at(-1) as never));
      assert.equal(page.status, 200, 'the newest link works');
    });

    it('many sign-ups from one network are limited', async () => {
      const statuses: number[] = [];
      for (let each = 0; each < 21; each++) statuses.push((await signUp({ email: `user${each}@example.com` })).status);
      assert.deepEqual(statuses, [...Array(20).fill(200), 429]);
    });

    it('a form of another site is refused', async () => {
      const seen = await signUp({}, visitor, { origin: 'https://evil.example' });
      assert.equal(seen.status, 403);
      assert.equal((await town.sendMails()).length, 0);
    });

    it('neither code, link nor password is in the log or in the captured refusals', async () => {
      const page = await signUp();
      const mail = await town.newestMail();
      const token = new URL(linkIn(mail)).searchParams.get('token') ?? '';
      await visitor.go(linkIn(mail));
      await typeCode(page, 'WRONG000');
      await typeCode(page, codeIn(mail));
      await visitor.go(linkIn(mail));
      await server.services.refusals.flush();
      const refusals = await server.services.store.listRefusals({}, { after: undefined, limit: 10 });
      assert(refusals.length > 0);
      for (const secret of [token, codeIn(mail), CHOSEN]) {
        assert(!server.logged().includes(secret));
        assert(!JSON.stringify(refusals).includes(secret));
      }
    });
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
    assert.notEqual(PASSWORD, CHOSEN);
  });
});
