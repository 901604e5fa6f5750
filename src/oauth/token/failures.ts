import type { FailureDefinition } from '../../platform/http/failure-definition.rules.ts';

/** Failures of a grant type, a scope and a resource, which several grants and the authorization endpoint report. */
export const tokenFailures = {
  grantTypeUnsupported: {
    error: 'unsupported_grant_type',
    status: 400,
    description: 'OAuth 2.0 Parameter: grant_type',
    cause:
      'grant_type is none of authorization_code, refresh_token, client_credentials, password, urn:ietf:params:oauth:grant-type:token-exchange, urn:ietf:params:oauth:grant-type:jwt-bearer, urn:ietf:params:oauth:grant-type:device_code and urn:openid:params:grant-type:ciba.',
    fix: 'Check the spelling; the value is compared exactly. grant_types_supported in the discovery document lists the grants.',
    title: { en: 'The grant type is not supported', zh: '不支持该授权类型' },
    rule: {
      en: 'grant_type must be the exact name of a grant of this server.',
      zh: 'grant_type 须是服务器支持的授权方式，逐字符比较。',
      reference: 'RFC 6749 section 5.2',
    },
  },
  grantTypeNotAllowed: {
    error: 'unauthorized_client',
    status: 400,
    description: 'This client may not use this grant_type.',
    cause: 'The grant type is not among the grant_types the client is registered with.',
    fix: 'Add it to the grant_types of the client. The password grant is off unless it is listed.',
    title: { en: 'The client may not use this grant type', zh: '客户端不能使用该授权类型' },
    rule: {
      en: 'The grant_type must be among the grant_types of the client.',
      zh: 'grant_type 必须在客户端的 grant_types 之中。',
      reference: 'RFC 7591 section 2',
    },
  },
  scopeInvalid: {
    error: 'invalid_scope',
    status: 400,
    description: 'OAuth 2.0 Parameter: scope',
    cause:
      'A scope is unknown, not allowed to the client, wider than the grant that is refreshed, or (response_type=id_token) lacks openid.',
    fix: 'Ask for a subset of openid, profile, email, phone, address and offline_access that the client is registered for. The log line of the request names the scope.',
    title: { en: 'The scope is not allowed', zh: '权限范围不被允许' },
    rule: {
      en: 'Each scope must be known and allowed.',
      zh: '每个权限范围都必须是已知且允许的。',
      reference: 'RFC 6749 section 3.3',
    },
  },
  targetInvalid: {
    error: 'invalid_target',
    status: 400,
    description: 'OAuth 2.0 Parameter: resource',
    cause:
      'A resource is no API of the application, the client is registered for none of its scopes, or the grant does not cover it. Or several APIs share a scope, and no resource says which is meant. A token request takes one resource.',
    fix: 'Send the identifier of an API exactly as the application has it, and register the client for a scope of it.',
    title: { en: 'The resource is not allowed', zh: 'resource 不被允许' },
    rule: {
      en: 'Each resource must be an API of the application that the client and the grant may reach.',
      zh: '每个 resource 都必须是该应用的 API，并且客户端和授权可以访问它。',
      reference: 'RFC 8707 section 2',
    },
  },
} as const satisfies Record<string, FailureDefinition>;
