import type { AddressInfo } from 'node:net';
import { noBody } from '../../../src/http/route.ts';
import { createHttpServer } from '../../../src/http/server.ts';
import { failure } from '../../../src/protocol/errors.ts';
import { aTokenSet, get, introspect, send, token, userinfo, WEB } from '../../build/client.ts';
import { anOperatorClient, ask } from '../../build/operator.ts';
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
    received: /70002 bytes/,
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

/** Through a route that returns the failure: no request of today's server ends so. */
const returned = (row: 'tooManyOperatorAttempts'): Case['refuse'] => {
  return async ({ services }: World) => {
    const handle = async () => ({ failure: failure(row), retryAfter: 7 });
    const pattern = '/api/v1/admin/limited';
    const methods = { GET: noBody(handle) };
    const server = createHttpServer(services, [
      { kind: 'page', pattern, name: pattern, errors: 'problem', cors: 'none', methods },
    ]);
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
    const answered = await get(`http://127.0.0.1:${(server.address() as AddressInfo).port}${pattern}`);
    server.closeAllConnections();
    await new Promise(resolve => server.close(resolve));
    return answered;
  };
};

const operators: readonly Case[] = [
  {
    row: 'operatorUnknown',
    name: 'no key',
    refuse: ({ server }) => ask(server.base, undefined, 'GET', '/applications'),
    app: null,
    kinds: ['missing'],
    failed: 'caller authenticated',
  },
  {
    row: 'operatorKeyInvalid',
    name: 'a key that does not exist',
    refuse: ({ server }) => ask(server.base, `gak_${'x'.repeat(43)}`, 'GET', '/applications'),
    app: null,
    received: /an API key of 47 characters \(not kept\)/,
    kinds: ['unknown-key'],
    failed: 'caller authenticated',
  },
  {
    row: 'roleTooLow',
    name: 'a change by an auditor',
    refuse: async ({ server }) =>
      (await anOperatorClient(server, { role: 'auditor' })).ask('DELETE', '/applications/blog'),
    app: null,
    expected: /the role operator/,
    kinds: ['role'],
    failed: 'role sufficient',
  },
  {
    row: 'objectUnknown',
    name: 'an application that does not exist',
    refuse: ({ owner }) => owner.ask('GET', '/applications/nowhere'),
    app: null,
    kinds: ['unknown'],
    failed: 'object found',
  },
  {
    row: 'objectConflict',
    name: 'an application that exists already',
    refuse: ({ owner }) => owner.ask('POST', '/applications', { code: 'blog', name: 'Blog' }),
    app: null,
    kinds: ['conflict'],
    failed: 'change applied',
  },
  {
    row: 'objectChanged',
    name: 'an ETag of another state',
    refuse: ({ owner }) => owner.ask('PATCH', '/applications/blog', { name: 'B' }, { 'if-match': '"old"' }),
    app: null,
    kinds: ['changed'],
    failed: 'change applied',
  },
  {
    row: 'idempotencyKeyReused',
    name: 'the same key for another body',
    refuse: async ({ owner }) => {
      const headers = { 'idempotency-key': 'once' };
      await owner.ask('POST', '/applications', { code: 'made', name: 'Made' }, headers);
      return owner.ask('POST', '/applications', { code: 'made2', name: 'Made' }, headers);
    },
    app: null,
    kinds: ['another-request'],
    failed: 'request is new',
  },
  {
    row: 'valuesInvalid',
    name: 'a field that does not exist',
    refuse: ({ owner }) => owner.ask('POST', '/applications', { code: 'x', name: 'X', colour: HUSH }),
    app: null,
    kinds: ['values'],
    difference: /\/colour: /,
    failed: 'values valid',
  },
  {
    row: 'mediaTypeUnsupported',
    name: 'a form',
    refuse: ({ owner }) => owner.ask('POST', '/applications', 'code=x', { 'content-type': 'text/plain' }),
    app: null,
    expected: /application\/json/,
    received: /text\/plain/,
    kinds: ['content-type'],
    failed: 'body read',
  },
  {
    row: 'jsonInvalid',
    name: 'a member twice',
    refuse: ({ owner }) => owner.ask('POST', '/applications', '{"code":"x","code":"y"}'),
    app: null,
    kinds: ['json'],
    difference: /^\/code: .*twice/,
    failed: 'body read',
  },
  {
    row: 'tooManyOperatorAttempts',
    name: 'too many wrong keys',
    refuse: returned('tooManyOperatorAttempts'),
    app: null,
    kinds: ['limit'],
    difference: /in 7 s/,
    failed: 'caller authenticated',
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

/** More than are handled at a time (http/concurrency-limit.ts). */
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
