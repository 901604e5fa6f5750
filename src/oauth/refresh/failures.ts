import type { FailureDefinition } from '../../platform/http/failure-definition.rules.ts';

/** interface 7.1: one text for several causes. The log names the cause. */
const REFRESH_TOKEN_INVALID = 'The refresh token is invalid or expired.';

/** Failures of the refresh grant. */
export const refreshFailures = {
  refreshTokenInvalid: {
    error: 'invalid_grant',
    status: 400,
    description: REFRESH_TOKEN_INVALID,
    cause:
      'The refresh token is unknown to this application, revoked, or of another client. Its user may also be deleted, disabled or signed out.',
    fix: 'Keep the newest refresh_token of each response. When it is refused, send the user through the login again.',
    title: { en: 'The refresh token is not valid', zh: '刷新令牌无效' },
    rule: {
      en: 'The refresh token must be a valid one of this client.',
      zh: '刷新令牌必须有效且属于此客户端。',
      reference: 'RFC 6749 section 6',
    },
  },
  refreshTokenExpired: {
    error: 'invalid_grant',
    status: 400,
    description: REFRESH_TOKEN_INVALID,
    cause:
      'The refresh token is older than refresh_token_ttl of the application, or its login is older than refresh_family_ttl.',
    fix: 'Send the user through the login again.',
    title: { en: 'The refresh token has expired', zh: '刷新令牌已过期' },
    rule: {
      en: 'A refresh token ends with its lifetime, and with that of its login.',
      zh: '刷新令牌随其有效期结束，也随登录的有效期结束。',
      reference: 'RFC 6749 section 6',
    },
  },
  refreshTokenReused: {
    error: 'invalid_grant',
    status: 400,
    description: REFRESH_TOKEN_INVALID,
    cause:
      'The refresh token was replaced by a newer one, and was used again after the grace period or after the newer one was used. It may have been stolen, so every token of this login was revoked.',
    fix: 'Store the newest refresh_token of each response before anything else uses it, and never send an older one. Send the user through the login again. If none of your programs sends old tokens, assume that this one was stolen.',
    title: { en: 'The refresh token was used twice', zh: '刷新令牌被使用两次' },
    rule: {
      en: 'A rotated refresh token is not used again.',
      zh: '轮换过的刷新令牌不得再次使用。',
      reference: 'RFC 9700 section 4.14.2',
    },
  },
  refreshUserNotAllowed: {
    error: 'invalid_grant',
    status: 400,
    description: REFRESH_TOKEN_INVALID,
    cause: 'The setting access of the application no longer admits the user. The refresh token does not change.',
    fix: 'Send the user through the login again, which says so. An operator can give the user a group or role that the application admits.',
    title: { en: 'The user no longer has access to the application', zh: '用户已失去对该应用的访问权' },
    rule: {
      en: 'An application may admit some of the users only (access), and a refresh asks again.',
      zh: '应用可以只允许部分用户访问（access），刷新时会再次检查。',
      reference: 'RFC 6749 sections 5.2 and 6',
    },
  },
  refreshPersonGone: {
    error: 'invalid_grant',
    status: 400,
    description: REFRESH_TOKEN_INVALID,
    cause:
      'The person signed in with an identity provider that is asked again (recheck), and is disabled or gone there. Every token of this login was revoked.',
    fix: 'If that is intended, do nothing. Otherwise enable the person at the provider, and send the user through the login again.',
    title: { en: 'The provider no longer admits the person', zh: '身份提供方已不再允许该用户登录' },
    rule: {
      en: 'Whoever signed in with a provider that has recheck is still there when tokens are refreshed.',
      zh: '通过设有 recheck 的提供方登录的用户，在刷新令牌时须仍然存在。',
      reference: 'docs/providers.md#people-who-leave',
    },
  },
  refreshKeyDiffers: {
    error: 'invalid_grant',
    status: 400,
    description: REFRESH_TOKEN_INVALID,
    cause:
      'The refresh token of a client without a secret is bound to the key of its first DPoP proof, and this proof is by another key.',
    fix: 'Keep the key as long as the refresh token, or send the user through the login again. The refresh token stays as it is.',
    title: { en: 'The refresh token is bound to another key', zh: '刷新令牌绑定了另一个密钥' },
    rule: {
      en: 'The refresh token of a client without a secret is bound to the key of its first proof.',
      zh: '没有密钥凭证的客户端，其刷新令牌绑定到首次证明所用的密钥。',
      reference: 'RFC 9449 section 5',
    },
  },
} as const satisfies Record<string, FailureDefinition>;
