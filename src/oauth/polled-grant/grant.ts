import { mayEnter } from '../../directory/access/rules.ts';
import { canRefresh } from '../../directory/clients/rules.ts';
import { type FailureName, failure } from '../../failures.ts';
import { keyOf } from '../../platform/crypto/credential.ts';
import type { Store } from '../../store.ts';
import { PARAMETER } from '../authorization-details/rules.ts';
import type { AuthorizationDetail } from '../authorization-details/schema.rules.ts';
import { refreshKey } from '../proof-of-possession/binding.ts';
import type { Callers } from '../token/caller.ts';
import { partOfNewFamily } from '../token/family-part.ts';
import {
  type GrantCall,
  type GrantHandler,
  type GrantResult,
  type RefusedGrant,
  refused,
  refusedAccess,
  requestedDetails,
  required,
} from '../token/grant.ts';
import { newGrantId, planAccessToken, planForRequest, planRefreshToken, type UserIssue } from '../token/issue.ts';
import { approvableScope, requestedResources } from '../token/requested-access.rules.ts';
import { isAllowed } from '../token/scope.rules.ts';
import { accessOf, type TokenFamily } from '../token/store.ts';
import type { Poll, Polled, Redeem } from './store.ts';

export type PollingCaller = 'authenticated' | 'public';
type Approved = Extract<Polled, { readonly kind: 'approved' }>;
type Refused = Exclude<Polled, Approved>;

/** What tells a grant of this kind from the other. */
export interface PolledGrant<K extends PollingCaller> {
  /** The parameter with which the client polls. */
  readonly parameter: string;
  readonly callers: Callers<K>;
  readonly operations: (store: Store) => { readonly poll: Poll; readonly redeem: Redeem };
  readonly failures: Readonly<Record<Refused['kind'] | 'userNotAllowed', FailureName>>;
}

interface Polling {
  readonly call: GrantCall<PollingCaller>;
  readonly hash: Buffer;
  readonly grant: PolledGrant<PollingCaller>;
}

/** The client polls until a person has approved, and gets tokens once. */
export function polledGrant<K extends PollingCaller>(grant: PolledGrant<K>): GrantHandler<K, UserIssue> {
  return {
    required: [grant.parameter],
    optional: [PARAMETER],
    callers: grant.callers,
    subject: 'user',
    refreshToken: true,

    async run(call) {
      const details = requestedDetails(call);
      if (details && 'kind' in details) return details;
      const polling = { call, hash: keyOf(required(call, grant.parameter)), grant } as unknown as Polling;
      const polled = await poll(polling);
      return polled.kind === 'approved' ? redeem(polling, polled, details) : refusedPoll(polling, polled);
    },
  };
}

function poll({ call, hash, grant }: Polling): Promise<Polled> {
  const { services, application, caller } = call;
  return grant.operations(services.store).poll(application.code, hash, caller.client.client_id, services.clock.now());
}

/** The tokens are not bound to the session of the browser: the person may sign out there, and the client stays connected. */
async function redeem(
  polling: Polling,
  { family: approved, user }: Approved,
  details: readonly AuthorizationDetail[] | undefined,
): Promise<GrantResult<UserIssue>> {
  const { call, hash, grant } = polling;
  const { services, application, params } = call;
  const { client } = call.caller;
  if (!mayEnter(application, user)) return { ...refused(grant.failures.userNotAllowed), sub: user.sub };
  const allowed = approvableScope(client, application);
  // The registration of the client may have changed since it asked.
  const family: TokenFamily = { ...approved, scope: approved.scope.filter(scope => isAllowed(scope, allowed)) };
  const { scope } = family;

  const part = partOfNewFamily(services, application, user.sub);
  const access = planAccessToken(services, application, call.binding, part);
  const requested = { resources: requestedResources(params, application), scope: undefined, details };
  const plan = planForRequest(services, application, requested, access, client);
  const stored = accessOf(family, { access: access.stored, target: plan.target });
  if (typeof stored === 'string') return refusedAccess(call, stored);
  const refresh = canRefresh(client)
    ? planRefreshToken(services, application, part, refreshKey(call.binding, client))
    : undefined;
  const tokens = {
    ...{ grantId: newGrantId(services), issuedAt: access.issuedAt },
    ...{ access: stored, refresh: refresh?.stored },
  };
  const outcome = await grant.operations(services.store).redeem(application.code, hash, family, tokens);
  if (outcome === 'clientGone') return refused('clientAuthenticationFailed');
  if (outcome === 'gone') return { ...(await whyGone(polling)), sub: user.sub };
  const owner = { subject: 'user', application, client, family, user } as const;
  const issued = { access: plan.written(), refreshToken: refresh?.value, nonce: undefined };
  return { kind: 'issued', issue: { ...owner, scope, ...issued } };
}

/** Another poll got the tokens, or the access of the user ended, since this poll read that the request is approved. */
async function whyGone(polling: Polling): Promise<RefusedGrant> {
  const polled = await poll(polling);
  // Approved and not to be redeemed: the user is disabled.
  return polled.kind === 'approved' ? refused(polling.grant.failures.denied) : refusedPoll(polling, polled);
}

function refusedPoll({ grant }: Polling, polled: Refused): RefusedGrant {
  const refusal = failure(grant.failures[polled.kind]);
  // Nothing is wrong: the client waits for a person, and asks every few seconds.
  if (polled.kind === 'pending') return { kind: 'refused', failure: refusal, isRoutine: true };
  return { ...refused(refusal), ...factsOf(polled) };
}

function factsOf(polled: Refused): Pick<RefusedGrant, 'facts'> {
  if (polled.kind === 'slowDown') return { facts: { pollInterval: polled.interval } };
  return polled.kind === 'invalid' ? { facts: { isOfOtherClient: true } } : {};
}
