import type { FailureDefinition } from '../http/failure-definition.rules.ts';

/** Failures of forms, whichever page they are on. */
export const formFailures = {
  formFromElsewhere: {
    error: 'invalid_request',
    status: 403,
    description: 'This form was not sent from a page of this server.',
    cause: 'The Origin or Sec-Fetch-Site header says that another site sent the form.',
    fix: 'Forms of this server can only be sent from its own pages. Behind a proxy, check that BASE_URL is the public address.',
    title: { en: 'The form came from another site', zh: '表单来自其他网站' },
    rule: {
      en: 'Forms are taken from the pages of this server alone.',
      zh: '只接受来自本服务器页面的表单。',
      reference: 'docs/decisions/protocol.md#authorization-endpoint',
    },
  },
} as const satisfies Record<string, FailureDefinition>;
