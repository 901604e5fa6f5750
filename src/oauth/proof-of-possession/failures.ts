import type { FailureDefinition } from '../../platform/http/failure-definition.rules.ts';

/** Failures of a presented access token, at every protected resource (RFC 6750). */
export const presentedTokenFailures = {
  bearerMissing: {
    error: 'access_denied',
    status: 401,
    description: 'Full authentication is required to access this resource',
    cause: 'The request has no access token.',
    fix: 'Send "Authorization: Bearer <access token>", with the scheme DPoP if its token_type is DPoP. A token in the URL is ignored.',
    title: { en: 'The access token is missing', zh: '缺少访问令牌' },
    rule: {
      en: 'A protected resource needs an access token.',
      zh: '受保护的资源需要访问令牌。',
      reference: 'RFC 6750 section 3',
    },
  },
  tokenInvalid: {
    error: 'invalid_token',
    status: 401,
    description: 'The access token is invalid, expired or revoked.',
    cause:
      'The access token is unknown to this application, expired or revoked, or its user was deleted or disabled. Or it is bound to another key than that of the DPoP proof, or came under another scheme than its token_type. Refresh tokens and ID tokens are not access tokens.',
    fix: 'Refresh the token, or send the user through the login again.',
    title: { en: 'The access token is not valid', zh: '访问令牌无效' },
    rule: {
      en: 'The access token must be a valid one of this application.',
      zh: '访问令牌必须有效且属于此应用。',
      reference: 'RFC 6750 section 3.1',
    },
  },
  bearerTwice: {
    error: 'invalid_request',
    status: 400,
    description: 'Send the access token in one place, not in two.',
    cause: 'The request carries an access token both in the Authorization header and in the body.',
    fix: 'Use the Authorization header.',
    title: { en: 'The access token was sent twice', zh: '访问令牌重复' },
    rule: {
      en: 'An access token is sent in one place.',
      zh: '访问令牌只在一处发送。',
      reference: 'RFC 6750 section 2',
    },
  },
} as const satisfies Record<string, FailureDefinition>;
