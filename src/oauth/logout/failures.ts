import type { FailureDefinition } from '../../platform/http/failure-definition.rules.ts';

/** Failures of RP-Initiated Logout, shown as a page. */
export const logoutFailures = {
  postLogoutRedirectUriUntrusted: {
    error: 'invalid_request',
    status: 400,
    description: 'OAuth 2.0 Parameter: post_logout_redirect_uri',
    cause:
      'The post_logout_redirect_uri is not registered for the client, or the request names no client it could be checked against.',
    fix: 'Register the address exactly as it is sent, and send id_token_hint or client_id with it.',
    title: { en: 'The post-logout redirect URI is not registered', zh: '退出后的返回地址未登记' },
    rule: {
      en: 'The post_logout_redirect_uri must match one that is registered for the client, character by character.',
      zh: 'post_logout_redirect_uri 与客户端登记的地址逐字比较。',
      reference: 'OpenID Connect RP-Initiated Logout section 3',
    },
  },
  logoutClientMismatch: {
    error: 'invalid_request',
    status: 400,
    description: 'OAuth 2.0 Parameter: client_id',
    cause:
      'The logout request names a client that does not exist, or another one than its id_token_hint was issued to.',
    fix: 'Send the client_id of the client that the ID token was issued to, or leave it out.',
    title: { en: 'The logout request names another client', zh: '退出请求指明了其他客户端' },
    rule: {
      en: 'The client_id must belong to a client, and match the id_token_hint if there is one.',
      zh: 'client_id 必须是客户端的；如有 id_token_hint，须与其一致。',
      reference: 'OpenID Connect RP-Initiated Logout section 2',
    },
  },
} as const satisfies Record<string, FailureDefinition>;
