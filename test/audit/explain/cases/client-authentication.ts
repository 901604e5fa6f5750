import {
  type AssertionParts,
  aSigningPair,
  assertionFor,
  presenting,
  type SigningPair,
} from '../../../build/assertion.ts';
import { ALICE, aCode, basic, post, redeem, token, WEB } from '../../../build/client.ts';
import { type Case, HUSH, PKCE, PKCE_PAIR, SIGNING, SIGNING_SECRET, untilLimited, type World } from './world.ts';

type Parts = Partial<AssertionParts> & { readonly signer?: SigningPair | string };

const assertion = ({ server, clock }: World, { signer = SIGNING, clientId = 'signing', ...parts }: Parts = {}) =>
  assertionFor(server, signer, { clientId, now: clock.now(), ...parts });

const present = (world: World, presented: string, over: Record<string, string> = {}) =>
  token(world.server, { grant_type: 'password', ...ALICE, ...presenting(presented, over) }, {});

/** An assertion that fails this check. */
const failing = (
  name: string,
  kind: string,
  parts: (world: World) => Parts,
  client: string | null = 'signing',
): Case => ({
  row: 'clientAuthenticationFailed',
  name: `an assertion: ${name}`,
  refuse: world => present(world, assertion(world, parts(world))),
  ...(client === null ? {} : { client }),
  received: /client_assertion: a JWT of \d+ characters \(not kept\)/,
  kinds: [kind],
  failed: 'client authenticated',
});

const STRANGER = aSigningPair('ES256', 'stranger');

const assertionCases: readonly Case[] = [
  failing('another audience', 'audience', () => ({ audience: 'https://other.example' })),
  failing('another issuer', 'issuer', () => ({ claims: { iss: 'web' } })),
  failing('no exp', 'expiry-missing', () => ({ claims: { exp: undefined } })),
  failing('expired', 'expired', ({ clock }) => ({ claims: { exp: clock.now() - 60 } })),
  failing('an exp far away', 'expiry-too-far', ({ clock }) => ({ claims: { exp: clock.now() + 3600 } })),
  failing('a clock that is ahead', 'not-yet-valid', ({ clock }) => ({ claims: { iat: clock.now() + 100 } })),
  failing('no jti', 'jti-missing', () => ({ claims: { jti: undefined } })),
  failing('an unknown kid', 'unknown-kid', () => ({ header: { kid: 'other' } })),
  failing('an algorithm of another key type', 'unknown-kid', () => ({ header: { alg: 'RS256' } })),
  failing('an algorithm that is none', 'algorithm', () => ({ header: { alg: 'none' } })),
  failing('a wrong signature', 'signature', () => ({ signer: STRANGER, header: { kid: SIGNING.publicJwk.kid } })),
  failing('HS256 where a key is registered', 'method', () => ({ signer: SIGNING_SECRET })),
  failing('a wrong secret', 'signature', () => ({ signer: HUSH, clientId: 'sealed' }), 'sealed'),
  failing('keys on a private address', 'jwks-uri', () => ({ clientId: 'remote' }), 'remote'),
  {
    ...failing('of a client that does not exist', 'misspelt', () => ({ clientId: 'signin' }), null),
    difference: /signing/,
  },
  {
    ...failing('used before', 'replayed', () => ({})),
    refuse: async world => {
      const presented = assertion(world);
      await present(world, presented);
      return present(world, presented);
    },
  },
  {
    ...failing('another client_assertion_type', 'assertion-type', () => ({})),
    refuse: world => present(world, assertion(world), { client_assertion_type: 'jwt' }),
  },
  {
    ...failing('text', 'assertion-malformed', () => ({}), null),
    refuse: world => present(world, HUSH),
    received: /client_assertion: 31 characters \(not kept\)/,
  },
  {
    ...failing('the secret came from before', 'secret-not-kept', () => ({}), 'plain'),
    refuse: async world => {
      const body = { token_endpoint_auth_method: 'client_secret_jwt' };
      const changed = await world.owner.ask('PATCH', '/applications/shop/clients/plain', body);
      const answered = await present(world, assertion(world, { signer: 'web-secret-1', clientId: 'plain' }));
      await world.owner.ask('PATCH', '/applications/shop/clients/plain', {
        token_endpoint_auth_method: 'client_secret_basic',
      });
      if (changed.status !== 200) throw new Error(changed.text);
      return answered;
    },
    call: 'POST /applications/shop/clients/plain/secrets {"previous_valid_for":86400}',
  },
  {
    row: 'clientAuthenticationFailed',
    name: 'a secret where a key is registered',
    refuse: ({ server }) => token(server, { grant_type: 'password', ...ALICE }, { auth: basic('signing', HUSH) }),
    client: 'signing',
    kinds: ['method'],
    difference: /registered for private_key_jwt, and sent a secret/,
    failed: 'client authenticated',
  },
  {
    row: 'clientNotAuthenticated',
    name: 'a client that signs, without an assertion',
    refuse: ({ server }) => token(server, { grant_type: 'password', ...ALICE, client_id: 'signing' }, {}),
    client: 'signing',
    kinds: ['assertion-missing'],
    failed: 'client authenticated',
  },
  {
    row: 'clientAuthenticationFailed',
    name: 'a client of FAPI 2.0, without an assertion',
    refuse: ({ server }) => token(server, { grant_type: 'password', ...ALICE, client_id: 'payments' }, {}),
    client: 'payments',
    kinds: ['assertion-missing'],
    failed: 'client authenticated',
  },
];

export const clientAuthenticationCases: readonly Case[] = [
  {
    row: 'certificateUnusable',
    name: 'no certificate, where tokens are bound to one',
    refuse: ({ server }) =>
      token(server, { grant_type: 'password', ...ALICE }, { auth: basic('certified', 'web-secret-1') }),
    client: 'certified',
    kinds: ['certificate-missing'],
    failed: 'client certificate checked',
  },
  ...assertionCases,
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
