import type { FailureDefinition } from '../../platform/http/failure-definition.rules.ts';

/** Failures of the password grant: what it cannot ask a user for. */
export const passwordGrantFailures = {
  secondFactorNeeded: {
    error: 'invalid_grant',
    status: 400,
    // The same text as for a wrong password: it must not tell that the password is right.
    description: 'The username or password is incorrect.',
    cause: 'The user has a second factor, or the application requires one, and the password grant cannot ask for it.',
    fix: 'Send the user through an authorization request.',
    title: { en: 'A second factor is needed', zh: '需要双重验证' },
    rule: {
      en: 'A user who has a second factor, or needs one, signs in on the pages of this server.',
      zh: '需要第二因素的用户不能使用密码授权。',
      reference: 'RFC 6749 section 4.3.2',
    },
  },
  passwordChangeNeeded: {
    error: 'invalid_grant',
    status: 400,
    // The same text, for the same reason.
    description: 'The username or password is incorrect.',
    cause: 'The user has to set a new password (require_password_change), and the password grant cannot ask for it.',
    fix: 'Send the user through an authorization request.',
    title: { en: 'A new password is needed', zh: '需要设置新密码' },
    rule: {
      en: 'A user who has to set a new password signs in on the pages of this server.',
      zh: '须设置新密码的用户不能使用密码授权。',
      reference: 'RFC 6749 section 4.3.2',
    },
  },
  emailUnverified: {
    error: 'invalid_grant',
    status: 400,
    // The same text, for the same reason.
    description: 'The username or password is incorrect.',
    cause: 'The application has require_verified_email: true, and the e-mail address of the user is not verified.',
    fix: 'Send the user through an authorization request, which asks for the code of a mail.',
    title: { en: 'The e-mail address is not verified', zh: '电子邮箱未验证' },
    rule: {
      en: 'Where the application demands a verified address, a user without one signs in on the pages of this server.',
      zh: '要求已验证邮箱的应用不接受未验证的用户使用密码授权。',
      reference: 'RFC 6749 section 4.3.2',
    },
  },
  passwordUserNotAllowed: {
    error: 'invalid_grant',
    status: 400,
    // The same text, for the same reason.
    description: 'The username or password is incorrect.',
    cause: 'The application has the setting access, and the user is in none of its groups, roles and users.',
    fix: 'An operator can give the user one of the groups or roles, or change the setting of the application.',
    title: { en: 'The application does not admit the user', zh: '该应用不允许此用户访问' },
    rule: {
      en: 'An application may admit some of the users only (access).',
      zh: '应用可以只允许部分用户访问（access）。',
      reference: 'RFC 6749 section 5.2',
    },
  },
} as const satisfies Record<string, FailureDefinition>;
