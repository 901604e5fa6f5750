import type { FailureDefinition } from '../../platform/http/failure-definition.rules.ts';

/** Failures of the sign-up. */
export const signUpFailures = {
  signUpNotAllowed: {
    error: 'access_denied',
    status: 403,
    description: 'People cannot make an account for this application.',
    cause: 'The application does not have sign_up: true, or the server has no MAIL_URL and cannot confirm an address.',
    fix: 'Set sign_up: true for the application, and MAIL_URL for the server. Otherwise ask an operator for an account.',
    title: { en: 'The application does not let people sign up', zh: '该应用不允许注册' },
    rule: {
      en: 'People sign up where the application has sign_up: true, and the server sends mail.',
      zh: '只有 sign_up 为 true 的应用允许注册，且服务器须能发送邮件。',
      reference: 'docs/accounts.md#sign-up',
    },
  },
} as const satisfies Record<string, FailureDefinition>;
