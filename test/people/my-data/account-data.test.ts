import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { newEvent } from '../../../src/audit/events/new-event.ts';
import { startAccountServer } from '../../build/account.ts';
import { anAuthenticator } from '../../build/authenticator.ts';
import { assertPage } from '../../build/delivered.ts';
import { directSql } from '../../build/direct-sql.ts';
import { eventsOf } from '../../build/events.ts';
import { PASSWORD } from '../../build/fixture.ts';
import { anOperatorClient } from '../../build/operator.ts';
import { aPasskey } from '../../build/passkey.ts';
import { atLogin, press, SESSION_COOKIE, tokensOf } from '../../build/people.ts';
import { suitePart, testPart } from '../../build/suite-part.ts';
import { authorizationUrl, formWith, type Seen, Visitor } from '../../build/visitor.ts';

const PATH = '/account/data';

/** accounts.md, Account pages: /account/data, "download everything as JSON", and /account/activity. */
describe('the data of the signed-in user', () => {
  let code: string;
  const server = suitePart(() => startAccountServer());
  beforeEach(() => {
    server.clock.advance(600);
  });
  const person = testPart(() => server.person({ nickname: 'Nick "><b>', locale: 'en-GB' }));

  const download = async (): Promise<Seen> => press(person.browser, await person.open(PATH), 'download');

  /** Everything that a user can have: two sessions, tokens, a consent, a second factor and recovery codes. */
  async function aFullAccount(): Promise<void> {
    const enrolment = await person.open('/account/security/totp');
    const key = /id="totp-key">([A-Z2-7]+)</.exec(enrolment.text)?.[1] ?? '';
    const shown = await person.browser.send(formWith(enrolment, 'code'), {
      code: anAuthenticator(server.clock, key).code(),
    });
    code = /class="recovery-code">([^<]+)</.exec(shown.text)?.[1] ?? '';
    const consent = await person.browser.follow(authorizationUrl(server, { prompt: 'consent', scope: 'openid email' }));
    await press(person.browser, consent, 'allow');
    await tokensOf(server, person.browser);
    await server.services.recorder.drain();
  }

  it('is downloaded as one file, with profile, factors, sessions, consents, grants and events', async () => {
    await aFullAccount();
    const file = await download();
    assert.equal(file.status, 200);
    assert.match(file.headers.get('content-disposition') ?? '', /^attachment; filename="account\.json"$/);
    assert.match(file.headers.get('content-type') ?? '', /^application\/json/);
    assert.equal(file.headers.get('cache-control'), 'no-store');
    const data = JSON.parse(file.text);
    assert.deepEqual(
      [data.profile.sub, data.profile.nickname, data.profile.locale],
      [person.sub, 'Nick "><b>', 'en-GB'],
    );
    assert.deepEqual(data.factors.map(({ kind }: { kind: string }) => kind).sort(), ['password', 'recovery', 'totp']);
    assert.equal(data.sessions.length, 1);
    assert.equal(data.sessions[0].address, '127.0.0.1');
    assert.deepEqual(
      data.consents.map(({ application, client, scope }: Record<string, string>) => [application, client, scope]),
      [['shop', 'web', 'openid email']],
    );
    assert.equal(data.grants[0].client, 'web');
    const types = data.events.map(({ type }: { type: string }) => type);
    for (const type of ['user.login.succeeded', 'factor.added', 'consent.given']) assert(types.includes(type), type);
    assert.equal(data.events_are_complete, true);
  });

  it('has the trusted browsers, without what proves them, and the names of passkeys', async () => {
    const { store, clock } = server.services;
    const { credentialId, publicKey } = aPasskey();
    const passkey = { credential_id: credentialId, public_key: publicKey, user_handle: 'AAAA', name: 'Blue key' };
    const { sub, username } = await server.person({ passkeys: [passkey] });
    const now = clock.now();
    const { passwordHash } = (await store.findAccount(username)) ?? {};
    const trusted = { id: 'secret id', tokenHash: 'secret hash', sub, userAgent: 'My browser', passwordHash };
    assert(await store.trustBrowser({ ...trusted, createdAt: now, expiresAt: now + 3600 }, 10));
    const owner = await anOperatorClient(server);
    const { json } = await owner.ask('GET', `/users/${sub}/export`);
    const { trusted_browsers: browsers, factors } = json;
    const iso = (time: number) => new Date(time * 1000).toISOString();
    assert.deepEqual(browsers, [{ user_agent: 'My browser', since: iso(now), expires_at: iso(now + 3600) }]);
    const named = factors.map(({ kind, name }: Record<string, string>) => [kind, name]);
    assert.deepEqual(named.sort(), [
      ['passkey', 'Blue key'],
      ['password', undefined],
    ]);
    assert.doesNotMatch(JSON.stringify(json), /secret/);
  });

  it('attack: the file holds no secret: no hash, key, recovery code, cookie or token', async () => {
    await aFullAccount();
    const set = await tokensOf(server, person.browser);
    const { text } = await download();
    const rows = await directSql(server).query('SELECT * FROM credentials');
    const secrets = rows.filter(({ sub }) => sub === person.sub).flatMap(({ data }) => String(data).split(' '));
    assert(secrets.length >= 12);
    const sessions = await directSql(server).query('SELECT id_hash FROM sessions');
    const hashes = sessions.map(({ id_hash }) => Buffer.from(id_hash as Uint8Array).toString('hex'));
    const cookie = person.browser.cookies.get(SESSION_COOKIE) ?? '';
    const held = [...secrets, ...hashes, code, cookie, set.access_token, set.refresh_token, PASSWORD];
    for (const secret of held) assert(secret.length > 5 && !text.includes(secret), `the file holds ${secret}`);
    assert.doesNotMatch(text, /argon2|hash|sealed|opened_by/i);
  });

  it('attack: names neither the operator who changed something, nor from where', async () => {
    const owner = await anOperatorClient(server);
    await owner.ask('PATCH', `/users/${person.sub}`, { nickname: 'Al' }, { 'user-agent': 'operators-own-browser' });
    const [event] = await eventsOf(server, { user: person.sub, types: ['user.updated'] });
    assert.equal(event?.userAgent, 'operators-own-browser');
    const { text } = await download();
    assert.match(text, /"by": "api_key"/);
    assert(!text.includes('operators-own-browser') && !text.includes(event?.actor.id ?? '?'));
    const activity = await person.open('/account/activity');
    assert.match(activity.text, /Your profile was changed[\s\S]*?by an administrator/);
    assert(!activity.text.includes('operators-own-browser'));
  });

  it('attack: has nothing of another user', async () => {
    const other = await server.person();
    await other.open('/account');
    const { text } = await download();
    assert(!text.includes(other.sub) && !text.includes(other.username));
  });

  it('attack: a stale session gets the login page, and no data', async () => {
    const form = formWith(await person.open(PATH), 'action" value="download');
    server.clock.advance(301);
    const seen = await person.browser.send(form, { action: 'download' });
    assert(atLogin(seen));
    assert(!seen.text.includes(person.sub));
    const back = await person.browser.send(formWith(seen, 'password'), {
      username: person.username,
      password: PASSWORD,
    });
    assert.equal(back.url, server.base + PATH, 'the proof comes back to where the person was');
  });

  it('attack: nothing is downloaded by a link, by a form of another site, or without a session', async () => {
    const form = formWith(await person.open(PATH), 'action" value="download');
    assert.match(
      (await person.browser.go(`${server.base}${PATH}?action=download`)).headers.get('content-type') ?? '',
      /html/,
    );
    assertPage(await person.browser.send(form, { action: 'download' }, { origin: 'https://evil.example' }), 403);
    assert(atLogin(await new Visitor(server.base).send(form, { action: 'download' })));
  });

  describe('its activity', () => {
    it('is told in plain words, newest first, with time, address and browser, in both languages', async () => {
      await aFullAccount();
      const wrong = new Visitor(server.base);
      const login = await wrong.follow(`${server.base}/account`);
      const agent = 'Mozilla/5.0 (iPhone) Version/18.0 Safari/1 <script>alert(1)</script>';
      await wrong.send(
        formWith(login, 'password'),
        { username: person.username, password: 'x' },
        { 'user-agent': agent },
      );
      await server.services.recorder.drain();
      const { text } = await person.open('/account/activity');
      for (const told of [
        'You signed in',
        'Added: authenticator app',
        'You gave access to an application',
        'A sign-in failed',
      ]) {
        assert(text.includes(told), told);
      }
      assert(text.indexOf('A sign-in failed') < text.indexOf('You signed in'), 'the newest first');
      assert.match(text, /A sign-in failed[\s\S]{1,200}127\.0\.0\.1 · Safari on iOS/);
      assert.doesNotMatch(text, /<script>alert/);
      assert.doesNotMatch(text, /user\.login|factor\.added/);
      const headers = { 'accept-language': 'zh-CN' };
      assert.match(
        (await person.browser.go(`${server.base}/account/activity`, { headers })).text,
        /新增：身份验证器应用/,
      );
    });

    it('tells of accounts elsewhere that were connected, and of an export by an administrator', async () => {
      await person.open('/account');
      const by = { outcome: 'success', actor: { kind: 'user', id: person.sub }, subject: person.sub } as const;
      const linked = (type: 'user.linked' | 'user.unlinked') => newEvent(server.services, { type, ...by });
      await server.services.store.recordEvents([linked('user.linked'), linked('user.unlinked')]);
      const owner = await anOperatorClient(server);
      assert.equal((await owner.ask('GET', `/users/${person.sub}/export`)).status, 200);
      const { text } = await person.open('/account/activity');
      assert.match(text, /Another account was connected, to sign in with/);
      assert.match(text, /Another account was disconnected/);
      assert.match(text, /Your data was exported[\s\S]{1,200}by an administrator/);
    });

    it('is paged, and is that of this user alone', async () => {
      const other = await server.person();
      await other.open('/account');
      for (let each = 0; each < 30; each++) await person.open('/account', new Visitor(server.base));
      const first = await person.open('/account/activity');
      const next = /href="(\/account\/activity\?before=[^"]+)"/.exec(first.text)?.[1] ?? '';
      const second = await person.open(next);
      const count = (page: Seen) => page.text.match(/You signed in/g)?.length;
      assert.deepEqual([count(first), count(second)], [25, 6]);
      assert.doesNotMatch(second.text, /before=/);
      assert.equal(count(await other.open(next)), 1, 'its own');
    });

    it('ends 90 days ago', async () => {
      await person.open('/account');
      server.clock.advance(91 * 86_400);
      const page = await person.open('/account/activity');
      assert.equal(page.text.match(/You signed in/g)?.length, 1);
    });

    it('shows nothing for a type that no text stands for', async () => {
      await person.open('/account');
      const set = await tokensOf(server, person.browser);
      await fetch(`${server.at()}/revoke`, {
        method: 'POST',
        headers: { authorization: `Basic ${btoa('web:web-secret-1')}` },
        body: new URLSearchParams({ token: set.refresh_token }),
      });
      assert.equal((await eventsOf(server, { user: person.sub, types: ['token.revoked'] })).length, 1);
      assert.equal((await person.open('/account/activity')).text.match(/<time /g)?.length, 1);
    });
  });
});
