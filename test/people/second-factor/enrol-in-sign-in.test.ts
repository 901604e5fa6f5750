import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { anAuthenticator } from '../../build/authenticator.ts';
import { claimsOf, redeem, WEB } from '../../build/client.ts';
import { fixedClock } from '../../build/clock.ts';
import { delivered } from '../../build/delivered.ts';
import { anApplication, aUser, PASSWORD } from '../../build/fixture.ts';
import { anOperatorClient } from '../../build/operator.ts';
import { testPart } from '../../build/suite-part.ts';
import { suiteServer } from '../../build/test-server.ts';
import { authorizationUrl, type Fields, formWith, type Seen, signIn, Visitor } from '../../build/visitor.ts';

let username: string;
let count = 0;
const clock = fixedClock();
const server = suiteServer({
  clock,
  applications: [
    anApplication({ mfa: 'off' }),
    anApplication({ code: 'bank', name: 'Bank', mfa: 'required' }),
    anApplication({ code: 'club', name: 'Club' }),
  ],
  users: [],
});
beforeEach(async () => {
  username = await aPerson();
});
const visitor = testPart(() => new Visitor(server.base));
beforeEach(() => {
  clock.advance(600);
});

async function aPerson(require_mfa = false): Promise<string> {
  const name = `user${++count}`;
  const own = { username: name, email: `${name}@example.com`, phone_number: null, phone_number_verified: false };
  await server.provision({ users: [aUser({ ...own, require_mfa })] });
  return name;
}

const hasSession = (of = visitor) => of.cookies.has('gatehouse_session');
const password = (app = 'bank', fields: Fields = {}, of = visitor) =>
  signIn(server, fields, { visitor: of, username, app });
const keyIn = (page: Seen) => /id="totp-key">([A-Z2-7]+)</.exec(page.text)?.[1] ?? '';
const codesIn = (page: Seen) =>
  [...page.text.matchAll(/class="recovery-code">([^<]+)</g)].map(([, code]) => code ?? '');
const appOf = (page: Seen) => anAuthenticator(clock, keyIn(page));
const typeCode = (page: Seen, code: string, of = visitor) => of.send(formWith(page, 'code'), { code });
const onwards = (page: Seen, of = visitor) => {
  const href = /<a class="button" href="([^"]+)">I have saved them/.exec(page.text)?.[1] ?? assert.fail(page.text);
  return of.follow(new URL(href.replaceAll('&amp;', '&'), server.base).href);
};
const subOf = async (name = username) => (await server.services.store.findAccount(name))?.sub ?? '';
const hasTotp = async () => (await server.services.store.findAccount(username))?.totp !== undefined;

describe('enrolment is part of the sign-in where a second factor is required (accounts contract, mfa: required)', () => {
  it('the key, its first code, the recovery codes, and on to the client with acr 2', async () => {
    const page = await password();
    assert.match(page.url, /\/login\/enrol\?pending=/);
    assert.match(page.text, /Signing in to Bank needs a second factor/);
    assert.match(keyIn(page), /^[A-Z2-7]{32}$/);
    assert.match(page.text, /<svg class="qr"/);
    assert.equal(hasSession(), false);
    const shown = await typeCode(page, appOf(page).code());
    assert.equal(shown.status, 200);
    assert.equal(new Set(codesIn(shown)).size, 10);
    const { code = '' } = delivered(await onwards(shown)).fields;
    const { amr, acr } = claimsOf((await redeem(server, code, {}, { auth: WEB }, 'bank')).json.id_token);
    assert.deepEqual([amr, acr], [['pwd', 'otp', 'mfa'], '2']);
    const events = await server.services.store.listEvents({ types: ['factor.added'] }, { after: undefined, limit: 1 });
    assert.deepEqual(
      [events[0]?.app, events[0]?.details, events[0]?.subject],
      ['bank', { factor: 'totp' }, await subOf()],
    );
  });

  it('the next sign-in asks for a code of the app, and takes a recovery code', async () => {
    const page = await password();
    const app = appOf(page);
    const codes = codesIn(await typeCode(page, app.code()));
    clock.advance(30);
    const other = new Visitor(server.base);
    const asked = await password('bank', {}, other);
    assert.match(asked.url, /\/login\/totp\?/);
    const recovery = { ...formWith(asked, 'code'), action: `${server.base}/login/recovery` };
    assert(delivered(await other.send(recovery, { code: codes[0] ?? '' })).fields.code);
  });

  it('opened again it shows the same key: a phone may close the page while its app is in front', async () => {
    const page = await password();
    const again = await visitor.go(page.url);
    assert.deepEqual([again.status, keyIn(again)], [200, keyIn(page)]);
    const chinese = await visitor.go(page.url, { headers: { 'accept-language': 'zh' } });
    assert.match(chinese.text, /登录 Bank 除密码外还需要第二重验证/);
    assert.equal(codesIn(await typeCode(again, appOf(page).code())).length, 10);
  });

  it('a wrong code asks again with the same key, and nothing counts', async () => {
    const page = await password();
    const wrong = await typeCode(page, appOf(page).wrongCode());
    assert.deepEqual([wrong.status, keyIn(wrong)], [400, keyIn(page)]);
    assert.match(wrong.text, /role="alert"/);
    assert.equal(await hasTotp(), false);
    assert.equal(codesIn(await typeCode(wrong, appOf(page).code())).length, 10);
  });

  it('the user can cancel: access_denied, and no factor', async () => {
    const page = await password();
    const seen = await visitor.send(formWith(page, 'code'), { action: 'cancel' });
    assert.equal(delivered(seen).fields.error, 'access_denied');
    assert.deepEqual([hasSession(), await hasTotp()], [false, false]);
  });

  it('a recent session of the password alone is stepped up by it, an older one is asked for the password first', async () => {
    await password('shop');
    const first = visitor.cookies.get('gatehouse_session');
    const page = await visitor.follow(authorizationUrl(server, {}, 'bank'));
    assert.match(page.url, /\/login\/enrol\?/);
    clock.advance(301);
    const late = await typeCode(page, appOf(page).code());
    assert.match(late.url, /\/login\?/, 'adding a factor needs an authentication not older than 5 minutes');
    const again = await visitor.send(formWith(late, 'password'), { username, password: PASSWORD });
    const shown = await typeCode(again, appOf(again).code());
    assert.notEqual(visitor.cookies.get('gatehouse_session'), first);
    assert(delivered(await onwards(shown)).fields.code);
  });

  it('prompt=none cannot lead anybody through it: unmet_authentication_requirements', async () => {
    await password('shop');
    const seen = await visitor.follow(authorizationUrl(server, { prompt: 'none' }, 'bank'));
    assert.equal(delivered(seen).fields.error, 'unmet_authentication_requirements');
  });

  it('nothing of it is logged, nor stored in the clear', async () => {
    const page = await password();
    const codes = codesIn(await typeCode(page, appOf(page).code()));
    const stored = JSON.stringify(await server.services.store.secondFactorsOf(await subOf()));
    for (const secret of [keyIn(page), ...codes]) assert(!stored.includes(secret) && !server.logged().includes(secret));
  });
});

describe('a user who must have a second factor (require_mfa)', () => {
  const require = async (value: boolean) => {
    const owner = await anOperatorClient(server);
    const answered = await owner.ask('PATCH', `/users/${await subOf()}`, { require_mfa: value });
    assert.deepEqual([answered.status, answered.json.require_mfa], [200, value]);
  };

  it('sets one up at the next sign-in, whatever the application says', async () => {
    username = await aPerson(true);
    for (const app of ['shop', 'club']) {
      const other = new Visitor(server.base);
      assert.match((await password(app, {}, other)).url, /\/login\/enrol\?/);
    }
  });

  it('set by an operator, it holds for a session that is open', async () => {
    await password('club');
    assert(delivered(await visitor.follow(authorizationUrl(server, {}, 'club'))).fields.code);
    await require(true);
    const page = await visitor.follow(authorizationUrl(server, {}, 'club'));
    assert.match(page.url, /\/login\/enrol\?/);
    assert(delivered(await onwards(await typeCode(page, appOf(page).code()))).fields.code);
    assert(delivered(await visitor.follow(authorizationUrl(server, {}, 'shop'))).fields.code, 'and is met');
  });

  it('leads from the account page through it and back', async () => {
    await require(true);
    const login = await visitor.follow(`${server.base}/account`);
    const page = await visitor.send(formWith(login, 'password'), { username, password: PASSWORD });
    assert.match(page.url, /\/login\/enrol\?/);
    assert.match((await onwards(await typeCode(page, appOf(page).code()))).text, new RegExp(`<dd>${username}<`));
  });

  it('is refused by the password grant, which has no page', async () => {
    await require(true);
    const body = { grant_type: 'password', username, password: PASSWORD };
    const init = { method: 'POST', headers: { authorization: WEB }, body: new URLSearchParams(body) };
    assert.equal((await fetch(`${server.at('club')}/token`, init)).status, 400);
    await require(false);
    assert.equal((await fetch(`${server.at('club')}/token`, init)).status, 200);
  });
});

describe('attacks on the enrolment', () => {
  it('step skipping: neither /auth nor /login/totp nor /account lets the sign-in through without it', async () => {
    const page = await password();
    const pending = new URL(page.url).searchParams.get('pending') ?? '';
    const resumed = await visitor.follow(`${server.at('bank')}/auth?gatehouse_pending=${pending}`);
    assert.match(resumed.url, /\/login\/enrol\?/);
    const totp = { action: `${server.base}/login/totp`, fields: new URLSearchParams({ pending, code: '123456' }) };
    assert.match((await visitor.send(totp)).url, /\/login\/enrol\?/);
    assert.match((await visitor.follow(`${server.base}/account`)).url, /\/login\?/);
    assert.equal(hasSession(), false);
  });

  it('step skipping: without the password nothing is enrolled, and no key is shown', async () => {
    const login = await visitor.follow(authorizationUrl(server, {}, 'bank'));
    const pending = formWith(login, 'password').fields.get('pending') ?? '';
    const opened = await visitor.follow(`${server.base}/login/enrol?pending=${pending}`);
    assert.deepEqual([/\/login\?/.test(opened.url), keyIn(opened)], [true, '']);
  });

  it('out of order: the page enrols nobody for whom no factor is required, or who has one', async () => {
    const enrolled = await password();
    await typeCode(enrolled, appOf(enrolled).code());
    const other = new Visitor(server.base);
    const asked = await password('bank', {}, other);
    const pending = new URL(asked.url).searchParams.get('pending') ?? '';
    assert.match((await other.follow(`${server.base}/login/enrol?pending=${pending}`)).url, /\/login\/totp\?/);
  });

  it('a form that is sent again enrols nothing, shows no code and opens no session', async () => {
    const page = await password();
    const code = appOf(page).code();
    const first = await typeCode(page, code);
    assert.equal(codesIn(first).length, 10);
    const thief = new Visitor(server.base);
    thief.cookies.set('gatehouse_browser', visitor.cookies.get('gatehouse_browser') ?? '');
    const again = await typeCode(page, code, thief);
    assert.deepEqual([codesIn(again), hasSession(thief)], [[], false]);
    const events = await server.services.store.listEvents({ types: ['factor.added'] }, { after: undefined, limit: 9 });
    const sub = await subOf();
    assert.equal(events.filter(({ subject }) => subject === sub).length, 1);
  });

  it('moved to another browser it is refused', async () => {
    const page = await password();
    const thief = new Visitor(server.base);
    await thief.follow(authorizationUrl(server, {}, 'bank'));
    assert.equal((await thief.go(page.url)).status, 400);
    const seen = await typeCode(page, appOf(page).code(), thief);
    assert.deepEqual([seen.status, hasSession(thief), await hasTotp()], [400, false, false]);
  });

  it('a key of one user does not count for another who signs in in the same browser', async () => {
    const page = await password();
    const code = appOf(page).code();
    const victim = username;
    username = await aPerson();
    const pending = formWith(page, 'code').fields.get('pending') ?? '';
    const login = { action: `${server.base}/login`, fields: new URLSearchParams({ pending }) };
    const mine = await visitor.send(login, { username, password: PASSWORD });
    assert.match(mine.url, /\/login\/enrol\?/);
    assert.notEqual(keyIn(mine), keyIn(page));
    assert.equal((await typeCode(mine, code)).status, 400);
    assert.equal((await server.services.store.findAccount(victim))?.totp, undefined);
  });

  it('1,000 parallel codes: 5 are compared, and the right one after them is not', async () => {
    const page = await password();
    const form = formWith(page, 'code');
    const { code: right } = { code: appOf(page).code() };
    const wrong = appOf(page).wrongCode();
    const seen: Seen[] = [];
    for (let batch = 0; batch < 5; batch++) {
      seen.push(...(await Promise.all(Array.from({ length: 200 }, () => visitor.send(form, { code: wrong })))));
    }
    const countOf = (status: number) => seen.filter(each => each.status === status).length;
    assert.deepEqual([countOf(400), countOf(403) + countOf(503)], [5, 995]);
    assert.equal((await visitor.send(form, { code: right })).status, 403);
    assert.deepEqual([hasSession(), await hasTotp()], [false, false]);
  });

  it('one code raced in 20 requests enrols once and shows the recovery codes once', async () => {
    const page = await password();
    const form = formWith(page, 'code');
    const code = appOf(page).code();
    const seen = await Promise.all(Array.from({ length: 20 }, () => visitor.send(form, { code })));
    assert.equal(seen.filter(each => codesIn(each).length > 0).length, 1);
    assert.equal(await hasTotp(), true);
  });

  it('a password that changes meanwhile ends the sign-in', async () => {
    const page = await password();
    const hash = await server.services.passwords.hash('another one');
    await server.services.store.changePassword(await subOf(), hash, clock.now());
    assert.equal((await typeCode(page, appOf(page).code())).status, 400);
    assert.deepEqual([hasSession(), await hasTotp()], [false, false]);
  });
});
