import { issuesAssertions, type WithAssertionPolicies } from './issue.rules.ts';
import { ID_JAG_PROFILE, ID_JAG_TYPE } from './names.rules.ts';
import { takesAssertions, type WithAssertionIssuers } from './rules.ts';

/** Section 7 of the draft, and draft-ietf-oauth-identity-chaining section 3: that there are such, and never whose (section 8.4). */
export function assertionMetadata(application: WithAssertionPolicies & WithAssertionIssuers) {
  return {
    ...(issuesAssertions(application) && { identity_chaining_requested_token_types_supported: [ID_JAG_TYPE] }),
    ...(takesAssertions(application) && { authorization_grant_profiles_supported: [ID_JAG_PROFILE] }),
  };
}
