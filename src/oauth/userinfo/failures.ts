import type { FailureDefinition } from '../../platform/http/failure-definition.rules.ts';

/** Failures of userinfo: a valid access token that does not suffice. */
export const userinfoFailures = {
  authenticationInsufficient: {
    error: 'insufficient_user_authentication',
    status: 401,
    description: 'The login of this access token does not meet the authentication requirements.',
    cause:
      'For userinfo, the application requires an authentication level or a maximum age of the login (userinfo_acr_values, userinfo_max_age), and the login of the token is weaker or older.',
    fix: 'Send the user through an authorization request with the acr_values and max_age of the WWW-Authenticate header, and use the new token.',
    title: { en: 'The login is too weak or too old', zh: '登录强度不足或时间过久' },
    rule: {
      en: 'The login of the access token must be as strong and as recent as the application requires for userinfo.',
      zh: '访问令牌的登录须达到应用对 userinfo 所要求的强度和时间。',
      reference: 'RFC 9470 section 3',
    },
  },
  scopeInsufficient: {
    error: 'insufficient_scope',
    status: 403,
    description: 'The access token does not allow this.',
    cause: 'The token is for an API, belongs to no user, or (strict_oidc) was granted without the scope openid.',
    fix: 'Use an access token of a user with the scope openid. Of a grant that covers an API, a refresh with scope=openid and without resource gives one.',
    title: { en: 'The access token does not allow this', zh: '访问令牌权限不足' },
    rule: {
      en: 'The access token must allow what is asked for.',
      zh: '访问令牌必须允许所请求的内容。',
      reference: 'RFC 6750 section 3.1',
    },
  },
} as const satisfies Record<string, FailureDefinition>;
