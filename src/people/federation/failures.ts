import type { FailureDefinition } from '../../platform/http/failure-definition.rules.ts';

/** Failures of a sign-in with an identity provider. The person sees a sentence on the sign-in page, the operator the explanation. */
export const federationFailures = {
  providerUnavailable: {
    error: 'temporarily_unavailable',
    status: 503,
    description: 'The identity provider did not answer in time.',
    cause: 'The identity provider is down or slow, its address is wrong, or this server must not reach it.',
    fix: 'Check the address of the provider. Private addresses need GATEHOUSE_OUTBOUND_ALLOW.',
    title: { en: 'The identity provider did not answer', zh: '身份提供方没有响应' },
    rule: {
      en: 'An identity provider has five seconds for all that a sign-in asks of it.',
      zh: '一次登录中，身份提供方的全部响应须在五秒内完成。',
      reference: 'docs/providers.md#when-a-provider-is-down',
    },
  },
  providerRefused: {
    error: 'access_denied',
    status: 502,
    description: 'The identity provider refused the sign-in.',
    cause: 'The identity provider answered with an error, such as invalid_client where the secret there is another.',
    fix: 'Compare client_id, client_secret and redirect URI with what is registered at the provider.',
    title: { en: 'The identity provider refused the sign-in', zh: '身份提供方拒绝了登录' },
    rule: {
      en: 'The provider has to accept the request, and this server as its client.',
      zh: '身份提供方须接受该请求，并接受本服务器作为其客户端。',
      reference: 'docs/providers.md#what-a-provider-answers',
    },
  },
  providerAnswerInvalid: {
    error: 'server_error',
    status: 502,
    description: 'The answer of the identity provider could not be verified.',
    cause: 'A signature, issuer, audience, nonce or time in the response of the identity provider is not valid.',
    fix: 'Compare the issuer with the metadata of the provider. If it is right, somebody may have tampered with the answer.',
    title: { en: 'The response of the identity provider is not valid', zh: '身份提供方的响应无效' },
    rule: {
      en: 'An ID token is signed by the provider, for this server, for this sign-in, and has not expired.',
      zh: 'ID 令牌须由该提供方签名，面向本服务器和本次登录，且未过期。',
      reference: 'OpenID Connect Core section 3.1.3.7',
    },
  },
  providerAnswerUnexpected: {
    error: 'invalid_request',
    status: 400,
    description: 'This sign-in with an identity provider has expired, or belongs to another browser.',
    cause:
      'The answer of the provider came a second time, after half an hour, in another browser, or for another provider.',
    fix: 'Go back to the application and start again. Cookies must be allowed for this server.',
    title: { en: 'No sign-in was waiting for this response of a provider', zh: '没有等待该响应的登录' },
    rule: {
      en: 'A response is accepted once, in the browser that was sent to the provider, and only from that provider.',
      zh: '响应只能使用一次，只能在被转到该提供方的浏览器中使用，且只能来自该提供方。',
      reference: 'RFC 6749 section 10.12',
    },
  },
  providerSignOutRefused: {
    error: 'invalid_request',
    status: 400,
    description: 'The request of the identity provider to sign out could not be verified.',
    cause:
      'It is not signed by the provider, is for another address, has expired, or came a second time. Nobody was signed out.',
    fix: 'Configure the provider to sign logout requests, and let it read the metadata of this server again. The explanation says which check failed.',
    title: { en: 'The logout request of a provider is not valid', zh: '提供方的退出请求无效' },
    rule: {
      en: 'A LogoutRequest is signed by the provider, for the address at which it arrives, and accepted once until it expires.',
      zh: '退出请求须由该提供方签名，发往其到达的地址，在过期前只能使用一次。',
      reference: 'docs/saml.md#signing-out',
    },
  },
  providerPersonRefused: {
    error: 'access_denied',
    status: 403,
    description: 'The person signed in at the identity provider, and may not sign in here.',
    cause:
      'The account is disabled, the person has none and the provider creates none, or the request is for another user.',
    fix: 'Enable the account, link the person to one, or let the provider create accounts (create_users).',
    title: { en: 'A person of an identity provider may not sign in', zh: '该身份提供方的用户不能登录' },
    rule: {
      en: 'A person signs in to the account that is linked to it.',
      zh: '用户登录到与其关联的账户。',
      reference: 'docs/providers.md#who-gets-which-account',
    },
  },
} as const satisfies Record<string, FailureDefinition>;
