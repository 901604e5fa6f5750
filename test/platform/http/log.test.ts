import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ALICE, aTokenSet, basic, introspect, redeem, revoke, token, userinfo, WEB } from '../../build/client.ts';
import { PASSWORD } from '../../build/fixture.ts';
import { authorizationUrl, type Fields, Visitor } from '../../build/visitor.ts';
import { ADDRESS, FROM, HUSH, useLog } from './log-fixture.ts';

describe('the log names the client, user and address of each refusal and each login (issue 10, E.4)', () => {
  const logging = useLog();
  const { only, assertQuietAbout, sending, skipLogged } = logging;

  describe('a refusal of the token endpoint', () => {
    const refusal = { event: 'request.refused', request: 'id', app: 'shop', route: 'token', address: ADDRESS };
    const wrongClient = { ...refusal, status: 401, error: 'invalid_client', reason: 'clientAuthenticationFailed' };
    const anonymous = { ...refusal, status: 401, error: 'access_denied', reason: 'clientNotAuthenticated' };

    it('names the client whose secret was wrong', async () => {
      const { server } = logging;
      const answered = await token(server, { grant_type: 'password' }, sending(basic('web', HUSH)));
      assert.deepEqual(only(answered), { ...wrongClient, client: 'web' });
      assertQuietAbout(HUSH);
    });

    it('does not name a client that does not exist: a secret may stand in its place', async () => {
      const { server } = logging;
      const answered = await token(server, { grant_type: 'password' }, sending(basic(HUSH, 'web')));
      assert.deepEqual(only(answered), wrongClient);
      assertQuietAbout(HUSH);
    });

    it('names the client that is throttled', async () => {
      const { server } = logging;
      for (let count = 0; count < 30; count++) await token(server, {}, sending(basic('other', `guess-${count}`)));
      skipLogged();
      const answered = await token(server, {}, sending(basic('other', 'web-secret-1')));
      const throttled = { status: 429, error: 'temporarily_unavailable', reason: 'tooManyClientAttempts' };
      assert.deepEqual(only(answered), { ...refusal, ...throttled, client: 'other' });
    });

    for (const [name, fields, client] of [
      ['names the client that sent no secret', { grant_type: 'password', client_id: 'web' }, 'web'],
      ['names no client that does not exist', { grant_type: 'password', client_id: HUSH }, undefined],
      ['names no client where none is claimed', { grant_type: 'password' }, undefined],
    ] as const satisfies readonly (readonly [string, Fields, string | undefined])[]) {
      it(name, async () => {
        const { server } = logging;
        const answered = await token(server, fields, sending());
        assert.deepEqual(only(answered), client === undefined ? anonymous : { ...anonymous, client });
      });
    }

    it('names the client of a code that comes with its verifier alone', async () => {
      const { server } = logging;
      const fields = { client_id: 'spa', code_verifier: 'v'.repeat(43) };
      const answered = await redeem(server, 'gac_unknown', fields, sending());
      const unknown = { status: 400, error: 'invalid_grant', reason: 'codeUnknown' };
      assert.deepEqual(only(answered), { ...refusal, ...unknown, client: 'spa' });
    });

    it('names the scope that was refused', async () => {
      const { server } = logging;
      const answered = await token(
        server,
        { grant_type: 'password', ...ALICE, scope: 'openid read:pets' },
        sending(WEB),
      );
      const invalid = { status: 400, error: 'invalid_scope', reason: 'scopeInvalid', detail: 'read:pets' };
      assert.deepEqual(only(answered), { ...refusal, ...invalid, client: 'web' });
    });

    it('names the scope of a refresh that is wider than its grant (issue 10, A.4)', async () => {
      const { server } = logging;
      const { refresh_token } = await aTokenSet(server, { scope: 'openid profile' });
      skipLogged();
      const wider = { grant_type: 'refresh_token', refresh_token, scope: 'openid email' };
      const answered = await token(server, wider, sending(WEB));
      const invalid = { status: 400, error: 'invalid_scope', reason: 'scopeInvalid', detail: 'email' };
      assert.deepEqual(only(answered), { ...refusal, ...invalid, client: 'web' });
      assertQuietAbout(refresh_token);
    });

    it('names no scope of a refresh that can be no scope: a secret may stand in its place', async () => {
      const { server } = logging;
      const { refresh_token } = await aTokenSet(server, { scope: 'openid profile' });
      for (const [scope, detail] of [
        ['openid read:pets', { detail: 'read:pets' }],
        [`openid ${refresh_token}`, {}],
      ] as const) {
        skipLogged();
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
        const { server, sub } = logging;
        const answered = await token(server, { grant_type: 'password', username, password }, sending(WEB));
        const dora = (await server.services.store.findAccount('dora'))?.sub;
        const wrong = { status: 400, error: 'invalid_grant', reason: 'credentialsWrong', client: 'web' };
        const user = known ? { sub } : username === 'dora' ? { sub: dora } : {};
        assert.deepEqual(only(answered), { ...refusal, ...wrong, ...user });
        assertQuietAbout(HUSH, 'alice@example.com', PASSWORD);
      });
    }
  });

  it('names the client of a refusal at the neighbours of the token endpoint', async () => {
    const { server } = logging;
    const body = { event: 'request.refused', request: 'id', app: 'shop', status: 400, error: 'invalid_request' };
    const caller = { client: 'web', address: ADDRESS };
    const asked = await introspect(server, {}, sending(WEB));
    assert.deepEqual(only(asked), { ...body, ...caller, route: 'introspect', reason: 'introspectionTokenMissing' });
    skipLogged();
    const revoked = await revoke(server, {}, sending(WEB));
    assert.deepEqual(only(revoked), { ...body, ...caller, route: 'revoke', reason: 'parameterMissing' });
  });

  it('names client and user of an access token that does not allow what is asked', async () => {
    const { server, sub } = logging;
    const { access_token } = await aTokenSet(server, { scope: 'profile' }, undefined, 'strict');
    skipLogged();
    const answered = await userinfo(server, access_token, 'strict');
    const { client, sub: user, reason } = only(answered);
    assert.deepEqual([client, user, reason], ['web', sub, 'scopeInsufficient']);
  });

  describe('a refusal of the authorization endpoint', () => {
    const ask = (fields: Fields) =>
      new Visitor(logging.server.base).go(authorizationUrl(logging.server, fields), { headers: FROM });
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
      const { server } = logging;
      const query = new URLSearchParams({ client_id: 'web', post_logout_redirect_uri: 'https://evil.example/' });
      const seen = await new Visitor(server.base).go(`${server.at()}/logout?${query}`, { headers: FROM });
      const untrusted = { error: 'invalid_request', reason: 'postLogoutRedirectUriUntrusted', client: 'web' };
      assert.deepEqual(only(seen), { ...onPage, ...untrusted, route: 'logout' });
    });
  });
});
