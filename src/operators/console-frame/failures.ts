import type { FailureDefinition } from '../../platform/http/failure-definition.rules.ts';

/** Failures of the console. */
export const consoleFailures = {
  operatorNeeded: {
    error: 'forbidden',
    status: 403,
    description: 'This page is for operators.',
    cause: 'The user who is signed in has no role in this deployment.',
    fix: 'Ask an owner for a role ("gatehouse operators add NAME --role ROLE"), or sign in as another user.',
    title: { en: 'The user has no role', zh: '用户没有角色' },
    rule: {
      en: 'The console is for users with a role.',
      zh: '控制台供有角色的用户使用。',
      reference: 'RFC 9110 section 15.5.4',
    },
  },
} as const satisfies Record<string, FailureDefinition>;
