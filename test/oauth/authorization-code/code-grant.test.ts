import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import { aCode, aPkcePair, assertRefused, basic, claimsOf, redeem, token, userinfo, WEB } from '../../build/client.ts';
import { fixedClock } from '../../build/clock.ts';
import { aClient, anApplication, aPublicClient, aUser, CALLBACK, type ClientInput } from '../../build/fixture.ts';
import { suitePart } from '../../build/suite-part.ts';
import { suiteServer } from '../../build/test-server.ts';
import { answerIn, type Fields, signIn, Visitor } from '../../build/visitor.ts';
import { withStatus } from '../../build/with-status.ts';

const CODE_INVALID = 'The authorization code is invalid or has expired.';
const CODE_UNKNOWN = 'Client authentication failed: code';
const VERIFIER_WRONG = 'Client authentication failed: code_verifier';
const VERIFIER_UNEXPECTED = 'Client authentication failed: code_challenge';
const URI_DIFFERS = 'The redirect_uri does not match the redirection URI used in the authorization request.';
const CLIENT_FAILED = 'Client authentication failed. Either the client or the client credentials are invalid.';
const NEEDED = 'Full authentication is required to access this resource';

const SPA_CALLBACK = 'https://spa.example/cb';
const OTHER = basic('other', 'web-secret-1');
const { verifier, asked: PKCE, challenge } = aPkcePair();

describe('authorization code grant', () => {
  const clock = fixedClock();
  const bob = { username: 'bob', email: 'bob@example.com', phone_number: '+8613800000002' };
  const server = suiteServer({
    clock,
    applications: [
      anApplication({
        clients: [
          aClient({ redirect_uris: [CALLBACK, `${CALLBACK}?x=1`, 'http://127.0.0.1/cb'] }),
          aClient({ client_id: 'other' }),
          aClient({ client_id: 'guarded', require_client_authentication: true }),
          aClient({ client_id: 'careful', require_pkce: true }),
          aClient({ client_id: 'brief', grant_types: ['authorization_code'] }),
          aPublicClient(),
          aPublicClient({ client_id: 'kiosk', grant_types: ['authorization_code'] }),
        ],
      }),
      anApplication({ code: 'bank', name: 'Bank' }),
    ],
    users: [aUser(), aUser(bob)],
  });
  const alice = suitePart(() => new Visitor(server.base));

  const code = (fields: Fields = {}, app?: string) =>
    aCode(server, fields, { visitor: alice, ...(app === undefined ? {} : { app }) });
  const byVerifier = (presented: string, over: Fields = {}) =>
    redeem(server, presented, { code_verifier: verifier, ...over }, {});
  const bySpa = (presented: string, over: Fields = {}) =>
    byVerifier(presented, { client_id: 'spa', redirect_uri: SPA_CALLBACK, ...over });
  const spaCode = () => code({ client_id: 'spa', redirect_uri: SPA_CALLBACK, ...PKCE });

  describe('succeeds (interface 4.2, row 34)', () => {
    it('with Basic and no PKCE', async () => {
      const answered = await withStatus(200, redeem(server, await code({ scope: 'openid email' })));
      assert.equal(answered.json.scope, 'openid email');
      assert.equal((await userinfo(server, answered.json.access_token)).json.email, 'alice@example.com');
    });

    it('with a verifier and no header, the client derived from the code', async () => {
      const answered = await withStatus(200, byVerifier(await code(PKCE)));
      assert.equal(claimsOf(answered.json.id_token).aud, 'web');
    });

    it('with a verifier and the client_id in the body', async () => {
      assert.equal((await byVerifier(await code(PKCE), { client_id: 'web' })).status, 200);
    });

    it('with a header beside the verifier, when both proofs hold', async () => {
      assert.equal((await redeem(server, await code(PKCE), { code_verifier: verifier })).status, 200);
    });

    for (const [how, client, exchange] of [
      ['its secret', 'brief', (made: string) => redeem(server, made, {}, { auth: basic('brief', 'web-secret-1') })],
      ['a verifier alone', 'brief', (made: string) => byVerifier(made)],
      ['a verifier and its client_id', 'brief', (made: string) => byVerifier(made, { client_id: 'brief' })],
      ['a verifier alone, without a secret', 'kiosk', (made: string) => bySpa(made, { client_id: undefined })],
    ] as const) {
      it(`without a refresh token for a client that has no refresh grant, by ${how} (row 40)`, async () => {
        const redirect_uri = client === 'kiosk' ? SPA_CALLBACK : CALLBACK;
        const pkce = how === 'its secret' ? {} : PKCE;
        const answered = await withStatus(200, exchange(await code({ client_id: client, redirect_uri, ...pkce })));
        const { access_token, ...set } = answered.json;
        assert.deepEqual(Object.keys(set).sort(), ['expires_in', 'id_token', 'scope', 'token_type']);
        assert.equal((await userinfo(server, access_token)).status, 200);
      });
    }

    it('for a public client, with and without its client_id', async () => {
      assert.equal((await bySpa(await spaCode())).status, 200);
      assert.equal((await bySpa(await spaCode(), { client_id: undefined })).status, 200);
    });

    for (const length of [43, 128]) {
      it(`with a verifier of ${length} characters (interface 8)`, async () => {
        const { json } = await verifierOfLength(length);
        assert.equal(json.token_type, 'Bearer');
      });
    }

    it('with whatever scope the request names, which is ignored (row 39)', async () => {
      const presented = await code({ scope: 'openid email' });
      assert.equal((await redeem(server, presented, { scope: 'phone nonsense' })).json.scope, 'openid email');
    });

    it('with the port that was asked with, where the port of a loopback address is free', async () => {
      const redirect_uri = 'http://127.0.0.1:5001/cb';
      const presented = await code({ redirect_uri });
      assertRefused(
        await redeem(server, presented, { redirect_uri: 'http://127.0.0.1:5002/cb' }),
        400,
        'invalid_grant',
        URI_DIFFERS,
      );
      assert.equal((await redeem(server, presented, { redirect_uri })).status, 200);
    });
  });

  async function verifierOfLength(length: number) {
    const code_verifier = 'v'.repeat(length);
    const code_challenge = createHash('sha256').update(code_verifier).digest('base64url');
    return redeem(server, await code({ ...PKCE, code_challenge }), { code_verifier }, {});
  }

  describe('a failed attempt says why and spends nothing (rows 34, 37, 38; interface 7.1)', () => {
    type Case = readonly [name: string, refused: Refused, asked: Fields, over: Fields, auth?: string];
    type Refused = readonly [status: number, error: string, description: string];
    const INVALID: Refused = [400, 'invalid_grant', CODE_INVALID];
    const DIFFERS: Refused = [400, 'invalid_grant', URI_DIFFERS];
    const WRONG: Refused = [400, 'invalid_grant', VERIFIER_WRONG];
    const UNEXPECTED: Refused = [400, 'invalid_grant', VERIFIER_UNEXPECTED];
    const DENIED: Refused = [401, 'access_denied', NEEDED];
    const FAILED: Refused = [401, 'invalid_client', CLIENT_FAILED];
    const proof = { code_verifier: verifier };
    const wrong = { code_verifier: aPkcePair().verifier };
    const elsewhere = { redirect_uri: 'https://evil.example/' };
    const guarded = { client_id: 'guarded', ...PKCE };

    const cases: readonly Case[] = [
      ['another redirect_uri of the client', DIFFERS, {}, { redirect_uri: `${CALLBACK}?x=1` }, WEB],
      ['a redirect_uri that is registered nowhere', DIFFERS, {}, elsewhere, WEB],
      ['a redirect_uri with a slash more', DIFFERS, {}, { redirect_uri: `${CALLBACK}/` }, WEB],
      ['right verifier, wrong redirect_uri', DIFFERS, PKCE, { ...proof, ...elsewhere }],
      ['another client with its own secret', INVALID, {}, {}, OTHER],
      ['another client with its own secret and the right verifier', INVALID, PKCE, proof, OTHER],
      ['the client_id of another client in the body', INVALID, PKCE, { ...proof, client_id: 'other' }],
      ['an unknown client_id in the body', INVALID, PKCE, { ...proof, client_id: 'nobody' }],
      ['wrong verifier, no header', WRONG, PKCE, wrong],
      ['wrong verifier beside the right secret', WRONG, PKCE, wrong, WEB],
      ['no verifier beside the right secret', WRONG, PKCE, {}, WEB],
      ['the challenge itself as the verifier (plain)', WRONG, PKCE, { code_verifier: challenge }],
      ['malformed verifier', WRONG, PKCE, { code_verifier: `${verifier.slice(1)}+` }],
      ['verifier for a code without a challenge, no header', UNEXPECTED, {}, proof],
      ['verifier for a code without a challenge, right secret', UNEXPECTED, {}, proof, WEB],
      ['right verifier, wrong secret in the header', FAILED, PKCE, proof, basic('web', 'wrong')],
      ['neither header nor verifier', DENIED, {}, {}],
      ['neither header nor verifier, but a client_id', DENIED, PKCE, { client_id: 'web' }],
      ['an empty verifier and no header', DENIED, PKCE, { code_verifier: '' }],
      ['verifier alone under require_client_authentication', DENIED, guarded, proof],
      [
        'verifier and client_id under require_client_authentication',
        DENIED,
        guarded,
        { ...proof, client_id: 'guarded' },
      ],
    ];
    for (const [name, refused, asked, over, auth] of cases) {
      it(name, async () => {
        const presented = await code(asked);
        assertRefused(await redeem(server, presented, over, { auth }), ...refused);
        const again = await redeem(server, presented, 'code_challenge' in asked ? proof : {}, {
          auth: basic(asked.client_id ?? 'web', 'web-secret-1'),
        });
        assert.equal(again.status, 200, again.text);
      });
    }

    for (const length of [42, 129]) {
      it(`a verifier of ${length} characters, although it hashes to the challenge`, async () => {
        assertRefused(await verifierOfLength(length), 400, 'invalid_grant', VERIFIER_WRONG);
      });
    }
  });

  describe('a code that this application never issued is the wrong code (row 37)', () => {
    for (const [name, made] of [
      ['garbage', async () => 'garbage'],
      ['a code with one letter changed', async () => (await code()).replace(/.$/, last => (last === 'A' ? 'B' : 'A'))],
      ['a code of another application', () => code({}, 'bank')],
      ['an access token', async () => (await redeem(server, await code())).json.access_token],
    ] as const) {
      it(name, async () => {
        assertRefused(await redeem(server, await made()), 400, 'invalid_grant', CODE_UNKNOWN);
        assertRefused(await byVerifier(await made()), 400, 'invalid_grant', CODE_UNKNOWN);
      });
    }

    it('and a code of another application is not spent by that', async () => {
      const presented = await code({}, 'bank');
      await redeem(server, presented);
      assert.equal((await redeem(server, presented, {}, { auth: WEB }, 'bank')).status, 200);
    });
  });

  it('names the missing code when there is only a verifier (row 34)', async () => {
    const body = { grant_type: 'authorization_code', redirect_uri: CALLBACK, code_verifier: verifier };
    assertRefused(await token(server, body, {}), 400, 'invalid_request', 'OAuth 2.0 Parameter: code');
  });

  it('says access_denied without header and verifier, whatever the code (row 34)', async () => {
    for (const presented of [await code(), 'garbage', undefined]) {
      assertRefused(await redeem(server, presented, {}, {}), 401, 'access_denied', NEEDED);
    }
  });

  it('lasts five minutes, to the second (interface 8)', async () => {
    const [early, late] = [await code(), await code()];
    clock.advance(299);
    assert.equal((await redeem(server, early)).status, 200);
    clock.advance(1);
    assertRefused(await redeem(server, late), 400, 'invalid_grant', CODE_INVALID);
  });

  it('has expired also once the purge has removed it (row 37)', async () => {
    const presented = await code();
    clock.advance(300 + 86_400 + 1);
    const forged = presented.replace(/.$/, last => (last === 'A' ? 'B' : 'A'));
    assertRefused(await redeem(server, forged), 400, 'invalid_grant', CODE_INVALID);
    for (let complete = false; !complete; ) ({ complete } = await server.services.store.purge(clock.now(), 1000));
    assertRefused(await redeem(server, presented), 400, 'invalid_grant', CODE_INVALID);
    for (const text of ['gac_unknown', `${presented}x`, presented.replace('gac_', 'gat_')]) {
      assertRefused(await redeem(server, text), 400, 'invalid_grant', CODE_UNKNOWN);
    }
  });

  it('is refused in the same words whatever the reason, and only the log tells which it was (interface 7.1)', async () => {
    const reasonOf = async (presented: string, auth = WEB) => {
      const before = server.logged().length;
      assertRefused(await redeem(server, presented, {}, { auth }), 400, 'invalid_grant', CODE_INVALID);
      return /"event":"request.refused".*"reason":"(\w+)"/.exec(server.logged().slice(before))?.[1];
    };
    const [replayed, foreign, expired] = [await code(), await code(), await code()];
    assert.equal((await redeem(server, replayed)).status, 200);
    assert.equal(await reasonOf(replayed), 'codeReplayed');
    assert.equal(await reasonOf(foreign, OTHER), 'codeInvalid');
    clock.advance(300);
    assert.equal(await reasonOf(expired), 'codeExpired');
  });

  it('demands PKCE of a public client and with require_pkce, before there is a code (row 19)', async () => {
    for (const asked of [{ client_id: 'careful' }, { client_id: 'spa', redirect_uri: SPA_CALLBACK }]) {
      const answer = answerIn(await signIn(server, asked, { visitor: alice }));
      assert.equal(answer.error, 'invalid_request');
      assert.equal(answer.error_description, 'OAuth 2.0 Parameter: code_challenge');
    }
    const presented = await code({ client_id: 'careful', ...PKCE });
    const auth = basic('careful', 'web-secret-1');
    assertRefused(await redeem(server, presented, {}, { auth }), 400, 'invalid_grant', VERIFIER_WRONG);
    assert.equal((await redeem(server, presented, { code_verifier: verifier }, { auth })).status, 200);
  });

  for (const [demand, status, error] of [
    ['require_client_authentication', 401, 'access_denied'],
    ['dpop_bound_access_tokens', 400, 'invalid_dpop_proof'],
  ] as const) {
    it(`gives nothing for its verifier alone if the client has ${demand} since`, async () => {
      const client_id = `since-${demand}`;
      const set = (over: ClientInput) => server.provision({ clients: [aClient({ client_id, ...over })] });
      await set({});
      const presented = await code({ client_id, ...PKCE });
      await set({ [demand]: true });
      assertRefused(await byVerifier(presented), status, error);
    });
  }

  it('is worth nothing once its user is disabled', async () => {
    const bob = { username: 'bob', email: 'bob@example.com', phone_number: '+8613800000002' };
    const presented = await aCode(server, {}, { username: 'bob' });
    await server.provision({ users: [aUser({ ...bob, disabled: true })] });
    assertRefused(await redeem(server, presented), 400, 'invalid_grant', CODE_INVALID);
  });
});
