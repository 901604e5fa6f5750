import { grantedAccess } from '../../directory/apis/rules.ts';
import { type Failure, failure, scopeFailure, targetFailure } from '../../failures.ts';
import { NO_CLAIMS } from '../authorize/claims-request.rules.ts';
import { accessTarget } from '../token/access-target.rules.ts';
import { partOfNewFamily } from '../token/family-part.ts';
import { type GrantCall, type GrantHandler, proofMissing, refused } from '../token/grant.ts';
import { grantedApis } from '../token/granted-api.rules.ts';
import { type ClientIssue, lacksProof, newGrantId, planAccessToken } from '../token/issue.ts';
import { allowedScope, readScope, requestedResources } from '../token/requested-access.rules.ts';
import { isUserScope } from '../token/scope.rules.ts';
import type { TokenFamily } from '../token/store.ts';
import { subOfClient } from '../token/subject.rules.ts';

type Machine = GrantCall<'authenticated'>;

/**
 * RFC 6749 section 4.4: the client acts for itself, with scopes of APIs only. There is no user, so no ID token, no refresh token, and
 * nothing at userinfo.
 */
export const clientCredentials: GrantHandler<'authenticated', ClientIssue> = {
  required: [],
  optional: ['scope'],
  callers: ['authenticated'],
  subject: 'client',
  refreshToken: false,

  async run(call) {
    const { services, application } = call;
    const { client } = call.caller;
    const read = readTarget(call);
    if ('failure' in read) return { kind: 'refused', failure: read.failure };
    if (lacksProof(read, call.binding)) return proofMissing(call.caller.client);
    const grantId = newGrantId(services);
    const part = partOfNewFamily(services, application, grantId);
    const access = planAccessToken(services, application, call.binding, part, read);
    const { issuedAt } = access;
    const family: TokenFamily = {
      clientId: client.client_id,
      sub: subOfClient(client.client_id),
      scope: read.scope,
      resources: read.api && [{ identifier: read.api.identifier, scope: read.scope }],
      authTime: issuedAt,
      amr: [],
      sid: undefined,
      claims: NO_CLAIMS,
    };
    const tokens = { grantId, issuedAt, access: access.stored, refresh: undefined };
    const { code } = application;
    const outcome = await services.store.addTokenFamily(code, family, tokens, undefined);
    if (outcome === 'clientGone') return refused('clientAuthenticationFailed');
    return { kind: 'issued', issue: { subject: 'client', application, client, scope: read.scope, access } };
  },
};

/** What the token is for: a scope about users is refused where it is requested, and left out of the default. */
function readTarget({ application, params, caller: { client } }: Machine) {
  const text = params.get('scope');
  const read = readScope(text, client, application);
  if (read.kind === 'refused') return { failure: scopeFailure(read.token) };
  const aboutUsers = text === undefined ? undefined : read.scope.find(one => isUserScope(application, one));
  if (aboutUsers !== undefined) return { failure: scopeFailure(aboutUsers) };

  const allowed = allowedScope(client, application).filter(scope => !isUserScope(application, scope));
  const resources = requestedResources(params, application);
  const scope = text === undefined ? undefined : read.scope;
  const granted = grantedAccess(application, allowed, { resources, scope });
  if (granted.kind === 'scopeInvalid') return { failure: scopeFailure(granted.scope) };
  if (granted.kind === 'targetInvalid') return { failure: targetFailure(granted.resource) };
  const covered = { scope: granted.scope, resources: grantedApis(application, granted.scope, granted.resources) };
  const target = accessTarget(application, covered, { resources, scope: undefined });
  return target ?? ({ failure: failure('targetInvalid') } satisfies { failure: Failure });
}
