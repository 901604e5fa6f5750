import type { GrantHandler } from '../token/grant.ts';
import type { ExchangedIssue } from '../token/issue.ts';

/** RFC 8693. Only where a policy of the application says so; what it does is loaded with the first request. */
export const tokenExchange: GrantHandler<'authenticated', ExchangedIssue> = {
  required: ['subject_token', 'subject_token_type'],
  optional: ['actor_token', 'actor_token_type', 'requested_token_type', 'scope'],
  callers: ['authenticated'],
  subject: 'exchanged',
  refreshToken: false,

  run: async call => (await import('./exchange.ts')).exchangeToken(call),
};
