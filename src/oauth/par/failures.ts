import type { FailureDefinition } from '../../platform/http/failure-definition.rules.ts';

/** Failures of pushed authorization requests (RFC 9126). */
export const parFailures = {
  requestUriInvalid: {
    error: 'invalid_request_uri',
    status: 400,
    description: 'OAuth 2.0 Parameter: request_uri',
    cause:
      'The pushed request was used before, is older than a minute, was pushed by another client, or never existed.',
    fix: 'Push the request again for each login (RFC 9126). If a user returns to an old URL, start a new login.',
    title: { en: 'The pushed request does not exist or has expired', zh: '推送的请求不存在' },
    rule: {
      en: 'A pushed request can be used once, within one minute, by the client that pushed it.',
      zh: '推送的请求只能使用一次，有效期一分钟，且仅限推送它的客户端。',
      reference: 'RFC 9126 sections 2.2 and 4',
    },
  },
  pushedRequestRequired: {
    error: 'invalid_request',
    status: 400,
    description: 'This client must push its authorization requests: the parameter request_uri is missing.',
    cause:
      'The client is registered with require_pushed_authorization_requests, and the request came through the browser.',
    fix: 'Send the parameters to the pushed_authorization_request_endpoint, and send the request_uri from its response to /auth.',
    title: { en: 'The request was not pushed', zh: '请求未经推送' },
    rule: {
      en: 'A client with require_pushed_authorization_requests pushes its requests.',
      zh: '该客户端必须推送授权请求。',
      reference: 'RFC 9126 section 6',
    },
  },
  tooManyPushedRequests: {
    error: 'temporarily_unavailable',
    status: 429,
    description: 'Too many pushed authorization requests. Try again later.',
    cause:
      'A client without a secret has pushed more requests from this network address than logins are likely to need.',
    fix: 'Push one request for each login, when it begins. Wait as many seconds as the Retry-After header says.',
    title: { en: 'Too many pushed requests', zh: '推送的请求过多' },
    rule: {
      en: 'Requests that clients without a secret push are limited by network address.',
      zh: '没有密钥的客户端推送的请求数按网络地址受限。',
      reference: 'RFC 9126 section 7.1',
    },
  },
} as const satisfies Record<string, FailureDefinition>;
