import { keptImport } from '../../platform/kept-import.ts';
import { PARAMETER } from '../authorization-details/rules.ts';
import type { GrantHandler } from '../token/grant.ts';
import type { UserIssue } from '../token/issue.ts';

const loadRedemption = keptImport(() => import('./redeem.ts'));

/** RFC 7523 section 2.1. Only where the application trusts an issuer; what it does is loaded with the first request. */
export const identityAssertion: GrantHandler<'authenticated', UserIssue> = {
  required: ['assertion'],
  optional: ['scope', PARAMETER],
  callers: ['authenticated'],
  subject: 'user',
  refreshToken: false,

  run: async call => (await loadRedemption()).redeemAssertion(call),
};
