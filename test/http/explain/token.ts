import {
  ALICE,
  aCode,
  aPkcePair,
  aTokenSet,
  basic,
  post,
  redeem,
  refresh,
  revoke,
  token,
  WEB,
} from '../../build/client.ts';
import { PASSWORD } from '../../build/fixture.ts';
import { Visitor } from '../../build/visitor.ts';
import { type Case, HUSH, type World } from './world.ts';

const OTHER = { auth: basic('other', 'web-secret-1') };
const { verifier, challenge } = aPkcePair();
const PKCE = { code_challenge: challenge, code_challenge_method: 'S256' };

const codes: readonly Case[] = [
  {
    row: 'codeUnknown',
    name: 'a code of another application',
    refuse: async ({ server }) => redeem(server, await aCode(server, { client_id: 'blogger' }, { app: 'blog' })),
    client: 'web',
    received: /code: an authorization code of 55 characters \(not kept\)/,
    kinds: ['another-application'],
    difference: /issued by the application blog/,
    failed: 'grant checked',
  },
  {
    row: 'codeUnknown',
    name: 'a code that was cut',
    refuse: async ({ server }) => redeem(server, (await aCode(server)).slice(0, 40)),
    client: 'web',
    kinds: ['length'],
    difference: /A code has 55 characters, 40 came/,
    failed: 'grant checked',
  },
  {
    row: 'codeUnknown',
    name: 'something else in the place of the code',
    refuse: ({ server }) => redeem(server, HUSH),
    client: 'web',
    kinds: ['not-a-code'],
    failed: 'grant checked',
  },
  {
    row: 'codeInvalid',
    name: 'a code of another client',
    refuse: async ({ server }) => redeem(server, await aCode(server), {}, OTHER),
    client: 'other',
    kinds: ['another-client'],
    difference: /issued to client web/,
    fix: /with the credentials of client web/,
    failed: 'grant checked',
  },
  {
    row: 'codeExpired',
    name: 'a code that is too old',
    refuse: async ({ server, clock }) => {
      const code = await aCode(server);
      clock.advance(300 + 252);
      return redeem(server, code);
    },
    client: 'web',
    kinds: ['expired'],
    difference: /^Expired by 4 min 12 s: it was good until 20/,
    failed: 'grant checked',
  },
  {
    row: 'codeExpired',
    name: 'a code whose user signed out',
    refuse: async ({ server }) => {
      const visitor = new Visitor(server.base);
      const code = await aCode(server, {}, { visitor });
      await visitor.send({ action: `${server.base}/logout`, fields: new URLSearchParams() });
      return redeem(server, code);
    },
    client: 'web',
    kinds: ['signed-out'],
    failed: 'grant checked',
  },
  {
    row: 'codeReplayed',
    name: 'a code that was redeemed',
    refuse: async ({ server, clock }) => {
      const code = await aCode(server);
      await redeem(server, code);
      clock.advance(7);
      return redeem(server, code);
    },
    client: 'web',
    kinds: ['already-redeemed'],
    difference: /already redeemed at 20\S+Z, 7 s before/,
    failed: 'grant checked',
  },
  {
    row: 'redirectUriDiffers',
    name: 'another redirect_uri with the code',
    refuse: async ({ server }) => redeem(server, await aCode(server), { redirect_uri: 'https://client.example/cb/' }),
    client: 'web',
    expected: /^https:\/\/client\.example\/cb$/,
    kinds: ['trailing-slash'],
    failed: 'grant checked',
  },
  {
    row: 'verifierWrong',
    name: 'the challenge in the place of the verifier',
    refuse: async ({ server }) => redeem(server, await aCode(server, PKCE), { code_verifier: challenge }),
    client: 'web',
    kinds: ['challenge-sent'],
    failed: 'grant checked',
  },
  {
    row: 'verifierWrong',
    name: 'the verifier of another request',
    refuse: async ({ server }) => redeem(server, await aCode(server, PKCE), { code_verifier: aPkcePair().verifier }),
    client: 'web',
    received: /code_verifier: 43 characters \(not kept\)/,
    kinds: ['hash'],
    failed: 'grant checked',
  },
  {
    row: 'verifierUnexpected',
    name: 'a verifier for a code without a challenge',
    refuse: async ({ server }) => redeem(server, await aCode(server), { code_verifier: verifier }),
    client: 'web',
    kinds: ['no-challenge'],
    failed: 'grant checked',
  },
];

const refreshes: readonly Case[] = [
  {
    row: 'refreshTokenInvalid',
    name: 'a refresh token of another client',
    refuse: async ({ server }) => refresh(server, (await aTokenSet(server)).refresh_token, {}, OTHER),
    client: 'other',
    received: /refresh_token: a refresh token of 55 characters/,
    kinds: ['another-client'],
    difference: /issued to client web/,
    failed: 'grant checked',
  },
  {
    row: 'refreshTokenInvalid',
    name: 'a refresh token that was revoked',
    refuse: async ({ server, clock }) => {
      const { refresh_token } = await aTokenSet(server);
      await revoke(server, { token: refresh_token });
      clock.advance(3700);
      return refresh(server, refresh_token);
    },
    client: 'web',
    kinds: ['revoked'],
    difference: /1 h 1 min before/,
    failed: 'grant checked',
  },
  {
    row: 'refreshTokenInvalid',
    name: 'an access token in the place of the refresh token',
    refuse: async ({ server }) => refresh(server, (await aTokenSet(server)).access_token),
    client: 'web',
    kinds: ['another-kind'],
    failed: 'grant checked',
  },
  {
    row: 'refreshTokenExpired',
    name: 'a refresh token after refresh_token_ttl',
    refuse: async ({ server, clock }) => {
      const { refresh_token } = await aTokenSet(server);
      clock.advance(2_592_000 + 252);
      return refresh(server, refresh_token);
    },
    client: 'web',
    expected: /refresh_token_ttl \(30 d\)/,
    kinds: ['expired'],
    difference: /Expired by 4 min 12 s/,
    failed: 'grant checked',
  },
  {
    row: 'refreshTokenReused',
    name: 'a rotated refresh token after the grace period',
    refuse: async ({ server, clock }) => {
      const { refresh_token } = await aTokenSet(server);
      await refresh(server, refresh_token);
      clock.advance(90);
      return refresh(server, refresh_token);
    },
    client: 'web',
    kinds: ['after-grace'],
    difference: /used again 1 min 30 s after it was rotated/,
    failed: 'grant checked',
  },
  {
    row: 'refreshTokenReused',
    name: 'a rotated refresh token whose successor was used',
    refuse: async ({ server }) => {
      const { refresh_token } = await aTokenSet(server);
      const next = await refresh(server, refresh_token);
      await refresh(server, next.json.refresh_token);
      return refresh(server, refresh_token);
    },
    client: 'web',
    kinds: ['successor-used'],
    failed: 'grant checked',
  },
  {
    row: 'scopeInvalid',
    name: 'a refresh that asks for more',
    refuse: async ({ server }) => {
      const { refresh_token } = await aTokenSet(server, { scope: 'openid' });
      return refresh(server, refresh_token, { scope: 'openid email' });
    },
    client: 'web',
    expected: /granted at the login: openid$/,
    kinds: ['wider'],
    failed: 'scope allowed',
  },
];

const exhaust = async (world: World, send: () => Promise<{ readonly status: number; readonly headers: Headers }>) => {
  for (let count = 0; count < 200; count++) {
    const answered = await send();
    if (answered.status === 429) return answered;
    await world.services.refusals.flush();
  }
  throw new Error('the limit was never reached');
};

const callers: readonly Case[] = [
  {
    row: 'clientNotAuthenticated',
    name: 'no credentials and no verifier',
    refuse: async ({ server }) => redeem(server, await aCode(server), {}, {}),
    received: /no Authorization header/,
    kinds: ['no-credentials'],
    failed: 'client authenticated',
  },
  {
    row: 'clientNotAuthenticated',
    name: 'credentials in the URL',
    refuse: ({ server }) =>
      post(`${server.at()}/token?client_id=web&client_secret=web-secret-1`, { grant_type: 'password', ...ALICE }),
    kinds: ['in-url'],
    difference: /client_secret is in the URL/,
    failed: 'client authenticated',
  },
  {
    row: 'clientNotAuthenticated',
    name: 'a verifier alone where the client must authenticate',
    refuse: async ({ server }) =>
      redeem(server, await aCode(server, { client_id: 'pkce', ...PKCE }), { code_verifier: verifier }, {}),
    kinds: ['verifier-alone'],
    difference: /require_client_authentication/,
    failed: 'client authenticated',
  },
  {
    row: 'clientAuthenticationFailed',
    name: 'a wrong secret',
    refuse: ({ server }) => token(server, { grant_type: 'password', ...ALICE }, { auth: basic('web', HUSH) }),
    client: 'web',
    received: /Basic with client_id: web, secret: 31 characters \(not kept\)/,
    kinds: ['wrong-secret'],
    call: 'POST /applications/shop/clients/web/secrets {"previous_valid_for":86400}',
    failed: 'client authenticated',
  },
  {
    row: 'clientAuthenticationFailed',
    name: 'a secret with the line break of its file',
    refuse: ({ server }) =>
      token(server, { grant_type: 'password', ...ALICE }, { auth: basic('web', 'web-secret-1\n') }),
    client: 'web',
    kinds: ['wrong-secret'],
    difference: /ends with a line break/,
    failed: 'client authenticated',
  },
  {
    row: 'clientAuthenticationFailed',
    name: 'a client of another application',
    refuse: ({ server }) =>
      token(server, { grant_type: 'password', ...ALICE }, { auth: basic('blogger', 'web-secret-1') }),
    received: /client_id: blogger, secret: 12 characters/,
    kinds: ['another-application'],
    failed: 'client authenticated',
  },
  {
    row: 'clientAuthenticationFailed',
    name: 'a header without base64',
    refuse: ({ server }) => token(server, { grant_type: 'password', ...ALICE }, { auth: `Basic web:${HUSH}` }),
    kinds: ['malformed'],
    difference: /not base64/,
    failed: 'client authenticated',
  },
  {
    row: 'clientAuthenticationFailed',
    name: 'a public client with a secret',
    refuse: ({ server }) =>
      token(server, { grant_type: 'refresh_token', refresh_token: HUSH }, { auth: basic('spa', HUSH) }),
    client: 'spa',
    kinds: ['public-client'],
    failed: 'client authenticated',
  },
  {
    row: 'severalClientAuthentications',
    name: 'credentials in the header and in the body',
    refuse: ({ server }) =>
      token(server, { grant_type: 'password', ...ALICE, client_secret: 'web-secret-1' }, { auth: WEB }),
    kinds: ['two-methods'],
    failed: 'client authenticated',
  },
  {
    row: 'severalClientAuthentications',
    name: 'another client in the body',
    refuse: ({ server }) => token(server, { grant_type: 'password', ...ALICE, client_id: 'other' }, { auth: WEB }),
    client: 'web',
    kinds: ['two-clients'],
    failed: 'client authenticated',
  },
  {
    row: 'tooManyClientAttempts',
    name: 'one guess too many',
    refuse: world =>
      exhaust(world, () => token(world.server, { grant_type: 'password' }, { auth: basic('other', HUSH) })),
    client: 'other',
    kinds: ['limit'],
    difference: /More are taken in \d+ s/,
    failed: 'client authenticated',
  },
];

const grants: readonly Case[] = [
  {
    row: 'grantTypeUnsupported',
    name: 'client_credentials',
    refuse: ({ server }) => token(server, { grant_type: 'client_credentials' }),
    client: 'web',
    received: /grant_type: client_credentials/,
    kinds: ['unsupported'],
    failed: 'grant type allowed',
  },
  {
    row: 'grantTypeNotAllowed',
    name: 'the refresh of a client without it: safe to allow',
    refuse: ({ server }) =>
      token(server, { grant_type: 'refresh_token', refresh_token: HUSH }, { auth: basic('plain', 'web-secret-1') }),
    client: 'plain',
    kinds: ['grant-type'],
    call: 'PATCH /applications/shop/clients/plain {"grant_types":["authorization_code","refresh_token"]}',
    failed: 'grant type allowed',
  },
  {
    row: 'grantTypeNotAllowed',
    name: 'the password grant of a client without it: no call is offered',
    refuse: ({ server }) =>
      token(server, { grant_type: 'password', ...ALICE }, { auth: basic('plain', 'web-secret-1') }),
    client: 'plain',
    kinds: ['grant-type'],
    failed: 'grant type allowed',
  },
  {
    row: 'parameterMissing',
    name: 'no grant_type',
    refuse: ({ server }) => token(server, 'x=y'),
    client: 'web',
    kinds: ['missing'],
    failed: 'grant type allowed',
  },
  {
    row: 'parameterMissing',
    name: 'the code in the URL',
    refuse: ({ server }) =>
      post(`${server.at()}/token?code=${HUSH}`, { grant_type: 'authorization_code' }, { auth: WEB }),
    client: 'web',
    kinds: ['in-url'],
    failed: 'parameters of the grant complete',
  },
  {
    row: 'parameterDuplicated',
    name: 'two codes',
    refuse: ({ server }) => token(server, `grant_type=authorization_code&code=${HUSH}&code=${HUSH}`),
    kinds: ['repeated'],
    failed: 'parameters read',
  },
  {
    row: 'parameterInvalid',
    name: 'a parameter that is no UTF-8',
    refuse: ({ server }) => token(server, 'grant_type=%ff'),
    kinds: ['malformed'],
    failed: 'parameters read',
  },
  {
    row: 'contentTypeInvalid',
    name: 'JSON',
    refuse: ({ server }) =>
      token(server, JSON.stringify({ grant_type: 'password', ...ALICE }), {
        auth: WEB,
        headers: { 'content-type': 'application/json' },
      }),
    received: /Content-Type: application\/json/,
    kinds: ['content-type'],
    difference: /as JSON/,
    failed: 'parameters read',
  },
  {
    row: 'credentialsWrong',
    name: 'an unknown user',
    refuse: ({ server }) => token(server, { grant_type: 'password', username: HUSH, password: HUSH }),
    client: 'web',
    kinds: ['unknown-user'],
    failed: 'grant checked',
  },
  {
    row: 'credentialsWrong',
    name: 'a disabled user',
    refuse: ({ server }) => token(server, { grant_type: 'password', username: 'dora', password: PASSWORD }),
    client: 'web',
    kinds: ['user-disabled'],
    failed: 'grant checked',
  },
  {
    row: 'tooManyAttempts',
    name: 'one password too many',
    refuse: world =>
      exhaust(world, () => token(world.server, { grant_type: 'password', username: 'bob', password: HUSH })),
    client: 'web',
    kinds: ['limit'],
    failed: 'grant checked',
  },
  {
    row: 'hashQueueFull',
    name: 'more logins than can wait',
    refuse: async ({ server, services }) => {
      const filling = Array.from({ length: 300 }, () => services.passwords.verify('x', undefined));
      const answered = await token(server, { grant_type: 'password', ...ALICE });
      await Promise.all(filling);
      return answered;
    },
    client: 'web',
    kinds: ['busy'],
    failed: 'grant checked',
  },
];

export const tokenCases: readonly Case[] = [...codes, ...refreshes, ...callers, ...grants];
