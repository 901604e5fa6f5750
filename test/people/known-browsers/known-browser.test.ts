import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { newEvent } from '../../../src/audit/events/new-event.ts';
import { newMail } from '../../../src/notify/mail/queue.ts';
import { newResetToken, resetTokenHash } from '../../../src/people/password/reset-token.ts';
import { LIMITS } from '../../../src/platform/throttle/throttle.ts';
import { anAuthenticator, TOTP_SECRET } from '../../build/authenticator.ts';
import { token } from '../../build/client.ts';
import { fixedClock } from '../../build/clock.ts';
import { anApplication, aUser, PASSWORD } from '../../build/fixture.ts';
import { startTestServer, suiteServer, type TestServer } from '../../build/test-server.ts';
import { answerIn, authorizationUrl, formWith, type Seen, signIn, Visitor } from '../../build/visitor.ts';

const BOB = aUser({ username: 'bob', email: 'bob@example.com', email_verified: true, phone_number: '+8613800000002' });
const CAROL = aUser({
  username: 'carol',
  email: 'carol@example.com',
  phone_number: '+8613800000003',
  totp_secret: TOTP_SECRET,
});
const DAY = 86_400;
const COOKIE = 'gatehouse_known_browser';

const clock = fixedClock();
const server = suiteServer({
  clock,
  applications: [anApplication(), anApplication({ code: 'open', name: 'Open', mfa: 'off' })],
  users: [aUser(), BOB, CAROL],
  env: { TRUSTED_PROXIES: '127.0.0.1' },
});
beforeEach(() => clock.advance(100_000));

/** Each guess from another address. */
let addresses = 0;
const nextAddress = () => `198.51.${(addresses >> 8) & 255}.${addresses++ & 255}`;

async function login(visitor: Visitor, username: string, password: string, address = nextAddress()): Promise<Seen> {
  const page = await visitor.follow(authorizationUrl(server));
  const headers = { 'x-forwarded-for': address };
  return visitor.send(formWith(page, 'password'), { username, password }, headers);
}

const guess = async (username: string, visitor = new Visitor(server.base)) =>
  (await login(visitor, username, 'a wrong guess')).status;
const isIn = (seen: Seen) => /./.test(answerIn(seen).code ?? '');

/** A browser in which the user has signed in before, and signed out. */
async function aKnownBrowser(username = 'alice'): Promise<Visitor> {
  const visitor = new Visitor(server.base);
  assert(isIn(await login(visitor, username, PASSWORD)));
  visitor.cookies.delete('gatehouse_session');
  return visitor;
}

/** The attempts of the account are used up, and stay so for 30 s. */
async function useUp(username: string): Promise<number[]> {
  const statuses: number[] = [];
  for (let count = 0; count < 11; count++) statuses.push(await guess(username));
  return statuses;
}

describe('a browser that has signed in as this user before (accounts contract, Guessing)', () => {
  it('gets a cookie that scripts cannot read, for a year, and that does not name the user', async () => {
    const visitor = new Visitor(server.base);
    const page = await visitor.follow(authorizationUrl(server));
    const form = formWith(page, 'password');
    const body = new URLSearchParams({ ...Object.fromEntries(form.fields), username: 'alice', password: PASSWORD });
    const sent = { method: 'POST', headers: { 'content-type': 'application/x-www-form-urlencoded' }, body: `${body}` };
    const { headers } = await visitor.go(form.action, sent);
    const line = headers.getSetCookie().find(each => each.startsWith(`${COOKIE}=`)) ?? '';
    assert.match(line, /; Max-Age=31536000; Path=\/; HttpOnly; SameSite=Lax$/);
    const sub = (await server.services.store.findAccount('alice'))?.sub ?? '';
    const value = Buffer.from(visitor.cookies.get(COOKIE) ?? '', 'base64url').toString('latin1');
    assert(!value.includes(sub) && !value.includes('alice'));
  });

  it('attack: somebody fails for hours from many addresses, and the owner signs in at once', async () => {
    const known = await aKnownBrowser();
    for (let hour = 0; hour < 4; hour++) {
      assert.deepEqual(await useUp('alice'), [...Array(10).fill(400), 429]);
      assert(isIn(await login(known, 'alice', PASSWORD)));
      known.cookies.delete('gatehouse_session');
      assert.equal(await guess('alice'), 429, 'the success of the owner does not pay for guesses');
      clock.advance(3600);
    }
    await useUp('alice');
    const other = new Visitor(server.base);
    const refused = await login(other, 'alice', PASSWORD);
    const wait = Number(refused.headers.get('retry-after'));
    assert(refused.status === 429 && wait > 0 && wait <= 30, `a new browser waits ${wait} s`);
    clock.advance(wait);
    assert(isIn(await login(other, 'alice', PASSWORD)), 'and then signs in');
  });

  it('one attacker at one address does not keep a new browser elsewhere out, however long', async () => {
    for (let count = 0; count < 12; count++) await login(new Visitor(server.base), 'bob', 'wrong', '203.0.113.9');
    for (let minute = 0; minute < 10; minute++) {
      clock.advance(60);
      for (let count = 0; count < 2; count++) await login(new Visitor(server.base), 'bob', 'wrong', '203.0.113.9');
    }
    assert.equal((await login(new Visitor(server.base), 'bob', PASSWORD, '203.0.113.9')).status, 429);
    assert(isIn(await login(new Visitor(server.base), 'bob', PASSWORD)));
  });

  it('attack: a stolen cookie gives as many guesses as one browser has, and the owner’s other browsers have theirs', async () => {
    const [stolen, other] = [await aKnownBrowser(), await aKnownBrowser()];
    const thief = new Visitor(server.base);
    thief.cookies.set(COOKIE, stolen.cookies.get(COOKIE) ?? '');
    const statuses = [];
    for (let count = 0; count < 13; count++) statuses.push(await guess('alice', thief));
    assert.deepEqual(statuses, [...Array(10).fill(400), 429, 429, 429]);
    assert(isIn(await login(other, 'alice', PASSWORD)));
    assert(isIn(await login(new Visitor(server.base), 'alice', PASSWORD)), 'the account has its own');
  });

  it('attack: the cookie of another user gives nothing', async () => {
    await useUp('alice');
    const bob = await aKnownBrowser('bob');
    assert.equal((await login(bob, 'alice', PASSWORD)).status, 429);
  });

  it('attack: a forged or altered cookie gives nothing, and breaks nothing', async () => {
    const known = await aKnownBrowser();
    const cookie = known.cookies.get(COOKIE) ?? '';
    await useUp('alice');
    const altered = `${cookie.slice(0, -2)}${cookie.endsWith('A') ? 'BB' : 'AA'}`;
    const plain = Buffer.from(JSON.stringify({ id: 'x', users: ['alice'] })).toString('base64url');
    for (const forged of [altered, plain, '', 'a'.repeat(4000), '%00', `${cookie}xx`]) {
      const visitor = new Visitor(server.base);
      visitor.cookies.set(COOKIE, forged);
      assert.equal((await login(visitor, 'alice', PASSWORD)).status, 429, forged.slice(0, 20));
    }
    assert(isIn(await login(known, 'alice', PASSWORD)));
  });

  it('is known for the last five users of it', async () => {
    const names = Array.from({ length: 6 }, (_, at) => `user-${at}`);
    await server.provision({
      users: names.map((username, at) =>
        aUser({ username, email: `${username}@e.example`, phone_number: `+86139000000${at}0` }),
      ),
    });
    const visitor = new Visitor(server.base);
    for (const name of names) {
      assert(isIn(await login(visitor, name, PASSWORD)));
      visitor.cookies.delete('gatehouse_session');
    }
    for (const name of ['user-0', 'user-1', 'user-5']) await useUp(name);
    assert.equal((await login(visitor, 'user-0', PASSWORD)).status, 429);
    for (const name of ['user-1', 'user-5']) {
      assert(isIn(await login(visitor, name, PASSWORD)), name);
      visitor.cookies.delete('gatehouse_session');
    }
  });

  it('has a count of its own for the second factor too', async () => {
    const app = anAuthenticator(clock);
    const known = new Visitor(server.base);
    const first = await login(known, 'carol', PASSWORD);
    assert(isIn(await known.send(formWith(first, 'code'), { code: app.code() })));
    known.cookies.delete('gatehouse_session');
    clock.advance(30);
    let last = 0;
    for (let round = 0; round < 3; round++) {
      const attacker = new Visitor(server.base);
      const form = formWith(await login(attacker, 'carol', PASSWORD), 'code');
      for (let count = 0; count < 4; count++) last = (await attacker.send(form, { code: app.wrongCode() })).status;
    }
    assert.equal(last, 429, 'the account has no attempts left');
    const page = await login(known, 'carol', PASSWORD);
    assert(isIn(await known.send(formWith(page, 'code'), { code: app.code() })));
  });

  it('a link to a new password makes the browser known', async () => {
    const dave = { username: 'dave', email: 'dave@example.com', email_verified: true, phone_number: '+8613800000004' };
    await server.provision({ users: [aUser(dave)] });
    await useUp('dave');
    const visitor = new Visitor(server.base);
    const page = await visitor.go(`${server.base}/reset-password?token=${await aResetToken('dave')}`);
    const seen = await visitor.send(formWith(page, 'password'), { password: 'quite another long phrase' });
    assert.equal(seen.status, 200);
    assert.equal((await login(new Visitor(server.base), 'dave', 'quite another long phrase')).status, 429);
    assert(isIn(await login(visitor, 'dave', 'quite another long phrase')));
  });
});

describe('a browser that has proved the second factor of this user before (accounts contract, Guessing)', () => {
  const app = anAuthenticator(clock);

  /** The statuses of wrong codes in one sign-in after the other, as many as a sign-in compares. */
  async function guessCodes(visitor: Visitor, count = 5): Promise<number[]> {
    const page = await visitor.follow(`${server.base}/account`);
    const asked = atPassword(page) ? await visitor.send(formWith(page, 'password'), CREDENTIALS) : page;
    const form = formWith(asked, 'code');
    const statuses: number[] = [];
    for (let each = 0; each < count; each++)
      statuses.push((await visitor.send(form, { code: app.wrongCode() })).status);
    return statuses;
  }
  const CREDENTIALS = { username: 'carol', password: PASSWORD };
  const atPassword = ({ text }: Seen) => text.includes('name="password"');

  async function rightCode(visitor: Visitor): Promise<Seen> {
    const page = await login(visitor, 'carol', PASSWORD);
    return visitor.send(formWith(page, 'code'), { code: app.code() });
  }

  /** No code of the account is left, for browsers that have no count of their own. */
  async function useUpCodes(): Promise<void> {
    for (let round = 0; round < 3; round++) await guessCodes(new Visitor(server.base), 4);
  }

  async function aBrowserWith(content: (sub: string) => object): Promise<Visitor> {
    const { ring, store } = server.services;
    const sub = (await store.findAccount('carol'))?.sub ?? '';
    const visitor = new Visitor(server.base);
    const sealed = ring.seal('known browser', Buffer.from(JSON.stringify(content(sub))));
    visitor.cookies.set(COOKIE, sealed.toString('base64url'));
    return visitor;
  }

  it('attack: sessions of the password alone, each in a new browser, give no more codes than the account has', async () => {
    const statuses: number[] = [];
    for (let round = 0; round < 4; round++) {
      const visitor = new Visitor(server.base);
      assert(isIn(await signIn(server, {}, { visitor, username: 'carol', app: 'open' })), 'mfa: off asks for no code');
      assert(visitor.cookies.has(COOKIE));
      statuses.push(...(await guessCodes(visitor)));
    }
    assert.deepEqual(statuses, [...Array(10).fill(400), ...Array(10).fill(429)]);
  });

  it('attack: a link to a new password does not make the browser known for codes', async () => {
    await useUpCodes();
    const visitor = new Visitor(server.base);
    const page = await visitor.go(`${server.base}/reset-password?token=${await aResetToken('carol')}`);
    assert.equal((await visitor.send(formWith(page, 'password'), { password: PASSWORD })).status, 200);
    await useUp('carol');
    const asked = await login(visitor, 'carol', PASSWORD);
    assert.equal((await visitor.send(formWith(asked, 'code'), { code: app.code() })).status, 429);
  });

  it('a cookie that does not say whether the second factor was proved counts for passwords alone', async () => {
    const visitor = await aBrowserWith(sub => ({ id: 'an earlier release', users: [sub] }));
    await useUpCodes();
    await useUp('carol');
    const asked = await login(visitor, 'carol', PASSWORD);
    assert.equal((await visitor.send(formWith(asked, 'code'), { code: app.code() })).status, 429);
    clock.advance(30);
    assert(isIn(await visitor.send(formWith(asked, 'code'), { code: app.code() })));
    visitor.cookies.delete('gatehouse_session');
    await useUpCodes();
    clock.advance(30);
    await guessCodes(new Visitor(server.base), 1);
    assert(isIn(await rightCode(visitor)), 'from then on it is known for codes too');
  });

  it('stays known for codes after a session of the password alone', async () => {
    const visitor = new Visitor(server.base);
    assert(isIn(await rightCode(visitor)));
    visitor.cookies.delete('gatehouse_session');
    assert(isIn(await signIn(server, {}, { visitor, username: 'carol', app: 'open' })));
    visitor.cookies.delete('gatehouse_session');
    clock.advance(30);
    await useUpCodes();
    assert(isIn(await rightCode(visitor)));
  });

  it('attack: all browsers that are known for codes together have a limit too, and a success does not reset it', async () => {
    const { attempts } = LIMITS.dailyCodes;
    const browsers = Array.from({ length: attempts / 4 }, (_, at) =>
      aBrowserWith(sub => ({ id: `browser ${at}`, users: [sub], secondFactors: [sub] })),
    );
    const owner = await aBrowserWith(sub => ({ id: 'the own one', users: [sub], secondFactors: [sub] }));
    const statuses: number[] = [];
    for (const browser of browsers) {
      statuses.push(...(await guessCodes(await browser, 4)));
      if (statuses.length === 8) assert(isIn(await rightCode(owner)));
    }
    assert.deepEqual(statuses, Array(attempts).fill(400));
    const further = await aBrowserWith(sub => ({ id: 'a further one', users: [sub], secondFactors: [sub] }));
    assert.deepEqual(await guessCodes(further, 2), [429, 429]);
    assert.deepEqual(await guessCodes(new Visitor(server.base), 1), [400], 'the others have theirs');
  });

  it('attack: whoever has the password and tries codes all day long gets 88 answers, and the owner still gets in (ASVS 6.3.1)', async () => {
    const owner = new Visitor(server.base);
    assert(isIn(await rightCode(owner)));
    owner.cookies.delete('gatehouse_session');
    const rounds = 30;
    const statuses: number[] = [];
    for (let round = 0; round < rounds; round++) {
      statuses.push(...(await guessCodes(new Visitor(server.base))));
      clock.advance(DAY / rounds);
    }
    const answered = statuses.filter(status => status === 400).length;
    assert.ok(answered >= 40 && answered <= 88, `${answered} codes were compared`);
    assert.equal(statuses.filter(status => status === 429).length, statuses.length - answered);
    assert(isIn(await rightCode(owner)), 'in a browser that is known for codes');
  });
});

/** As the mail of a forgotten password has it. */
async function aResetToken(username: string): Promise<string> {
  const { services } = server;
  const { store, random } = services;
  const account = await store.findAccount(username);
  const token = newResetToken(random);
  const act = { type: 'user.password.reset.requested', outcome: 'success', actor: { kind: 'system' } } as const;
  await store.startPasswordReset(
    {
      sub: account?.sub ?? '',
      email: account?.email ?? '',
      tokenHash: resetTokenHash(token),
      expiresAt: clock.now() + 1800,
      maxLinks: 3,
      mail: newMail(services, { name: 'reset', to: 'dave@example.com', subject: 's', text: 't', html: 'h' }),
      requestedBy: 'nothing',
      event: newEvent(services, act),
    },
    clock.now(),
  );
  return token;
}

describe('what is throttled tells nothing about users (row 42)', () => {
  it('an unknown name gets the same statuses and waits, from browsers that are known for another user too', async () => {
    const seen = async (username: string, visitor: Visitor) => {
      const answers = [];
      for (let count = 0; count < 12; count++) {
        const { status, headers } = await login(visitor, username, 'wrong');
        answers.push([status, headers.get('retry-after')]);
      }
      return answers;
    };
    const bob = await aKnownBrowser('bob');
    for (const visitor of [new Visitor(server.base), bob]) {
      clock.advance(100_000);
      const known = await seen('alice', visitor);
      assert.deepEqual(known.at(-1), [429, '30']);
      assert.deepEqual(await seen('nobody', visitor), known);
    }
  });

  it('the password grant takes from the same counts, and no cookie helps it', async () => {
    const known = await aKnownBrowser();
    await useUp('alice');
    const cookie = `${COOKIE}=${known.cookies.get(COOKIE)}`;
    const answered = await token(
      server,
      { grant_type: 'password', username: 'alice', password: PASSWORD },
      { auth: 'Basic d2ViOndlYi1zZWNyZXQtMQ==', headers: { cookie } },
    );
    assert.equal(answered.status, 429);
  });
});

describe('the cookie of a known browser outlives a replaced secret', () => {
  it('it opens with the secret before, and is sealed anew at the next sign-in', async () => {
    const [old, next] = ['the first secret of this deployment', 'the second secret of this deployment'];
    const first = await startTestServer({ clock, env: { GATEHOUSE_SECRET: old } });
    const cookie = await cookieFrom(first);
    await first.close();
    const second = await startTestServer({ clock, env: { GATEHOUSE_SECRET: `${next},${old}` } });
    const { ring } = second.services;
    assert(ring.open('known browser', Buffer.from(cookie, 'base64url')));
    const visitor = new Visitor(second.base);
    visitor.cookies.set(COOKIE, cookie);
    await signIn(second, {}, { visitor });
    const renewed = visitor.cookies.get(COOKIE) ?? '';
    assert.notDeepEqual(
      Buffer.from(renewed, 'base64url').subarray(0, 4),
      Buffer.from(cookie, 'base64url').subarray(0, 4),
    );
    const users = (sealed: string) =>
      JSON.parse(`${ring.open('known browser', Buffer.from(sealed, 'base64url'))}`) as { id: string; users: string[] };
    assert.equal(users(renewed).id, users(cookie).id);
    assert.equal(users(renewed).users.length, 2, 'the users before are still known');
    await second.close();
  });

  async function cookieFrom(at: TestServer): Promise<string> {
    const visitor = new Visitor(at.base);
    await signIn(at, {}, { visitor });
    return visitor.cookies.get(COOKIE) ?? '';
  }
});
