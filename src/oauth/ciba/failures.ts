import type { FailureDefinition } from '../../platform/http/failure-definition.rules.ts';

/** Failures of backchannel requests (CIBA): at /bc-authorize, of the polls, and of the page on which a person decides. */
export const cibaFailures = {
  backchannelHintNeeded: {
    error: 'invalid_request',
    status: 400,
    description: 'Exactly one of login_hint, id_token_hint and login_hint_token is needed.',
    cause: 'The request names nobody, or names the person in several ways.',
    fix: 'Send login_hint (user name, e-mail address or telephone number), or id_token_hint, or login_hint_token, and no other of them.',
    title: { en: 'The request names no person, or several times', zh: '请求未指明用户，或重复指明' },
    rule: {
      en: 'A backchannel request names its person by exactly one hint.',
      zh: '后端通道请求须以且仅以一种提示指明用户。',
      reference: 'OpenID Connect CIBA section 7.1',
    },
  },
  unknownUserId: {
    error: 'unknown_user_id',
    status: 400,
    description: 'The hint names nobody who can be asked.',
    cause:
      'There is no such person, the account is disabled, or the application does not admit the person. The answer does not say which.',
    fix: 'Ask the person for the user name, e-mail address or telephone number of the account.',
    title: { en: 'Nobody can be asked', zh: '没有可询问的用户' },
    rule: {
      en: 'The hint names a person who may sign in to the application.',
      zh: '提示须指明可登录该应用的用户。',
      reference: 'OpenID Connect CIBA section 13',
    },
  },
  tooManyLoginHints: {
    error: 'temporarily_unavailable',
    status: 429,
    description: 'Too many hints that name nobody. Try again later.',
    cause:
      'The client has sent more hints without a person than mistakes explain. It could find out who has an account.',
    fix: 'Wait as many seconds as the Retry-After header says, and ask the person for the name before you send it.',
    title: { en: 'Too many hints that name nobody', zh: '无效用户提示过多' },
    rule: {
      en: 'Hints of a client that name nobody are limited, on all nodes together.',
      zh: '客户端的无效用户提示次数在所有节点上合并受限。',
      reference: 'OpenID Connect CIBA section 14',
    },
  },
  loginHintTokenExpired: {
    error: 'expired_login_hint_token',
    status: 400,
    description: 'The login_hint_token has expired.',
    cause: 'The exp of the login_hint_token has passed.',
    fix: 'Make a new login_hint_token for each request.',
    title: { en: 'The login_hint_token has expired', zh: 'login_hint_token 已过期' },
    rule: {
      en: 'A login_hint_token is good until its exp.',
      zh: 'login_hint_token 在其 exp 之前有效。',
      reference: 'OpenID Connect CIBA section 13',
    },
  },
  bindingMessageInvalid: {
    error: 'invalid_binding_message',
    status: 400,
    description: 'The binding_message cannot be shown.',
    cause: 'It is empty, longer than 128 characters, or has line breaks or characters that nobody sees.',
    fix: 'Send one short line of plain text, such as a word and a number that the other screen shows too.',
    title: { en: 'The binding message cannot be shown', zh: '绑定消息无法显示' },
    rule: {
      en: 'A binding message is one line of at most 128 visible characters.',
      zh: '绑定消息为一行，至多 128 个可见字符。',
      reference: 'OpenID Connect CIBA section 7.1',
    },
  },
  tooManyApprovalRequests: {
    error: 'temporarily_unavailable',
    status: 429,
    description: 'Too many requests to this person. Try again later.',
    cause:
      'Too many requests to the person wait, or were not approved within the last hour; or too many requests of the client wait in all.',
    fix: 'Send a request when the person expects it. Wait as many seconds as the Retry-After header says.',
    title: { en: 'Too many requests to one person', zh: '对同一用户的请求过多' },
    rule: {
      en: 'A handful of requests reach a person who does not approve them.',
      zh: '用户未批准时，只有少量请求会送达。',
      reference: 'OpenID Connect CIBA section 14',
    },
  },
  backchannelRequestInvalid: {
    error: 'invalid_request',
    status: 400,
    description: 'OAuth 2.0 Parameter: request',
    cause:
      'The signed request is no JWT of this client for this server, lacks a claim, is too old, or was used before.',
    fix: 'Sign it with the registered algorithm and a key of jwks, with iss, aud (the issuer), exp, iat, nbf and a new jti, all within one hour.',
    title: { en: 'The signed backchannel request does not hold', zh: '已签署的后端通道请求无效' },
    rule: {
      en: 'A signed backchannel request is made by the client, for this server, once.',
      zh: '已签署的后端通道请求由客户端为本服务器生成，且只能使用一次。',
      reference: 'OpenID Connect CIBA section 7.1.1',
    },
  },
  backchannelRequestUnsigned: {
    error: 'invalid_request',
    status: 400,
    description: 'OAuth 2.0 Parameter: request',
    cause: 'The client has backchannel_authentication_request_signing_alg, and sent parameters that are not signed.',
    fix: 'Put every parameter into the JWT, and send it as request with nothing but the authentication of the client beside it.',
    title: { en: 'The backchannel request has to be signed', zh: '后端通道请求须经签署' },
    rule: {
      en: 'A client with backchannel_authentication_request_signing_alg signs each of its requests, with all parameters inside.',
      zh: '设有 backchannel_authentication_request_signing_alg 的客户端须签署每个请求，且所有参数均在其中。',
      reference: 'OpenID Connect CIBA section 7.1.1',
    },
  },
  authReqIdInvalid: {
    error: 'invalid_grant',
    status: 400,
    description: 'The auth_req_id is invalid.',
    cause: 'This application has never issued the auth_req_id, or issued it to another client, or it expired long ago.',
    fix: 'Send the auth_req_id unchanged, with the client and to the application that asked for it.',
    title: { en: 'The auth_req_id is invalid', zh: 'auth_req_id 无效' },
    rule: {
      en: 'An auth_req_id is good for the client that asked for it, at its application.',
      zh: 'auth_req_id 只能由请求它的客户端在其应用中使用。',
      reference: 'OpenID Connect CIBA section 11',
    },
  },
  authReqIdRedeemed: {
    error: 'invalid_grant',
    status: 400,
    description: 'The auth_req_id is invalid.',
    cause: 'The client has got its tokens before. An auth_req_id is good once.',
    fix: 'Stop polling after the first answer with tokens, and poll with one request at a time.',
    title: { en: 'The auth_req_id was used before', zh: 'auth_req_id 已被使用' },
    rule: {
      en: 'An auth_req_id gives tokens once.',
      zh: 'auth_req_id 只能换取一次令牌。',
      reference: 'OpenID Connect CIBA section 11',
    },
  },
  authReqIdExpired: {
    error: 'expired_token',
    status: 400,
    description: 'The auth_req_id has expired.',
    cause: 'Nobody has approved or denied the request within expires_in seconds.',
    fix: 'Send a new backchannel request, when the person is there.',
    title: { en: 'The auth_req_id has expired', zh: 'auth_req_id 已过期' },
    rule: {
      en: 'An auth_req_id is good for expires_in seconds.',
      zh: 'auth_req_id 在 expires_in 秒内有效。',
      reference: 'OpenID Connect CIBA section 11',
    },
  },
  approvalDenied: {
    error: 'access_denied',
    status: 400,
    description: 'The user has denied the request.',
    cause:
      "The user has denied it, the application does not admit this user, or the user's access ended before the client got its tokens.",
    fix: 'Tell the person who waits. A new attempt needs a new backchannel request.',
    title: { en: 'The user has denied the request', zh: '用户拒绝了请求' },
    rule: {
      en: 'A client gets tokens only if the person approves its request.',
      zh: '只有用户批准请求后，客户端才能获得令牌。',
      reference: 'OpenID Connect CIBA section 11',
    },
  },
  approvalUserNotAllowed: {
    error: 'access_denied',
    status: 400,
    description: 'The user has no access to this application.',
    cause: 'The application has the setting access, and does not admit the user any more who approved the request.',
    fix: 'Tell the person who waits. An operator can give the user a group or role that the application admits.',
    title: { en: 'The user who approved has no access', zh: '批准请求的用户无权访问' },
    rule: {
      en: 'The setting access of an application says who may sign in to it.',
      zh: '应用的 access 设置决定谁可以登录。',
      reference: 'OpenID Connect CIBA section 11',
    },
  },
  approvalUnknown: {
    error: 'not_found',
    status: 404,
    description: 'There is no such request for this account.',
    cause: 'The address names a request to another person, or one that was deleted, an hour after its end.',
    fix: 'Sign in with the account that was asked, or begin again at the application that asks.',
    title: { en: 'There is no such request for this account', zh: '此账户没有该请求' },
    rule: {
      en: 'A person sees the requests to the own account.',
      zh: '用户只能查看对自己账户的请求。',
      reference: 'OpenID Connect CIBA section 14',
    },
  },
} as const satisfies Record<string, FailureDefinition>;
