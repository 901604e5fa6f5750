import type { FailureDefinition } from '../../platform/http/failure-definition.rules.ts';

/** Failures of a sign-in under way, and of pages that need one. */
export const signInFailures = {
  loginRequired: {
    error: 'login_required',
    status: 400,
    description: 'The user is not signed in, or has to sign in again, and prompt=none forbids asking.',
    cause:
      'prompt=none without a session, with one older than max_age, or with one of another user than id_token_hint.',
    fix: 'Send the user through an authorization request without prompt=none.',
    title: { en: 'The user was not signed in, and could not be asked', zh: '用户未登录，且不能要求登录' },
    rule: {
      en: 'With prompt=none, the user cannot be asked to sign in.',
      zh: 'prompt=none 不允许要求用户登录。',
      reference: 'OpenID Connect Core section 3.1.2.6',
    },
  },
  otherUserSignedIn: {
    error: 'login_required',
    status: 400,
    description: 'The user who signed in is not the one that the request names.',
    cause: 'The request names its user by id_token_hint or claims, and another user signed in.',
    fix: 'Let that user sign in, or send the authorization request without id_token_hint and without a sub in claims.',
    title: { en: 'Another user signed in than the request names', zh: '登录的用户不是请求所指明的用户' },
    rule: {
      en: 'A request that names its user is answered for that user alone.',
      zh: '指明了用户的请求只能由该用户完成。',
      reference: 'OpenID Connect Core sections 3.1.2.1 and 5.5.1',
    },
  },
  authenticationRequirementsUnmet: {
    error: 'unmet_authentication_requirements',
    status: 400,
    description: 'This server cannot meet the authentication requirements of the request.',
    cause: 'The parameter claims asks for an acr, as essential, that is not among acr_values_supported.',
    fix: 'Ask for an acr of the discovery document, or do not ask for it as essential.',
    title: { en: 'The required kind of login is not supported', zh: '不支持所要求的登录方式' },
    rule: {
      en: 'An essential acr must be one that the server supports and the user can reach; mfa: required needs a second factor.',
      zh: '必需的 acr 必须是服务器支持的。',
      reference: 'OpenID Connect Core section 5.5.1.1',
    },
  },
  userCancelled: {
    error: 'access_denied',
    status: 400,
    description: 'The user cancelled the request.',
    cause: 'The user chose to cancel on the sign-in page, or refused consent.',
    fix: 'Let the user try again. It is not a fault of the client.',
    title: { en: 'The user cancelled', zh: '用户已取消' },
    rule: {
      en: 'The user may refuse.',
      zh: '用户可以拒绝。',
      reference: 'RFC 6749 section 4.1.2.1',
    },
  },
  pendingRequestExpired: {
    error: 'invalid_request',
    status: 400,
    description: 'This sign-in page has expired, or belongs to another browser.',
    cause:
      'More than ten minutes passed since the authorization request, cookies are blocked, or the address was opened in another browser.',
    fix: 'Go back to the application and start again. Cookies must be allowed for this server.',
    title: { en: 'The sign-in page has expired', zh: '登录页面已过期' },
    rule: {
      en: 'A sign-in page is valid for ten minutes, in the browser that it was created for.',
      zh: '登录页面十分钟内有效，且只在打开它的浏览器中有效。',
      reference: 'docs/operations.md#limits',
    },
  },
  formReplayed: {
    error: 'invalid_request',
    status: 400,
    description: 'This form was already sent.',
    cause: 'A sign-in form was sent a second time after it had succeeded.',
    fix: 'Go back to the application and start again.',
    title: { en: 'The sign-in form was sent twice', zh: '登录表单被重复提交' },
    rule: {
      en: 'A sign-in form can be used for one login.',
      zh: '一个登录表单只能登录一次。',
      reference: 'docs/decisions/protocol.md#authorization-endpoint',
    },
  },
  signInNeeded: {
    error: 'login_required',
    status: 403,
    description: 'You are not signed in any more.',
    cause: 'A form of the account or consent page was sent after the session had ended, or by another user.',
    fix: 'Sign in again.',
    title: { en: 'The user is no longer signed in', zh: '用户已不再处于登录状态' },
    rule: {
      en: 'The form belongs to the user who is signed in.',
      zh: '表单属于已登录的用户。',
      reference: 'docs/accounts.md#account-pages',
    },
  },
} as const satisfies Record<string, FailureDefinition>;
