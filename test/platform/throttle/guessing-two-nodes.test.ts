import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { LIMITS } from '../../../src/platform/throttle/throttle.ts';
import type { Store } from '../../../src/store.ts';
import { type Authenticator, anAuthenticator, TOTP_SECRET } from '../../build/authenticator.ts';
import { token } from '../../build/client.ts';
import { fixedClock } from '../../build/clock.ts';
import { aClient, anApplication, aUser, PASSWORD } from '../../build/fixture.ts';
import { createMigratedDatabase, stopOwnServer, type TestDatabase } from '../../build/postgres.ts';
import { startTestServer, type TestServer } from '../../build/test-server.ts';
import { answerIn, authorizationUrl, type Form, formWith, type Seen, signIn, Visitor } from '../../build/visitor.ts';

/** Two servers on one PostgreSQL: every limit on guessing is that of one (accounts contract, Guessing). */
const clock = fixedClock();
const WITH_TOTP = aUser({ totp_secret: TOTP_SECRET });
const BOB = aUser({ username: 'bob', email: 'bob@example.com', phone_number: '+8613800000002' });
const CALLER = aClient({ grant_types: ['password'] });

let database: TestDatabase;
let nodes: [TestServer, TestServer];
let app: Authenticator;
const calls: string[] = [];
before(async () => {
  database = await createMigratedDatabase();
  const env = { DATABASE_URL: database.url, TRUSTED_PROXIES: '127.0.0.1' };
  const watched = (store: Store) =>
    new Proxy(store, {
      get(target, name) {
        const value = Reflect.get(target, name);
        if (typeof value !== 'function') return value;
        return (...args: unknown[]) => {
          calls.push(String(name));
          return Reflect.apply(value, target, args);
        };
      },
    });
  const options = { clock, env, wrapStore: watched, users: [WITH_TOTP, BOB] };
  const applications = [anApplication({ clients: [CALLER, aClient({ client_id: 'browser' })] })];
  const first = await startTestServer({ ...options, applications });
  nodes = [first, await startTestServer({ ...options, applications, users: [] })];
  app = anAuthenticator(clock);
});
after(async () => {
  for (const node of nodes) await node.close();
  await database.drop();
  await stopOwnServer();
});
beforeEach(() => clock.advance(100_000));

const node = (at: number) => nodes[at % 2] as TestServer;
const passwordGrant = (at: TestServer, username: string, password: string, address = '198.51.100.1') =>
  token(
    at,
    { grant_type: 'password', username, password },
    { auth: 'Basic d2ViOndlYi1zZWNyZXQtMQ==', headers: { 'x-forwarded-for': address } },
  );
const count = (statuses: readonly number[], status: number) => statuses.filter(each => each === status).length;
/** Each attempt comes from an address of its own. */
let addresses = 0;
const nextAddress = () => `203.0.${(addresses >> 8) & 255}.${addresses++ & 255}`;
const subOf = async (username: string) => (await node(0).services.store.findAccount(username))?.sub ?? '';

/** A sign-in that has proved the password and is asked for a code; its form can be sent to either node, as behind a load balancer. */
async function askedForCode(at = 0, knownBrowser?: string): Promise<{ form: Form; cookie: string }> {
  const visitor = new Visitor(node(at).base);
  if (knownBrowser) visitor.cookies.set('gatehouse_known_browser', knownBrowser);
  const page = await signIn(node(at), { client_id: 'browser' }, { visitor });
  const cookie = [...visitor.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  return { form: formWith(page, 'code'), cookie };
}

function sendCode(
  at: TestServer,
  { form, cookie }: { form: Form; cookie: string },
  code: string,
  path = '/login/totp',
) {
  const body = new URLSearchParams([...form.fields, ['code', code]]).toString();
  const headers = { 'content-type': 'application/x-www-form-urlencoded', origin: at.base, accept: 'text/html', cookie };
  return fetch(`${at.base}${path}`, { method: 'POST', body, headers, redirect: 'manual' });
}

const opensSession = (response: Response) =>
  response.headers.getSetCookie().some(line => line.startsWith('gatehouse_session='));

describe('attack: guesses over two nodes', () => {
  for (const username of ['bob', 'nobody']) {
    it(`200 parallel passwords for ${username}, each from its own address: 10 are answered as wrong, the rest with 429`, async () => {
      const answers = await Promise.all(
        Array.from({ length: 200 }, (_, at) => passwordGrant(node(at), username, `guess ${at}`, nextAddress())),
      );
      const statuses = answers.map(({ status }) => status);
      assert.deepEqual([count(statuses, 400), count(statuses, 400) + count(statuses, 429)], [10, 200]);
      for (const at of [0, 1]) assert.equal((await passwordGrant(node(at), username, PASSWORD)).status, 429);
    });
  }

  it('passwords one after the other, now here and now there: the limit is that of one', async () => {
    const statuses: number[] = [];
    for (let at = 0; at < 14; at++)
      statuses.push((await passwordGrant(node(at), 'bob', 'wrong', nextAddress())).status);
    assert.deepEqual(statuses, [...Array(10).fill(400), ...Array(4).fill(429)]);
    clock.advance(30);
    assert.equal((await passwordGrant(node(1), 'bob', PASSWORD, nextAddress())).status, 200);
    for (let at = 0; at < 9; at++)
      assert.equal((await passwordGrant(node(at), 'bob', 'wrong', nextAddress())).status, 400);
    assert.equal((await passwordGrant(node(1), 'bob', PASSWORD, nextAddress())).status, 200, 'failures were forgotten');
  });

  it('the names of one account, now here and now there: ten guesses in all, and the answers of names that nobody has', async () => {
    const answers = async (names: readonly string[]) => {
      const statuses: number[] = [];
      for (let at = 0; at < 24; at++)
        statuses.push((await passwordGrant(node(at), names[at % 2] ?? '', 'wrong', nextAddress())).status);
      return statuses;
    };
    const ofOne = await answers(['bob', 'bob@example.com']);
    assert.deepEqual(await answers(['nobody', 'nobody@example.com']), ofOne);
    assert.deepEqual([count(ofOne, 400), count(ofOne, 429)], [20, 4]);
    clock.advance(100_000);
    for (let at = 0; at < 10; at++) await passwordGrant(node(at), 'bob', 'wrong', nextAddress());
    for (const at of [0, 1]) {
      assert.equal((await passwordGrant(node(at), '+8613800000002', PASSWORD, nextAddress())).status, 400);
    }
    clock.advance(30);
    assert.equal((await passwordGrant(node(1), '+8613800000002', PASSWORD, nextAddress())).status, 200);
  });

  it('names one after the other from one address: the limit of the address is that of one', async () => {
    const statuses: number[] = [];
    for (let from = 0; from < 120; from += 20) {
      const group = Array.from({ length: 20 }, (_, at) =>
        passwordGrant(node(at), `name ${from + at}`, 'x', '192.0.2.7'),
      );
      statuses.push(...(await Promise.all(group)).map(({ status }) => status));
    }
    assert.equal(count(statuses, 429) >= 20, true, `${count(statuses, 400)} evaluated`);
    assert.equal((await passwordGrant(node(0), 'bob', PASSWORD, '192.0.2.7')).status, 429);
    assert.equal((await passwordGrant(node(0), 'bob', PASSWORD, '192.0.2.8')).status, 200);
  });

  it('a known browser signs in at either node while the account has no attempts left', async () => {
    const owner = new Visitor(node(0).base);
    assert(answerIn(await signIn(node(0), { client_id: 'browser' }, { visitor: owner, username: 'bob' })).code);
    for (let at = 0; at < 11; at++) await passwordGrant(node(at), 'bob', 'wrong', nextAddress());
    const elsewhere = new Visitor(node(1).base);
    elsewhere.cookies.set('gatehouse_known_browser', owner.cookies.get('gatehouse_known_browser') ?? '');
    const login = async (visitor: Visitor, password: string): Promise<Seen> => {
      const page = await visitor.follow(authorizationUrl(node(1), { client_id: 'browser' }));
      return visitor.send(formWith(page, 'password'), { username: 'bob', password });
    };
    assert.equal((await login(new Visitor(node(1).base), PASSWORD)).status, 429);
    const statuses: number[] = [];
    for (let guess = 0; guess < 9; guess++) statuses.push((await login(elsewhere, 'wrong')).status);
    assert.deepEqual(statuses, Array(9).fill(400));
    assert(answerIn(await login(elsewhere, PASSWORD)).code);
  });

  it('1,000 parallel one-time passwords: exactly 5 are evaluated', async () => {
    const asked = await askedForCode();
    const wrong = app.wrongCode();
    const statuses = await inGroups(1000, at => sendCode(node(at), asked, wrong));
    assert.equal(count(statuses, 400), 5);
    assert.equal(count(statuses, 400) + count(statuses, 403) + count(statuses, 429), 1000);
    clock.advance(300);
    assert.equal((await sendCode(node(1), asked, app.code())).status, 403, 'the right one comes too late');
  });

  it('1,000 parallel recovery codes: exactly 5 are evaluated', async () => {
    const asked = await askedForCode();
    const statuses = await inGroups(1000, at => sendCode(node(at), asked, `none-${at}`, '/login/recovery'));
    assert.equal(count(statuses, 400), 5);
    assert.equal(count(statuses, 400) + count(statuses, 403) + count(statuses, 429), 1000);
  });

  it('sign-ins one after the other, now here and now there: 10 codes for the account', async () => {
    const statuses: number[] = [];
    for (let round = 0; round < 4; round++) {
      const asked = await askedForCode(round);
      for (let at = 0; at < 4; at++) statuses.push((await sendCode(node(at), asked, app.wrongCode())).status);
    }
    assert.deepEqual([count(statuses, 400), count(statuses, 429)], [10, 6]);
  });

  it('codes one sign-in after the other, for hours, now here and now there: one limit of the day', async () => {
    const statuses: number[] = [];
    for (let round = 0; round < 12; round++) {
      const asked = await askedForCode(round);
      for (let at = 0; at < 5; at++) statuses.push((await sendCode(node(at + 1), asked, app.wrongCode())).status);
      clock.advance(300);
    }
    const answered = count(statuses, 400);
    assert.ok(answered >= 40 && answered <= 42, `${answered} codes were compared`);
    assert.equal(count(statuses, 429), statuses.length - answered);
  });

  it('codes in browsers that are known for them, now here and now there: one limit for each, and one for all', async () => {
    const sub = await subOf('alice');
    const cookieOf = (id: number) => {
      const content = { id: `browser ${id}`, users: [sub], secondFactors: [sub] };
      return node(0)
        .services.ring.seal('known browser', Buffer.from(JSON.stringify(content)))
        .toString('base64url');
    };
    const guess = async (browser: number, codes: number) => {
      const asked = await askedForCode(browser, cookieOf(browser));
      const statuses: number[] = [];
      for (let at = 0; at < codes; at++) statuses.push((await sendCode(node(at), asked, app.wrongCode())).status);
      return statuses;
    };
    const { attempts } = LIMITS.dailyCodes;
    const own = [...(await guess(0, 4)), ...(await guess(0, 4)), ...(await guess(0, 4))];
    assert.deepEqual([count(own, 400), count(own, 429)], [10, 2]);
    const others: number[] = [];
    for (let browser = 1; browser <= attempts / 4; browser++) others.push(...(await guess(browser, 4)));
    assert.deepEqual([count(others, 400), count(others, 429)], [attempts - 10, 10]);
    const stranger = await askedForCode();
    assert.equal((await sendCode(node(1), stranger, app.wrongCode())).status, 400);
  });

  it('one code raced by two sign-ins on two nodes, in the same step: one succeeds (RFC 6238 section 5.2)', async () => {
    const sign = [await askedForCode(0), await askedForCode(1)];
    const code = app.code();
    const answers = await Promise.all(sign.map((asked, at) => sendCode(node(at), asked, code)));
    assert.deepEqual(answers.map(opensSession).sort(), [false, true]);
    const late = await sendCode(node(0), await askedForCode(0), code);
    assert.equal(late.status, 400, 'replay in the same step');
  });

  it('one recovery code raced by two sign-ins on two nodes: one succeeds', async () => {
    const sub = await subOf('alice');
    const { hashRecoveryCode } = await import('../../../src/people/recovery-codes/codes.ts');
    const code = 'abcd-efgh-jkmn-pqrs';
    await node(0).services.store.replaceRecoveryCodes(sub, [hashRecoveryCode(sub, code)], clock.now());
    const sign = [await askedForCode(0), await askedForCode(1)];
    const answers = await Promise.all(sign.map((asked, at) => sendCode(node(at), asked, code, '/login/recovery')));
    assert.deepEqual(answers.map(opensSession).sort(), [false, true]);
  });
});

/** As many at a time as a server takes without an overload. */
async function inGroups(total: number, send: (at: number) => Promise<Response>): Promise<number[]> {
  const statuses: number[] = [];
  for (let from = 0; from < total; from += 200) {
    const group = await Promise.all(Array.from({ length: 200 }, (_, at) => send(from + at)));
    statuses.push(...group.map(({ status }) => status));
  }
  return statuses;
}

describe('a right password without failures on record (accounts contract: no write for every right password)', () => {
  const WRITES = ['takeAttempt', 'giveBackAttempt', 'resetAttempts'];

  it('reads the counts beside the account, and writes none', async () => {
    calls.length = 0;
    assert.equal((await passwordGrant(node(0), 'bob', PASSWORD)).status, 200);
    const logins = calls.filter(name => !['recordEvents', 'findClient', 'findApplication'].includes(name));
    assert.deepEqual(logins.slice(0, 4), ['findAccount', 'passwordHashFrom', 'failedAttempts', 'addTokenFamily']);
    assert.equal(
      logins.some(name => WRITES.includes(name)),
      false,
      logins.join(' '),
    );
    const { query } = database;
    assert.deepEqual(
      await query('SELECT count(*)::int AS rows FROM failed_attempts WHERE full_at > $1', [clock.now()]),
      [{ rows: 0 }],
    );
  });

  it('the failure before it is recorded, and forgotten by it', async () => {
    await passwordGrant(node(0), 'bob', 'wrong', '192.0.2.50');
    const rows = () => database.query('SELECT key FROM failed_attempts WHERE full_at > $1 ORDER BY key', [clock.now()]);
    const sub = await subOf('bob');
    const keys = (await rows()).map(({ key }) => key);
    const name = `? ${node(0).services.ring.hashOfLoginName('bob')} name`;
    const ofBob = [`${sub} account`, `${sub} from 192.0.2.50`, name, `${name} from 192.0.2.50`];
    assert.deepEqual(keys.sort(), [...ofBob, 'address 192.0.2.50'].sort());
    assert.equal((await passwordGrant(node(1), 'bob', PASSWORD, '192.0.2.50')).status, 200);
    assert.deepEqual(await rows(), [{ key: 'address 192.0.2.50' }]);
  });

  it('a name that nobody has is not stored: people type passwords into that field', async () => {
    await passwordGrant(node(0), 'my secret phrase', 'wrong');
    const rows = await database.query('SELECT key FROM failed_attempts');
    assert(!rows.some(({ key }) => String(key).includes('secret')), JSON.stringify(rows));
  });
});
