import assert from 'node:assert/strict';
import { before, beforeEach, describe, it } from 'node:test';
import { TOKEN_EXCHANGE } from '../../../src/oauth/token-exchange/rules.ts';
import { startOfOperation, withinRequest } from '../../../src/platform/store/request-time.ts';
import type { Store } from '../../../src/store.ts';
import { aSigningPair, assertionFor, presenting } from '../../build/assertion.ts';
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
  token,
  userinfo,
  WEB,
} from '../../build/client.ts';
import { fixedClock } from '../../build/clock.ts';
import { aTv, aWaitingDevice, decide, pollFor } from '../../build/device.ts';
import { aProof } from '../../build/dpop.ts';
import { aClient, anApplication, aPublicClient, aUser, type ClientInput, PASSWORD } from '../../build/fixture.ts';
import { askedBy } from '../../build/passkey.ts';
import { bob } from '../../build/people.ts';
import { suiteServer, type TestServer } from '../../build/test-server.ts';
import { until } from '../../build/until.ts';
import { answerIn, authorizationUrl, formWith, Visitor } from '../../build/visitor.ts';
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
    user_attributes: [{ name: 'department', label: 'Department', scope: 'profile' }],
    users: [aUser({ attributes: { department: 'Sales' } })],
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
  it('one for userinfo with an attribute of the user, whose definition came with the application', () =>
    costs(['findTokenUser'], opaque, async set => {
      const answered = await userinfo(server, set.access_token);
      assert.equal(answered.json.department, 'Sales');
      return answered;
    }));
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

/** DATABASE_TIMEOUT counts from the arrival of the request (platform/store/request-time.ts). */
describe('the time of a request', () => {
  /** Shared by requests of different age: they count from their own start. */
  const KEYS = ['signingKeys', 'keyAlgs', 'noteKeySigned', 'registryVersion'];
  const RECORDED = ['recordEvents', 'addRefusals', 'trimRefusals', 'describeUser'];
  const ON_THEIR_OWN = [...KEYS, ...RECORDED];
  const seen: { readonly name: string; readonly isOfRequest: boolean }[] = [];
  const server = suiteServer({
    applications: [anApplication({ clients: [aClient(GRANTS), SIGNER] })],
    // The embedded store has no such time.
    store: 'PostgreSQL',
    wrapStore: store =>
      watching(store, name => {
        const now = performance.now();
        seen.push({ name, isOfRequest: startOfOperation() < now });
      }),
  });

  it('is shared by all operations that run for it, and by none that several requests share', async () => {
    seen.length = 0;
    const alice = new Visitor(server.base);
    const set = (await redeem(server, await aCode(server, {}, { visitor: alice }))).json;
    const { access_token } = (await refresh(server, set.refresh_token)).json;
    const now = server.services.clock.now();
    const key = presenting(assertionFor(server, KEY, { clientId: 'signer', now }));
    await introspect(server, { token: access_token, ...key }, {});
    await userinfo(server, access_token);
    await revoke(server, { token: access_token });
    await alice.follow(`${server.base}/account/sessions`);
    await token(server, { grant_type: 'password', username: 'alice', password: 'wrong' }, { auth: WEB });
    await alice.send({ action: `${server.base}/logout`, fields: new URLSearchParams() });
    await until('what several requests share has come', () =>
      ['recordEvents', 'addRefusals'].every(name => seen.some(call => call.name === name)),
    );
    const names = (calls: typeof seen) => [...new Set(calls.map(({ name }) => name))].sort();
    assert.deepEqual(names(seen.filter(({ name, isOfRequest }) => isOfRequest === ON_THEIR_OWN.includes(name))), []);
    const needed = ['findClient', 'useSession', 'redeemCode', 'rotateRefreshToken', 'findAccessToken', 'endSession'];
    assert.deepEqual(names(seen.filter(({ name }) => needed.includes(name))), needed.sort());
  });

  it('ends with its answer', async () => {
    let later: number | undefined;
    await withinRequest(performance.now() - 1000, async () => {
      setImmediate(() => {
        later = startOfOperation();
      });
    });
    const answeredAt = performance.now();
    await until('the work after the answer has begun', () => later !== undefined);
    assert(Number(later) >= answeredAt, `${later} is before ${answeredAt}`);
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
