import { TOKEN_EXCHANGE } from '../../../../src/oauth/token-exchange/rules.ts';
import { aTokenSet, basic, claimsOf, revoke, token, userinfo } from '../../../build/client.ts';
import type { Fields } from '../../../build/visitor.ts';
import { setGroups } from './access.ts';
import { API, type Case, OTHER_API, type World } from './world.ts';

const TYPE = 'urn:ietf:params:oauth:token-type:access_token';
const as = (client: string) => ({ auth: basic(client, 'web-secret-1') });
const forApi = async ({ server }: World): Promise<string> =>
  (await aTokenSet(server, { scope: 'openid orders:read' }, as('orders'))).access_token;
const send = ({ server }: World, subject_token: string, over: Fields = {}, client = 'orders-api', app?: string) =>
  token(
    server,
    { grant_type: TOKEN_EXCHANGE, subject_token, subject_token_type: TYPE, resource: OTHER_API.identifier, ...over },
    as(client),
    app,
  );
const exchanging =
  (over: Fields = {}, client?: string) =>
  async (world: World) =>
    send(world, await forApi(world), over, client);

const BY_API = { client: 'orders-api', failed: 'grant checked' } as const;

/** What is refused of token exchange (RFC 8693), and of step-up at userinfo (RFC 9470). */
export const tokenExchangeCases: readonly Case[] = [
  {
    row: 'subjectTokenInvalid',
    name: 'a client that is not registered for the API of the token',
    refuse: exchanging({}, 'stock-api'),
    ...BY_API,
    client: 'stock-api',
    expected: /registered for \(apis\): https:\/\/stock\.shop\.example$/,
    received: /subject_token: an access token of \d+ characters \(not kept\)/,
    kinds: ['not-held'],
    difference: /was issued to client orders/,
    fix: /apis of the client/,
  },
  {
    row: 'subjectTokenInvalid',
    name: 'a revoked token',
    refuse: async world => {
      const subject = await forApi(world);
      await revoke(world.server, { token: subject }, as('orders'));
      return send(world, subject);
    },
    ...BY_API,
    kinds: ['unknown'],
  },
  {
    row: 'subjectTokenInvalid',
    name: 'an expired token',
    refuse: async world => {
      const subject = await forApi(world);
      world.clock.advance(3600);
      return send(world, subject);
    },
    ...BY_API,
    kinds: ['expired'],
  },
  {
    row: 'subjectTokenInvalid',
    name: 'a refresh token',
    refuse: async world => send(world, (await aTokenSet(world.server)).refresh_token),
    ...BY_API,
    kinds: ['another-kind'],
    fix: /ID tokens and refresh tokens/,
  },
  {
    row: 'subjectTokenInvalid',
    name: 'an ID token',
    refuse: async world => send(world, (await aTokenSet(world.server)).id_token),
    ...BY_API,
    kinds: ['another-kind'],
    difference: /It is an ID token/,
  },
  {
    row: 'subjectTokenInvalid',
    name: 'an opaque token that is declared a JWT',
    refuse: exchanging({ subject_token_type: 'urn:ietf:params:oauth:token-type:jwt' }, 'orders'),
    ...BY_API,
    client: 'orders',
    kinds: ['another-type'],
  },
  {
    row: 'subjectTokenBound',
    name: 'a token that is bound to a key, without a proof',
    refuse: async world => {
      const { access_token } = (
        await send(world, await forApi(world), { requested_token_type: TYPE.replace('access_token', 'jwt') })
      ).json;
      const claims = { ...claimsOf(access_token), cnf: { jkt: 'thumbprint-of-a-key' } };
      return send(world, await world.services.signer.sign('shop', 'RS256', 'at+jwt', claims));
    },
    ...BY_API,
    kinds: ['bound'],
  },
  {
    row: 'subjectTokenTooDeep',
    name: 'a token that was exchanged five times',
    refuse: async world => {
      let held = await forApi(world);
      for (let depth = 0; depth < 5; depth++)
        held = (await send(world, held, { resource: API.identifier })).json.access_token;
      return send(world, held, { resource: API.identifier });
    },
    ...BY_API,
    kinds: ['too-deep'],
  },
  {
    row: 'subjectNotAllowed',
    name: 'a user who has lost the access to the application',
    refuse: async world => {
      const { server } = world;
      await setGroups(world, 'bob', ['board']);
      const { access_token } = await aTokenSet(server, { username: 'bob' }, as('inside'), 'intranet');
      await setGroups(world, 'bob', null);
      return send(world, access_token, { resource: API.identifier }, 'inside', 'intranet');
    },
    ...{ app: 'intranet', client: 'inside', kinds: ['no-access'], failed: 'grant checked' },
    expected: /in the group staff or board/,
    difference: /has lost the access/,
  },
  {
    row: 'actorTokenInvalid',
    name: 'the token of a caller as that of the actor',
    refuse: async world => {
      const subject = await forApi(world);
      return send(world, subject, { actor_token: subject, actor_token_type: TYPE });
    },
    ...BY_API,
    received: /actor_token: an access token/,
    kinds: ['not-held'],
    difference: /was issued to client orders/,
  },
  {
    row: 'exchangeNotAllowed',
    name: 'an API that no policy leads to',
    refuse: exchanging({ resource: 'https://elsewhere.example' }),
    ...BY_API,
    expected: /https:\/\/api\.shop\.example to https:\/\/stock\.shop\.example \(stock:read\)/,
    received: /resource: https:\/\/elsewhere\.example; no audience/,
    kinds: ['no-policy'],
    fix: /Add a policy/,
  },
  {
    row: 'exchangeNotAllowed',
    name: 'no API where the policies lead to several',
    refuse: exchanging({ resource: undefined }),
    ...BY_API,
    kinds: ['unnamed'],
    fix: /as resource/,
  },
  {
    row: 'exchangeScopeInvalid',
    name: 'a scope that the policy does not name',
    refuse: exchanging({ scope: 'stock:read list' }),
    ...BY_API,
    received: /scope: stock:read list/,
    kinds: ['not-allowed'],
    difference: /does not allow list/,
  },
  {
    row: 'parameterInvalid',
    name: 'a type of token that is not exchanged',
    refuse: exchanging({ subject_token_type: 'urn:ietf:params:oauth:token-type:id_token' }),
    client: 'orders-api',
    received: /token-type:id_token/,
    kinds: ['value'],
    failed: 'parameters of the grant complete',
  },
  {
    row: 'authenticationInsufficient',
    name: 'a login with one factor where userinfo wants two',
    refuse: async ({ server }) => {
      const { access_token } = await aTokenSet(server, {}, as('teller'), 'bank');
      return userinfo(server, access_token, 'bank');
    },
    ...{ app: 'bank', client: 'teller', failed: 'login checked' },
    expected: /the class 2 or a stronger one and an age of at most 5 min/,
    received: /of the class 1, 0 s old/,
    kinds: ['too-weak'],
    fix: /acr_values and max_age/,
  },
  {
    row: 'authenticationInsufficient',
    name: 'a login that is too old',
    refuse: async ({ server, clock }) => {
      const { access_token } = await aTokenSet(server, {}, as('teller'), 'bank');
      clock.advance(301);
      return userinfo(server, access_token, 'bank');
    },
    ...{ app: 'bank', client: 'teller', failed: 'login checked' },
    kinds: ['too-old'],
    difference: /5 min 1 s old; userinfo_max_age allows 5 min/,
  },
];
