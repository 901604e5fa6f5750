import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  aCode,
  aPkcePair,
  assertRefused,
  aTokenSet,
  basic,
  get,
  isActive,
  post,
  redeem,
  refresh,
  revoke,
  send,
  userinfo,
  WEB,
} from '../../build/client.ts';
import { aClient, anApplication, aPublicClient } from '../../build/fixture.ts';
import { suiteServer } from '../../build/test-server.ts';

const OTHER = { auth: basic('other', 'web-secret-1') };

describe('revocation (RFC 7009)', () => {
  const server = suiteServer({
    applications: [
      anApplication({
        clients: [
          aClient(),
          aClient({ client_id: 'other' }),
          aPublicClient(),
          aPublicClient({ client_id: 'app', redirect_uris: ['https://app.example/cb'] }),
        ],
      }),
      anApplication({ code: 'bank', name: 'Bank' }),
    ],
  });

  const spaSet = async () => {
    const { verifier, challenge } = aPkcePair();
    const asked = { client_id: 'spa', redirect_uri: 'https://spa.example/cb' };
    const code = await aCode(server, { ...asked, code_challenge: challenge, code_challenge_method: 'S256' });
    return (await redeem(server, code, { ...asked, code_verifier: verifier }, {})).json;
  };

  it('is advertised in discovery', async () => {
    const { json } = await get(`${server.at()}/.well-known/openid-configuration`);
    assert.equal(json.revocation_endpoint, `${server.at()}/revoke`);
  });

  it('ends an access token alone, with an empty answer that is not stored', async () => {
    const set = await aTokenSet(server);
    const answered = await revoke(server, { token: set.access_token, token_type_hint: 'access_token' });
    assert.deepEqual([answered.status, answered.text, answered.headers.get('cache-control')], [200, '', 'no-store']);
    assert.equal(await isActive(server, set.access_token), false);
    assert.equal((await userinfo(server, set.access_token)).status, 401);
    assert.equal((await refresh(server, set.refresh_token)).status, 200);
  });

  it('ends a refresh token together with every token of its grant (section 2.1)', async () => {
    const set = await aTokenSet(server);
    const next = (await refresh(server, set.refresh_token)).json;
    assert.equal((await revoke(server, { token: next.refresh_token })).status, 200);
    for (const dead of [set.access_token, next.access_token, next.refresh_token]) {
      assert.equal(await isActive(server, dead), false);
    }
    assertRefused(await refresh(server, next.refresh_token), 400, 'invalid_grant');
  });

  it('ends the grant also by a refresh token that was rotated', async () => {
    const set = await aTokenSet(server);
    const next = (await refresh(server, set.refresh_token)).json;
    await revoke(server, { token: set.refresh_token });
    assert.equal(await isActive(server, next.refresh_token), false);
  });

  it('leaves the other grants of the user alone', async () => {
    const [gone, kept] = [await aTokenSet(server), await aTokenSet(server)];
    await revoke(server, { token: gone.refresh_token });
    assert.equal(await isActive(server, kept.access_token), true);
  });

  for (const token_type_hint of ['access_token', 'refresh_token', 'nonsense', '']) {
    it(`finds either token with the hint "${token_type_hint}" (section 2.1)`, async () => {
      const set = await aTokenSet(server);
      for (const token of [set.access_token, set.refresh_token]) {
        assert.equal((await revoke(server, { token, token_type_hint })).status, 200);
        assert.equal(await isActive(server, token), false);
      }
    });
  }

  it('answers a second revocation and an unknown token like the first (section 2.2)', async () => {
    const { refresh_token, id_token } = await aTokenSet(server);
    for (const token of [refresh_token, refresh_token, 'nonsense', 'gat_nonsense', 'a.b.c', id_token]) {
      const { status, text } = await revoke(server, { token });
      assert.deepEqual([status, text], [200, '']);
    }
  });

  it('does nothing to a token of another client, and does not tell', async () => {
    const set = await aTokenSet(server);
    for (const token of [set.access_token, set.refresh_token]) {
      const { status, text } = await revoke(server, { token }, OTHER);
      assert.deepEqual([status, text], [200, '']);
      assert.equal(await isActive(server, token), true);
    }
  });

  it('does nothing to a token of another application, even of a client with the same name (row 4)', async () => {
    const set = await aTokenSet(server, {}, undefined, 'bank');
    for (const token of [set.access_token, set.refresh_token]) {
      assert.equal((await revoke(server, { token })).status, 200);
      assert.equal(await isActive(server, token, undefined, 'bank'), true);
    }
  });

  it('takes client_secret_post', async () => {
    const { access_token } = await aTokenSet(server);
    await revoke(server, { token: access_token, client_id: 'web', client_secret: 'web-secret-1' }, {});
    assert.equal(await isActive(server, access_token), false);
  });

  it('takes the client_id of a public client, for its own tokens', async () => {
    const set = await spaSet();
    assert.equal((await revoke(server, { token: set.access_token, client_id: 'app' }, {})).status, 200);
    assert.equal(await isActive(server, set.access_token), true);
    assert.equal((await revoke(server, { token: set.access_token, client_id: 'spa' }, {})).status, 200);
    assert.equal(await isActive(server, set.access_token), false);
  });

  for (const [name, body, auth, status, error] of [
    ['no credentials', { token: 'x' }, undefined, 401, 'access_denied'],
    [
      'the client_id alone of a client with a secret',
      { token: 'x', client_id: 'web' },
      undefined,
      401,
      'access_denied',
    ],
    ['a wrong secret', { token: 'x' }, basic('web', 'wrong'), 401, 'invalid_client'],
    ['two methods at once', { token: 'x', client_secret: 'web-secret-1' }, WEB, 400, 'invalid_request'],
    ['no token', {}, WEB, 400, 'invalid_request'],
    ['a token twice', 'token=x&token=x', WEB, 400, 'invalid_request'],
  ] as const) {
    it(`refuses ${name}`, async () => {
      const answered = await revoke(server, body, { auth });
      assertRefused(answered, status, error);
      const challenge = answered.headers.get('www-authenticate');
      if (status === 401) assert.match(challenge ?? '', /^Basic realm="/);
      else assert.equal(challenge, null);
    });
  }

  it('refuses another content type and another method, and does not look into the URL', async () => {
    const { access_token } = await aTokenSet(server);
    const url = `${server.at()}/revoke?token=${access_token}`;
    const headers = { 'content-type': 'application/json' };
    assertRefused(
      await post(url, JSON.stringify({ token: access_token }), { auth: WEB, headers }),
      400,
      'invalid_request',
    );
    assertRefused(await post(url, {}, { auth: WEB }), 400, 'invalid_request', 'OAuth 2.0 Parameter: token');
    assertRefused(await send(url, { headers: { authorization: WEB } }), 405, 'invalid_request');
    assert.equal(await isActive(server, access_token), true);
  });
});
