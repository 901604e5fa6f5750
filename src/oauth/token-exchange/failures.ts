import type { FailureDefinition } from '../../platform/http/failure-definition.rules.ts';

/** Failures of the token exchange (RFC 8693). */
export const tokenExchangeFailures = {
  subjectTokenInvalid: {
    error: 'invalid_request',
    status: 400,
    description: 'OAuth 2.0 Parameter: subject_token',
    cause:
      'The subject_token is no live access token of this application, or not of the subject_token_type; or it is neither for an API that the client is registered for (apis) nor was it issued to the client.',
    fix: 'Send an access token that a caller brought to your API, unchanged and before it expires. ID tokens and refresh tokens cannot be exchanged.',
    title: { en: 'The token to exchange is not valid', zh: '要交换的令牌无效' },
    rule: {
      en: 'The subject_token is a live access token that was issued to the client, or is for an API of the client.',
      zh: 'subject_token 必须是有效的访问令牌，且签发给此客户端，或用于此客户端的 API。',
      reference: 'RFC 8693 sections 2.1 and 2.2.2',
    },
  },
  subjectNotAllowed: {
    error: 'invalid_request',
    status: 400,
    // The same text: it must not tell more about the user.
    description: 'OAuth 2.0 Parameter: subject_token',
    cause:
      'The setting access of the application no longer admits the user of the subject_token. The token does not change.',
    fix: 'An operator can give the user a group or role that the application admits.',
    title: {
      en: 'The user of the token no longer has access to the application',
      zh: '令牌的用户已失去对该应用的访问权',
    },
    rule: {
      en: 'An application may admit some of the users only (access), and a token exchange asks again.',
      zh: '应用可以只允许部分用户访问（access），令牌交换时会再次检查。',
      reference: 'RFC 8693 section 2.2.2',
    },
  },
  subjectTokenBound: {
    error: 'invalid_request',
    status: 400,
    description: 'OAuth 2.0 Parameter: subject_token',
    cause:
      'The subject_token is bound to a key (cnf), and the request does not prove the possession of this key: it would become a token that anybody can use.',
    fix: 'Let the client that the token was issued to exchange it, with a proof by the same key.',
    title: { en: 'The token to exchange is bound to a key', zh: '要交换的令牌绑定了密钥' },
    rule: {
      en: 'A token that is bound to a key is exchanged only with a proof by this key.',
      zh: '绑定了密钥的令牌只有在证明持有该密钥时才能交换。',
      reference: 'RFC 8693 section 2.2.2, RFC 7800 section 3.1',
    },
  },
  subjectTokenTooDeep: {
    error: 'invalid_request',
    status: 400,
    description: 'OAuth 2.0 Parameter: subject_token',
    cause: 'The subject_token is the result of five exchanges, and a token can be exchanged no more often.',
    fix: 'Look for services that call each other in a circle. Let each of them exchange the token that the first one received.',
    title: { en: 'The token was exchanged too often', zh: '令牌的交换次数过多' },
    rule: {
      en: 'A token is exchanged five times at most.',
      zh: '令牌最多可以交换五次。',
      reference: 'RFC 8693 sections 2.2.2 and 4.1',
    },
  },
  actorTokenInvalid: {
    error: 'invalid_request',
    status: 400,
    description: 'OAuth 2.0 Parameter: actor_token',
    cause:
      'The actor_token is no live access token of this application that was issued to the client, or not of the actor_token_type; or it is bound to a key that the request does not prove.',
    fix: 'Send an access token of the client itself, such as one of client_credentials, or leave actor_token out.',
    title: { en: 'The token of the actor is not valid', zh: '代理方的令牌无效' },
    rule: {
      en: 'The actor_token is a live access token of the client itself.',
      zh: 'actor_token 必须是此客户端自己的有效访问令牌。',
      reference: 'RFC 8693 sections 2.1 and 2.2.2',
    },
  },
  exchangeNotAllowed: {
    error: 'invalid_target',
    status: 400,
    description: 'OAuth 2.0 Parameter: {parameter}',
    cause:
      'No policy of the application (token_exchange) leads from the subject_token, or from the client, to this API; or the request names no API, and the policies lead to several.',
    fix: 'Name one API as resource or audience. An operator can add a policy to the application.',
    title: { en: 'No policy allows this token exchange', zh: '没有策略允许此令牌交换' },
    rule: {
      en: 'A token is exchanged for one that a policy of the application names (token_exchange).',
      zh: '令牌只能交换为应用的策略（token_exchange）所列的令牌。',
      reference: 'RFC 8693 section 2.2.2',
    },
  },
  exchangeScopeInvalid: {
    error: 'invalid_scope',
    status: 400,
    description: 'OAuth 2.0 Parameter: scope',
    cause:
      'A scope is not in the policy (token_exchange), is none of the API, or was left out of the subject_token although its own API has it.',
    fix: 'Leave scope out to get all that the policy allows, or ask for some of it.',
    title: { en: 'A scope is beyond the policy of the token exchange', zh: '范围超出令牌交换的策略' },
    rule: {
      en: 'An exchanged token has no scope beyond its policy, its API and what the subject_token was left with.',
      zh: '交换得到的令牌的范围不超出策略、API 以及 subject_token 的允许。',
      reference: 'RFC 8693 sections 2.1 and 2.2.2',
    },
  },
} as const satisfies Record<string, FailureDefinition>;
