import assert from 'node:assert/strict';
import { before, beforeEach, describe, it } from 'node:test';
import { TOKEN_EXCHANGE } from '../../../src/oauth/token-exchange/rules.ts';
import type { Store } from '../../../src/store.ts';
import { aSigningPair, assertionFor, presenting } from '../../build/assertion.ts';
import { anAuthenticator } from '../../build/authenticator.ts';
import {
  type Answered,
  aCode,
  aPkcePair,
  aTokenSet,
  basic,
  get,
  introspect,
  post,
  redeem,
  refresh,
  revoke,
  send,
  token,
  userinfo,
  WEB,
} from '../../build/client.ts';
import { fixedClock } from '../../build/clock.ts';
import { aTv, aWaitingDevice, decide, pollFor } from '../../build/device.ts';
import { aProof } from '../../build/dpop.ts';
import { aClient, anApplication, aPublicClient, type ClientInput, PASSWORD } from '../../build/fixture.ts';
import { aPasskey, askedBy } from '../../build/passkey.ts';
import { bob } from '../../build/people.ts';
import { suiteServer, type TestServer } from '../../build/test-server.ts';
import { answerIn, authorizationUrl, formWith, signIn, Visitor } from '../../build/visitor.ts';
import { enrolled } from '../../people/passkey/passkeys-fixture.ts';

const KEY = aSigningPair('ES256');
const SIGNER = aClient({
  ...{ client_id: 'signer', client_secret: undefined, token_endpoint_auth_method: 'private_key_jwt' },
  jwks: { keys: [KEY.publicJwk] },
});
const EXCHANGE = {
  apis: [{ identifier: 'urn:shop:files', name: 'Files' }],
  token_exchange: [{ from: 'web', to: 'urn:shop:files' }],
};
const GRANTS: ClientInput = {
  grant_types: ['authorization_code', 'refresh_token', 'password', 'implicit', TOKEN_EXCHANGE],
};
const exchange = (server: TestServer, subject_token: string, app?: string) => {
  const subject_token_type = 'urn:ietf:params:oauth:token-type:access_token';
  return token(server, { grant_type: TOKEN_EXCHANGE, subject_token, subject_token_type }, { auth: WEB }, app);
};
const JWT = { auth: basic('jwt', 'web-secret-1') };
const { verifier, challenge } = aPkcePair();

/** What a request costs is what it asks of the store; on PostgreSQL each call is a trip over the network. */
describe('store operations per request, once the caches are warm', () => {
  const calls: string[] = [];
  let alice: Visitor;
  const server = suiteServer({
    // In the middle of the block of time in which a jti is remembered (platform/single-use/rules.ts).
    clock: fixedClock(1_800_001_200),
    hostname: 'localhost',
    applications: [
      anApplication({
        ...EXCHANGE,
        clients: [
          aClient(GRANTS),
          aClient({ client_id: 'jwt', access_token_format: 'jwt' }),
          aPublicClient(),
          SIGNER,
          aTv(),
        ],
      }),
      anApplication({
        ...{ code: 'intranet', name: 'Intranet', access: { users: ['alice'] }, ...EXCHANGE },
        ...{ userinfo_acr_values: ['1'], userinfo_max_age: 3600 },
        clients: [aClient({ id_token_claims: 'minimal', scope: 'openid groups roles', ...GRANTS })],
      }),
    ],
    // No request waits for the recorder of events, which writes when it likes.
    wrapStore: store => watching(store, name => name === 'recordEvents' || calls.push(name)),
  });
  before(async () => {
    alice = new Visitor(server.base);
    for (const client_id of ['web', 'jwt']) {
      const set = (
        await redeem(
          server,
          await aCode(server, { client_id }, { visitor: alice }),
          {},
          { auth: basic(client_id, 'web-secret-1') },
        )
      ).json;
      await introspect(server, { token: set.access_token });
    }
    await spa();
  });
  beforeEach(() => {
    calls.length = 0;
  });

  async function spa() {
    const asked = { client_id: 'spa', redirect_uri: 'https://spa.example/cb' };
    const pkce = { code_challenge: challenge, code_challenge_method: 'S256' };
    const code = await aCode(server, { ...asked, ...pkce }, { visitor: alice });
    calls.length = 0;
    return redeem(server, code, { ...asked, code_verifier: verifier }, {});
  }

  /** Prepares with `make`, then counts what `use` costs. */
  const costs = async <T>(expected: readonly string[], make: () => Promise<T>, use: (made: T) => Promise<Answered>) => {
    const made = await make();
    calls.length = 0;
    const answered = await use(made);
    assert.equal(answered.status, 200, answered.text);
    assert.deepEqual(calls, expected);
  };
  /** Beside the account, at the same time: what other nodes have counted. Nothing is written for a right password. */
  const counts = () => (server.services.store.isSharedByNodes ? ['failedAttempts'] : []);
  const opaque = () => aTokenSet(server);
  const jwt = () => aTokenSet(server, {}, JWT);

  it('one for introspection of an access token', () =>
    costs(['findAccessToken'], opaque, set => introspect(server, { token: set.access_token })));
  it('one for introspection of an access token that is a JWT', () =>
    costs(['findAccessToken'], jwt, set => introspect(server, { token: set.access_token })));
  it('one for introspection of a refresh token, whatever the hint', () =>
    costs(['findRefreshToken'], opaque, set =>
      introspect(server, { token: set.refresh_token, token_type_hint: 'access_token' }),
    ));
  it('one more for a client that authenticates by an assertion, whose jti counts once', async () => {
    const ask = async () => {
      const now = server.services.clock.now();
      return presenting(assertionFor(server, KEY, { clientId: 'signer', now }));
    };
    await introspect(server, { token: 'x', ...(await ask()) }, {});
    await costs(['useOnce'], ask, body => introspect(server, { token: 'x', ...body }, {}));
  });
  it('one more for a DPoP proof, whose jti counts once, at the token endpoint and at userinfo', async () => {
    const sending = (url: string, method: string, accessToken?: string) => {
      const now = server.services.clock.now();
      return { dpop: aProof(KEY, method, url, { now, ...(accessToken === undefined ? {} : { accessToken }) }) };
    };
    const bound = async () => {
      const headers = sending(`${server.at()}/token`, 'POST');
      return (await redeem(server, await aCode(server, {}, { visitor: alice }), {}, { auth: WEB, headers })).json;
    };
    await costs(['useOnce', 'rotateRefreshToken'], bound, ({ refresh_token }) =>
      refresh(server, refresh_token, {}, { auth: WEB, headers: sending(`${server.at()}/token`, 'POST') }),
    );
    const url = `${server.at()}/userinfo`;
    await costs(['findTokenUser', 'useOnce'], bound, ({ access_token }) =>
      get(url, { authorization: `DPoP ${access_token}`, ...sending(url, 'GET', access_token) }),
    );
  });
  it('none for introspection of what is no token of ours', () =>
    costs(
      [],
      async () => 'nonsense',
      token => introspect(server, { token }),
    ));
  it('one for userinfo', () => costs(['findTokenUser'], opaque, set => userinfo(server, set.access_token)));
  it('one for userinfo with a JWT', () => costs(['findTokenUser'], jwt, set => userinfo(server, set.access_token)));
  it('two for a token exchange, and one more where the application admits some users only (RFC 8693)', async () => {
    const subject = (app?: string) => () => aTokenSet(server, {}, { auth: WEB }, app);
    await exchange(server, 'warm');
    await server.services.refusals.flush();
    const both = ['findAccessToken', 'addExchangedToken'];
    await costs(both, subject(), set => exchange(server, set.access_token));
    await costs(['findAccessToken', 'findTokenUser', 'addExchangedToken'], subject('intranet'), set =>
      exchange(server, set.access_token, 'intranet'),
    );
  });
  it('one for a code', () =>
    costs(
      ['redeemCode'],
      () => aCode(server, {}, { visitor: alice }),
      code => redeem(server, code),
    ));
  it('one for a code with a verifier alone', async () => {
    const answered = await spa();
    assert.equal(answered.status, 200, answered.text);
    assert.deepEqual(calls, ['redeemCode']);
  });
  it('one for a code from a page of a registered origin', () => {
    const sending = { auth: WEB, headers: { origin: 'https://client.example' } };
    const code = () => aCode(server, {}, { visitor: alice });
    return redeem(server, 'warm', {}, sending)
      .then(() => server.services.refusals.flush())
      .then(() => costs(['redeemCode'], code, presented => redeem(server, presented, {}, sending)));
  });
  it('one for a refresh', () => costs(['rotateRefreshToken'], opaque, set => refresh(server, set.refresh_token)));
  it('one for a refresh that gives a JWT', () =>
    costs(['rotateRefreshToken'], jwt, set => refresh(server, set.refresh_token, {}, JWT)));
  it('one for a refresh where the application admits some users only', () =>
    costs(
      ['rotateRefreshToken'],
      () => aTokenSet(server, {}, { auth: WEB }, 'intranet'),
      set => refresh(server, set.refresh_token, {}, { auth: WEB }, 'intranet'),
    ));
  it('one for userinfo with groups and roles', () =>
    costs(
      ['findTokenUser'],
      () => aTokenSet(server, {}, { auth: WEB }, 'intranet'),
      set => userinfo(server, set.access_token, 'intranet'),
    ));
  it('one for a revocation', () =>
    costs(['revokeAccessToken'], opaque, set => revoke(server, { token: set.access_token })));
  it('three for the password grant: the stand-in is read for known names too, or the time would tell', () => {
    const body = { grant_type: 'password', username: 'alice', password: 'correct horse battery staple' };
    return costs(
      ['findAccount', 'passwordHashFrom', ...counts(), 'addTokenFamily'],
      async () => body,
      sent => post(`${server.at()}/token`, sent, { auth: WEB }),
    );
  });
  it('none for a refused client', async () => {
    const answered = await introspect(server, { token: 'x' }, { auth: basic('web', 'wrong') });
    assert.equal(answered.status, 401);
    assert.deepEqual(calls, []);
    // Written after the answer: not while the next test counts.
    await server.services.refusals.flush();
  });
  it('two for an authorization request with a live session', async () => {
    const answer = answerIn(await alice.go(authorizationUrl(server)));
    assert.match(answer.code ?? '', /./);
    assert.deepEqual(calls, ['useSession', 'addCode']);
  });
  it('five for a login: three for the password, two for the answer to the client', async () => {
    const visitor = new Visitor(server.base);
    const page = await visitor.follow(authorizationUrl(server));
    calls.length = 0;
    const seen = await visitor.send(formWith(page, 'password'), { username: 'alice', password: PASSWORD });
    assert.match(answerIn(seen).code ?? '', /./);
    assert.deepEqual(calls, ['findAccount', 'passwordHashFrom', ...counts(), 'openSession', 'useSession', 'addCode']);
  });
  it('five for a login with a passkey: three for the passkey, two for the answer to the client', async () => {
    await server.provision({ users: [bob()] });
    const passkey = await enrolled(server, 'bob');
    const visitor = new Visitor(server.base);
    const page = await visitor.follow(authorizationUrl(server));
    calls.length = 0;
    const seen = await visitor.send(formWith(page, 'passkey'), { passkey: passkey.assert(askedBy(page)) });
    assert.match(answerIn(seen).code ?? '', /./);
    assert.deepEqual(calls, ['findPasskey', 'usePasskey', 'openSession', 'useSession', 'addCode']);
  });
  it('one more for a request that was pushed, and one to push it (RFC 9126)', async () => {
    const [, query = ''] = authorizationUrl(server).split('?');
    const pushed = await post(`${server.at()}/par`, query, { auth: WEB });
    assert.deepEqual(calls, ['addPushedRequest']);
    calls.length = 0;
    const uri = encodeURIComponent(pushed.json.request_uri);
    const page = await new Visitor(server.base).follow(`${server.at()}/auth?client_id=web&request_uri=${uri}`);
    assert.match(page.text, /name="password"/);
    assert.deepEqual(calls, ['takePushedRequest']);
  });
  it('one for a device that asks, one for a poll, and two for the one that gets tokens (RFC 8628)', async () => {
    await aWaitingDevice(server);
    calls.length = 0;
    const device = await aWaitingDevice(server);
    assert.deepEqual(calls, ['addDeviceAuthorization']);
    calls.length = 0;
    await pollFor(server, device);
    assert.deepEqual(calls, ['pollDevice']);
    await decide(server, device.user_code, 'allow');
    calls.length = 0;
    assert.equal((await pollFor(server, device)).status, 200);
    assert.deepEqual(calls, ['pollDevice', 'redeemDevice']);
  });
  it('none for an authorization request without a session, up to and with the login page (row 26)', async () => {
    const page = await new Visitor(server.base).follow(authorizationUrl(server));
    assert.match(page.text, /name="password"/);
    assert.deepEqual(calls, []);
  });
});

/** DATABASE_TIMEOUT counts from the arrival of the request (store.ts). An operation without that argument would count from its own start. */
describe('the time of arrival', () => {
  /** Shared by requests of different age, or part of no request: they count from their own start. */
  const ON_THEIR_OWN = [
    'signingKeys',
    'signingAlgs',
    'noteKeySigned',
    'registryVersion',
    'check',
    'recordEvents',
    'addRefusals',
    'trimRefusals',
  ];
  /** Only of a store that nodes share. */
  const SHARED = { failedAttempts: 1, takeAttempt: 2, giveBackAttempt: 1, resetAttempts: 1 };
  /** Of the argument `receivedAt`. */
  const POSITION: Readonly<Record<string, number>> = {
    ...{ findApplication: 1, findClient: 2, isClientOrigin: 2, findAccount: 1, passwordHashFrom: 1 },
    ...{ openSession: 3, useSession: 4, sessionsOf: 2, endSession: 3, noteSessionClient: 3 },
    ...{ attemptSecondFactor: 1, acceptTotpStep: 3, spendRecoveryCode: 4, secondFactorsOf: 1 },
    ...SHARED,
    ...{ trustBrowser: 3, isTrustedBrowser: 3, trustedBrowsersOf: 2, distrustBrowser: 3 },
    ...{ addTotp: 4, replaceRecoveryCodes: 4, removeTotp: 3 },
    ...{
      endOtherSessions: 4,
      changeUser: 2,
      findUser: 1,
      userFactors: 1,
      userSessions: 3,
      userGrants: 3,
      listEvents: 2,
    },
    ...{ replacePassword: 4, scheduleDeletion: 4, keepAccount: 4, trustedBrowsersOf: 2, emailUndosOf: 2 },
    ...{ passkeysOf: 1, findPasskey: 1, usePasskey: 3, addPasskey: 4, renamePasskey: 3, removePasskey: 4 },
    ...{ addConsent: 6, consentsOf: 1, grantsOf: 2, withdrawConsent: 5 },
    ...{ addCode: 2, redeemCode: 5, addTokenFamily: 4, rotateRefreshToken: 2, findAccessToken: 4, findRefreshToken: 4 },
    ...{ addPushedRequest: 2, takePushedRequest: 4, addExchangedToken: 4 },
    ...{ addDeviceAuthorization: 2, findDevice: 2, decideDevice: 3, pollDevice: 4, redeemDevice: 4 },
    ...{ registerClient: 2, findInitialAccessToken: 3, findRegistration: 2, changeClient: 3, noteClientUse: 3 },
    ...{ useOnce: 2 },
    ...{ findTokenUser: 3, revokeAccessToken: 4, revokeRefreshToken: 5 },
  };
  const seen: { readonly name: string; readonly args: readonly unknown[] }[] = [];
  const server = suiteServer({
    hostname: 'localhost',
    applications: [
      anApplication({
        ...{ trusted_browsers: true, dynamic_registration: 'open', ...EXCHANGE },
        clients: [aClient(GRANTS), aPublicClient(), aTv(), SIGNER],
      }),
    ],
    wrapStore: store => watching(store, (name, args) => seen.push({ name, args })),
  });
  before(async () => {
    seen.length = 0;
  });

  /** Sets up an authenticator app, signs in with a recovery code and tries a code, and removes the app. */
  async function secondFactors(alice: Visitor): Promise<void> {
    const security = `${server.base}/account/security`;
    const enrolment = await alice.follow(`${security}/totp`);
    const key = /id="totp-key">(\w+)</.exec(enrolment.text)?.[1] ?? '';
    const app = anAuthenticator(server.services.clock, key);
    const shown = await alice.send(formWith(enrolment, 'code'), { code: app.code() });
    const recovery = /class="recovery-code">([^<]+)</.exec(shown.text)?.[1] ?? '';
    const other = new Visitor(server.base);
    const asked = await signIn(server, {}, { visitor: other });
    const totp = formWith(asked, 'code');
    await other.send(totp, { code: app.code(1), trust: 'true' });
    // Without the session: the password alone, because the browser is trusted.
    other.cookies.delete('gatehouse_session');
    await signIn(server, {}, { visitor: other });
    const listed = formWith(await alice.follow(security), 'browser');
    await alice.send(listed, { action: 'distrust_browser' });
    const third = new Visitor(server.base);
    const form = formWith(await signIn(server, {}, { visitor: third }), 'code');
    await third.send({ ...form, action: `${server.base}/login/recovery` }, { code: recovery });
    for (const action of ['new_recovery_codes', 'remove_totp']) {
      await alice.send({ action: security, fields: new URLSearchParams({ action }) });
    }
  }

  /** Every page of the account, and every change; in the end the account is deleted and kept. */
  async function accountPages(alice: Visitor): Promise<void> {
    const at = (path: string) => `${server.base}/account${path}`;
    const submit = (path: string, fields: Record<string, string>) =>
      alice.send({ action: at(path), fields: new URLSearchParams(fields) });
    for (const path of ['', '/sessions', '/activity', '/data']) await alice.follow(at(path));
    await submit('/profile', { nickname: 'Ally' });
    await submit('/sessions', { action: 'end_others' });
    await submit('/data', { action: 'download' });
    await submit('/security/password', { current_password: PASSWORD, password: `${PASSWORD} 2` });
    await submit('/security/password', { current_password: `${PASSWORD} 2`, password: PASSWORD });
    await submit('/data/delete', { password: PASSWORD });
    const login = await alice.follow(at(''));
    const question = await alice.send(formWith(login, 'password'), { username: 'alice', password: PASSWORD });
    await alice.send(formWith(question, 'action" value="keep'), { action: 'keep' });
  }

  /** A client registers itself, alice agrees to a request of it, and it changes itself (RFC 7591, RFC 7592). */
  async function registration(alice: Visitor): Promise<void> {
    const headers = { 'content-type': 'application/json' };
    const metadata = { redirect_uris: ['https://assistant.example/cb'], token_endpoint_auth_method: 'none' };
    const register = (over: Record<string, string> = {}) =>
      send(`${server.at()}/register`, {
        method: 'POST',
        body: JSON.stringify(metadata),
        headers: { ...headers, ...over },
      });
    await register({ authorization: 'Bearer wrong' });
    const { client_id, registration_client_uri: uri, registration_access_token: token } = (await register()).json;
    const pkce = { code_challenge: challenge, code_challenge_method: 'S256' };
    const redirect_uri = 'https://assistant.example/cb';
    const page = await alice.follow(authorizationUrl(server, { client_id, redirect_uri, scope: 'openid', ...pkce }));
    await alice.send(formWith(page, 'sub'), { action: 'allow' });
    const body = JSON.stringify({ ...metadata, client_id });
    await send(uri, { method: 'PUT', body, headers: { ...headers, authorization: `Bearer ${token}` } });
  }

  async function passkeys(alice: Visitor): Promise<void> {
    const passkey = aPasskey();
    const address = `${server.base}/account/security/passkeys`;
    const page = await alice.follow(address);
    await alice.send(formWith(page, 'enrolment'), { passkey: passkey.register(askedBy(page)) });
    const other = new Visitor(server.base);
    const login = await other.follow(authorizationUrl(server));
    await other.send(formWith(login, 'passkey'), { passkey: passkey.assert(askedBy(login)) });
    const listed = await alice.follow(address);
    for (const action of ['rename', 'remove']) {
      await alice.send(formWith(listed, `action" value="${action}`), { action, name: 'Key' });
    }
  }

  it('goes to every store operation of logins, second factors, consent, tokens, the account page and logout', async () => {
    const startedAt = performance.now();
    const alice = new Visitor(server.base);
    const code = await aCode(server, {}, { visitor: alice });
    const set = (await redeem(server, code, {}, { auth: WEB, headers: { origin: 'https://shop.example' } })).json;
    const rotated = (await refresh(server, set.refresh_token)).json;
    await introspect(server, { token: rotated.access_token });
    await introspect(server, { token: rotated.refresh_token });
    await userinfo(server, rotated.access_token);
    await exchange(server, (await aTokenSet(server)).access_token);
    const now = server.services.clock.now();
    await introspect(server, { token: 'x', ...presenting(assertionFor(server, KEY, { clientId: 'signer', now })) }, {});
    await revoke(server, { token: rotated.access_token });
    await revoke(server, { token: rotated.refresh_token });
    await aTokenSet(server);
    for (const response_type of ['id_token', 'id_token token'])
      await alice.go(authorizationUrl(server, { response_type, nonce: 'n', scope: 'openid' }));
    const consent = await alice.follow(authorizationUrl(server, { prompt: 'consent' }));
    await alice.send(formWith(consent, 'sub'), { action: 'allow' });
    const [, query = ''] = authorizationUrl(server).split('?');
    const { request_uri } = (await post(`${server.at()}/par`, query, { auth: WEB })).json;
    await alice.go(`${server.at()}/auth?client_id=web&request_uri=${encodeURIComponent(request_uri)}`);
    const device = await aWaitingDevice(server);
    await decide(server, device.user_code, 'allow', alice);
    await pollFor(server, device);
    await registration(alice);
    await secondFactors(alice);
    await passkeys(alice);
    await accountPages(alice);
    const account = await alice.follow(`${server.base}/account/access`);
    await alice.send(formWith(account, 'withdraw'), { app: 'shop', withdraw: 'web' });
    await alice.send({ action: `${server.base}/logout`, fields: new URLSearchParams() });
    const hasArrival = ({ name, args }: (typeof seen)[number]) => {
      const receivedAt = args[POSITION[name] ?? -1];
      return typeof receivedAt === 'number' && receivedAt >= startedAt && receivedAt <= performance.now();
    };
    const names = (calls: typeof seen) => [...new Set(calls.map(({ name }) => name))].sort();
    assert.deepEqual(names(seen.filter(call => !hasArrival(call) && !ON_THEIR_OWN.includes(call.name))), []);
    const shared = server.services.store.isSharedByNodes ? [] : Object.keys(SHARED);
    const expected = Object.keys(POSITION).filter(name => !shared.includes(name));
    assert.deepEqual(names(seen.filter(hasArrival)), expected.sort());
  });
});

function watching(store: Store, note: (name: string, args: unknown[]) => unknown): Store {
  return new Proxy(store, {
    get(target, name) {
      const value = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      return (...args: unknown[]) => {
        note(String(name), args);
        return Reflect.apply(value, target, args);
      };
    },
  });
}
