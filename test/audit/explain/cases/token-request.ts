import { ALICE, basic, post, token, WEB } from '../../../build/client.ts';
import { PASSWORD } from '../../../build/fixture.ts';
import { type Case, HUSH, untilLimited } from './world.ts';

/** What /token refuses of an authenticated client: the grant type, the parameters, the user's password. */
export const tokenRequestCases: readonly Case[] = [
  {
    row: 'grantTypeUnsupported',
    name: 'the implicit flow',
    refuse: ({ server }) => token(server, { grant_type: 'implicit' }),
    client: 'web',
    expected: /authorization_code, refresh_token, client_credentials/,
    received: /grant_type: implicit/,
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
    row: 'grantTypeNotAllowed',
    name: 'client_credentials of a client without it: whether it acts for itself is for an operator to say',
    refuse: ({ server }) => token(server, { grant_type: 'client_credentials' }),
    client: 'web',
    kinds: ['grant-type'],
    fix: /if it shall act for itself, without a user/,
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
    row: 'secondFactorNeeded',
    name: 'the password grant of a user who has a second factor',
    refuse: ({ server }) => token(server, { grant_type: 'password', username: 'tina', password: PASSWORD }),
    client: 'web',
    kinds: ['second-factor'],
    failed: 'grant checked',
  },
  {
    row: 'tooManyAttempts',
    name: 'one password too many',
    refuse: world =>
      untilLimited(world, () => token(world.server, { grant_type: 'password', username: 'bob', password: HUSH })),
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
