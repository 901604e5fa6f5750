import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import {
  ALICE,
  type Answered,
  aTokenSet,
  basic,
  introspect,
  redeem,
  revoke,
  token,
  userinfo,
  WEB,
} from '../build/client.ts';
import { fixedClock } from '../build/clock.ts';
import { aClient, anApplication, aPublicClient, aUser, PASSWORD } from '../build/fixture.ts';
import { startTestServer, type TestServer } from '../build/test-server.ts';
import { authorizationUrl, type Fields, formWith, type Seen, signIn, Visitor } from '../build/visitor.ts';

const ADDRESS = '198.51.100.7';
const FROM = { 'x-forwarded-for': ADDRESS };
/** What must not be in the log wherever a person or a program puts it by mistake. */
const HUSH = 'hush-typed-into-the-wrong-field';

type Line = Record<string, string | number | undefined>;

describe('the log names the client, user and address of each refusal and each login (issue 10, E.4)', () => {
  const clock = fixedClock();
  let server: TestServer;
  let sub: string;
  before(async () => {
    server = await startTestServer({
      env: { TRUSTED_PROXIES: '127.0.0.1' },
      clock,
      applications: [
        anApplication({ clients: [aClient(), aClient({ client_id: 'other' }), aPublicClient()] }),
        anApplication({ code: 'strict', name: 'Strict', strict_oidc: true }),
      ],
      users: [
        aUser(),
        aUser({ username: 'dora', email: 'dora@example.com', phone_number: '+8613800000002', disabled: true }),
      ],
    });
    sub = (await server.services.store.findAccount('alice'))?.sub ?? '';
  });
  after(() => server.close());

  let read = 0;
  beforeEach(() => {
    clock.advance(400); // so that no test is throttled by the failures of another
    read = server.logged().length;
  });
  /** What was logged since the test began, debugging aside. */
  const lines = (): Line[] =>
    server
      .logged()
      .slice(read)
      .trim()
      .split('\n')
      .filter(line => line !== '')
      .map(line => JSON.parse(line))
      .filter(({ level }) => level !== 'debug');
  /** The one line of a refusal, by the request id of its answer. */
  const only = (answered: Pick<Answered | Seen, 'headers'>): Line => {
    const [line, ...more] = lines();
    assert(line && more.length === 0, JSON.stringify(lines()));
    const { time, level, ...fields } = line;
    assert.equal(level, 'info');
    assert.equal(fields.request, answered.headers.get('x-request-id'));
    return { ...fields, request: 'id' };
  };
  const assertQuietAbout = (...secrets: string[]) => {
    for (const secret of secrets) assert(!server.logged().slice(read).includes(secret), secret);
  };
  const sending = (auth?: string) => ({ auth, headers: FROM });

  describe('a refusal of the token endpoint', () => {
    const refusal = { event: 'request.refused', request: 'id', app: 'shop', route: 'token', address: ADDRESS };
    const wrongClient = { ...refusal, status: 401, error: 'invalid_client', reason: 'clientAuthenticationFailed' };
    const anonymous = { ...refusal, status: 401, error: 'access_denied', reason: 'clientNotAuthenticated' };

    it('names the client whose secret was wrong', async () => {
      const answered = await token(server, { grant_type: 'password' }, sending(basic('web', HUSH)));
      assert.deepEqual(only(answered), { ...wrongClient, client: 'web' });
      assertQuietAbout(HUSH);
    });

    it('does not name a client that does not exist: a secret may stand in its place', async () => {
      const answered = await token(server, { grant_type: 'password' }, sending(basic(HUSH, 'web')));
      assert.deepEqual(only(answered), wrongClient);
      assertQuietAbout(HUSH);
    });

    it('names the client that is throttled', async () => {
      for (let count = 0; count < 30; count++) await token(server, {}, sending(basic('other', `guess-${count}`)));
      read = server.logged().length;
      const answered = await token(server, {}, sending(basic('other', 'web-secret-1')));
      const throttled = { status: 429, error: 'temporarily_unavailable', reason: 'tooManyClientAttempts' };
      assert.deepEqual(only(answered), { ...refusal, ...throttled, client: 'other' });
    });

    for (const [who, fields, client] of [
      ['names the client that sent no secret', { grant_type: 'password', client_id: 'web' }, 'web'],
      ['names no client that does not exist', { grant_type: 'password', client_id: HUSH }, undefined],
      ['names no client where none is claimed', { grant_type: 'password' }, undefined],
    ] as const satisfies readonly (readonly [string, Fields, string | undefined])[]) {
      it(who, async () => {
        const answered = await token(server, fields, sending());
        assert.deepEqual(only(answered), client === undefined ? anonymous : { ...anonymous, client });
      });
    }

    it('names the client of a code that comes with its verifier alone', async () => {
      const fields = { client_id: 'spa', code_verifier: 'v'.repeat(43) };
      const answered = await redeem(server, 'gac_unknown', fields, sending());
      const unknown = { status: 400, error: 'invalid_grant', reason: 'codeUnknown' };
      assert.deepEqual(only(answered), { ...refusal, ...unknown, client: 'spa' });
    });

    it('names the scope that was refused', async () => {
      const answered = await token(
        server,
        { grant_type: 'password', ...ALICE, scope: 'openid read:pets' },
        sending(WEB),
      );
      const invalid = { status: 400, error: 'invalid_scope', reason: 'scopeInvalid', detail: 'read:pets' };
      assert.deepEqual(only(answered), { ...refusal, ...invalid, client: 'web' });
    });

    it('names the scope of a refresh that is wider than its grant (issue 10, A.4)', async () => {
      const { refresh_token } = await aTokenSet(server, { scope: 'openid profile' });
      read = server.logged().length;
      const wider = { grant_type: 'refresh_token', refresh_token, scope: 'openid email' };
      const answered = await token(server, wider, sending(WEB));
      const invalid = { status: 400, error: 'invalid_scope', reason: 'scopeInvalid', detail: 'email' };
      assert.deepEqual(only(answered), { ...refusal, ...invalid, client: 'web' });
      assertQuietAbout(refresh_token);
    });

    it('names no scope of a refresh that can be no scope: a secret may stand in its place', async () => {
      const { refresh_token } = await aTokenSet(server, { scope: 'openid profile' });
      for (const [scope, detail] of [
        ['openid read:pets', { detail: 'read:pets' }],
        [`openid ${refresh_token}`, {}],
      ] as const) {
        read = server.logged().length;
        const answered = await token(server, { grant_type: 'refresh_token', refresh_token, scope }, sending(WEB));
        const invalid = { status: 400, error: 'invalid_scope', reason: 'scopeInvalid', client: 'web' };
        assert.deepEqual(only(answered), { ...refusal, ...invalid, ...detail });
        assertQuietAbout(refresh_token);
      }
    });

    for (const [whose, username, password, known] of [
      ['the wrong password of a user, by the user and not by the name', 'alice@example.com', HUSH, true],
      ['a disabled user', 'dora', PASSWORD, false],
      ['an unknown name, which may be a password, without naming it', HUSH, HUSH, false],
    ] as const) {
      it(`tells of ${whose}`, async () => {
        const answered = await token(server, { grant_type: 'password', username, password }, sending(WEB));
        const dora = (await server.services.store.findAccount('dora'))?.sub;
        const wrong = { status: 400, error: 'invalid_grant', reason: 'credentialsWrong', client: 'web' };
        const whom = known ? { sub } : username === 'dora' ? { sub: dora } : {};
        assert.deepEqual(only(answered), { ...refusal, ...wrong, ...whom });
        assertQuietAbout(HUSH, 'alice@example.com', PASSWORD);
      });
    }
  });

  it('names the client of a refusal at the neighbours of the token endpoint', async () => {
    const body = { event: 'request.refused', request: 'id', app: 'shop', status: 400, error: 'invalid_request' };
    const who = { client: 'web', address: ADDRESS };
    const asked = await introspect(server, {}, sending(WEB));
    assert.deepEqual(only(asked), { ...body, ...who, route: 'introspect', reason: 'introspectionTokenMissing' });
    read = server.logged().length;
    const revoked = await revoke(server, {}, sending(WEB));
    assert.deepEqual(only(revoked), { ...body, ...who, route: 'revoke', reason: 'parameterMissing' });
  });

  it('names client and user of an access token that does not allow what is asked', async () => {
    const { access_token } = await aTokenSet(server, { scope: 'profile' }, undefined, 'strict');
    read = server.logged().length;
    const answered = await userinfo(server, access_token, 'strict');
    const { client, sub: whom, reason } = only(answered);
    assert.deepEqual([client, whom, reason], ['web', sub, 'scopeInsufficient']);
  });

  describe('a refusal of the authorization endpoint', () => {
    const ask = (fields: Fields) => new Visitor(server.base).go(authorizationUrl(server, fields), { headers: FROM });
    const onPage = {
      event: 'request.refused',
      request: 'id',
      app: 'shop',
      route: 'auth',
      address: ADDRESS,
      status: 400,
    };

    it('on a page names the client whose redirect address is not registered', async () => {
      const seen = await ask({ redirect_uri: `https://evil.example/?${HUSH}` });
      const untrusted = { error: 'invalid_request', reason: 'redirectUriUntrusted', client: 'web' };
      assert.deepEqual(only(seen), { ...onPage, ...untrusted });
      assertQuietAbout(HUSH);
    });

    it('on a page names no client that does not exist', async () => {
      const seen = await ask({ client_id: HUSH });
      assert.deepEqual(only(seen), { ...onPage, error: 'invalid_client', reason: 'clientUnknown' });
      assertQuietAbout(HUSH);
    });

    it('that goes back to the client names client, address and scope', async () => {
      const seen = await ask({ scope: 'openid read:pets' });
      assert.deepEqual(only(seen), {
        event: 'auth.refused',
        request: 'id',
        app: 'shop',
        client: 'web',
        address: ADDRESS,
        error: 'invalid_scope',
        reason: 'scopeInvalid',
        detail: 'read:pets',
      });
    });

    it('names the client whose post-logout address is not registered', async () => {
      const query = new URLSearchParams({ client_id: 'web', post_logout_redirect_uri: 'https://evil.example/' });
      const seen = await new Visitor(server.base).go(`${server.at()}/logout?${query}`, { headers: FROM });
      const untrusted = { error: 'invalid_request', reason: 'postLogoutRedirectUriUntrusted', client: 'web' };
      assert.deepEqual(only(seen), { ...onPage, ...untrusted, route: 'logout' });
    });
  });

  describe('a login', () => {
    const login = { request: 'id', app: 'shop', client: 'web', address: ADDRESS };
    const submit = async (username: string, password: string) => {
      const visitor = new Visitor(server.base);
      const page = await visitor.follow(authorizationUrl(server));
      const form = formWith(page, 'password');
      const body = new URLSearchParams(form.fields);
      body.set('username', username);
      body.set('password', password);
      const headers = { 'content-type': 'application/x-www-form-urlencoded', origin: server.base, ...FROM };
      return visitor.go(form.action, { method: 'POST', body: body.toString(), headers });
    };

    it('that succeeds is a line', async () => {
      const seen = await submit(' Alice@Example.com', PASSWORD);
      assert.deepEqual(only(seen), { event: 'login.succeeded', ...login, sub });
      assertQuietAbout(PASSWORD, 'xample.com');
    });

    it('that succeeds for the account page names no client', async () => {
      const visitor = new Visitor(server.base);
      const page = await visitor.follow(`${server.base}/account`);
      await visitor.send(formWith(page, 'password'), ALICE, FROM);
      const [line] = lines();
      assert.deepEqual([line?.event, line?.client, line?.sub], ['login.succeeded', undefined, sub]);
    });

    it('by the password grant is one too', async () => {
      const answered = await token(server, { grant_type: 'password', ...ALICE }, sending(WEB));
      assert.deepEqual(only(answered), { event: 'login.succeeded', ...login, sub });
    });

    it('with a session that is there already is none', async () => {
      const visitor = new Visitor(server.base);
      await signIn(server, {}, { visitor });
      read = server.logged().length;
      assert.match((await visitor.go(authorizationUrl(server))).location ?? '', /[?&]code=/);
      assert.deepEqual(lines(), []);
    });

    it('with a wrong password names the user, not the name that was typed', async () => {
      const seen = await submit('alice@example.com', HUSH);
      assert.deepEqual(only(seen), { event: 'login.refused', ...login, reason: 'wrong', sub });
      assertQuietAbout(HUSH, 'alice@example.com');
    });

    it('with an unknown name does not name it: users type passwords there', async () => {
      const seen = await submit(HUSH, 'alice');
      assert.deepEqual(only(seen), { event: 'login.refused', ...login, reason: 'wrong' });
      assertQuietAbout(HUSH);
    });

    it('that is throttled says so', async () => {
      for (let count = 0; count < 10; count++) await submit('alice', `guess-${count}`);
      read = server.logged().length;
      const byName = await submit('alice', PASSWORD);
      assert.deepEqual(only(byName), { event: 'login.refused', ...login, reason: 'throttled' });
      read = server.logged().length;
      const byAccount = await submit('alice@example.com', PASSWORD);
      assert.deepEqual(only(byAccount), { event: 'login.refused', ...login, reason: 'throttled', sub });
    });

    it('whose form is sent again names application and client', async () => {
      const visitor = new Visitor(server.base);
      const form = formWith(await visitor.follow(authorizationUrl(server)), 'password');
      await visitor.send(form, ALICE);
      read = server.logged().length;
      const seen = await visitor.send(form, ALICE, FROM);
      const { app, client, reason, address } = only(seen);
      assert.deepEqual([app, client, reason, address], ['shop', 'web', 'formReplayed', ADDRESS]);
    });
  });
});
