import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { anAuthenticator } from '../../build/authenticator.ts';
import { fixedClock } from '../../build/clock.ts';
import { filledForm } from '../../build/console.ts';
import { aUser } from '../../build/fixture.ts';
import { anOperatorClient } from '../../build/operator.ts';
import { atLogin, bob, logIn, press, signedIn } from '../../build/people.ts';
import { suitePart } from '../../build/suite-part.ts';
import { suiteServer } from '../../build/test-server.ts';
import { formWith, type Seen, Visitor } from '../../build/visitor.ts';

describe('/console', () => {
  const clock = fixedClock();
  const server = suiteServer({ users: [aUser(), bob()], clock });
  const owner = suitePart(() => anOperatorClient(server));
  before(async () => {
    assert.equal((await owner.ask('POST', '/operators', { username: 'alice', role: 'owner' })).status, 201);
  });

  const at = (path: string) => `${server.base}${path}`;
  const titleOf = ({ text }: Seen) => /<h1>(.*?)<\/h1>/.exec(text)?.[1];
  const inConsole = async (username = 'alice', path = '/console') => {
    const visitor = new Visitor(server.base);
    const login = await visitor.follow(at(path));
    assert(atLogin(login), login.text);
    return { visitor, seen: await logIn(visitor, login, username) };
  };

  it('asks for a sign-in and comes back to the page that was asked for, with its query', async () => {
    const { seen } = await inConsole('alice', '/console/applications?limit=3');
    assert.equal(seen.status, 200);
    assert.equal(seen.url, at('/console/applications?limit=3'));
    assert.equal(titleOf(seen), 'Applications');
    assert.match(seen.text, /<code>shop<\/code>/);
  });

  it('is 403 for a user without a role, and at once for one whose role was taken away', async () => {
    const { visitor, seen } = await inConsole('bob');
    assert.equal(seen.status, 403);
    assert(!seen.text.includes('shop'));
    const { sub } = (await owner.ask('POST', '/operators', { username: 'bob', role: 'auditor' })).json;
    assert.equal((await visitor.go(at('/console'))).status, 200);
    await owner.ask('DELETE', `/operators/${sub}`);
    assert.equal((await visitor.go(at('/console'))).status, 403);
  });

  it('tells a person without a role which account that is, and another account can be used (row 64)', async () => {
    const { visitor, seen } = await inConsole('bob');
    assert.match(seen.text, /This page is for operators<\/h1>\s*<p>You are bob, who has no role here/);
    const login = await press(visitor, seen, 'another');
    assert(atLogin(login), login.text);
    const console = await logIn(visitor, login, 'alice');
    assert.deepEqual([console.status, console.url], [200, at('/console')]);
  });

  it('says so at once, not only after the password, and in Chinese too', async () => {
    const visitor = await signedIn(server, 'bob');
    clock.advance(3600);
    const seen = await visitor.go(at('/console/users'), { headers: { 'accept-language': 'zh-CN' } });
    assert.equal(seen.status, 403);
    assert.match(seen.text, /您是 bob，没有角色/);
  });

  it('is in English for who wishes for a language that it does not have, and says so', async () => {
    const { visitor } = await inConsole('alice', '/console');
    const [german, chinese] = await Promise.all(
      ['de-DE', 'de, zh;q=0.5'].map(wish => visitor.go(at('/console'), { headers: { 'accept-language': wish } })),
    );
    assert.match(german?.text ?? '', /<html lang="en"/);
    assert.match(german?.text ?? '', /Overview/);
    assert.match(chinese?.text ?? '', /<html lang="zh-Hans"/);
  });

  it('attack: a password alone keeps no console open when an operator must have a second factor, and leads to setting one up', async () => {
    const person = bob({ username: 'dora', email: 'dora@example.com', phone_number: null });
    await server.provision({ users: [person] });
    const { sub } = (await owner.ask('POST', '/operators', { username: 'dora', role: 'owner' })).json;
    const { visitor, seen } = await inConsole('dora', '/console/applications/new');
    assert.equal(seen.status, 200);
    assert.equal((await owner.ask('PATCH', `/users/${sub}`, { require_mfa: true })).status, 200);
    const refused = await visitor.send(formWith(seen, 'code'), { code: 'thief', name: 'Thief' });
    assert(atLogin(refused), refused.url);
    assert.equal((await owner.ask('GET', '/applications/thief')).status, 404);
    const page = await visitor.follow(at('/console'));
    assert(atLogin(page), page.url);
    const enrol = await logIn(visitor, page, 'dora');
    assert.match(enrol.url, /\/login\/enrol\?/);
    const key = /id="totp-key">([A-Z2-7]+)</.exec(enrol.text)?.[1];
    const codes = await visitor.send(formWith(enrol, 'code'), { code: anAuthenticator(clock, key).code() });
    const next =
      /<a class="button" href="([^"]+)">I have saved them/.exec(codes.text)?.[1]?.replaceAll('&amp;', '&') ?? '';
    assert.equal((await visitor.follow(new URL(next, server.base).href)).url, at('/console'));
    assert.equal((await visitor.go(at('/console'))).status, 200);
  });

  it('creates an application through its form, and tells every fault beside its field', async () => {
    const { visitor, seen } = await inConsole('alice', '/console/applications/new');
    const faulty = await visitor.send(formWith(seen, 'code'), { code: 'No Code', name: '' });
    assert.equal(faulty.status, 400);
    for (const name of ['code', 'name']) assert(faulty.text.includes(`id="${name}-fault"`), name);
    assert(faulty.text.includes('value="No Code"'), 'what was typed stays');
    const made = await visitor.send(formWith(faulty, 'code'), { code: 'books', name: 'Books' });
    assert.equal(made.status, 200, made.text);
    assert.equal(titleOf(made), 'Books');
    const advanced = await visitor.go(at('/console/applications/books/advanced'));
    const long = await visitor.send(filledForm(advanced, 'access_token_ttl'), { access_token_ttl: 'long' });
    assert(long.text.includes('id="access_token_ttl-fault"') && long.text.includes('value="long"'));
    await visitor.send(filledForm(long, 'access_token_ttl'), { access_token_ttl: '600' });
    assert.equal((await owner.ask('GET', '/applications/books')).json.access_token_ttl, 600);
  });

  it('tells the second of two operators that the first has changed the same application', async () => {
    const { visitor, seen } = await inConsole('alice', '/console/applications/shop/look');
    await owner.ask('PATCH', '/applications/shop', { name: 'Changed meanwhile' });
    const second = await visitor.send(formWith(seen, 'name'), { name: 'Mine' });
    assert.equal(second.status, 400);
    assert.match(second.text, /Someone has changed this/);
    assert(second.text.includes('value="Mine"'));
    const third = await visitor.send(formWith(second, 'name'), { name: 'Mine' });
    assert.equal(titleOf(third), 'Mine');
  });

  it('deletes only what was named, and only after a recent authentication; what was typed is not lost', async () => {
    await owner.ask('POST', '/applications', { code: 'gone', name: 'Gone' });
    const { visitor, seen } = await inConsole('alice', '/console/applications/gone/advanced');
    const wrong = await visitor.send(formWith(seen, 'confirm'), { confirm: 'other' });
    assert.equal(wrong.status, 400);
    clock.advance(6 * 60);
    const asked = await visitor.send(formWith(wrong, 'confirm'), { confirm: 'gone' });
    assert(atLogin(asked), 'an authentication of five minutes ago is too old');
    const again = await logIn(visitor, asked);
    assert.equal((await owner.ask('GET', '/applications/gone')).status, 200, 'nothing happens without a click');
    const done = await visitor.send(formWith(again, 'confirm'));
    assert.equal(titleOf(done), 'Applications');
    assert.equal((await owner.ask('GET', '/applications/gone')).status, 404);
  });

  it('ends after half an hour without use, although the session of the browser lives on', async () => {
    const { visitor } = await inConsole();
    clock.advance(29 * 60);
    assert.equal((await visitor.go(at('/console'))).status, 200);
    clock.advance(31 * 60);
    assert(atLogin(await visitor.follow(at('/console'))));
    assert.equal((await visitor.go(at('/account'))).status, 200);
  });

  it('keeps a form whose session has expired, and sends it after the sign-in', async () => {
    const { visitor, seen } = await inConsole('alice', '/console/applications/new');
    clock.advance(3600);
    const login = await visitor.send(formWith(seen, 'code'), { code: 'late', name: 'Late' });
    assert(atLogin(login));
    const waiting = await logIn(visitor, login);
    assert.equal(titleOf(waiting), 'You are signed in again');
    assert.equal(titleOf(await visitor.send(formWith(waiting, 'code'))), 'Late');
  });

  it('refuses a form of another site, and a change by an auditor', async () => {
    const { visitor, seen } = await inConsole('alice', '/console/applications/new');
    const foreign = await visitor.send(
      formWith(seen, 'code'),
      { code: 'evil', name: 'Evil' },
      { origin: 'https://evil.example' },
    );
    assert.equal(foreign.status, 403);
    await owner.ask('POST', '/operators', { username: 'bob', role: 'auditor' });
    const auditor = await inConsole('bob', '/console/applications/new');
    const refused = await auditor.visitor.send(formWith(auditor.seen, 'code'), { code: 'evil', name: 'Evil' });
    assert.equal(refused.status, 403);
    assert.equal((await owner.ask('GET', '/applications/evil')).status, 404);
  });
});
