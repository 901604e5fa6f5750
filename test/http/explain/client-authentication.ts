import { ALICE, aCode, basic, post, redeem, token, WEB } from '../../build/client.ts';
import { type Case, HUSH, PKCE, PKCE_PAIR, untilLimited } from './world.ts';

export const clientAuthenticationCases: readonly Case[] = [
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
      redeem(server, await aCode(server, { client_id: 'pkce', ...PKCE }), { code_verifier: PKCE_PAIR.verifier }, {}),
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
      untilLimited(world, () => token(world.server, { grant_type: 'password' }, { auth: basic('other', HUSH) })),
    client: 'other',
    kinds: ['limit'],
    difference: /More are taken in \d+ s/,
    failed: 'client authenticated',
  },
];
