import type { FailureDefinition } from '../../platform/http/failure-definition.rules.ts';

/** Failures of token introspection (RFC 7662). */
export const introspectionFailures = {
  introspectionTokenMissing: {
    error: 'invalid_request',
    status: 400,
    description: 'OAuth 2.0 Token Introspection Parameter: token',
    cause: 'The introspection request has no token.',
    fix: 'Send the token as the form parameter "token".',
    title: { en: 'The token to introspect is missing', zh: '缺少要检查的令牌' },
    rule: {
      en: 'An introspection request has a token.',
      zh: '内省请求有 token。',
      reference: 'RFC 7662 section 2.1',
    },
  },
  introspectionParameterRepeated: {
    error: 'invalid_request',
    status: 400,
    description: 'OAuth 2.0 Token Introspection Parameter: {parameter}',
    cause: 'The named parameter was sent twice, for example in the form body and in the query string.',
    fix: 'Send it in one place only, preferably in the body: addresses end up in log files.',
    title: { en: 'A parameter was sent twice', zh: '参数重复' },
    rule: {
      en: 'A parameter is in the body or in the query, once.',
      zh: '参数在正文或查询中，只出现一次。',
      reference: 'docs/interface.md section 4.3',
    },
  },
} as const satisfies Record<string, FailureDefinition>;
