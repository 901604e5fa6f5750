import type { FailureDefinition } from '../../platform/http/failure-definition.rules.ts';

/** Failures of the authorization endpoint: error pages until the redirect address is trusted, then errors that go back to the client. */
export const authorizeFailures = {
  // Before the redirect address is trusted: shown as a page
  clientIdMissing: {
    error: 'invalid_request',
    status: 400,
    description: 'OAuth 2.0 Parameter: client_id',
    cause: 'The authorization request has no client_id, or more than one.',
    fix: 'Send the client_id that was given to your client, once.',
    title: { en: 'The client_id is missing', zh: '没有指明客户端' },
    rule: {
      en: 'An authorization request names its client once.',
      zh: '授权请求指明一次客户端。',
      reference: 'RFC 6749 section 4.1.1',
    },
  },
  clientUnknown: {
    error: 'invalid_client',
    status: 400,
    description: 'OAuth 2.0 Parameter: client_id',
    cause: 'The application in the path has no client with this client_id.',
    fix: 'Check the client_id and the app_code: a client belongs to exactly one application.',
    title: { en: 'The client does not exist', zh: '客户端不存在' },
    rule: {
      en: 'The client_id must belong to a client of the application in the path.',
      zh: 'client_id 必须属于路径中的应用。',
      reference: 'RFC 6749 section 4.1.1',
    },
  },
  redirectUriMissing: {
    error: 'invalid_request',
    status: 400,
    description: 'OAuth 2.0 Parameter: redirect_uri',
    cause: 'The authorization request has no redirect_uri, or more than one.',
    fix: 'Send one of the redirect addresses registered for the client, once, URL-encoded.',
    title: { en: 'The redirect URI is missing', zh: '缺少重定向地址' },
    rule: {
      en: 'An authorization request has one redirect_uri.',
      zh: '授权请求有一个 redirect_uri。',
      reference: 'RFC 6749 section 3.1.2.3',
    },
  },
  redirectUriUntrusted: {
    error: 'invalid_request',
    status: 400,
    description: 'OAuth 2.0 Parameter: redirect_uri',
    cause: 'The redirect_uri is not registered for this client. It is compared character by character.',
    fix: 'Register the address exactly as it is sent: scheme, host, port, path, trailing slash and query included. Only the port of http://127.0.0.1 and http://[::1] is free, and of http://localhost for a client without a secret.',
    title: { en: 'The redirect URI is not registered', zh: '重定向地址未登记' },
    rule: {
      en: 'The redirect_uri is compared with the registered ones as text, character by character.',
      zh: 'redirect_uri 与登记的地址逐字符比较。',
      reference: 'RFC 6749 section 3.1.2.3, RFC 9700 section 4.1.3',
    },
  },

  // Sent back to the client
  responseTypeMissing: {
    error: 'invalid_request',
    status: 400,
    description: 'OAuth 2.0 Parameter: response_type',
    cause: 'The authorization request has no response_type.',
    fix: 'Send response_type=code.',
    title: { en: 'The response type is missing', zh: '缺少响应类型' },
    rule: {
      en: 'An authorization request has a response_type.',
      zh: '授权请求有 response_type。',
      reference: 'RFC 6749 section 3.1.1',
    },
  },
  responseTypeUnsupported: {
    error: 'unsupported_response_type',
    status: 400,
    description: 'OAuth 2.0 Parameter: response_type',
    cause:
      'response_type is none of: code; id_token; id_token token. Or it is code id_token, code token, code id_token token or none, and is not among the response_types of the client.',
    fix: 'Use response_type=code, with PKCE, or add the type to the response_types of the client.',
    title: { en: 'The response type is not supported', zh: '不支持该响应类型' },
    rule: {
      en: 'response_type is code, id_token or id_token token, or another type that is among the response_types of the client.',
      zh: 'response_type 为 code、id_token 或 id_token token，或客户端 response_types 中的其他类型。',
      reference: 'RFC 6749 section 3.1.1',
    },
  },
  responseTypeNotAllowed: {
    error: 'unauthorized_client',
    status: 400,
    description: 'This client may not use this response_type: {parameter}.',
    cause:
      'The response_type is supported, but its flow is not among the grant_types of the client, or the type is not among its response_types. Or the client has dpop_bound_access_tokens or tls_client_certificate_bound_access_tokens, and a type with token would give it a bearer token.',
    fix: 'Add "authorization_code" (for code, the hybrid types and none) or "implicit" (for id_token and id_token token) to the grant_types of the client, and the type to its response_types if it has any. Or use another flow.',
    title: { en: 'The client may not use this response type', zh: '客户端不能使用该响应类型' },
    rule: {
      en: 'The flow of the response_type must be among the grant_types of the client, and the type among its response_types.',
      zh: 'response_type 的流程必须在客户端的 grant_types 之中，该类型必须在其 response_types 之中。',
      reference: 'RFC 7591 section 2',
    },
  },
  responseModeInvalid: {
    error: 'invalid_request',
    status: 400,
    description: 'OAuth 2.0 Parameter: response_mode',
    cause:
      'response_mode is none of query, fragment, form_post, jwt, query.jwt, fragment.jwt and form_post.jwt, or does not fit. A mode with jwt needs authorization_signed_response_alg of the client. A client with authorization_encrypted_response_alg or profile fapi2-message-signing gets signed responses alone. Tokens do not come in the query with a hybrid type, in a signed response or from a strict_oidc application.',
    fix: 'Send response_mode=jwt if the client has profile fapi2-message-signing. Otherwise, leave response_mode out.',
    title: { en: 'The response mode is not supported', zh: '不支持该响应模式' },
    rule: {
      en: 'response_mode is query, fragment or form_post; or jwt, alone or after one of these and a dot, for a client with authorization_signed_response_alg.',
      zh: 'response_mode 为 query、fragment 或 form_post；客户端设置了 authorization_signed_response_alg 时，也可为 jwt 或带 .jwt 后缀的上述值。',
      reference: 'OAuth 2.0 Multiple Response Types section 2.1',
    },
  },
  requestNotSupported: {
    error: 'request_not_supported',
    status: 400,
    description: 'Request objects (parameter request) are not supported.',
    cause:
      'The request carries a JWT in the parameter request, and the client has no request_object_signing_alg: it does not sign its requests.',
    fix: 'Set request_object_signing_alg of the client and register its keys, or send the parameters one by one.',
    title: { en: 'The client is not registered for request objects', zh: '客户端未登记使用请求对象' },
    rule: {
      en: 'A request object needs a client with request_object_signing_alg.',
      zh: '请求对象要求客户端设置了 request_object_signing_alg。',
      reference: 'OpenID Connect Core section 6',
    },
  },
  requestUriNotSupported: {
    error: 'request_uri_not_supported',
    status: 400,
    description: 'Request objects by reference (parameter request_uri) are not supported.',
    cause:
      'The request carries a request_uri that is not of a pushed request, and the client has no request_uris, or no request_object_signing_alg.',
    fix: 'Push the request (PAR). Or register the address in request_uris of the client, and set its request_object_signing_alg. Or send the parameters one by one.',
    title: {
      en: 'The client is not registered for request objects by reference',
      zh: '客户端未登记使用引用的请求对象',
    },
    rule: {
      en: 'A request_uri is that of a pushed request, or one of the request_uris of a client with request_object_signing_alg.',
      zh: 'request_uri 须来自推送的请求，或在设置了 request_object_signing_alg 的客户端的 request_uris 之中。',
      reference: 'OpenID Connect Core section 6.2',
    },
  },
  twoUsersNamed: {
    error: 'login_required',
    status: 400,
    description: 'The request names two different users.',
    cause:
      'The parameter claims demands one sub for the ID token and another for userinfo, or another user than id_token_hint.',
    fix: 'Name the user once, by id_token_hint or by one sub in claims.',
    title: { en: 'The request names two different users', zh: '请求指明了两个不同的用户' },
    rule: {
      en: 'A request is for one user: nobody can be both.',
      zh: '一个请求只针对一个用户。',
      reference: 'OpenID Connect Core section 5.5.1',
    },
  },
  requestTooLarge: {
    error: 'invalid_request',
    status: 400,
    description:
      'The authorization request is longer than this server accepts (16 KiB; 4 KiB if a client without a secret pushes it).',
    cause:
      'The parameters of the authorization request take more than 16 KiB, or more than 4 KiB where a client without a secret pushes them, mostly because of a very long state. In JSON, where a control character takes six bytes, they have at most 24 KiB.',
    fix: 'Keep what belongs to the state in your own session and send only its key.',
    title: { en: 'The authorization request is too large', zh: '授权请求过大' },
    rule: {
      en: 'An authorization request has at most 16 KiB, and 4 KiB where a client without a secret pushes it.',
      zh: '授权请求最多 16 KiB；没有密钥的客户端推送的授权请求最多 4 KiB。',
      reference: 'docs/operations.md#limits',
    },
  },
} as const satisfies Record<string, FailureDefinition>;
