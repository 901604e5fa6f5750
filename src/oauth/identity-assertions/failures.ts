import type { FailureDefinition } from '../../platform/http/failure-definition.rules.ts';

/** Failures of identity assertions (ID-JAG): of those that other issuers make (RFC 7523 section 3.1), and of those that are asked for here. */
export const identityAssertionFailures = {
  identityAssertionInvalid: {
    error: 'invalid_grant',
    status: 400,
    description: 'The assertion cannot be used: {parameter}.',
    cause:
      'A check of the assertion failed: its form, typ, iss, aud, client_id, time, jti or signature, or the key that it is bound to. An assertion can be used once.',
    fix: 'Get a new assertion of the issuer, for this issuer as audience and for the client_id that authenticates here. Send it unchanged.',
    title: { en: 'The identity assertion cannot be used', zh: '身份断言不可用' },
    rule: {
      en: 'An assertion is signed by an issuer that the application trusts (assertion_issuers), for this issuer and this client, and is used once.',
      zh: '断言必须由应用信任的签发者（assertion_issuers）签名，面向本签发者和此客户端，且只能使用一次。',
      reference: 'RFC 7523 sections 3 and 3.1, draft-ietf-oauth-identity-assertion-authz-grant section 4.4',
    },
  },
  identityAssertionRefused: {
    error: 'invalid_grant',
    status: 400,
    // The same for whoever is unknown, disabled or not admitted: it must not tell who exists.
    description: 'The assertion names nobody who can use this application in this way.',
    cause:
      'The person of the assertion has no account that is linked to the issuer, or (subject: email) none with the same verified address; or the account is disabled or not admitted; or what is known of the person is contradictory.',
    fix: 'Let the person sign in here with the issuer once. An operator finds the reason with gatehouse explain.',
    title: { en: 'The identity assertion names nobody who can sign in', zh: '身份断言所指的用户不可用' },
    rule: {
      en: 'A person is found by a link to the issuer, or by a verified address where the issuer is trusted for these, and must be admitted to the application.',
      zh: '通过与签发者的关联查找用户；若信任该签发者的邮箱，则通过已验证的邮箱查找。用户还必须可以访问该应用。',
      reference: 'RFC 7523 section 3, draft-ietf-oauth-identity-assertion-authz-grant sections 3.1 and 4.4',
    },
  },
  identitySubjectInvalid: {
    error: 'invalid_request',
    status: 400,
    // The same for every reason: it must not tell more about the user.
    description: 'OAuth 2.0 Parameter: subject_token',
    cause:
      'The subject_token is no valid ID token or refresh token of this client; or the sign-in that it came from has ended, or its user is disabled or not admitted to the application any more.',
    fix: 'Send the newest ID token of the client, before it expires, with subject_token_type …:id_token, or its refresh token with …:refresh_token. Otherwise let the user sign in again.',
    title: { en: 'No identity assertion for this token', zh: '此令牌不能换取身份断言' },
    rule: {
      en: 'The subject_token is an ID token or refresh token of the client itself, whose sign-in has not ended.',
      zh: 'subject_token 必须是此客户端自己的 ID 令牌或刷新令牌，且对应的登录仍然有效。',
      reference: 'RFC 8693 section 2.2.2, draft-ietf-oauth-identity-assertion-authz-grant section 4.3.3',
    },
  },
  identityAssertionNotAllowed: {
    error: 'invalid_target',
    status: 400,
    description: 'OAuth 2.0 Parameter: {parameter}',
    cause:
      'No policy of the application (identity_assertions) gives this client assertions for this audience, or for this resource there.',
    fix: 'Send the issuer of the other server as audience, character by character, and once. An operator can add a policy, or the resource to it.',
    title: { en: 'No policy allows this identity assertion', zh: '没有策略允许此身份断言' },
    rule: {
      en: 'A client gets assertions for the issuers and resources that a policy of the application names (identity_assertions).',
      zh: '客户端只能获取应用的策略（identity_assertions）所列签发者和资源的断言。',
      reference: 'RFC 8693 section 2.2.2, draft-ietf-oauth-identity-assertion-authz-grant section 4.3.3',
    },
  },
  identityAssertionScopeInvalid: {
    error: 'invalid_scope',
    status: 400,
    description: 'OAuth 2.0 Parameter: scope',
    cause: 'A scope is malformed or not in the policy (identity_assertions).',
    fix: 'Leave scope out to get all that the policy allows, or ask for some of it.',
    title: { en: 'A scope is beyond the policy of the identity assertion', zh: '范围超出身份断言的策略' },
    rule: {
      en: 'An assertion has no scope beyond its policy.',
      zh: '断言的范围不能超出其策略。',
      reference: 'RFC 8693 section 2.2.2, draft-ietf-oauth-identity-assertion-authz-grant section 4.3.3',
    },
  },
} as const satisfies Record<string, FailureDefinition>;
