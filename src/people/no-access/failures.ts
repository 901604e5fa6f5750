import type { FailureDefinition } from '../../platform/http/failure-definition.rules.ts';

/** Failures of a sign-in whose user the application does not admit. */
export const noAccessFailures = {
  userNotAllowed: {
    error: 'access_denied',
    status: 400,
    description: 'The user has no access to this application.',
    cause: 'The application has the setting access, and the user is in none of its groups, roles and users.',
    fix: 'Tell the user. An operator can give the user one of the groups or roles, or change the setting of the application.',
    title: { en: 'The application does not admit the user', zh: '该应用不允许此用户访问' },
    rule: {
      en: 'An application may admit some of the users only (access).',
      zh: '应用可以只允许部分用户访问（access）。',
      reference: 'RFC 6749 section 4.1.2.1',
    },
  },
} as const satisfies Record<string, FailureDefinition>;
