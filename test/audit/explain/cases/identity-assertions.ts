import { aTokenSet, basic, token } from '../../../build/client.ts';
import {
  anIdentityAssertion,
  ID_JAG,
  ID_TOKEN,
  JWT_BEARER,
  TOKEN_EXCHANGE,
} from '../../../build/identity-assertion.ts';
import type { Fields } from '../../../build/visitor.ts';
import { type Case, SIGNING, type World } from './world.ts';

const OTHER = 'https://other.example';
const AUTH = { auth: basic('orders', 'web-secret-1') };

const bringing =
  (claims: object = {}, header: Readonly<Record<string, unknown>> = {}) =>
  ({ server, clock }: World) => {
    const names = { iss: OTHER, sub: 'corp-alice', aud: server.at(), client_id: 'orders' };
    const assertion = anIdentityAssertion(SIGNING, { now: clock.now(), header, claims: { ...names, ...claims } });
    return token(server, { grant_type: JWT_BEARER, assertion }, AUTH);
  };

const asking =
  (over: Fields = {}) =>
  async ({ server }: World) => {
    const { id_token } = await aTokenSet(server, { scope: 'openid' }, AUTH);
    const subject = { subject_token: id_token, subject_token_type: ID_TOKEN, audience: OTHER };
    return token(server, { grant_type: TOKEN_EXCHANGE, requested_token_type: ID_JAG, ...subject, ...over }, AUTH);
  };

const BY_CLIENT = { client: 'orders', failed: 'grant checked' } as const;

/** What is refused of identity assertions, of other issuers and for them (ID-JAG). */
export const identityAssertionCases: readonly Case[] = [
  {
    row: 'identityAssertionInvalid',
    name: 'an issuer that differs by a slash',
    refuse: bringing({ iss: `${OTHER}/` }),
    ...BY_CLIENT,
    expected: /assertion_issuers that has the client in its clients: https:\/\/other\.example/,
    received: /assertion with https:\/\/other\.example\/$/,
    kinds: ['issuer'],
    difference: /iss may issue no assertions/,
    fix: /character by character/,
  },
  {
    row: 'identityAssertionInvalid',
    name: 'an ID token as an assertion',
    refuse: bringing({}, { typ: 'JWT' }),
    ...BY_CLIENT,
    expected: /oauth-id-jag\+jwt/,
    received: /assertion with JWT/,
    kinds: ['type'],
    fix: /Exchange the ID token at its issuer first/,
  },
  {
    row: 'identityAssertionInvalid',
    name: 'a key that the issuer does not have',
    refuse: bringing({}, { kid: 'unknown' }),
    ...BY_CLIENT,
    kinds: ['unknown-kid'],
    fix: /jwks/,
  },
  {
    row: 'identityAssertionRefused',
    name: 'an issuer that is no provider',
    refuse: bringing(),
    ...BY_CLIENT,
    expected: /https:\/\/other\.example/,
    kinds: ['no-provider'],
    fix: /Add the issuer as an identity provider/,
  },
  {
    row: 'identitySubjectInvalid',
    name: 'an access token',
    refuse: async world => {
      const { access_token } = await aTokenSet(world.server, { scope: 'openid' }, AUTH);
      return asking({ subject_token: access_token })(world);
    },
    ...BY_CLIENT,
    received: /subject_token: an access token of \d+ characters \(not kept\)/,
    kinds: ['no-id-token'],
    fix: /Refresh/,
  },
  {
    row: 'identitySubjectInvalid',
    name: 'the ID token of another client',
    refuse: async world => {
      const { id_token } = await aTokenSet(world.server, { scope: 'openid' });
      return asking({ subject_token: id_token })(world);
    },
    ...BY_CLIENT,
    kinds: ['other-client'],
  },
  {
    row: 'identityAssertionNotAllowed',
    name: 'an audience without a policy',
    refuse: asking({ audience: 'https://elsewhere.example' }),
    ...BY_CLIENT,
    received: /https:\/\/elsewhere\.example/,
    kinds: ['no-policy'],
    fix: /add a policy/,
  },
  {
    row: 'identityAssertionNotAllowed',
    name: 'a resource that the policy does not have',
    refuse: asking({ resource: 'https://api.other.example' }),
    ...BY_CLIENT,
    expected: /resources of the policy/,
    kinds: ['no-policy'],
  },
  {
    row: 'identityAssertionScopeInvalid',
    name: 'a scope that the policy does not have',
    refuse: asking({ scope: 'write' }),
    ...BY_CLIENT,
    kinds: ['not-allowed'],
    fix: /add the scope to the policy/,
  },
];
