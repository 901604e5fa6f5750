import type { FailureDefinition } from '../../platform/http/failure-definition.rules.ts';

/** Failures of the certificates of clients (RFC 8705). */
export const mtlsFailures = {
  certificateUnusable: {
    error: 'invalid_request',
    status: 400,
    description: 'Client certificate: {parameter}',
    cause:
      'The client has tls_client_certificate_bound_access_tokens, and the request came without a TLS client certificate, or with one that is not valid now or cannot be read.',
    fix: 'Send the request to the address of mtls_endpoint_aliases in discovery, where it lists one, with the client certificate.',
    title: { en: 'The client certificate is missing or not valid', zh: '客户端证书缺失或无效' },
    rule: {
      en: 'A client whose tokens are bound to its certificate requests them with that certificate.',
      zh: '令牌与证书绑定的客户端必须出示证书来请求令牌。',
      reference: 'RFC 8705 section 3',
    },
  },
} as const satisfies Record<string, FailureDefinition>;
