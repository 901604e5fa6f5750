import { mayEnter } from '../../directory/access/rules.ts';
import { canRefresh } from '../../directory/clients/rules.ts';
import { failure } from '../../failures.ts';
import { keyOf } from '../../platform/crypto/credential.ts';
import { refreshKey } from '../proof-of-possession/binding.ts';
import { partOfNewFamily } from '../token/family-part.ts';
import {
  type GrantCall,
  type GrantHandler,
  type GrantResult,
  type RefusedGrant,
  refused,
  refusedAccess,
  required,
} from '../token/grant.ts';
import { newGrantId, planAccessToken, planForRequest, planRefreshToken, type UserIssue } from '../token/issue.ts';
import { allowedScope, requestedResources } from '../token/requested-access.rules.ts';
import { isAllowed } from '../token/scope.rules.ts';
import { accessOf, type TokenFamily } from '../token/store.ts';
import type { PolledDevice } from './store.ts';

type DeviceCall = GrantCall<'authenticated' | 'public'>;
type Approved = Extract<PolledDevice, { readonly kind: 'approved' }>;

/**
 * RFC 8628 section 3.4: a device polls until a person has approved it at /device. The device code is the only proof of a public client;
 * it is 256 random bits that only the device has seen.
 */
export const deviceCode: GrantHandler<'authenticated' | 'public', UserIssue> = {
  required: ['device_code'],
  optional: [],
  callers: ['authenticated', 'public'],
  subject: 'user',
  refreshToken: true,

  async run(call) {
    const hash = keyOf(required(call, 'device_code'));
    const polled = await poll(call, hash);
    return polled.kind === 'approved' ? redeem(call, hash, polled) : refusedPoll(polled);
  },
};

function poll({ services, application, caller }: DeviceCall, hash: Buffer): Promise<PolledDevice> {
  const { client_id } = caller.client;
  return services.store.pollDevice(application.code, hash, client_id, services.clock.now());
}

/** The tokens are not bound to the session of the browser: the person may sign out there, and the device stays connected. */
async function redeem(
  call: DeviceCall,
  hash: Buffer,
  { family: approved, user }: Approved,
): Promise<GrantResult<UserIssue>> {
  const { services, application, params } = call;
  const { client } = call.caller;
  if (!mayEnter(application, user)) return { ...refused('deviceUserNotAllowed'), sub: user.sub };
  const allowed = allowedScope(client, application);
  // The registration of the client may have changed since the device asked.
  const family: TokenFamily = { ...approved, scope: approved.scope.filter(scope => isAllowed(scope, allowed)) };
  const { scope } = family;

  const part = partOfNewFamily(services, application, user.sub);
  const access = planAccessToken(services, application, call.binding, part);
  const requested = { resources: requestedResources(params, application), scope: undefined };
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
  const outcome = await services.store.redeemDevice(application.code, hash, family, tokens);
  if (outcome === 'clientGone') return refused('clientAuthenticationFailed');
  if (outcome === 'gone') return { ...(await whyGone(call, hash)), sub: user.sub };
  const owner = { subject: 'user', application, client, family, user } as const;
  const issued = { access: plan.written(), refreshToken: refresh?.value, nonce: undefined };
  return { kind: 'issued', issue: { ...owner, scope, ...issued } };
}

/** Another poll got the tokens, or the access of the user ended, since this poll read that the device is approved. */
async function whyGone(call: DeviceCall, hash: Buffer): Promise<RefusedGrant> {
  const polled = await poll(call, hash);
  // Approved and not to be redeemed: the user is disabled.
  return polled.kind === 'approved' ? refused('deviceDenied') : refusedPoll(polled);
}

const FAILURES = {
  unknown: 'deviceCodeInvalid',
  invalid: 'deviceCodeInvalid',
  redeemed: 'deviceCodeRedeemed',
  expired: 'deviceCodeExpired',
  denied: 'deviceDenied',
  slowDown: 'slowDown',
} as const;

function refusedPoll(polled: Exclude<PolledDevice, Approved>): RefusedGrant {
  // Nothing is wrong: the device waits for a person, and asks every few seconds.
  if (polled.kind === 'pending') return { kind: 'refused', failure: failure('authorizationPending'), isRoutine: true };
  return { ...refused(FAILURES[polled.kind]), ...factsOf(polled) };
}

function factsOf(polled: Exclude<PolledDevice, Approved>): Pick<RefusedGrant, 'facts'> {
  if (polled.kind === 'slowDown') return { facts: { pollInterval: polled.interval } };
  return polled.kind === 'invalid' ? { facts: { isOfOtherClient: true } } : {};
}
