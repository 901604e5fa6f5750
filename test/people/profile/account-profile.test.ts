import assert from 'node:assert/strict';
import { before, beforeEach, describe, it } from 'node:test';
import { LIMITS } from '../../../src/platform/throttle/throttle.ts';
import { startAccountServer } from '../../build/account.ts';
import { assertPage } from '../../build/delivered.ts';
import { eventDuring, eventsDuring } from '../../build/events.ts';
import { PASSWORD } from '../../build/fixture.ts';
import { atLogin } from '../../build/people.ts';
import { suitePart, testPart } from '../../build/suite-part.ts';
import { formWith, type Seen, Visitor } from '../../build/visitor.ts';

const { attempts: ALLOWED, refillSeconds } = LIMITS.nameAccount;

/** accounts.md, Account pages: /account, with the form on /account/profile. */
describe('the profile of the signed-in user', () => {
  const server = suitePart(() => startAccountServer());
  before(async () => {
    await server.person({ username: 'taken', phone_number: '+8613800000099' });
  });
  const person = testPart(() => server.person());
  beforeEach(async () => {
    await person.open('/account/profile');
  });

  const save = async (values: Record<string, string>, headers: Record<string, string> = {}): Promise<Seen> =>
    person.browser.send(formWith(await person.open('/account/profile'), 'nickname'), values, headers);
  const stored = async () => server.services.store.findUser(person.sub);

  it('shows who the user is, in one navigation with the other pages, in both languages', async () => {
    const page = await person.open('/account');
    assert.match(page.text, new RegExp(person.username));
    assert.match(page.text, /<nav class="tabs"[\s\S]*href="\/account" aria-current="page"/);
    for (const path of ['security', 'sessions', 'access', 'activity', 'data']) {
      assert(page.text.includes(`href="/account/${path}"`), path);
      assert.equal((await person.open(`/account/${path}`)).status, 200);
    }
    const chinese = await person.browser.go(`${server.base}/account`, { headers: { 'accept-language': 'zh' } });
    assert.match(chinese.text, /个人资料/);
  });

  it('says whether the e-mail address is confirmed, and links to its change where mail is set up', async () => {
    assert.match(
      (await person.open('/account')).text,
      /@example\.com <span class="muted">· confirmed[\s\S]*href="\/account\/email"/,
    );
    const other = await server.person({ email_verified: false });
    assert.match((await other.open('/account')).text, /not confirmed/);
  });

  it('changes nickname, picture, user name and phone, with an event that names the fields only', async () => {
    const values = {
      username: `${person.username}-new`,
      nickname: 'Åsa',
      picture: 'https://img.example/me.png',
      phone_number: '+86 138 0000 1234',
    };
    const event = await eventDuring(server, 'user.updated', async () => {
      assert.equal((await save(values)).url, `${server.base}/account`);
    });
    assert.deepEqual(event.actor, { kind: 'user', id: person.sub });
    assert.deepEqual(event.details, { fields: ['username', 'nickname', 'picture', 'phone_number'] });
    const user = await stored();
    assert.deepEqual(
      [user?.username, user?.nickname, user?.picture, user?.phoneNumberVerified],
      [values.username, 'Åsa', values.picture, false],
    );
    assert.equal(await server.services.store.findAccount('+8613800001234'), undefined, 'no name to sign in with');
  });

  it('clears a field that is emptied, leaves one that the form does not have, and writes nothing if nothing changed', async () => {
    assert.equal((await save({ nickname: '' })).status, 200);
    const user = await stored();
    assert.deepEqual([user?.nickname, user?.picture], [undefined, 'https://example.com/a.png']);
    assert.deepEqual(await eventsDuring(server, 'user.updated', () => save({ nickname: '' })), []);
  });

  it('keeps a verified phone number verified that is only written differently', async () => {
    const other = await server.person({ phone_number: '+8613800007777', phone_number_verified: true });
    const page = await other.open('/account/profile');
    await other.browser.send(formWith(page, 'nickname'), { phone_number: '+86 138-0000-7777' });
    assert.equal((await server.services.store.findUser(other.sub))?.phoneNumberVerified, true);
  });

  for (const [field, value] of [
    ['username', ''],
    ['username', 'x'.repeat(300)],
    ['username', 'somebody@example.org'],
    ['username', '+8613800000555'],
    ['nickname', 'n'.repeat(101)],
    ['picture', 'http://img.example/me.png'],
    ['picture', 'javascript:alert(1)'],
    ['picture', 'data:text/html,x'],
    ['picture', `https://img.example/${'x'.repeat(2000)}`],
    ['phone_number', 'call me'],
  ] as const) {
    it(`asks again for ${field} ${value.slice(0, 30)}, beside the field, and keeps what was typed`, async () => {
      const page = await save({ nickname: 'Typed', [field]: value });
      assert.equal(page.status, 400);
      assert.match(page.text, new RegExp(`id="${field}"[^>]*aria-invalid="true" aria-describedby="fault-${field}"`));
      assert.match(page.text, new RegExp(`role="alert" id="fault-${field}"`));
      if (field !== 'nickname') assert.match(page.text, /name="nickname" value="Typed"/);
      assert.equal((await stored())?.nickname, 'Al');
    });
  }

  it('lets the own e-mail address be the user name', async () => {
    assert.equal((await save({ username: person.email.toUpperCase() })).status, 200);
    assert.equal((await stored())?.username, person.email.toUpperCase());
  });

  it('says that a user name is in use, however it is written, and not whose', async () => {
    const page = await save({ username: 'TAKEN' });
    assert.equal(page.status, 400);
    assert.match(page.text, /id="fault-username">This name is already in use/);
    assert.doesNotMatch(page.text, /taken@example\.com/);
    assert.equal((await stored())?.username, person.username);
  });

  it('attack: finding out which names are taken is slowed down', async () => {
    const statuses = [];
    for (let each = 0; each <= ALLOWED; each++) statuses.push((await save({ username: 'taken' })).status);
    assert.deepEqual(statuses, [...Array(ALLOWED).fill(400), 429]);
    const throttled = await save({ username: 'a free name' });
    assert(Number(throttled.headers.get('retry-after')) > 0);
    assert.equal((await stored())?.username, person.username);
    server.clock.advance(refillSeconds);
    assert.equal((await save({ username: 'taken' })).status, 400, 'one more');
    assert.equal((await save({ phone_number: '+8613800000099' })).status, 200, 'numbers tell nothing');
  });

  it('attack: changes that succeed do not pay for further guesses at names', async () => {
    const statuses = [];
    for (let each = 0; each < ALLOWED; each++) {
      const guess = each % 2 ? { username: 'taken' } : { username: `${person.username}-${each}` };
      statuses.push((await save(guess)).status);
      assert.equal((await save({ nickname: `Al ${each}` })).status, 200);
    }
    assert.deepEqual(new Set(statuses), new Set([200, 400]));
    assert.equal((await save({ username: 'taken' })).status, 429);
  });

  it('what is no name to sign in with can be changed all the same', async () => {
    for (let each = 0; each <= ALLOWED; each++) await save({ username: 'taken' });
    assert.equal((await save({ nickname: 'Still Al', picture: '' })).status, 200);
    assert.deepEqual([(await stored())?.nickname, (await stored())?.picture], ['Still Al', undefined]);
  });

  it('attack: HTML in a nickname is text', async () => {
    await save({ nickname: '"><script>alert(1)</script>' });
    for (const path of ['/account', '/account/profile']) {
      const page = await person.open(path);
      assert.doesNotMatch(page.text, /<script>alert/);
      assert.match(page.text, /&quot;&gt;&lt;script&gt;/);
    }
  });

  it('needs a fresh proof: after five minutes it asks for the password, and comes back', async () => {
    const form = formWith(await person.open('/account/profile'), 'nickname');
    server.clock.advance(301);
    assert(atLogin(await person.browser.send(form, { nickname: 'Late' })));
    assert.equal((await stored())?.nickname, 'Al');
    assert.equal((await person.open('/account/profile')).url, `${server.base}/account/profile`);
    assert.equal((await person.open('/account')).status, 200);
  });

  it('attack: a form of another site, and a link, change nothing', async () => {
    const form = formWith(await person.open('/account/profile'), 'nickname');
    assertPage(await person.browser.send(form, { nickname: 'Evil' }, { origin: 'https://evil.example' }), 403);
    await person.browser.go(`${server.base}/account/profile?nickname=Evil`);
    assert.equal((await stored())?.nickname, 'Al');
  });

  it('asks a stranger to sign in, and changes nothing for one', async () => {
    const stranger = new Visitor(server.base);
    const fields = new URLSearchParams({ nickname: 'Evil' });
    assert(atLogin(await stranger.send({ action: `${server.base}/account/profile`, fields })));
    const seen = await stranger.follow(`${server.base}/account`);
    assert.equal(
      (await stranger.send(formWith(seen, 'password'), { username: person.username, password: PASSWORD })).url,
      `${server.base}/account`,
    );
  });
});
