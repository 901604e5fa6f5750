import { failure } from '../../failures.ts';
import { keptImport } from '../../platform/kept-import.ts';
import { knowsDetails, PARAMETER } from '../authorization-details/rules.ts';
import { issuesAssertions } from '../identity-assertions/issue.rules.ts';
import { ID_JAG_TYPE } from '../identity-assertions/names.rules.ts';
import type { GrantHandler } from '../token/grant.ts';
import type { ExchangedIssue } from '../token/issue.ts';

const loadAssertions = keptImport(() => import('../identity-assertions/issue.ts'));
const loadExchange = keptImport(() => import('./exchange.ts'));

/** RFC 8693. Only where a policy of the application says so; what it does is loaded with the first request. */
export const tokenExchange: GrantHandler<'authenticated', ExchangedIssue> = {
  required: ['subject_token', 'subject_token_type'],
  optional: ['actor_token', 'actor_token_type', 'requested_token_type', 'scope', PARAMETER],
  callers: ['authenticated'],
  subject: 'exchanged',
  refreshToken: false,

  async run(call) {
    const { params, application } = call;
    if (params.get('requested_token_type') === ID_JAG_TYPE && issuesAssertions(application)) {
      return (await loadAssertions()).issueAssertion(call);
    }
    if (params.get(PARAMETER) !== undefined && knowsDetails(application)) {
      return { kind: 'refused', failure: failure('authorizationDetailsInvalid', 'not with this grant') };
    }
    return (await loadExchange()).exchangeToken(call);
  },
};
