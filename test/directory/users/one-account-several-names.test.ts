import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { token } from '../../build/client.ts';
import { fixedClock } from '../../build/clock.ts';
import { aClient, aUser, PASSWORD } from '../../build/fixture.ts';
import { suiteServer } from '../../build/test-server.ts';
import { answerIn, authorizationUrl, formWith, type Seen, Visitor } from '../../build/visitor.ts';

/** Users sign in with a user name, an e-mail address and a telephone number. Nobody learns which of them belong to one account. */
const NAMES = ['alice', 'alice@example.com', '+8613800000001'] as const;
const STRANGERS = ['nobody', 'nobody@example.com', '+8613800000099'] as const;
const COOKIE = 'gatehouse_known_browser';

const clock = fixedClock();
const server = suiteServer({
  clock,
  clients: [aClient(), aClient({ client_id: 'trusted', grant_types: ['password'] })],
  users: [aUser()],
  env: { TRUSTED_PROXIES: '127.0.0.1' },
});
beforeEach(() => clock.advance(100_000));

let addresses = 0;
const nextAddress = () => `198.51.${(addresses >> 8) & 255}.${addresses++ & 255}`;

async function login(username: string, password: string, visitor = new Visitor(server.base)): Promise<Seen> {
  const page = await visitor.follow(authorizationUrl(server));
  return visitor.send(formWith(page, 'password'), { username, password }, { 'x-forwarded-for': nextAddress() });
}

const passwordGrant = (username: string, password: string) =>
  token(
    server,
    { grant_type: 'password', username, password },
    { auth: `Basic ${btoa('trusted:web-secret-1')}`, headers: { 'x-forwarded-for': nextAddress() } },
  );

/** What somebody who guesses sees, without what is new with every request. */
function seenBy({ status, headers, text }: Pick<Seen, 'status' | 'headers' | 'text'>, username: string): unknown {
  const varying = new Set(['date', 'x-request-id', 'content-security-policy', 'content-length', 'set-cookie']);
  const kept = [...headers].filter(([name]) => !varying.has(name));
  const body = text
    .replaceAll(/(name="pending" value=|pending=)"?[^"&]*/g, '')
    .replaceAll(/"request_id":"[^"]*"/g, '')
    .replaceAll(/nonce="[^"]*"/g, '')
    .replaceAll(/challenge[^,}]*/g, '')
    .replaceAll(username, 'NAME')
    .replaceAll(username.replace('+', '&#43;'), 'NAME');
  return { status, kept, body };
}

describe('attack: ten failures for one name of an account, then one for another (row 42, accounts contract: Guessing)', () => {
  const ways = {
    'the login page': (username: string, password: string) => login(username, password),
    'the password grant': passwordGrant,
  };
  for (const [way, attempt] of Object.entries(ways)) {
    for (const [at, other] of NAMES.slice(1).entries()) {
      it(`${way}: ${other} is answered as a name of somebody else, for a wrong password and for the right one`, async () => {
        for (let count = 0; count < 10; count++) assert.equal((await attempt('alice', 'wrong')).status, 400);
        assert.equal((await attempt('alice', 'wrong')).status, 429, 'the name that was typed');
        const stranger = STRANGERS[at + 1] ?? '';
        const expected = seenBy(await attempt(stranger, 'wrong'), stranger);
        for (const password of ['wrong', PASSWORD]) {
          assert.deepEqual(seenBy(await attempt(other, password), other), expected);
        }
      });
    }

    it(`${way}: names of one account, and names of nobody, have the same answers in every order`, async () => {
      const answers = async (names: readonly string[]) => {
        const seen = [];
        for (let count = 0; count < 36; count++) {
          const { status, headers } = await attempt(names[count % 3] ?? '', 'wrong');
          seen.push([status, headers.get('retry-after')]);
        }
        return seen;
      };
      const ofOne = await answers(NAMES);
      assert.deepEqual(await answers(STRANGERS), ofOne);
      assert.equal(ofOne.filter(([status]) => status === 400).length, 30);
    });
  }

  it('the account has ten guesses under all names together: the eleventh is not compared', async () => {
    for (let count = 0; count < 10; count++) await login(NAMES[count % 3] ?? '', 'wrong');
    for (const name of NAMES) assert.equal((await login(name, PASSWORD)).status, 400);
    clock.advance(30);
    assert(answerIn(await login('alice', PASSWORD)).code, 'it regains one every 30 seconds');
  });

  it('a known browser gets in, and does not tell either which names belong to one account', async () => {
    const visitor = new Visitor(server.base);
    assert(answerIn(await login('alice', PASSWORD, visitor)).code);
    visitor.cookies.delete('gatehouse_session');
    for (let count = 0; count < 10; count++) await login(NAMES[count % 3] ?? '', 'wrong');
    const cookie = visitor.cookies.get(COOKIE) ?? '';
    for (let count = 0; count < 10; count++) assert.equal((await login('alice', 'wrong', visitor)).status, 400);
    assert.equal((await login('alice', PASSWORD, visitor)).status, 429);
    assert.equal((await login('alice@example.com', PASSWORD, visitor)).status, 400, 'as a wrong password');
    const fresh = new Visitor(server.base);
    fresh.cookies.set(COOKIE, cookie);
    clock.advance(30);
    assert(answerIn(await login('alice@example.com', PASSWORD, fresh)).code);
  });
});
