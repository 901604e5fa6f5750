import type { FailureDefinition } from '../../platform/http/failure-definition.rules.ts';

/** Failures of signed requests (RFC 9101). */
export const jarFailures = {
  requestObjectInvalid: {
    error: 'invalid_request_object',
    status: 400,
    description: 'OAuth 2.0 Parameter: request',
    cause: 'The request object is not a JWT of this client for this server, or has expired.',
    fix: 'Sign it with the registered algorithm and a key of jwks, with client_id, iss, aud (the issuer) and a short exp.',
    title: { en: 'The signed request is not valid', zh: '已签署的请求无效' },
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
    title: { en: 'The request must be signed', zh: '请求须经签署' },
    rule: {
      en: 'A client with require_signed_request_object signs each of its requests.',
      zh: '设有 require_signed_request_object 的客户端须签署每个请求。',
      reference: 'RFC 9101 section 10.5',
    },
  },
  requestUriUnknown: {
    error: 'invalid_request_uri',
    status: 400,
    description: 'OAuth 2.0 Parameter: request_uri',
    cause:
      'The request_uri is none of the request_uris of the client, has a fragment that is no hash, or came together with request.',
    fix: 'Register the address, or push the request (PAR). The fragment is the SHA-256 of the document in base64url.',
    title: { en: 'The request_uri is not registered', zh: '请求对象地址未注册' },
    rule: {
      en: 'A request is fetched only from an address that its client has registered.',
      zh: '只从客户端注册的地址读取请求对象。',
      reference: 'RFC 9101 section 5.2',
    },
  },
  requestUriUnreadable: {
    error: 'invalid_request_uri',
    status: 400,
    description: 'OAuth 2.0 Parameter: request_uri',
    cause: 'The address could not be read, or the document there does not have the SHA-256 of the fragment.',
    fix: 'Publish the request with status 200, at most 12 KiB, without a redirect, on a public address. A failure is remembered for 30 seconds.',
    title: { en: 'The request could not be read', zh: '无法读取请求对象' },
    rule: {
      en: 'The document at the request_uri can be read, and has the hash that the address names.',
      zh: 'request_uri 处的文档须可读取，且与地址中的哈希一致。',
      reference: 'RFC 9101 section 5.2.3',
    },
  },
} as const satisfies Record<string, FailureDefinition>;
