import { clientActor, requestEvent } from '../../audit/events/request-event.ts';
import { isRestricted, mayEnter } from '../../directory/access/rules.ts';
import type { Application } from '../../directory/applications/rules.ts';
import type { Client } from '../../directory/clients/rules.ts';
import { type FailureName, scopeFailure } from '../../failures.ts';
import {
  credentialOf,
  isCredential,
  keyOf,
  newStamp,
  partIn,
  stampOf,
  thumbprintIn,
} from '../../platform/crypto/credential.ts';
import { keptImport } from '../../platform/kept-import.ts';
import { PARAMETER } from '../authorization-details/rules.ts';
import { claimsWithin } from '../authorize/claims-request.rules.ts';
import { dialectOf, hasProfileInIdToken } from '../authorize/strict-oidc.rules.ts';
import { boundCredential, refreshKey } from '../proof-of-possession/binding.ts';
import type { TokenRequest } from '../token/caller.ts';
import {
  type GrantCall,
  type GrantHandler,
  logFields,
  type RefusedGrant,
  refused,
  refusedAccess,
  refusedKey,
  requestedDetails,
  required,
} from '../token/grant.ts';
import { planAccessToken, planForRequest, type UserIssue } from '../token/issue.ts';
import { requestedResources } from '../token/requested-access.rules.ts';
import { isNarrower, parseScope, type Scope, type ScopeResult, scopesOf } from '../token/scope.rules.ts';
import type { TokenFamily } from '../token/store.ts';
import type { PresentedRefresh } from './rules.ts';
import type { RotateOutcome, Rotation } from './store.ts';

const loadRecheck = keptImport(() => import('../../people/federation/recheck.ts'));

type RefreshCaller = 'authenticated' | 'public';

/** RFC 6749 section 6. */
export const refreshToken: GrantHandler<RefreshCaller, UserIssue> = {
  required: ['refresh_token'],
  optional: ['scope', PARAMETER],
  callers: ['authenticated', 'public'],
  subject: 'user',
  refreshToken: true,

  async run(call) {
    const { services, application, params } = call;
    const { client } = call.caller;
    const read = narrowedScope(params.get('scope'), application);
    if (read?.kind === 'refused') return { kind: 'refused', failure: scopeFailure(read.token) };
    const scope = read?.scope;
    const details = requestedDetails(call);
    if (details && 'kind' in details) return details;

    const presented = required(call, 'refresh_token');
    const ownKey = isCredential('refresh', presented) ? thumbprintIn(presented) : undefined;
    const otherKey = refusedKey(call, ownKey, 'refreshKeyDiffers');
    if (otherKey) return otherKey;
    // RFC 9449 section 5: bound from the first proof on, and so are its successors.
    const successorKey = ownKey ?? refreshKey(call.binding, client);
    const tokenHash = keyOf(presented);
    const part = partIn(tokenHash);
    const access = planAccessToken(services, application, call.binding, part);
    const plan = planForRequest(
      services,
      application,
      { resources: requestedResources(params, application), scope, details },
      access,
      client,
    );
    const successorExpiresAt = access.issuedAt + application.refresh_token_ttl;
    const successors = successorsOf(call, presented, newStamp(successorExpiresAt, part), successorKey);
    const rotation: Rotation = {
      tokenHash,
      presented: presentedRefresh(call, scope),
      issuedAt: access.issuedAt,
      access: access.stored,
      target: plan.target,
      successors: successors.map(({ hash }) => hash),
      successorExpiresAt,
      user: userForRotation(application, client),
      event: (type, { sub, sid }) =>
        requestEvent(services, call.request, {
          type,
          outcome: type === 'refresh.reused' ? 'denied' : 'success',
          actor: clientActor(client.client_id),
          subject: sub,
          app: application.code,
          clientId: client.client_id,
          details: { sid },
        }),
    };
    const outcome = await services.store.rotateRefreshToken(application.code, rotation);
    if (!('family' in outcome)) return refusedRotation(call, scope, outcome);

    const successor =
      outcome.kind === 'kept' ? presented : findSuccessor(call, presented, outcome.successor, successors, successorKey);
    // A retry whose successor was made under a secret that is no longer listed, or for another key, cannot be answered.
    if (successor === undefined) return refused('refreshTokenInvalid');
    const gone = await refusedIfGone(call, outcome.family, successor);
    if (gone) return gone;
    const { user } = outcome;
    const family = within(outcome.family, scope);
    if (outcome.kind === 'repeated') services.log.info('refresh.repeated', logFields(call, client, family.sub));
    const owner = { subject: 'user', application, client, family, user } as const;
    const issue = {
      ...owner,
      scope: scope ?? family.scope,
      access: plan.written(),
      refreshToken: successor,
      nonce: undefined,
    };
    return { kind: 'issued', issue };
  },
};

/** Asked once the store has said whose the token is. What was written just now ends with the rest of the login. */
async function refusedIfGone(
  { services, request, application, caller }: GrantCall<RefreshCaller>,
  family: TokenFamily,
  successor: string,
): Promise<RefusedGrant | undefined> {
  if (!family.amr.includes('fed')) return undefined;
  const { findGone } = await loadRecheck();
  const gone = await findGone(services, family);
  if (!gone) return undefined;
  const { code: app } = application;
  const { client_id: clientId } = caller.client;
  const event = requestEvent(services, request, {
    type: 'token.revoked',
    outcome: 'success',
    actor: clientActor(clientId),
    subject: family.sub,
    app,
    clientId,
    details: { token: 'refresh_token', provider: gone.provider, reason: gone.reason },
  });
  await services.store.revokeRefreshToken(app, keyOf(successor), clientId, services.clock.now(), event);
  return {
    ...refused('refreshPersonGone'),
    sub: family.sub,
    facts: { provider: { id: gone.provider, reason: gone.reason } },
  };
}

/** The user is read for `access`, for the profile in the ID token, and for the groups and roles of a JWT. */
function userForRotation(application: Application, client: Client): Rotation['user'] {
  if (isRestricted(application)) return { isAllowed: user => mayEnter(application, user) };
  const isForClaims = hasProfileInIdToken(application, client) || hasMembershipInJwt(application, client);
  return isForClaims ? { isAllowed: undefined } : undefined;
}

/** RFC 9068 section 2.2.3.1. */
function hasMembershipInJwt(application: Application, client: Client): boolean {
  if (!client.scope.includes('groups') && !client.scope.includes('roles')) return false;
  return (
    client.access_token_format === 'jwt' || (application.apis ?? []).some(api => api.access_token_format === 'jwt')
  );
}

/**
 * RFC 6749 section 6. A string that is no scope at all is wider than every family; the store compares the rest with what was granted.
 */
function narrowedScope(text: string | undefined, application: Application): ScopeResult | undefined {
  return text === undefined ? undefined : parseScope(text, scopesOf(application), dialectOf(application).unknownScopes);
}

function presentedRefresh(call: GrantCall<RefreshCaller>, scope: readonly Scope[] | undefined): PresentedRefresh {
  const { client } = call.caller;
  return {
    clientId: client.client_id,
    scope,
    rotation: client.refresh_token_rotation,
    grace: client.refresh_token_grace,
    familyTtl: call.application.refresh_family_ttl,
  };
}

function refusedRotation(
  call: GrantCall<RefreshCaller>,
  scope: readonly Scope[] | undefined,
  outcome: Exclude<RotateOutcome, { readonly family: TokenFamily }>,
): RefusedGrant {
  switch (outcome.kind) {
    case 'reused':
      call.services.log.warn('refresh.reused', logFields(call, call.caller.client, outcome.sub));
      return refused('refreshTokenReused');
    case 'scopeWider': {
      const wider = scope?.find(one => !outcome.granted.includes(one)) ?? '';
      return { kind: 'refused', failure: scopeFailure(wider), facts: { grantedScope: outcome.granted } };
    }
    case 'notAllowed':
      return { ...refused('refreshUserNotAllowed'), sub: outcome.sub };
    case 'refused':
      return outcome.verdict === 'invalid' || outcome.verdict === 'expired'
        ? refused(FAILURES[outcome.verdict])
        : refusedAccess(call, outcome.verdict);
  }
}

/** To the client they read the same (interface 7.1); the log tells them apart. */
const FAILURES = {
  invalid: 'refreshTokenInvalid',
  expired: 'refreshTokenExpired',
} as const satisfies Record<string, FailureName>;

/** A narrowed refresh also narrows the claims that were requested one by one; the store does so for userinfo. */
function within(family: TokenFamily, scope: readonly Scope[] | undefined): TokenFamily {
  if (scope === undefined || !isNarrower(scope, family.scope)) return family;
  return { ...family, claims: claimsWithin(family.claims, scope) };
}

interface Successor {
  readonly value: string;
  readonly hash: Buffer;
}

function successorsOf(
  { services, application }: TokenRequest,
  presented: string,
  stamp: Buffer,
  thumbprint: string | undefined,
): Successor[] {
  return services.ring.successorsOf(application.code, presented).map(secret => {
    const value = boundCredential(credentialOf('refresh', stamp, secret), thumbprint);
    return { value, hash: keyOf(value) };
  });
}

/** The successor that was written at the first rotation: in this request, or in an earlier one; then its hash has its stamp. */
function findSuccessor(
  call: TokenRequest,
  presented: string,
  written: Uint8Array,
  planned: readonly Successor[],
  thumbprint: string | undefined,
): string | undefined {
  const isWritten = ({ hash }: Successor) => hash.equals(written);
  return (planned.find(isWritten) ?? successorsOf(call, presented, stampOf(written), thumbprint).find(isWritten))
    ?.value;
}
