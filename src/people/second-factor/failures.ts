import type { FailureDefinition } from '../../platform/http/failure-definition.rules.ts';

/** Failures of the codes that a person types: of an authenticator app, a mail, or a list of recovery codes. */
export const secondFactorFailures = {
  codeWrong: {
    error: 'access_denied',
    status: 400,
    description: 'The code is not right, or was used before.',
    cause:
      'The one-time password belongs to another key or time, or was accepted before; or the recovery code is none of the user, or was spent; or the code is not that of the newest mail.',
    fix: 'Type the next code, or that of the newest mail. If that does not help, check the clock of the device, or use a recovery code.',
    title: { en: 'A code was wrong', zh: '验证码不正确' },
    rule: {
      en: 'A code of the authenticator app, a recovery code or the code of a mail must be correct, and each can be used once.',
      zh: '验证码只在当时有效，且只能使用一次。',
      reference: 'RFC 6238 section 5.2',
    },
  },
  codesExhausted: {
    error: 'access_denied',
    status: 403,
    description: 'Too many wrong codes in this sign-in.',
    cause: 'Five codes of one sign-in were wrong.',
    fix: 'Go back to the application and sign in again.',
    title: { en: 'Too many wrong codes in one sign-in', zh: '一次登录中错误的验证码过多' },
    rule: {
      en: 'Five wrong codes end a sign-in.',
      zh: '每次登录最多可输入五个错误的验证码。',
      reference: 'RFC 6238 section 5.1',
    },
  },
} as const satisfies Record<string, FailureDefinition>;
