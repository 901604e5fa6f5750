import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import type { SignUp } from '../../../src/people/email/confirmation.ts';
import { delivered } from '../../build/delivered.ts';
import { codeIn, linkIn } from '../../build/mail-people.ts';
import { authorizationUrl, formWith, signIn, Visitor } from '../../build/visitor.ts';
import {
  accountOf,
  CHOSEN,
  hasSession,
  NEW,
  openTown,
  server,
  signUp,
  signUpPage,
  town,
  typeCode,
  visitor,
} from './sign-up-fixture.ts';

describe('attacks on a sign-up', () => {
  beforeEach(() => openTown());
  afterEach(() => town.close());

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
    assert.equal((await owner.send(form, { password: '' })).status, 400, 'no account without a password of the owner');
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
    assert.match(again.text, /no longer works/);
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
    for (const email of [`a@example.com\r\nBcc: victim@example.com`, 'a@example.com,b@example.com', '<a@example.com>'])
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
    const { newRequestedConfirmation } = await import('../../../src/people/email/deferred-mail.ts');
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
