import type { FailureDefinition } from './failure-definition.rules.ts';

const PARAMETER = 'OAuth 2.0 Parameter: {parameter}';

/** Failures of a request as such, before its endpoint looks at it, and of the server itself. */
export const httpFailures = {
  notFound: {
    error: 'not_found',
    status: 404,
    description: 'There is nothing at this address.',
    cause: 'This server has no such path.',
    fix: 'Take the addresses of the endpoints from {issuer}/.well-known/openid-configuration.',
    title: { en: 'There is nothing at this address', zh: '此地址不存在' },
    rule: {
      en: 'The server answers at the addresses of its table of routes.',
      zh: '服务器只在路由表中的地址应答。',
      reference: 'RFC 9110 section 15.5.5',
    },
  },
  methodNotAllowed: {
    error: 'invalid_request',
    status: 405,
    description: 'This address does not answer the method {parameter}.',
    cause: 'The endpoint was called with another HTTP method than the one in the Allow header.',
    fix: 'Use the method named in the Allow header. Token and introspection requests are POST.',
    title: { en: 'The address does not support this method', zh: '此地址不接受该方法' },
    rule: {
      en: 'Each address answers its own methods.',
      zh: '每个地址只接受自己的方法。',
      reference: 'RFC 9110 section 15.5.6',
    },
  },
  contentTypeInvalid: {
    error: 'invalid_request',
    status: 400,
    description: 'The Content-Type must be application/x-www-form-urlencoded.',
    cause: 'The body was sent as JSON, as plain text or without a content type.',
    fix: 'Send the parameters form-encoded; with curl that is -d name=value.',
    title: { en: 'The body is not a form', zh: '请求正文不是表单' },
    rule: {
      en: 'Parameters are form-encoded in the body.',
      zh: '参数以表单编码放在正文中。',
      reference: 'RFC 6749 section 3.2',
    },
  },
  mediaTypeUnsupported: {
    error: 'invalid_request',
    status: 415,
    description: 'The Content-Type must be {parameter}.',
    cause: 'The body has another content type than this address takes, or none.',
    fix: 'Send one of the content types that the Accept header of the response names.',
    title: { en: 'The content type is not supported here', zh: '不接受该内容类型' },
    rule: {
      en: 'Each address takes its own content types.',
      zh: '每个地址只接受自己的内容类型。',
      reference: 'RFC 9110 section 15.5.16',
    },
  },
  jsonInvalid: {
    error: 'invalid_request',
    status: 400,
    description: 'The request body is not JSON that this server accepts.',
    cause:
      'The body is not JSON, is nested deeper than 32 levels, has more than 2000 members, or has an object with two members of one name (RFC 7493), a member __proto__, or text with NUL or half a surrogate pair.',
    fix: 'The field errors of the response points to the place. Write the body with a JSON library.',
    title: { en: 'The JSON cannot be read', zh: '无法读取 JSON' },
    rule: {
      en: 'A body of JSON is I-JSON, so that all parsers read it alike.',
      zh: 'JSON 正文须为 I-JSON，使所有解析器的读取结果一致。',
      reference: 'RFC 7493 section 2',
    },
  },
  bodyNotUtf8: {
    error: 'invalid_request',
    status: 400,
    description: 'The request body is not valid UTF-8.',
    cause: 'The body contains bytes that are not UTF-8.',
    fix: 'Encode the parameters as UTF-8 before form-encoding them.',
    title: { en: 'The body is not UTF-8', zh: '请求正文不是 UTF-8' },
    rule: {
      en: 'Parameters are UTF-8.',
      zh: '参数使用 UTF-8 编码。',
      reference: 'RFC 6749 appendix B',
    },
  },
  bodyTooLarge: {
    error: 'invalid_request',
    status: 413,
    description: 'The request body is larger than this server accepts (64 KiB).',
    cause:
      'The body has more than 65,536 bytes. A SAML answer may have 512 KiB, and a file for the admin API (apply, diff, import of users) 4 MiB.',
    fix: 'No other request of this interface needs that much; look for a parameter that grew by mistake. Split a file that is too large.',
    title: { en: 'The body is too large', zh: '请求正文过大' },
    rule: {
      en: 'A body has at most 64 KiB; a SAML answer 512 KiB, a file for the admin API 4 MiB.',
      zh: '请求正文最多 64 KiB；SAML 应答最多 512 KiB，提交给管理 API 的文件最多 4 MiB。',
      reference: 'docs/operations.md#limits',
    },
  },
  tooManyParameters: {
    error: 'invalid_request',
    status: 400,
    description: 'The request has more parameters than this server accepts (200).',
    cause: 'The query string or the form has more than 200 parameters.',
    fix: 'No request of this interface needs that many; look for a loop that adds parameters.',
    title: { en: 'The request has too many parameters', zh: '请求的参数过多' },
    rule: {
      en: 'A query string or a form has at most 200 parameters.',
      zh: '查询字符串或表单最多 200 个参数。',
      reference: 'RFC 9110 section 17.5',
    },
  },

  // Parameters
  parameterMissing: {
    error: 'invalid_request',
    status: 400,
    description: PARAMETER,
    cause: 'The named parameter is required here and was missing or empty.',
    fix: 'Send the parameter. At the token endpoint it belongs in the form body, not in the URL.',
    title: { en: 'A parameter is missing', zh: '缺少参数' },
    rule: {
      en: 'The parameter is required here.',
      zh: '此处必须有该参数。',
      reference: 'RFC 6749 section 4.1.3',
    },
  },
  parameterInvalid: {
    error: 'invalid_request',
    status: 400,
    description: PARAMETER,
    cause: 'The named parameter has a value that is not allowed, or its percent-encoding is not valid UTF-8.',
    fix: 'Compare the value with the table of parameters of the endpoint.',
    title: { en: 'A parameter has a value that is not allowed', zh: '参数的值不被允许' },
    rule: {
      en: 'The value of the parameter must be an allowed one.',
      zh: '参数的值必须是允许的值。',
      reference: 'OpenID Connect Core section 3.1.2.1',
    },
  },
  parameterDuplicated: {
    error: 'invalid_request',
    status: 400,
    description: PARAMETER,
    cause: 'The named parameter was sent more than once (RFC 6749 section 3.1 forbids it).',
    fix: 'Send each parameter once. A frequent reason is a parameter both in a configured URL and in the code.',
    title: { en: 'A parameter was sent twice', zh: '参数重复' },
    rule: {
      en: 'A parameter must not be sent more than once.',
      zh: '同一参数不得发送多次。',
      reference: 'RFC 6749 section 3.1',
    },
  },

  // The server itself
  serverBusy: {
    error: 'temporarily_unavailable',
    status: 503,
    description: 'The server is busy. Try again in a moment.',
    cause:
      'The server receives more requests than it can handle in time. It rejected this one before any processing: nothing was changed.',
    fix: 'Send the same request again after the number of seconds in the Retry-After header. If it happens often, add processors or nodes.',
    title: { en: 'The server was busy', zh: '服务器繁忙' },
    rule: {
      en: 'The server handles a bounded number of requests at a time.',
      zh: '服务器同时处理的请求数有限。',
      reference: 'docs/operations.md#overload',
    },
  },
  storeUnavailable: {
    error: 'temporarily_unavailable',
    status: 503,
    description: 'The service cannot reach its data at the moment. Try again shortly.',
    cause: 'The database does not answer, is full, or is read-only.',
    fix: 'Try again after the number of seconds in the Retry-After header. Operators find the reason in the log under the request id.',
    title: { en: 'The database did not answer', zh: '数据库没有响应' },
    rule: {
      en: 'A request needs the database.',
      zh: '请求需要数据库。',
      reference: 'RFC 9110 section 15.6.4',
    },
  },
  serverError: {
    error: 'server_error',
    status: 500,
    description: 'Something went wrong on the server.',
    cause: 'A fault in the server. It is logged under the request id of the response.',
    fix: 'Report it with the request id (X-Request-Id).',
    title: { en: 'The server failed', zh: '服务器出错' },
    rule: {
      en: 'The server failed because of a fault of its own.',
      zh: '服务器因自身故障而失败。',
      reference: 'RFC 9110 section 15.6.1',
    },
  },
} as const satisfies Record<string, FailureDefinition>;
