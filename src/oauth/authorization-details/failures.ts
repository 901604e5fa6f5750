import type { FailureDefinition } from '../../platform/http/failure-definition.rules.ts';

/** Failures of rich authorization requests (RFC 9396). */
export const authorizationDetailsFailures = {
  authorizationDetailsInvalid: {
    error: 'invalid_authorization_details',
    status: 400,
    description: 'OAuth 2.0 Parameter: authorization_details ({parameter})',
    cause:
      'A type is unknown or not open to the client, a member does not fit the schema of its type, or a token request names more than was granted.',
    fix: 'Send a JSON array whose entries fit the authorization_details_types of the API. A token request can leave entries out, not add or change them.',
    title: { en: 'The authorization details are not valid', zh: '授权详情无效' },
    rule: {
      en: 'Authorization details fit their type, and a token has no more of them than the user agreed to.',
      zh: '授权详情须符合其类型的定义，令牌不得超出用户同意的内容。',
      reference: 'RFC 9396 sections 5 and 6',
    },
  },
} as const satisfies Record<string, FailureDefinition>;
