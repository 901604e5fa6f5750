import { BUILT_IN_APPLICATION } from '../../directory/applications/built-in.rules.ts';
import { failure } from '../../failures.ts';
import { challengeOfDemands } from '../../oauth/introspect/step-up.rules.ts';
import {
  challengeOf,
  checkPossession,
  needsProof,
  PROVED,
  type PresentedToken,
  tokenInHeader,
} from '../../oauth/proof-of-possession/presented-token.ts';
import { findLiveToken, locateJwt, locateOpaque } from '../../oauth/token/lookup.ts';
import { grantedScope, type Scope } from '../../oauth/token/scope.rules.ts';
import type { LiveToken } from '../../oauth/token/store.ts';
import { isSubjectClient } from '../../oauth/token/subject.rules.ts';
import { hasTwoFactors } from '../../people/sign-in/acr.rules.ts';
import type { Refusal, Request } from '../../platform/http/message.ts';
import type { Services } from '../../services.ts';
import { hashApiKey, isApiKey } from '../api-keys/api-key.ts';
import type { Caller } from './caller.ts';

/** The last use of a key is written at most once in this time: most requests then write nothing. */
const LAST_USE_INTERVAL_SECONDS = 60;

/** An API key (RFC 6750 section 2.1), or an access token of the built-in application under the scheme of its proof. */
export async function authenticate(services: Services, request: Request): Promise<{ caller: Caller } | Refusal> {
  const presented = tokenInHeader(services, request);
  if (presented === undefined) return { failure: failure('operatorUnknown') };
  const caller = isApiKey(presented.token)
    ? await callerOfKey(services, presented.token)
    : await callerOfToken(services, request, presented);
  if (!caller) return refuseKey(services, request);
  if ('failure' in caller) return caller;
  return mayCall(request.method, caller) ? { caller } : { failure: failure('operatorScopeMissing', 'admin:write') };
}

/** An operator behind an access token for an API of the built-in application. Which scope it needs is for the API to say. */
export async function authenticateFor(
  services: Services,
  request: Request,
  audience: string,
): Promise<{ caller: Caller } | Refusal> {
  const presented = tokenInHeader(services, request);
  if (presented === undefined) return { failure: failure('operatorUnknown') };
  const caller = await callerOfToken(services, request, presented, audience);
  if (!caller) return refuseKey(services, request);
  return 'failure' in caller ? caller : { caller };
}

async function callerOfKey({ store, clock }: Services, key: string): Promise<Caller | undefined> {
  const now = clock.now();
  const found = await store.findApiKey(hashApiKey(key), now);
  if (!found) return undefined;
  if ((found.lastUsedAt ?? 0) + LAST_USE_INTERVAL_SECONDS <= now) await store.noteApiKeyUse(found.id, now);
  return { actor: { kind: 'api_key', id: found.id }, role: found.role, applications: found.applications };
}

/** The role is read with every request, not from the token: a role that was removed ends at once. */
async function callerOfToken(
  services: Services,
  request: Request,
  presented: PresentedToken,
  /** Undefined: the admin API. */
  audience?: string,
): Promise<Caller | Refusal | undefined> {
  const application = await services.registry.application(BUILT_IN_APPLICATION);
  if (!application) return undefined;
  const located = locateOpaque(presented.token) ?? (await locateJwt(services, application, presented.token));
  if (located?.kind !== 'access') return undefined;
  const live = await findLiveToken(services, application, located);
  if (!live || isSubjectClient(live) || live.audience !== audience) return undefined;
  const { confirmation } = located;
  const checked = needsProof(presented, confirmation)
    ? await checkPossession(services, request, presented, confirmation)
    : PROVED;
  if (checked.kind === 'refused') return checked.failure.error === 'use_dpop_nonce' ? checked : undefined;
  const operator = await services.store.findOperator(live.sub);
  if (!operator || operator.disabled) return undefined;
  if (services.config.operatorMfa === 'required' && !hasTwoFactors(live.login?.amr ?? [])) {
    return factorMissing(services, live, presented);
  }
  const { sub: id, role, applications } = operator;
  return { actor: { kind: 'operator', id }, role, applications, scope: grantedScope(live.scope) };
}

/** However the token was issued, also before the setting was made: RFC 9470 section 3 tells the client what to ask for. */
function factorMissing(services: Services, { clientId, sub }: LiveToken, { tokenType }: PresentedToken): Refusal {
  const { challenge: ofProof } = challengeOf(services, tokenType);
  const parameters = [
    challengeOfDemands({ acrValues: ['2'], maxAge: undefined }),
    ...(ofProof ? [ofProof.parameters] : []),
  ].join(', ');
  return {
    failure: failure('operatorFactorMissing'),
    client: clientId,
    sub,
    challenge: { scheme: tokenType, parameters },
  };
}

const READ_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD']);

/** admin:write includes admin:read, since the answer to a change is the object. Without either, a token is only for signing in. */
function mayCall(method: string, { scope }: { readonly scope?: readonly Scope[] | undefined }): boolean {
  if (scope === undefined || scope.includes('admin:write')) return true;
  return READ_METHODS.has(method) && scope.includes('admin:read');
}

/** Counted after the lookup, so that a flood of wrong keys does not lock out the right key from the same network. */
async function refuseKey({ throttle }: Services, { address }: Request): Promise<Refusal> {
  const { wait } = await throttle.admit({ kind: 'operator', address });
  if (wait === 0) return { failure: failure('operatorKeyInvalid') };
  return { failure: failure('tooManyOperatorAttempts'), retryAfter: wait };
}
