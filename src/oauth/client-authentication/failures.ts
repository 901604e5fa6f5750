import type { FailureDefinition } from '../../platform/http/failure-definition.rules.ts';

/** Failures of client authentication. */
export const clientAuthenticationFailures = {
  clientNotAuthenticated: {
    error: 'access_denied',
    status: 401,
    description: 'Full authentication is required to access this resource',
    cause: 'The request carries no client credentials (or, at introspection, no live access token).',
    fix: 'Send "Authorization: Basic base64(client_id:client_secret)". Only an authorization code with a PKCE verifier, and the refresh of a public client that sends its client_id, go without.',
    title: { en: 'The client did not authenticate', zh: '客户端没有进行身份验证' },
    rule: {
      en: 'The client must prove who it is.',
      zh: '客户端必须证明自己的身份。',
      reference: 'RFC 6749 section 3.2.1',
    },
  },
  clientAuthenticationFailed: {
    error: 'invalid_client',
    status: 401,
    description: 'Client authentication failed. Either the client or the client credentials are invalid.',
    cause:
      'The client_id is unknown to this application, the secret is wrong, or the Authorization header is malformed.',
    fix: 'Check that the client belongs to the application in the path, and that client_id and client_secret are joined by a colon and encoded with base64.',
    title: { en: 'Client authentication failed', zh: '客户端身份验证失败' },
    rule: {
      en: 'The credentials must be those of a client of this application.',
      zh: '凭证必须属于此应用的客户端。',
      reference: 'RFC 6749 section 2.3.1, RFC 7523 section 3',
    },
  },
  severalClientAuthentications: {
    error: 'invalid_request',
    status: 400,
    description: 'Use one client authentication method, not several.',
    cause: 'The request carries both an Authorization header and a client_secret in the body, or names two clients.',
    fix: 'Send the credentials in one place only.',
    title: { en: 'The client authenticated in two ways', zh: '客户端使用了两种身份验证方式' },
    rule: {
      en: 'A request uses one client authentication method and names one client.',
      zh: '一个请求只用一种客户端身份验证方式，只指明一个客户端。',
      reference: 'RFC 6749 section 2.3',
    },
  },
  tooManyClientAttempts: {
    error: 'temporarily_unavailable',
    status: 429,
    description: 'Too many failed client authentications. Try again later.',
    cause:
      'Too many requests with wrong client credentials came from this network address, so for now all are rejected, also those with the right secret. A client that authenticated from this address before is not affected.',
    fix: 'Wait as many seconds as the Retry-After header says, and check client_id and client_secret before you try again.',
    title: { en: 'Too many failed client authentications', zh: '客户端身份验证失败次数过多' },
    rule: {
      en: 'Failed client authentications are limited per client and address.',
      zh: '客户端身份验证的失败次数按客户端和地址受限。',
      reference: 'RFC 6749 section 2.3.1',
    },
  },
} as const satisfies Record<string, FailureDefinition>;
