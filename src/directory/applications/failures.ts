import type { FailureDefinition } from '../../platform/http/failure-definition.rules.ts';

/** Failures of an address that names no application. */
export const applicationFailures = {
  applicationUnknown: {
    error: 'not_found',
    status: 404,
    description: 'There is no application with this code.',
    cause: 'The segment after /api/v1/authorize/ names no application of this server.',
    fix: 'Check the app_code in the address; applications are created with "gatehouse apply".',
    title: { en: 'The application does not exist', zh: '应用不存在' },
    rule: {
      en: 'The segment after /api/v1/authorize/ is the code of an application.',
      zh: '/api/v1/authorize/ 之后的部分是应用的代码。',
      reference: 'docs/interface.md section 7',
    },
  },
} as const satisfies Record<string, FailureDefinition>;
