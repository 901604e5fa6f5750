import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { changeAddress } from '../../build/changed-address.ts';
import { PASSWORD } from '../../build/fixture.ts';
import { actForm, contentOf, suiteConsole, titleOf } from '../../build/in-console.ts';
import { atLogin, logIn, signedIn, tokensOf } from '../../build/people.ts';
import { formWith, type Seen, Visitor } from '../../build/visitor.ts';
import { withStatus } from '../../build/with-status.ts';

const console = suiteConsole();

const names = ({ text }: Seen) => [...text.matchAll(/<strong>(.*?)<\/strong>/g)].map(match => match[1]);

async function aPerson(username: string, over: object = {}): Promise<{ sub: string; path: string }> {
  const made = await withStatus(201, console.owner.ask('POST', '/users', { username, password: PASSWORD, ...over }));
  return { sub: made.json.sub, path: `/console/users/${made.json.sub}` };
}

describe('/console/users', () => {
  it('lists users by face and name, with a link each, and searches by any part on the server', async () => {
    const { visitor, seen } = await console.inConsole('/console/users');
    assert.deepEqual(names(seen), ['alice', 'bob', 'carol']);
    assert(seen.text.includes(`<a href="/console/users/${await console.subOf('bob')}"><strong>bob</strong></a>`));
    const found = await visitor.go(console.at('/console/users?q=CAROL@ex'));
    assert.deepEqual(names(found), ['carol']);
    assert.deepEqual(names(await visitor.go(console.at('/console/users?q=arol'))), ['carol']);
    assert(found.text.includes('value="CAROL@ex"'), 'the filter lives in the address');
    const none = await visitor.go(console.at('/console/users?q=nobody'));
    assert.match(none.text, /contains “nobody”/);
    assert.match(none.text, /href="\/console\/users"/);
  });

  it('shows the full name with the user name below it, and never a picture from another server', async () => {
    const over = { name: 'Wanda Möller', picture: 'https://pictures.example/wanda.png', password: undefined };
    await aPerson('wanda', over);
    const { seen } = await console.inConsole('/console/users?q=wanda');
    assert.match(seen.text, /class="face face-\d" aria-hidden="true">WM<.*<strong>Wanda Möller<.*class="sub">wanda</);
    assert(!seen.text.includes('pictures.example'));
  });

  it('is paged by cursor, and the search goes along', async () => {
    for (let count = 0; count < 52; count++)
      await aPerson(`page-${String(count).padStart(2, '0')}`, { password: undefined });
    const { visitor, seen } = await console.inConsole('/console/users?q=page-');
    assert.equal(names(seen).length, 50);
    const next = /href="([^"]*)" rel="next"/.exec(seen.text)?.[1]?.replaceAll('&amp;', '&') ?? '';
    assert.match(next, /q=page-&cursor=/);
    assert.deepEqual(names(await visitor.go(console.at(next))), ['page-50', 'page-51']);
    const faulty = await withStatus(400, visitor.go(console.at(`/console/users?q=${'x'.repeat(300)}`)));
    assert(faulty.text.includes('id="q-fault"'));
  });

  it('does not exist for an operator whose role is limited to applications', async () => {
    const body = { username: 'carol', role: 'owner', applications: ['shop'] };
    const { sub } = (await console.owner.ask('POST', '/operators', body)).json;
    const { visitor, seen } = await console.inConsole('/console/users', 'carol');
    assert.equal(seen.status, 404);
    assert.equal((await visitor.go(console.at(`/console/users/${sub}`))).status, 404);
    await console.owner.ask('DELETE', `/operators/${sub}`);
  });

  it('creates a user, and tells every fault beside its field; the password is not sent back', async () => {
    const { visitor, seen } = await console.inConsole('/console/users/new');
    const typed = { username: 'dora', email: 'no address', birthdate: '1990-02-31', password: 'a password of hers' };
    const faulty = await withStatus(400, visitor.send(formWith(seen, 'username'), typed));
    for (const name of ['email', 'birthdate']) assert(faulty.text.includes(`id="${name}-fault"`), name);
    assert(faulty.text.includes('value="no address"'));
    assert(!faulty.text.includes('a password of hers'));
    assert.match(faulty.text, /<details class="more" open>/);
    const made = await visitor.send(formWith(faulty, 'username'), {
      ...typed,
      email: 'dora@example.com',
      email_verified: 'true',
      birthdate: '1990-02-28',
      'address.formatted': '1 Main Street\r\nExampleton',
      'address.country': 'FR',
    });
    assert.equal(made.status, 200, made.text);
    assert.equal(titleOf(made), 'dora');
    const { json } = await console.owner.ask('GET', `/users/${await console.subOf('dora')}`);
    assert.deepEqual([json.email_verified, json.has_password], [true, true]);
    assert.deepEqual(json.address, { formatted: '1 Main Street\nExampleton', country: 'FR' });
  });

  it('tells that a login name is taken', async () => {
    const { visitor, seen } = await console.inConsole('/console/users/new');
    const refused = await withStatus(400, visitor.send(formWith(seen, 'username'), { username: 'Bob' }));
    assert.match(refused.text, /role="alert"[^>]*>&quot;bob&quot; is the login name of another user/);
  });
});

describe('/console/users/{sub}', () => {
  it('changes what differs and nothing else: a new e-mail address is unverified, the event names the fields', async () => {
    const { sub, path } = await aPerson('erin', { email: 'erin@example.com', email_verified: true, nickname: 'E' });
    const { visitor, seen } = await console.inConsole(path);
    const values = { username: 'erin', email: 'new@example.com', email_verified: 'true', 'address.locality': 'Town' };
    const saved = await visitor.send(formWith(seen, 'nickname'), values);
    assert.match(saved.text, /Saved\./);
    const { json } = await console.owner.ask('GET', `/users/${sub}`);
    assert.deepEqual([json.email, json.email_verified, json.nickname], ['new@example.com', false, undefined]);
    assert.deepEqual(json.address, { locality: 'Town' });
    const events = (await console.owner.ask('GET', `/events?user=${sub}&type=user.updated`)).json.items;
    assert.deepEqual(events[0].details.fields.sort(), ['address', 'email', 'nickname']);
    const nameless = await withStatus(400, visitor.send(formWith(saved, 'nickname'), { username: '' }));
    assert(nameless.text.includes('id="username-fault"'));
  });

  it('tells the second of two operators that the first has changed the same user', async () => {
    const { sub, path } = await aPerson('fred');
    const { visitor, seen } = await console.inConsole(path);
    await console.owner.ask('PATCH', `/users/${sub}`, { name: 'Changed meanwhile' });
    const second = await visitor.send(formWith(seen, 'nickname'), { username: 'fred', nickname: 'Mine' });
    assert.equal(second.status, 400);
    assert.match(second.text, /Someone has changed this/);
    assert(second.text.includes('value="Mine"'));
  });

  it('disables, which ends the session, and enables again', async () => {
    const { sub, path } = await aPerson('gina');
    const person = await signedIn(console.server, 'gina');
    const { visitor, seen } = await console.inConsole(path);
    const disabled = await visitor.send(actForm(seen, 'disable'));
    assert.match(disabled.text, /<span class="dot bad"><\/span>Disabled/);
    assert.notEqual((await person.go(console.at('/account'))).status, 200);
    const enabled = await visitor.send(actForm(disabled, 'enable'));
    assert.match(enabled.text, /<span class="dot ok"><\/span>Active/);
    assert.equal((await console.owner.ask('GET', `/users/${sub}`)).json.disabled, false);
  });

  it('sets a password only after a recent authentication; the old one then fails', async () => {
    const { path } = await aPerson('hugo');
    const { visitor, seen } = await console.inConsole(path);
    assert.equal((await visitor.send(actForm(seen, 'password'))).status, 400, 'no password was typed');
    console.clock.advance(6 * 60);
    const asked = await visitor.send(actForm(seen, 'password'), { password: 'another one for hugo' });
    assert(atLogin(asked));
    const done = await visitor.send(actForm(await logIn(visitor, asked), 'password'));
    assert.match(done.text, /The password is set\./);
    const person = new Visitor(console.server.base);
    const login = formWith(await person.follow(console.at('/account')), 'password');
    assert.match((await person.send(login, { username: 'hugo', password: PASSWORD })).text, /do not match/);
    const form = formWith(await person.follow(console.at('/account')), 'password');
    const welcome = await person.send(form, { username: 'hugo', password: 'another one for hugo' });
    assert.equal(welcome.url, console.at('/account'));
  });

  it('shows sessions with browser and address, and ends one of them', async () => {
    const { path } = await aPerson('ines');
    const agent = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/126.0.0.0 Safari/537.36';
    const person = new Visitor(console.server.base);
    const login = formWith(await person.follow(console.at('/account')), 'password');
    await person.send(login, { username: 'ines', password: PASSWORD }, { 'user-agent': agent });
    const other = await signedIn(console.server, 'ines');
    await console.server.services.recorder.drain();
    const { visitor, seen } = await console.inConsole(path);
    assert.match(seen.text, /Chrome 126 on Windows/);
    assert.match(seen.text, /<code>127\.0\.0\.1<\/code>/);
    const row = seen.text.split('<tr>').find(text => text.includes('Chrome 126'));
    const id = /name="id" value="([^"]*)"/.exec(row ?? '')?.[1] ?? '';
    const ended = await visitor.send(actForm(seen, 'end-session', id));
    assert(!ended.text.includes('Chrome 126 on Windows'));
    assert.notEqual((await person.go(console.at('/account'))).status, 200);
    assert.equal((await other.go(console.at('/account'))).status, 200);
    const twice = await visitor.send(actForm(seen, 'end-session', id));
    assert.equal(twice.status, 404, 'it is gone already');
  });

  it('revokes a grant, withdraws a consent, removes a factor', async () => {
    const { sub, path } = await aPerson('jack');
    await tokensOf(console.server, await signedIn(console.server, 'jack'));
    const { services } = console.server;
    await services.store.addConsent(sub, 'shop', 'web', ['openid'], services.clock.now());
    const count = async (what: string) => (await console.owner.ask('GET', `/users/${sub}/${what}`)).json.items.length;
    const { visitor, seen } = await console.inConsole(path);
    assert.match(seen.text, /href="\/console\/applications\/shop\/clients\/web"/);
    const revoked = await visitor.send(actForm(seen, 'revoke-grant'));
    assert.equal(await count('grants'), 0);
    const withdrawn = await visitor.send(actForm(revoked, 'withdraw-consent'));
    assert.equal(await count('consents'), 0);
    const removed = await visitor.send(actForm(withdrawn, 'remove-factor'));
    assert.equal(await count('factors'), 0);
    assert.match(removed.text, /Set a password so that the user can sign in/);
  });

  it('shows that a change of the e-mail address can be undone, and revokes that', async () => {
    const { sub, path } = await aPerson('uma', { email: 'uma@example.com', email_verified: true });
    assert.doesNotMatch((await console.inConsole(path)).seen.text, /can be undone/);
    await changeAddress(console.server, 'uma', 'uma@elsewhere.example');
    const { visitor, seen } = await console.inConsole(path);
    assert.match(seen.text, /<h2>E-mail change that can be undone<\/h2>[\s\S]*uma@example\.com/);
    const done = await visitor.send(actForm(seen, 'revoke-undos'));
    assert.match(done.text, /can no longer be undone/);
    assert.doesNotMatch(done.text, /uma@example\.com/);
    assert.deepEqual((await console.owner.ask('GET', `/users/${sub}/email_undos`)).json.items, []);
  });

  it('withdraws the trust in a browser', async () => {
    const { sub, path } = await aPerson('tess');
    const { store, clock } = console.server.services;
    const passwordHash = (await store.findAccount('tess'))?.passwordHash;
    const agent = 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0';
    const times = { createdAt: clock.now(), expiresAt: clock.now() + 600 };
    const browser = { id: 'laptop', tokenHash: 'hash', sub, userAgent: agent, passwordHash, ...times };
    assert.doesNotMatch((await console.inConsole(path)).seen.text, /Trusted browsers/);
    assert(await store.trustBrowser(browser, 10));
    const { visitor, seen } = await console.inConsole(path);
    assert.match(seen.text, /<h2>Trusted browsers<\/h2>[\s\S]*Firefox 128 on Linux/);
    const done = await visitor.send(actForm(seen, 'distrust-browser', 'laptop'));
    assert.match(done.text, /asked for the second factor in this browser again/);
    assert.doesNotMatch(done.text, /Trusted browsers/);
    assert.deepEqual(await store.trustedBrowsersOf(sub, clock.now()), []);
  });

  it('signs out everywhere, and shows what happened with a link to all of it', async () => {
    const { sub, path } = await aPerson('kate');
    const person = await signedIn(console.server, 'kate');
    const { visitor, seen } = await console.inConsole(path);
    const done = await visitor.send(actForm(seen, 'sign-out'));
    assert.match(done.text, /No active sessions/);
    assert.match(done.text, /title="user\.signed_out">/);
    assert(done.text.includes(`href="/console/activity?user=${sub}"`));
    assert.notEqual((await person.go(console.at('/account'))).status, 200);
  });

  it('deletes only with the user name typed; the page is then gone', async () => {
    const { sub, path } = await aPerson('liam');
    const { visitor, seen } = await console.inConsole(path);
    const wrong = await withStatus(400, visitor.send(actForm(seen, 'delete'), { confirm: 'Liam Example' }));
    assert(wrong.text.includes('id="confirm-fault"'));
    const done = await visitor.send(actForm(wrong, 'delete'), { confirm: 'liam' });
    assert.equal(titleOf(done), 'Users');
    assert.equal((await console.owner.ask('GET', `/users/${sub}`)).status, 404);
    assert.equal((await visitor.go(console.at(path))).status, 404);
    assert.equal((await visitor.send(actForm(seen, 'disable'))).status, 404);
    assert.equal((await visitor.send(formWith(seen, 'nickname'), { username: 'liam' })).status, 404);
  });

  it('does not let an operator change an owner, nor anyone the last owner', async () => {
    const alice = `/console/users/${await console.subOf('alice')}`;
    const { visitor, seen } = await console.inConsole(alice, 'bob', 'operator');
    const refused = await withStatus(400, visitor.send(actForm(seen, 'password'), { password: 'mine from now on' }));
    assert.match(refused.text, /role="alert"[^>]*>The user has the role owner/);
    const own = await console.inConsole(alice);
    const last = await own.visitor.send(actForm(own.seen, 'disable'));
    assert.match(last.text, /This is the last owner/);
  });

  it('offers an auditor nothing to change, and refuses what is sent all the same', async () => {
    const { sub, path } = await aPerson('mona');
    const { seen: full } = await console.inConsole(path);
    await console.owner.ask('DELETE', `/operators/${await console.subOf('bob')}`);
    const { visitor, seen } = await console.inConsole(path, 'bob', 'auditor');
    assert.equal(seen.status, 200);
    assert(!/<button type="submit"/.test(contentOf(seen)));
    assert.equal((await visitor.send(actForm(full, 'disable'))).status, 403);
    assert.equal((await console.owner.ask('GET', `/users/${sub}`)).json.disabled, false);
  });

  it('speaks Chinese', async () => {
    const { visitor } = await console.inConsole('/console/users');
    const zh = { headers: { 'accept-language': 'zh-CN' } };
    const page = await visitor.go(console.at(`/console/users/${await console.subOf('bob')}`), zh);
    assert.match(page.text, /删除此用户/);
  });
});
