import { aTokenSet, basic, get, introspect, send, token, userinfo, WEB } from '../../../build/client.ts';
import { operators } from './operators.ts';
import { type Case, HUSH, type World } from './world.ts';

const resources: readonly Case[] = [
  {
    row: 'introspectionTokenMissing',
    name: 'no token',
    refuse: ({ server }) => introspect(server, {}),
    client: 'web',
    kinds: ['missing'],
    failed: 'token received',
  },
  {
    row: 'introspectionParameterRepeated',
    name: 'a token in the body and one in the URL',
    refuse: ({ server }) =>
      send(`${server.at()}/introspect?token=${HUSH}`, {
        method: 'POST',
        body: `token=${HUSH}`,
        headers: { authorization: WEB, 'content-type': 'application/x-www-form-urlencoded' },
      }),
    kinds: ['two-places'],
    failed: 'parameters read',
  },
  {
    row: 'clientNotAuthenticated',
    name: 'introspection with a bearer token that is none',
    refuse: ({ server }) => introspect(server, { token: HUSH }, { auth: `Bearer ${HUSH}` }),
    kinds: ['token-unknown'],
    failed: 'client authenticated',
  },
  {
    row: 'bearerMissing',
    name: 'an access token in the URL',
    refuse: async ({ server }) => get(`${server.at()}/userinfo?access_token=${(await aTokenSet(server)).access_token}`),
    kinds: ['in-url'],
    failed: 'access token received',
  },
  {
    row: 'bearerTwice',
    name: 'a token in the header and in the body',
    refuse: async ({ server }) => {
      const { access_token } = await aTokenSet(server);
      return send(`${server.at()}/userinfo`, {
        method: 'POST',
        body: `access_token=${access_token}`,
        headers: { authorization: `Bearer ${access_token}`, 'content-type': 'application/x-www-form-urlencoded' },
      });
    },
    kinds: ['two-places'],
    failed: 'access token received',
  },
  {
    row: 'tokenInvalid',
    name: 'an access token that has expired',
    refuse: async ({ server, clock }) => {
      const { access_token } = await aTokenSet(server);
      clock.advance(3600 + 252);
      return userinfo(server, access_token);
    },
    received: /Bearer: an access token of 55 characters \(not kept\)/,
    kinds: ['expired'],
    difference: /Expired by 4 min 12 s/,
    failed: 'access token checked',
  },
  {
    row: 'tokenInvalid',
    name: 'an access token of another application',
    refuse: async ({ server }) => userinfo(server, (await aTokenSet(server, {}, { auth: WEB }, 'strict')).access_token),
    kinds: ['another-application'],
    difference: /the application strict/,
    failed: 'access token checked',
  },
  {
    row: 'tokenInvalid',
    name: 'an ID token',
    refuse: async ({ server }) => userinfo(server, (await aTokenSet(server)).id_token),
    received: /Bearer: a JWT of \d+ characters/,
    kinds: ['another-kind'],
    difference: /It is an ID token/,
    failed: 'access token checked',
  },
  {
    row: 'tokenInvalid',
    name: 'a refresh token',
    refuse: async ({ server }) => userinfo(server, (await aTokenSet(server)).refresh_token),
    kinds: ['another-kind'],
    difference: /It is a refresh token/,
    failed: 'access token checked',
  },
  {
    row: 'scopeInsufficient',
    name: 'a token without openid at a strict_oidc application',
    refuse: async ({ server }) => {
      const { access_token } = await aTokenSet(server, { scope: 'email' }, { auth: WEB }, 'strict');
      return userinfo(server, access_token, 'strict');
    },
    app: 'strict',
    client: 'web',
    received: /with the scope email/,
    kinds: ['scope-missing'],
    failed: 'scope checked',
  },
  {
    row: 'scopeInsufficient',
    name: 'a token for an API',
    refuse: async ({ server }) => {
      const as = { auth: basic('orders', 'web-secret-1') };
      const { access_token } = await aTokenSet(server, { scope: 'openid orders:read' }, as);
      return userinfo(server, access_token);
    },
    client: 'orders',
    received: /an access token for \S+/,
    kinds: ['another-audience'],
    difference: /is for the API /,
    fix: /without resource/,
    failed: 'scope checked',
  },
];

const transport: readonly Case[] = [
  {
    row: 'notFound',
    name: 'a misspelt endpoint',
    refuse: ({ server }) => get(`${server.at()}/tokne`),
    app: null,
    kinds: ['misspelt'],
    difference: /There is an endpoint token/,
    failed: 'address found',
  },
  {
    row: 'notFound',
    name: 'a path with something like a secret',
    refuse: ({ server }) => get(`${server.base}/reset/9fJk2LmQ8rTz4XwB7cVn/now`),
    app: null,
    received: /^GET \/reset\/…\/now$/,
    kinds: ['unknown'],
    failed: 'address found',
  },
  {
    row: 'applicationUnknown',
    name: 'a misspelt application',
    refuse: ({ server }) => token(server, 'x=y', { auth: WEB }, 'shpo'),
    app: null,
    received: /the code shpo/,
    kinds: ['misspelt'],
    difference: /There is an application shop/,
    failed: 'application found',
  },
  {
    row: 'methodNotAllowed',
    name: 'GET at the token endpoint',
    refuse: ({ server }) => get(`${server.at()}/token`),
    expected: /POST/,
    kinds: ['method'],
    failed: 'method allowed',
  },
  {
    row: 'bodyTooLarge',
    name: 'a body of 70,000 bytes',
    refuse: ({ server }) => token(server, `x=${'y'.repeat(70_000)}`),
    expected: /at most 64 KiB/,
    received: /70002 bytes/,
    kinds: ['size'],
    failed: 'body received',
  },
  {
    row: 'tooManyParameters',
    name: '201 parameters',
    refuse: ({ server }) => token(server, Array(201).fill('%zz').join('&')),
    expected: /200 parameters/,
    received: /803 bytes/,
    kinds: ['size'],
    failed: 'body received',
  },
  {
    row: 'bodyNotUtf8',
    name: 'a body in Latin-1',
    refuse: ({ server }) =>
      send(`${server.at()}/token`, {
        method: 'POST',
        body: Buffer.from('username=J\xfcrgen', 'latin1'),
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      }),
    kinds: ['encoding'],
    failed: 'body received',
  },
];

const withTokens = async (
  world: World,
  tokens: World['tokens'],
  refuse: (access: string) => Promise<{ readonly headers: Headers }>,
) => {
  const { access_token } = await aTokenSet(world.server);
  world.tokens = tokens;
  try {
    return await refuse(access_token);
  } finally {
    world.tokens = 'found';
  }
};

/** More than are handled at a time (platform/http/concurrency-limit.ts). */
const TOO_MANY = 300;

const server: readonly Case[] = [
  {
    row: 'storeUnavailable',
    name: 'a database that is away',
    refuse: world => withTokens(world, 'unavailable', access => userinfo(world.server, access)),
    kinds: ['database'],
    failed: 'database answered',
  },
  {
    row: 'serverError',
    name: 'a fault of the server',
    refuse: world => withTokens(world, 'faulty', access => userinfo(world.server, access)),
    kinds: ['fault'],
    failed: 'handled without a fault',
  },
  {
    row: 'serverBusy',
    name: 'more requests than can be handled',
    refuse: async world => {
      let thaw = () => {};
      const frozen = new Promise<void>(resolve => {
        thaw = resolve;
      });
      return withTokens(world, frozen, async access => {
        const all = Array.from({ length: TOO_MANY }, () => userinfo(world.server, access));
        const rejected = await Promise.any(
          all.map(async answer => {
            const answered = await answer;
            if (answered.status !== 503) throw new Error('it was served');
            return answered;
          }),
        );
        thaw();
        await Promise.all(all);
        return rejected;
      });
    },
    kinds: ['busy'],
    failed: 'request admitted',
  },
];

export const otherCases: readonly Case[] = [...resources, ...transport, ...operators, ...server];
