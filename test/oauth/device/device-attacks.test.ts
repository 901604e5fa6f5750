import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { DEVICE_GRANT } from '../../../src/oauth/device/rules.ts';
import { assertRefused, basic, redeem, refresh, userinfo } from '../../build/client.ts';
import { fixedClock } from '../../build/clock.ts';
import {
  aBox,
  anAllowedDevice,
  anAskedDevice,
  aTv,
  aWaitingDevice,
  decide,
  pollFor,
  theQuestion,
  typeCode,
} from '../../build/device.ts';
import { aClient, anApplication, aUser, PASSWORD } from '../../build/fixture.ts';
import { anOperatorClient } from '../../build/operator.ts';
import { bob, press, SESSION_COOKIE, signedIn } from '../../build/people.ts';
import { suiteServer } from '../../build/test-server.ts';
import { authorizationUrl, formWith, signIn, Visitor } from '../../build/visitor.ts';
import { withStatus } from '../../build/with-status.ts';

const clock = fixedClock();
const web = aClient({ redirect_uris: ['https://client.example/cb'] });
const server = suiteServer({
  clock,
  applications: [
    anApplication({
      clients: [
        web,
        aTv(),
        aTv({ client_id: 'other-tv' }),
        aBox({ grant_types: ['authorization_code', DEVICE_GRANT] }),
      ],
    }),
    anApplication({ code: 'bank', name: 'Bank', clients: [aTv(), aClient()] }),
  ],
  users: [aUser(), bob(), bob({ username: 'carol', email: 'carol@example.com', phone_number: '+8613800000003' })],
});
beforeEach(() => clock.advance(1000));

const PENDING = 'authorization_pending';
const events = (type: string) => server.services.store.listEvents({ types: [type] }, { after: undefined, limit: 50 });

describe('attack: codes of others (RFC 8628 sections 5.1 to 5.3)', () => {
  it('a device code does not work at another application, for another client, or as another credential', async () => {
    const device = await anAllowedDevice(server);
    assertRefused(await pollFor(server, device, {}, {}, 'bank'), 400, 'invalid_grant');
    assertRefused(await pollFor(server, device, { client_id: 'other-tv' }), 400, 'invalid_grant');
    const box = { auth: basic('box', 'web-secret-1') };
    assertRefused(await pollFor(server, device, { client_id: undefined }, box), 400, 'invalid_grant');
    assertRefused(await redeem(server, device.device_code), 400, 'invalid_grant');
    assertRefused(await refresh(server, device.device_code), 400, 'invalid_grant');
    assertRefused(await pollFor(server, { device_code: device.user_code }), 400, 'invalid_grant');
    assert.equal((await pollFor(server, device)).status, 200, 'none of it has used it up');
  });

  it('a device code that gave tokens gives no more, and those it gave stay', async () => {
    const device = await anAllowedDevice(server);
    const { json } = await pollFor(server, device);
    assertRefused(await pollFor(server, device), 400, 'invalid_grant');
    assert.equal((await userinfo(server, json.access_token)).status, 200);
    assert.match((await typeCode(server, device.user_code)).text, /No device is waiting with this code/);
  });

  it('neither code is in the log', async () => {
    const device = await anAllowedDevice(server);
    await pollFor(server, device);
    assert(!server.logged().includes(device.device_code));
    assert(!server.logged().includes(device.user_code));
    assert(!server.logged().includes(device.user_code.replace('-', '')));
  });

  it('20 wrong codes from one address are looked up, then none for 30 s, also no right one', async () => {
    const device = await aWaitingDevice(server);
    const answers: number[] = [];
    for (let guess = 0; guess < 25; guess++) answers.push((await typeCode(server, 'BCDF-GHJK')).status);
    assert.deepEqual(answers, [...Array(20).fill(400), ...Array(5).fill(429)]);
    const refused = await withStatus(429, typeCode(server, device.user_code));
    assert(Number(refused.headers.get('retry-after')) > 0);
    clock.advance(31);
    assert.match((await typeCode(server, device.user_code)).url, /\/login\?/);
    assert.equal((await typeCode(server, 'BCDF-GHJK')).status, 400, 'the right one was given back');
    assert.equal((await typeCode(server, 'BCDF-GHJK')).status, 429);
  });

  it('a right code of one’s own device does not pay for guesses at others', async () => {
    clock.advance(1000);
    const visitor = await signedIn(server);
    const statuses: number[] = [];
    for (let guess = 0; guess < 12; guess++) {
      await typeCode(server, (await aWaitingDevice(server)).user_code, visitor);
      statuses.push((await typeCode(server, 'BCDF-GHJK', visitor)).status);
    }
    assert.deepEqual(statuses, [...Array(10).fill(400), 429, 429]);
  });

  it('text that cannot be a code is no guess', async () => {
    for (const typed of ['', 'AEIO-UAEI', 'BCDF', 'BCDF-GHJK-L', '1234-5678', 'x'.repeat(5000)]) {
      for (let again = 0; again < 5; again++) assert.equal((await typeCode(server, typed)).status, 400, typed);
    }
    assert.match((await typeCode(server, (await aWaitingDevice(server)).user_code)).url, /\/login\?/);
  });
});

describe('attack: the decision', () => {
  it('CSRF: a form of another site is refused, for the code and for the decision', async () => {
    const { device, visitor, question } = await anAskedDevice(server);
    const form = formWith(question, 'action" value="allow');
    for (const headers of [
      { origin: 'https://evil.example' },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
    ]) {
      await withStatus(403, visitor.send(form, { action: 'allow' }, headers));
      const page = await visitor.follow(`${server.base}/device`);
      await withStatus(403, visitor.send(formWith(page, 'user_code'), { user_code: device.user_code }, headers));
    }
    assertRefused(await pollFor(server, device), 400, PENDING);
  });

  it('login CSRF: the sealed sign-in of an attacker does not open in the browser of another', async () => {
    const device = await aWaitingDevice(server);
    const attacker = new Visitor(server.base);
    const question = await theQuestion(server, device.user_code, attacker, 'bob');
    const victim = await signedIn(server);
    await withStatus(400, victim.follow(question.url));
    const form = formWith(question, 'action" value="allow');
    const sub = (await server.services.store.findAccount('alice'))?.sub ?? '';
    assert.equal((await victim.send(form, { action: 'allow', sub })).status, 400);
    assertRefused(await pollFor(server, device), 400, PENDING);
  });

  it('fixation: the page was shown to alice, and bob signed in in another tab: nothing is approved for either', async () => {
    const { device, visitor, question } = await anAskedDevice(server);
    await signIn(server, { prompt: 'login' }, { visitor, username: 'bob' });
    await withStatus(403, press(visitor, question, 'allow'));
    assertRefused(await pollFor(server, device), 400, PENDING);
    const again = await visitor.follow(question.url);
    assert.match(again.text, /bob/);
    assert.match((await press(visitor, again, 'allow')).text, /is connected/);
  });

  it('a form without a session approves nothing', async () => {
    const { device, visitor, question } = await anAskedDevice(server);
    visitor.cookies.delete(SESSION_COOKIE);
    assert.equal((await press(visitor, question, 'allow')).status, 403);
    assertRefused(await pollFor(server, device), 400, PENDING);
  });

  it('a session that ended while the page was open approves nothing', async () => {
    const { device, visitor, question } = await anAskedDevice(server, 'carol');
    const sub = (await server.services.store.findAccount('carol'))?.sub ?? '';
    await server.services.store.endUserAccess(sub, clock.now());
    assert.equal((await press(visitor, question, 'allow')).status, 403);
    assertRefused(await pollFor(server, device), 400, PENDING);
  });

  it('approving twice does no harm and is one event; approving after a denial does nothing', async () => {
    const { device, visitor, question } = await anAskedDevice(server);
    const before = (await events('device.approved')).length;
    await press(visitor, question, 'allow');
    assert.match((await press(visitor, question, 'allow')).text, /is already connected/);
    assert.match((await press(visitor, question, 'deny')).text, /is already connected/);
    assert.equal((await events('device.approved')).length, before + 1);
    assert.equal((await pollFor(server, device)).status, 200);

    const other = await aWaitingDevice(server);
    const denied = await typeCode(server, other.user_code, visitor);
    await press(visitor, denied, 'deny');
    assert.match((await press(visitor, denied, 'allow')).text, /was not connected/);
    assertRefused(await pollFor(server, other), 400, 'access_denied');
  });

  it('approving after the end of the code does nothing', async () => {
    const device = await aWaitingDevice(server);
    clock.advance(300);
    const visitor = new Visitor(server.base);
    const question = await theQuestion(server, device.user_code, visitor);
    clock.advance(300);
    assert.equal((await press(visitor, question, 'allow')).status, 400);
    assertRefused(await pollFor(server, device), 400, 'expired_token');
  });

  it('two people who type the same code: one decides, the other learns nothing', async () => {
    const device = await aWaitingDevice(server);
    const [alice, other] = [new Visitor(server.base), new Visitor(server.base)];
    const first = await theQuestion(server, device.user_code, alice);
    const second = await theQuestion(server, device.user_code, other, 'bob');
    await press(alice, first, 'allow');
    const late = await withStatus(400, press(other, second, 'allow'));
    assert.doesNotMatch(late.text, /connected/);
  });

  it('a sign-in for a device is none for a client, and the other way round', async () => {
    const { visitor, question } = await anAskedDevice(server);
    const sealed = new URL(question.url).searchParams.get('gatehouse_pending') ?? '';
    assert.equal((await visitor.follow(`${server.at()}/auth?gatehouse_pending=${sealed}`)).status, 400);
    assert.equal((await visitor.follow(`${server.base}/consent?pending=${sealed}`)).status, 400);
    const login = await visitor.follow(authorizationUrl(server, { prompt: 'login' }));
    const pending = new URL(login.url).searchParams.get('pending') ?? '';
    assert.equal((await visitor.follow(`${server.base}/device?gatehouse_pending=${pending}`)).status, 400);
  });

  it('no parameter of the page redirects to another server', async () => {
    const device = await aWaitingDevice(server);
    const visitor = new Visitor(server.base);
    const evil = 'redirect_uri=https://evil.example&return_to=https://evil.example&post_login=//evil.example';
    const page = await visitor.follow(`${server.base}/device?user_code=${device.user_code}&${evil}`);
    assert.doesNotMatch(page.text, /evil\.example/);
    const form = formWith(page, 'user_code');
    form.fields.set('redirect_uri', 'https://evil.example');
    const login = await visitor.send(form, { user_code: device.user_code });
    assert(login.url.startsWith(`${server.base}/login?`));
    const question = await visitor.send(formWith(login, 'password'), {
      username: 'alice',
      password: PASSWORD,
      redirect_uri: 'https://evil.example',
    });
    const done = await visitor.send(formWith(question, 'action" value="allow'), {
      action: 'allow',
      redirect_uri: 'https://evil.example',
    });
    assert.equal(done.location, undefined);
    assert.doesNotMatch(done.text, /evil\.example/);
  });
});

describe('attack: what ends between the approval and the poll', () => {
  it('a disabled user: access_denied, also after the user was enabled again', async () => {
    const device = await aWaitingDevice(server);
    await decide(server, device.user_code, 'allow', undefined, 'carol');
    const sub = (await server.services.store.findAccount('carol'))?.sub ?? '';
    const owner = await anOperatorClient(server);
    const set = (disabled: boolean) => owner.ask('PATCH', `/users/${sub}`, { disabled });
    assert.equal((await set(true)).status, 200);
    assertRefused(await pollFor(server, device), 400, 'access_denied');
    assert.equal((await set(false)).status, 200);
    assertRefused(await pollFor(server, device), 400, 'access_denied');
  });

  it('a withdrawn consent and the end of all access of a user', async () => {
    const { store } = server.services;
    const sub = (await store.findAccount('bob'))?.sub ?? '';
    const device = await aWaitingDevice(server);
    await decide(server, device.user_code, 'allow', undefined, 'bob');
    await store.withdrawConsent(sub, 'shop', 'tv', clock.now());
    assertRefused(await pollFor(server, device), 400, 'access_denied');
    const other = await aWaitingDevice(server);
    await decide(server, other.user_code, 'allow', undefined, 'bob');
    await store.endUserAccess(sub, clock.now());
    assertRefused(await pollFor(server, other), 400, 'access_denied');
  });

  it('signing out of the browser does not disconnect the device', async () => {
    const device = await aWaitingDevice(server);
    const visitor = new Visitor(server.base);
    await decide(server, device.user_code, 'allow', visitor, 'bob');
    const page = await visitor.follow(`${server.base}/logout`);
    await visitor.send({ action: `${server.base}/logout`, fields: new URLSearchParams() });
    assert.match((await visitor.follow(`${server.base}/account`)).url, /\/login/, `signed out on ${page.url}`);
    const { json } = await withStatus(200, pollFor(server, device));
    assert.equal((await userinfo(server, json.access_token)).status, 200);
  });

  it('a client that has lost a scope since does not get it', async () => {
    const device = await anAllowedDevice(server, { scope: 'openid email' }, {}, 'bank');
    await server.provision({
      shop: { code: 'bank', name: 'Bank', clients: [aTv({ scope: 'openid' }), aClient()] },
    });
    const { json } = await pollFor(server, device, {}, {}, 'bank');
    assert.equal(json.scope, 'openid');
  });

  it('a client that was deleted, or has lost the grant, gets nothing', async () => {
    const device = await anAllowedDevice(server, {}, {}, 'bank');
    const without = aTv({ grant_types: ['refresh_token'] });
    await server.provision({
      shop: { code: 'bank', name: 'Bank', clients: [without, aClient()] },
    });
    assertRefused(await pollFor(server, device, {}, {}, 'bank'), 400, 'unauthorized_client');
  });
});
