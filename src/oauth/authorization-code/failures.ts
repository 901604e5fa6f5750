import type { FailureDefinition } from '../../platform/http/failure-definition.rules.ts';

/** interface 7.1: one text for several causes. The log names the cause. */
const CODE_INVALID = 'The authorization code is invalid or has expired.';

/** Failures of authorization codes and of PKCE (RFC 7636). */
export const authorizationCodeFailures = {
  codeChallengeInvalid: {
    error: 'invalid_request',
    status: 400,
    description: 'OAuth 2.0 Parameter: code_challenge',
    cause: 'code_challenge is not 43 base64url characters, is missing beside its method, or this client must use PKCE.',
    fix: 'Send base64url(SHA-256(code_verifier)), with code_challenge_method=S256.',
    title: { en: 'The PKCE challenge is missing or malformed', zh: 'PKCE 质询缺失或格式错误' },
    rule: {
      en: 'code_challenge is the base64url of a SHA-256: 43 characters.',
      zh: 'code_challenge 是 SHA-256 的 base64url：43 个字符。',
      reference: 'RFC 7636 section 4.2',
    },
  },
  codeChallengeMethodInvalid: {
    error: 'invalid_request',
    status: 400,
    description: 'OAuth 2.0 Parameter: code_challenge_method',
    cause: 'code_challenge_method is missing beside a code_challenge, or is not S256. "plain" is not accepted.',
    fix: 'Send code_challenge_method=S256.',
    title: { en: 'The PKCE method is not S256', zh: 'PKCE 方法不是 S256' },
    rule: {
      en: 'code_challenge_method is S256.',
      zh: 'code_challenge_method 为 S256。',
      reference: 'RFC 7636 section 4.3',
    },
  },
  redirectUriDiffers: {
    error: 'invalid_grant',
    status: 400,
    description: 'The redirect_uri does not match the redirection URI used in the authorization request.',
    cause: 'The redirect_uri of the token request is not the one of the authorization request.',
    fix: 'Send the same redirect_uri, character by character, in both requests.',
    title: { en: 'The redirect URI differs from that of the authorization request', zh: '重定向地址与授权请求不一致' },
    rule: {
      en: 'The redirect_uri must be the one of the authorization request.',
      zh: 'redirect_uri 与授权请求中的相同。',
      reference: 'RFC 6749 section 4.1.3',
    },
  },
  codeUnknown: {
    error: 'invalid_grant',
    status: 400,
    description: 'Client authentication failed: code',
    cause: 'This application never issued the code.',
    fix: 'Take the code from the redirect unchanged (URL-decoded once), and send it to the application that issued it.',
    title: { en: 'The code is unknown', zh: '授权码未知' },
    rule: {
      en: 'The code must have been issued by this application.',
      zh: '授权码必须由此应用签发。',
      reference: 'RFC 6749 section 4.1.3',
    },
  },
  codeInvalid: {
    error: 'invalid_grant',
    status: 400,
    description: CODE_INVALID,
    cause: 'The code was issued to another client, or its user has signed out, is disabled or was deleted.',
    fix: 'Send the code with the credentials of the client that asked for it.',
    title: { en: 'The code belongs to another client, or was revoked', zh: '授权码属于其他客户端或已撤销' },
    rule: {
      en: 'A code can be redeemed by the client that it was issued to.',
      zh: '授权码只能由获得它的客户端兑换。',
      reference: 'RFC 6749 section 4.1.3',
    },
  },
  codeExpired: {
    error: 'invalid_grant',
    status: 400,
    description: CODE_INVALID,
    cause:
      "The code is older than five minutes, or was revoked before: by a logout, a withdrawn consent, or the end of its user's access.",
    fix: 'Redeem the code as soon as the browser returns with it. If it was new, check the clocks.',
    title: { en: 'The code has expired', zh: '授权码已过期' },
    rule: {
      en: 'A code is valid for five minutes.',
      zh: '授权码五分钟内有效。',
      reference: 'RFC 6749 section 4.1.2',
    },
  },
  codeReplayed: {
    error: 'invalid_grant',
    status: 400,
    description: CODE_INVALID,
    cause: 'The code was redeemed before. All tokens that came from it were revoked (RFC 6749 section 4.1.2).',
    fix: 'Redeem each code once. Common reasons are a callback page that is reloaded and a token request that is retried.',
    title: { en: 'The code was used twice', zh: '授权码被使用两次' },
    rule: {
      en: 'A code can be redeemed once. A second use revokes its tokens.',
      zh: '授权码只能兑换一次。再次使用会撤销其令牌。',
      reference: 'RFC 6749 section 4.1.2',
    },
  },
  codeKeyDiffers: {
    error: 'invalid_grant',
    status: 400,
    description: CODE_INVALID,
    cause:
      'The authorization request named a key (dpop_jkt, or a DPoP proof at /par), and the proof is by another key.',
    fix: 'Make the proof with the key of the authorization request. The code is not spent.',
    title: { en: 'The code is bound to another key', zh: '授权码绑定了另一个密钥' },
    rule: {
      en: 'A code whose authorization request named a key is redeemed by the holder of this key.',
      zh: '授权请求指定了密钥的授权码，只能由持有该密钥的客户端兑换。',
      reference: 'RFC 9449 section 10',
    },
  },
  verifierWrong: {
    error: 'invalid_grant',
    status: 400,
    description: 'Client authentication failed: code_verifier',
    cause:
      'The authorization request had a code_challenge, and code_verifier is missing, malformed or does not hash to it.',
    fix: 'Send the verifier that the challenge was made from: 43 to 128 characters of A-Z a-z 0-9 - . _ ~.',
    title: { en: 'The PKCE verifier is wrong', zh: 'PKCE 校验值错误' },
    rule: {
      en: 'The SHA-256 of the code_verifier is the code_challenge.',
      zh: 'code_verifier 的 SHA-256 就是 code_challenge。',
      reference: 'RFC 7636 section 4.6',
    },
  },
  verifierUnexpected: {
    error: 'invalid_grant',
    status: 400,
    description: 'Client authentication failed: code_challenge',
    cause: 'The token request has a code_verifier, but the authorization request had no code_challenge.',
    fix: 'Send code_challenge and code_challenge_method=S256 in the authorization request.',
    title: { en: 'A PKCE verifier came without a challenge', zh: '有 PKCE 校验值但没有质询' },
    rule: {
      en: 'A code_verifier belongs to a code with a code_challenge.',
      zh: 'code_verifier 属于带有 code_challenge 的授权码。',
      reference: 'RFC 9700 section 2.1.1',
    },
  },
} as const satisfies Record<string, FailureDefinition>;
