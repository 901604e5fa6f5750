import { capability, from, grant } from '../../capability.ts';
import { JWT_BEARER } from './names.rules.ts';
import { takesAssertions } from './rules.ts';

/**
 * Identity assertions across issuers (ID-JAG, draft-ietf-oauth-identity-assertion-authz-grant-03), both roles: a client gets a token at another
 * issuer for a person who has signed in here, and the other way round, where operators of both have said so.
 *
 *   identity_assertions   issue.ts: by token exchange (src/oauth/token-exchange), an assertion for the other issuer
 *   assertion_issuers     grant.ts: by the JWT bearer grant (RFC 7523), an access token for the assertion of another issuer
 */
export const identityAssertions = capability('oauth/identity-assertions', {
  grants: {
    [JWT_BEARER]: grant(() => import('./grant.ts'), 'identityAssertion', {
      isConfidential: true,
      isOffered: takesAssertions,
      label: {
        en: 'Identity assertion: the client brings what another issuer says of a person, as the application allows',
        zh: '身份断言：客户端出示其他签发者关于用户的断言，由应用的设置决定',
      },
    }),
  },
  fields: from(() => import('./fields.ts'), 'identityAssertionFields'),
});
