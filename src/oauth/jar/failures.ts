import type { FailureDefinition } from '../../platform/http/failure-definition.rules.ts';

/** Failures of signed requests (RFC 9101). */
export const jarFailures = {
  requestObjectInvalid: {
    error: 'invalid_request_object',
    status: 400,
    description: 'OAuth 2.0 Parameter: request',
    cause: 'The request object is no JWT of this client for this server, or its time is over.',
    fix: 'Sign it with the registered algorithm and a key of jwks, with client_id, iss, aud (the issuer) and a short exp.',
    title: { en: 'The signed request does not hold', zh: '已签署的请求无效' },
    rule: {
      en: 'A request object is signed by the client, for this server, with its own client_id, and has not expired.',
      zh: '请求对象须由客户端签署，面向本服务器，包含其 client_id，且未过期。',
      reference: 'RFC 9101 section 6',
    },
  },
  requestObjectRequired: {
    error: 'invalid_request',
    status: 400,
    description: 'OAuth 2.0 Parameter: request',
    cause: 'The client has require_signed_request_object, and sent the parameters one by one.',
    fix: 'Sign the request and send it as request, or turn the setting off.',
    title: { en: 'The request has to be signed', zh: '请求须经签署' },
    rule: {
      en: 'A client with require_signed_request_object signs each of its requests.',
      zh: '设有 require_signed_request_object 的客户端须签署每个请求。',
      reference: 'RFC 9101 section 10.5',
    },
  },
} as const satisfies Record<string, FailureDefinition>;
