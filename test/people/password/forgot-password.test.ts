import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { createMailSender } from '../../../src/notify/mail/job.ts';
import { introspect } from '../../build/client.ts';
import { type FixedClock, fixedClock } from '../../build/clock.ts';
import { anApplication, aUser, PASSWORD } from '../../build/fixture.ts';
import { mailsIn, type ReadMail } from '../../build/mailbox.ts';
import { atLogin, bob, signedIn, tokensOf } from '../../build/people.ts';
import { startTestServer, type TestServer } from '../../build/test-server.ts';
import { authorizationUrl, formWith, type Seen, Visitor } from '../../build/visitor.ts';

const NEW_PASSWORD = 'a new and longer passphrase';
/** That come with one link at once. */
const FORMS = 40;
const HALF_HOUR = 1800;
const USERS = [
  aUser(),
  bob({ email_verified: false }),
  aUser({ username: 'carol', email: 'carol@example.com', phone_number: null, disabled: true }),
  aUser({ username: 'dave', email: null, phone_number: null }),
];

/** accounts.md: /forgot-password and /reset-password. */
describe('a forgotten password', () => {
  let folder: string;
  let clock: FixedClock;
  let server: TestServer;
  let calls: string[];
  const servers: TestServer[] = [];
  const start = async (env: Record<string, string> = {}, isEmpty = true) => {
    const started = await startTestServer({
      ...(isEmpty ? { users: USERS } : { users: [], applications: [] }),
      clock,
      env: { MAIL_URL: `file:${folder}`, TRUSTED_PROXIES: '127.0.0.1', ...env },
      wrapStore: store =>
        new Proxy(store, {
          get(target, name) {
            const value = Reflect.get(target, name);
            if (typeof value !== 'function') return value;
            return (...args: unknown[]) => {
              calls.push(String(name));
              return Reflect.apply(value, target, args);
            };
          },
        }),
    });
    servers.push(started);
    return started;
  };
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'gatehouse-outbox-'));
    clock = fixedClock(Math.floor(Date.now() / 1000));
    calls = [];
    server = await start();
  });
  afterEach(async () => {
    // The last one started has no database of its own.
    for (const each of servers.splice(0).reverse()) await each.close();
    rmSync(folder, { recursive: true });
  });

  const forget = async (username: string, headers: Record<string, string> = {}, at = server): Promise<Seen> => {
    const visitor = new Visitor(at.base);
    const page = await visitor.go(`${at.base}/forgot-password`);
    return visitor.send(formWith(page, 'username'), { username }, headers);
  };
  const sendMails = (by = server) => createMailSender(by.services).run();
  const mails = () => mailsIn(folder);
  const linkIn = (mail: ReadMail | undefined): string => {
    assert.equal(mail?.links.length, 1, 'one link');
    return mail.links[0] as string;
  };
  /** The link of the newest mail. */
  const aLink = async (username = 'alice'): Promise<string> => {
    const before = mails().length;
    await forget(username);
    await sendMails();
    assert.equal(mails().length, before + 1, 'a mail was sent');
    return linkIn(mails().at(-1));
  };
  const choose = async (link: string, password = NEW_PASSWORD, headers: Record<string, string> = {}) => {
    const visitor = new Visitor(new URL(link).origin);
    const page = await visitor.go(link, { headers });
    return page.status === 200 ? visitor.send(formWith(page, 'password'), { password }, headers) : page;
  };
  const canSignIn = async (password: string) => {
    clock.advance(60); // so that no failure throttles the next
    const visitor = new Visitor(server.base);
    const login = await visitor.follow(authorizationUrl(server));
    return (await visitor.send(formWith(login, 'password'), { username: 'alice', password })).status === 302;
  };
  const assertRefused = (seen: Seen) => {
    assert.equal(seen.status, 400, seen.text);
    assert.match(seen.text, /This link no longer works/);
  };

  it('is offered on the login page, and leads by a mail to a new password', async () => {
    const login = await new Visitor(server.base).follow(authorizationUrl(server));
    assert(atLogin(login));
    assert.match(login.text, /<a href="\/forgot-password\?pending=[\w-]+">Forgot your password\?<\/a>/);
    assert.equal((await forget('alice')).status, 200);
    await sendMails();
    const [mail, ...more] = mails();
    assert.equal(more.length, 0);
    assert.equal(mail?.headers.get('to'), 'alice@example.com');
    const link = linkIn(mail);
    assert.match(link, new RegExp(`^${server.base}/reset-password\\?token=gpr_[\\w-]{22}$`));
    const done = await choose(link);
    assert.equal(done.status, 200);
    assert.match(done.text, /Your password is set/);
    assert.deepEqual([await canSignIn(PASSWORD), await canSignIn(NEW_PASSWORD)], [false, true]);
  });

  it('goes on with the sign-in that it came from, in the same browser, by the rules of the application', async () => {
    await server.provision({ applications: [anApplication({ password_min_length: 20 })], users: [] });
    const visitor = new Visitor(server.base);
    const login = await visitor.follow(authorizationUrl(server));
    const [, link = ''] = /<a href="(\/forgot-password[^"]+)">/.exec(login.text) ?? [];
    const asking = await visitor.go(server.base + link);
    assert.match(asking.text, /<span>Shop<\/span>/, 'the name of the application');
    const asked = await visitor.send(formWith(asking, 'username'), { username: 'alice' });
    assert.match(asked.text, /<span>Shop<\/span>/);
    const [, back = ''] = /<a href="([^"]+)">Back to sign-in/.exec(asked.text) ?? [];
    assert(back.startsWith(`${server.base}/`) && atLogin(await visitor.follow(back)), 'the request is still under way');
    const foreign = await new Visitor(server.base).go(server.base + link);
    assert(!/Shop|Back to sign-in/.test(foreign.text), 'in no other browser');
    await sendMails();
    clock.advance(20 * 60);
    const page = await visitor.go(linkIn(mails()[0]));
    assert.match(page.text, /At least 20 characters/);
    assert.equal((await visitor.send(formWith(page, 'password'), { password: 'nineteen characters' })).status, 400);
    const other = await new Visitor(server.base).go(linkIn(mails()[0]));
    assert.match(other.text, /At least 20 characters/, 'in another browser too');
    const done = await visitor.send(formWith(page, 'password'), { password: NEW_PASSWORD });
    const [, resumed = ''] = /<a class="button" href="([^"]+)">Continue to sign-in/.exec(done.text) ?? [];
    const again = await visitor.follow(resumed);
    assert(atLogin(again), 'the reset signs nobody in');
    const seen = await visitor.send(formWith(again, 'password'), { username: 'alice', password: NEW_PASSWORD });
    assert.match(seen.location ?? '', /[?&]code=/);
  });

  it('ends sessions and tokens, tells so by mail, and is in the audit log', async () => {
    const visitor = await signedIn(server);
    const { access_token: token } = await tokensOf(server, visitor);
    await choose(await aLink());
    assert.equal((await introspect(server, { token })).json.active, false);
    assert(atLogin(await visitor.follow(`${server.base}/account`)));
    await sendMails();
    const mail = mails().at(-1);
    assert.match(mail?.subject ?? '', /was changed/);
    assert.equal(mail?.headers.get('to'), 'alice@example.com');
    const events = await server.services.store.listEvents({}, { after: undefined, limit: 20 });
    const found = events.filter(({ type }) => type.startsWith('user.password'));
    assert.deepEqual(
      found.map(({ type, details, address }) => [type, details?.reason, address]),
      [
        ['user.password.changed', 'reset', '127.0.0.1'],
        ['user.password.reset.requested', undefined, '127.0.0.1'],
      ],
    );
  });

  it('is not offered without mail, and its page says why', async () => {
    const silent = await start({ MAIL_URL: 'none' });
    const login = await new Visitor(silent.base).follow(authorizationUrl(silent));
    assert.doesNotMatch(login.text, /forgot-password/);
    const visitor = new Visitor(silent.base);
    const page = await visitor.go(`${silent.base}/forgot-password`);
    assert.equal(page.status, 200);
    assert.match(page.text, /This server does not send e-mail\. Ask the people who run it/);
    const form = { action: `${silent.base}/forgot-password`, fields: new URLSearchParams({ username: 'alice' }) };
    assert.match((await visitor.send(form)).text, /This server does not send e-mail/);
    assert.equal(await silent.services.store.countWaitingMails(), 0);
  });

  it('has pages and mails in Chinese', async () => {
    const headers = { 'accept-language': 'zh-CN' };
    const page = await new Visitor(server.base).go(`${server.base}/forgot-password`, { headers });
    assert.match(page.text, /<html lang="zh-Hans"[\s\S]*忘记密码？/);
    assert.match((await forget('alice', headers)).text, /请查看您的邮箱/);
    await sendMails();
    assert.match(mails()[0]?.subject ?? '', /重新设置/);
    assert.match((await choose(linkIn(mails()[0]), 'short', headers)).text, /至少需要 8 个字符/);
    assert.match((await choose(linkIn(mails()[0]), NEW_PASSWORD, headers)).text, /密码已设置/);
    await sendMails();
    assert.match(mails()[1]?.subject ?? '', /已更改/);
  });

  it('of no name is asked for again', async () => {
    const seen = await forget('  ');
    assert.equal(seen.status, 400);
    assert.match(seen.text, /role="alert"/);
    assert.equal(await server.services.store.countWaitingMails(), 0);
  });

  it('keeps the link until a password is good: too short and too long ones are asked for again', async () => {
    const link = await aLink();
    for (const password of ['', '1234567', 'x'.repeat(257)]) {
      const seen = await choose(link, password);
      assert.equal(seen.status, 400);
      assert.match(seen.text, /aria-invalid="true"/);
    }
    assert.equal((await choose(link, '🔑'.repeat(8))).status, 200);
  });

  it('keeps the link when it is only opened: programs that check mails do so', async () => {
    const link = await aLink();
    for (let times = 0; times < 3; times++) assert.equal((await new Visitor(server.base).go(link)).status, 200);
    assert.equal((await choose(link)).status, 200);
  });

  describe('user enumeration', () => {
    const NAMES = [
      'alice',
      'alice@example.com',
      'nobody',
      'nobody@example.com',
      'bob',
      'carol',
      'dave',
      'x'.repeat(3000),
    ];

    it('by status, headers and text: all names have the same answer', async () => {
      const shown = async (name: string) => {
        const { status, headers, text } = await forget(name);
        const own = ['date', 'x-request-id', 'server-timing'];
        return { status, text, headers: [...headers].filter(([header]) => !own.includes(header)) };
      };
      const first = await shown('alice');
      assert.equal(first.status, 200);
      for (const name of NAMES) assert.deepEqual(await shown(name), first, name);
    });

    it('by time: the request does the same for all names, and nobody is looked up in it', async () => {
      for (const name of NAMES) {
        calls.length = 0;
        await forget(name);
        assert.deepEqual(calls, ['addMail'], name);
      }
    });

    it('by mail: only a verified address of a user who is not disabled gets one', async () => {
      for (const name of NAMES) await forget(name);
      await sendMails();
      const recipients = mails().map(({ headers }) => headers.get('to'));
      assert.deepEqual(recipients, ['alice@example.com', 'alice@example.com']);
      assert.equal(await server.services.store.countWaitingMails(), 0);
    });
  });

  describe('attacks on the link', () => {
    it('a foreign Host header does not change it', async () => {
      const body = new URLSearchParams({ username: 'alice' }).toString();
      const { request } = await import('node:http');
      const status = await new Promise<number | undefined>((resolve, reject) => {
        const headers = {
          host: 'evil.example',
          'x-forwarded-host': 'evil.example',
          forwarded: 'host=evil.example',
          'content-type': 'application/x-www-form-urlencoded',
        };
        const sent = request(`${server.base}/forgot-password`, { method: 'POST', headers }, answer => {
          answer.resume();
          resolve(answer.statusCode);
        });
        sent.on('error', reject);
        sent.end(body);
      });
      assert.equal(status, 200);
      await sendMails();
      assert(linkIn(mails()[0]).startsWith(`${server.base}/reset-password?`));
      assert.doesNotMatch(mails()[0]?.raw ?? '', /evil/);
    });

    it('a form of another site sends no mail', async () => {
      const seen = await forget('alice', { origin: 'https://evil.example' });
      assert.equal(seen.status, 403);
      assert.equal(await server.services.store.countWaitingMails(), 0);
    });

    it('a reused link is refused', async () => {
      const link = await aLink();
      await choose(link);
      assertRefused(await choose(link, 'another passphrase'));
      assert.equal(await canSignIn(NEW_PASSWORD), true);
    });

    it('a link that is raced on two nodes sets one password', async () => {
      const other = await start({ DATABASE_URL: server.services.config.database.url }, false);
      const token = new URL(await aLink()).searchParams.get('token') ?? '';
      const attempt = async (at: TestServer, password: string) => {
        const form = { action: `${at.base}/reset-password`, fields: new URLSearchParams({ token, password }) };
        const { status } = await new Visitor(at.base).send(form);
        return status === 200 ? password : undefined;
      };
      const attempts = [server, other].flatMap(at =>
        [1, 2, 3, 4].map(each => attempt(at, `passphrase ${at.base} ${each}`)),
      );
      const winners = (await Promise.all(attempts)).filter(password => password !== undefined);
      assert.equal(winners.length, 1);
      assert.equal(await canSignIn(winners[0] as string), true);
    });

    it('a link for an older request is refused', async () => {
      const [older, newer] = [await aLink(), await aLink()];
      assertRefused(await choose(older));
      assert.equal((await choose(newer)).status, 200);
    });

    it('a link after a password change is refused', async () => {
      const link = await aLink();
      const account = await server.services.store.findAccount('alice');
      const hash = await server.services.passwords.hash('changed by an operator');
      await server.services.store.changePassword(account?.sub ?? '', hash, clock.now());
      assertRefused(await choose(link));
    });

    it('a link is refused after 30 minutes', async () => {
      const link = await aLink();
      clock.advance(HALF_HOUR - 1);
      assert.equal((await new Visitor(server.base).go(link)).status, 200);
      clock.advance(1);
      assertRefused(await choose(link));
    });

    it('a link that was cut or made up is refused, and costs no hash', async () => {
      const link = await aLink();
      for (const wrong of [link.slice(0, -1), `${server.base}/reset-password`, link.replace('gpr_', 'grp_')]) {
        assertRefused(await choose(wrong));
      }
    });

    it('one link cannot be used to make the server hash without end', async t => {
      const token = new URL(await aLink()).searchParams.get('token') ?? '';
      const form = {
        action: `${server.base}/reset-password`,
        fields: new URLSearchParams({ token, password: NEW_PASSWORD }),
      };
      // No hash is ready before every form has come as far as it can.
      const { passwords } = server.services;
      const hash = passwords.hashInTurn;
      const allCame = Promise.withResolvers<void>();
      let [hashing, answered] = [0, 0];
      const count = () => hashing + answered === FORMS && allCame.resolve();
      t.mock.method(passwords, 'hashInTurn', async (password: string) => {
        hashing++;
        count();
        await allCame.promise;
        return hash(password);
      });
      const sent = Array.from({ length: FORMS }, async () => {
        const { status } = await new Visitor(server.base).send(form);
        answered++;
        count();
        return status;
      });
      const statuses = await Promise.all(sent);
      const of = (wanted: number) => statuses.filter(status => status === wanted).length;
      assert.deepEqual([of(200), of(400), of(429)], [1, hashing - 1, FORMS - hashing], statuses.join(' '));
      assert(hashing <= 10, `${hashing} hashes`);
    });
  });

  it('the link survives a restart, and works on every node', async () => {
    await forget('alice');
    const DATABASE_URL = server.services.config.database.url;
    const other = await start({ DATABASE_URL }, false);
    await sendMails(other);
    const link = linkIn(mails()[0]);
    assert(link.startsWith(other.base), 'the node that sends makes the link');
    assert.equal((await choose(link.replace(other.base, server.base))).status, 200);
  });

  it('thousands of requests for one account, by all its names and from many addresses, send a handful of mails', async () => {
    const names = ['alice', 'ALICE', 'alice@example.com', '+8613800000001'];
    for (let round = 0; round < 25; round++) {
      const requests = names.map((name, index) => forget(name, { 'x-forwarded-for': `203.0.${round}.${index}` }));
      for (const { status } of await Promise.all(requests)) assert.equal(status, 200);
      await sendMails();
      clock.advance(10);
    }
    assert.equal(mails().length, 3);
    assert.match(server.logged(), /"event":"reset.refused"/);
    assert.equal((await choose(linkIn(mails().at(-1)))).status, 200, 'the newest link works');
  });

  it('many requests from one address are limited, and the answer says for how long', async () => {
    const statuses: number[] = [];
    let last: Seen | undefined;
    for (let each = 0; each < 22; each++) {
      last = await forget(`user${each}`);
      statuses.push(last.status);
    }
    assert.deepEqual(statuses, [...Array(20).fill(200), 429, 429]);
    assert.equal(last?.headers.get('retry-after'), '30');
    assert.equal((await forget('alice', { 'x-forwarded-for': '203.0.113.9' })).status, 200, 'others are not affected');
  });

  it('neither link nor new password is in the log or in the database', async () => {
    const link = await aLink();
    await choose(link);
    await choose(link);
    const token = new URL(link).searchParams.get('token') ?? '';
    assert(token.length > 20);
    assert(!server.logged().includes(token));
    assert(!server.logged().includes(NEW_PASSWORD));
    await server.services.refusals.flush();
    const refusals = await server.services.store.listRefusals({}, { after: undefined, limit: 10 });
    assert(refusals.length > 0);
    assert(!JSON.stringify(refusals).includes(token));
  });
});
