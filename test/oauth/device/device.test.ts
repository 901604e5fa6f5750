import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { DEVICE_GRANT } from '../../../src/oauth/device/rules.ts';
import { aSigningPair } from '../../build/assertion.ts';
import { anAuthenticator, TOTP_SECRET } from '../../build/authenticator.ts';
import {
  assertNotStored,
  assertRefused,
  basic,
  claimsOf,
  get,
  introspect,
  refresh,
  userinfo,
} from '../../build/client.ts';
import { fixedClock } from '../../build/clock.ts';
import {
  aBox,
  anAllowedDevice,
  aTv,
  aWaitingDevice,
  decide,
  pollFor,
  requestDevice,
  theQuestion,
  typeCode,
} from '../../build/device.ts';
import { aProof, thumbprintOf } from '../../build/dpop.ts';
import { aClient, anApplication, aPublicClient, aUser } from '../../build/fixture.ts';
import { anOperatorClient } from '../../build/operator.ts';
import { bob, logIn, press } from '../../build/people.ts';
import { suiteServer } from '../../build/test-server.ts';
import { formWith, Visitor } from '../../build/visitor.ts';
import { withStatus } from '../../build/with-status.ts';

const BOX = { auth: basic('box', 'web-secret-1') };
const API = {
  identifier: 'https://api.shop.example',
  name: 'Orders',
  scopes: { 'orders:read': 'Read your orders' },
};

const clock = fixedClock();
const server = suiteServer({
  clock,
  applications: [
    anApplication({
      apis: [API],
      clients: [
        aClient({ grant_types: ['authorization_code'] }),
        aTv({ scope: 'openid profile email orders:read' }),
        aBox(),
        aPublicClient({ client_id: 'plain' }),
        aTv({ client_id: 'once', grant_types: [DEVICE_GRANT] }),
      ],
    }),
    anApplication({ code: 'vault', name: 'Vault', mfa: 'required', clients: [aTv()] }),
    anApplication({ code: 'bank', name: 'Bank', clients: [aTv()] }),
    anApplication({ code: 'club', name: 'Club', access: { groups: ['members'] }, clients: [aTv()] }),
  ],
  users: [
    aUser(),
    bob(),
    bob({ ...{ username: 'tina', email: 'tina@example.com', phone_number: null }, totp_secret: TOTP_SECRET }),
  ],
});
beforeEach(() => clock.advance(1000));

const subOf = async (username: string) => (await server.services.store.findAccount(username))?.sub;

describe('device authorization requests (RFC 8628 section 3.1; modern contract)', () => {
  it('answer with both codes, the address of the page, the lifetime and the interval (section 3.2)', async () => {
    const answered = await withStatus(200, requestDevice(server, { scope: 'openid' }));
    assertNotStored(answered);
    const { device_code, user_code, ...rest } = answered.json;
    assert.match(device_code, /^gdc_[\w-]{51}$/);
    assert.match(user_code, /^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/);
    assert.deepEqual(rest, {
      verification_uri: `${server.base}/device`,
      verification_uri_complete: `${server.base}/device?user_code=${user_code}`,
      expires_in: 600,
      interval: 5,
    });
  });

  it('a client with a secret has to prove itself, and one without the grant may not', async () => {
    assertRefused(await requestDevice(server, { client_id: 'box' }), 401, 'access_denied');
    assertRefused(
      await requestDevice(server, { client_id: undefined }, { auth: basic('box', 'wrong') }),
      401,
      'invalid_client',
    );
    assert.equal((await requestDevice(server, { client_id: undefined }, BOX)).status, 200);
    assertRefused(
      await requestDevice(server, { client_id: undefined }, { auth: basic('web', 'web-secret-1') }),
      400,
      'unauthorized_client',
    );
  });

  it('a scope or resource that the client may not have is refused, and nothing is stored', async () => {
    assertRefused(await requestDevice(server, { scope: 'openid orders:read' }, {}, 'bank'), 400, 'invalid_scope');
    assertRefused(await requestDevice(server, { resource: 'https://other.example' }), 400, 'invalid_target');
    assertRefused(await requestDevice(server, { scope: 'orders:read' }, {}, 'nowhere'), 404, 'not_found');
  });

  it('are limited by address for a client without a secret', async () => {
    const answers = await Promise.all(Array.from({ length: 70 }, () => requestDevice(server)));
    const limited = answers.filter(({ status }) => status === 429);
    assert.equal(limited.length, 10);
    assert(Number(limited[0]?.headers.get('retry-after')) > 0);
    assert.equal((await requestDevice(server, { client_id: undefined }, BOX)).status, 200);
  });

  it('discovery lists the endpoint and the grant (RFC 8628 section 4)', async () => {
    const { json } = await get(`${server.at()}/.well-known/openid-configuration`);
    assert.equal(json.device_authorization_endpoint, `${server.at()}/device_authorization`);
    assert(json.grant_types_supported.includes(DEVICE_GRANT));
  });
});

describe('a device is connected (RFC 8628)', () => {
  it('the person types the code, signs in, allows it, and the device gets tokens as with a code', async () => {
    const device = await aWaitingDevice(server, { scope: 'openid profile' });
    assertRefused(await pollFor(server, device), 400, 'authorization_pending');
    const visitor = new Visitor(server.base);
    const question = await theQuestion(server, device.user_code, visitor);
    assert.match(question.text, /Living room TV/);
    assert.match(question.text, /Shop/);
    assert(question.text.includes(device.user_code));
    assert.match(question.text, /127\.0\.0\.1/);
    assert.match(question.text, /alice/);
    const done = await press(visitor, question, 'allow');
    assert.match(done.text, /Your device is connected/);

    const answered = await withStatus(200, pollFor(server, device));
    assertNotStored(answered);
    const { access_token, refresh_token, id_token, scope, token_type } = answered.json;
    assert.deepEqual([token_type, scope], ['Bearer', 'openid profile']);
    const { sub, auth_time, amr, acr, aud, sid } = claimsOf(id_token);
    assert.equal(sub, await subOf('alice'));
    assert.deepEqual([aud, auth_time], ['tv', clock.now()]);
    assert.deepEqual([amr, acr, sid], [['pwd'], '1', undefined]);
    assert.equal((await userinfo(server, access_token)).json.preferred_username, 'alice');
    await withStatus(200, refresh(server, refresh_token, { client_id: 'tv' }, {}));
  });

  it('a second factor is asked for as elsewhere, and the ID token tells it', async () => {
    const device = await aWaitingDevice(server, {}, {}, 'vault');
    const visitor = new Visitor(server.base);
    const asked = await theQuestion(server, device.user_code, visitor, 'tina');
    assert.match(asked.url, /\/login\/totp/);
    const question = await visitor.send(formWith(asked, 'code'), { code: anAuthenticator(clock).code() });
    await press(visitor, question, 'allow');
    const { amr, acr } = claimsOf((await pollFor(server, device, {}, {}, 'vault')).json.id_token);
    assert.deepEqual([amr, acr], [['pwd', 'otp', 'mfa'], '2']);
  });

  it('a proof binds the tokens of a device to its key, also the refresh token of a client without a secret (RFC 9449)', async () => {
    const key = aSigningPair('ES256');
    const proofOf = (method: string, name: string, accessToken?: string) => {
      const parts = { now: clock.now(), ...(accessToken === undefined ? {} : { accessToken }) };
      return { dpop: aProof(key, method, `${server.at()}/${name}`, parts) };
    };
    const device = await anAllowedDevice(server);
    const { json } = await pollFor(server, device, {}, { headers: proofOf('POST', 'token') });
    assert.equal(json.token_type, 'DPoP');
    const seen = await introspect(server, { token: json.access_token, token_type_hint: 'access_token' }, BOX);
    assert.deepEqual(seen.json.cnf, { jkt: thumbprintOf(key) });
    const unbound = await userinfo(server, json.access_token);
    assert.equal(unbound.status, 401, 'a bound token is not accepted unbound');
    const bound = await get(`${server.at()}/userinfo`, {
      authorization: `DPoP ${json.access_token}`,
      ...proofOf('GET', 'userinfo', json.access_token),
    });
    assert.equal(bound.status, 200, bound.text);
    assert.equal((await refresh(server, json.refresh_token, { client_id: 'tv' }, {})).status, 400);
    const renewed = await refresh(
      server,
      json.refresh_token,
      { client_id: 'tv' },
      { headers: proofOf('POST', 'token') },
    );
    assert.equal(renewed.status, 200, renewed.text);
  });

  it('operators give a client the grant by the admin API, and take it away again', async () => {
    const owner = await anOperatorClient(server);
    const patch = (grant_types: string[]) => owner.ask('PATCH', '/applications/shop/clients/plain', { grant_types });
    assertRefused(await requestDevice(server, { client_id: 'plain' }), 400, 'unauthorized_client');
    assert.equal((await patch(['authorization_code', DEVICE_GRANT])).status, 200);
    assert.equal((await requestDevice(server, { client_id: 'plain' })).status, 200);
    assert.equal((await patch(['authorization_code'])).status, 200);
    assertRefused(await requestDevice(server, { client_id: 'plain' }), 400, 'unauthorized_client');
  });

  it('a client without the refresh grant gets no refresh token', async () => {
    const device = await anAllowedDevice(server, { client_id: 'once' });
    assert.equal((await pollFor(server, device, { client_id: 'once' })).json.refresh_token, undefined);
  });

  it('a client with a secret proves itself at each poll', async () => {
    const device = await anAllowedDevice(server, { client_id: undefined }, BOX);
    assertRefused(await pollFor(server, device, { client_id: 'box' }), 401, 'access_denied');
    assert.equal((await pollFor(server, device, { client_id: undefined }, BOX)).status, 200);
  });

  it('a resource of the request gives a token for this API (RFC 8707)', async () => {
    const device = await aWaitingDevice(server, { scope: 'openid orders:read', resource: API.identifier });
    const question = await theQuestion(server, device.user_code);
    assert.match(question.text, /Orders: Read your orders/);
    await decide(server, device.user_code, 'allow');
    const { json } = await pollFor(server, device);
    assert.equal(json.scope, 'orders:read');
    const seen = await introspect(server, { token: json.access_token, token_type_hint: 'access_token' }, BOX);
    assert.equal(seen.json.active, false, 'the box is not registered for the API');
    const other = await refresh(server, json.refresh_token, { client_id: 'tv', scope: 'openid' }, {});
    assert.equal(other.json.scope, 'openid');
  });

  it('a resource of the poll must be one that the request covers', async () => {
    const device = await anAllowedDevice(server, { scope: 'openid' });
    assertRefused(await pollFor(server, device, { resource: API.identifier }), 400, 'invalid_target');
    assert.equal((await pollFor(server, device)).status, 200);
  });

  it('after a denial the device is told access_denied (section 3.5)', async () => {
    const device = await aWaitingDevice(server);
    const page = await decide(server, device.user_code, 'deny');
    assert.match(page.text, /The device was not connected/);
    assertRefused(await pollFor(server, device), 400, 'access_denied');
    assertRefused(await pollFor(server, device), 400, 'access_denied');
  });

  it('after ten minutes the device is told expired_token, an hour later invalid_grant at most', async () => {
    const device = await aWaitingDevice(server);
    clock.advance(600);
    assertRefused(await pollFor(server, device), 400, 'expired_token');
    assert.match((await typeCode(server, device.user_code)).text, /No device is waiting with this code/);
    clock.advance(3601);
    await server.services.store.purge(clock.now(), 1000);
    assertRefused(await pollFor(server, device), 400, 'invalid_grant');
  });

  it('a device that polls too early is told slow_down, and its interval grows by 5 s (section 3.5)', async () => {
    const device = await aWaitingDevice(server);
    const errors: string[] = [];
    for (const seconds of [0, 5, 1, 5, 10, 12, 15]) {
      clock.advance(seconds);
      errors.push((await pollFor(server, device)).json.error);
    }
    const [pending, slow] = ['authorization_pending', 'slow_down'];
    assert.deepEqual(errors, [pending, pending, slow, slow, slow, slow, slow]);
    clock.advance(30);
    assertRefused(await pollFor(server, device), 400, pending as string);
  });

  it('polls of a device that waits are neither logged nor kept as refusals', async () => {
    const device = await aWaitingDevice(server);
    const before = server.logged().length;
    await pollFor(server, device);
    assert.doesNotMatch(server.logged().slice(before), /request\.refused/);
  });
});

describe('the page /device (RFC 8628 section 3.3)', () => {
  it('takes the code in small letters, with spaces, without the dash and in full width', async () => {
    const { user_code } = await aWaitingDevice(server);
    const [first = '', last = ''] = user_code.split('-');
    const wide = [...`${first}${last}`].map(letter => String.fromCharCode(letter.charCodeAt(0) + 0xfee0)).join('');
    for (const typed of [user_code.toLowerCase(), `${first}${last}`, ` ${first} ${last} `, `${first}–${last}`, wide]) {
      assert.match((await typeCode(server, typed)).url, /\/login\?/, typed);
    }
  });

  it('an address with the code only fills in the form: the person has to confirm it (section 3.3.1)', async () => {
    const device = await aWaitingDevice(server);
    const visitor = new Visitor(server.base);
    const page = await visitor.follow(device.verification_uri_complete);
    assert.match(page.text, new RegExp(`value="${device.user_code}"`));
    assert.match(page.text, /Is this the code that your device shows/);
    const question = await visitor.send(formWith(page, 'user_code'), { user_code: device.user_code });
    assert.match(question.url, /\/login\?/);
  });

  it('a browser that is signed in is asked at once; another account can be used', async () => {
    const visitor = new Visitor(server.base);
    await decide(server, (await aWaitingDevice(server)).user_code, 'allow', visitor);
    const device = await aWaitingDevice(server);
    const question = await typeCode(server, device.user_code, visitor);
    assert.match(question.text, /Living room TV/);
    const login = await press(visitor, question, 'another');
    const asked = await logIn(visitor, login, 'bob');
    assert.match((await press(visitor, asked, 'allow')).text, /is connected/);
    const { json } = await pollFor(server, device);
    assert.equal(claimsOf(json.id_token).sub, await subOf('bob'));
  });

  it('a person whom the application does not admit is told so, and the device gets access_denied', async () => {
    const device = await aWaitingDevice(server, {}, {}, 'club');
    const visitor = new Visitor(server.base);
    const page = await theQuestion(server, device.user_code, visitor);
    assert.match(page.url, /\/login\/no-access/);
    assertRefused(await pollFor(server, device, {}, {}, 'club'), 400, 'authorization_pending');
    const back = await press(visitor, page, 'back');
    assert.match(back.text, /The device was not connected/);
    assertRefused(await pollFor(server, device, {}, {}, 'club'), 400, 'access_denied');
  });

  it('a person who cancels the sign-in decides nothing', async () => {
    const device = await aWaitingDevice(server);
    const visitor = new Visitor(server.base);
    const login = await typeCode(server, device.user_code, visitor);
    const page = await press(visitor, login, 'cancel');
    assert.match(page.text, /You have not signed in/);
    assertRefused(await pollFor(server, device), 400, 'authorization_pending');
  });

  it('consent is remembered, listed on /account/access, and its withdrawal ends the tokens', async () => {
    const device = await aWaitingDevice(server, { scope: 'openid email' });
    const visitor = new Visitor(server.base);
    await decide(server, device.user_code, 'allow', visitor, 'bob');
    const { json } = await pollFor(server, device);
    const sub = (await subOf('bob')) ?? '';
    const consent = (await server.services.store.consentsOf(sub)).find(({ clientId }) => clientId === 'tv');
    assert.deepEqual([...(consent?.scope ?? [])].sort(), ['email', 'openid']);
    const page = await visitor.follow(`${server.base}/account/access`);
    assert.match(page.text, /Living room TV/);
    await visitor.send(formWith(page, 'withdraw'), { withdraw: 'tv' });
    assert.equal((await userinfo(server, json.access_token)).status, 401);
  });
});
