import type { FailureDefinition } from '../../platform/http/failure-definition.rules.ts';

/** Failures of the link for the first owner. */
export const firstOwnerFailures = {
  ownerLinkInvalid: {
    error: 'forbidden',
    status: 403,
    description: 'This link works for one hour, until the deployment has an owner or a server starts again.',
    cause:
      'The deployment has an owner already, the server printed the link more than one hour ago, a server has started since and printed another, or the link is incomplete.',
    fix: 'Without an owner: start the server again, which prints a new link, or run "gatehouse operators add NAME --role owner". With one: ask an owner for a role.',
    title: { en: 'The link for the first owner no longer works', zh: '第一个所有者的链接已失效' },
    rule: {
      en: 'The link for the first owner works for one hour, and once.',
      zh: '第一个所有者的链接一小时内有效，且只能使用一次。',
      reference: 'RFC 9110 section 15.5.4',
    },
  },
} as const satisfies Record<string, FailureDefinition>;
