import { clientActor, requestEvent } from '../../audit/events/request-event.ts';
import type { RefusalFacts } from '../../audit/refusals/facts.rules.ts';
import type { Account } from '../../directory/users/store.ts';
import { failure, scopeFailure, targetFailure } from '../../failures.ts';
import { isFirstUse } from '../../platform/single-use/first-use.ts';
import { NO_CLAIMS } from '../authorize/claims-request.rules.ts';
import { issuerFor } from '../discovery/issuer.ts';
import { hasProofOf } from '../proof-of-possession/binding.ts';
import { readConfirmation } from '../proof-of-possession/confirmation.rules.ts';
import { partOfNewFamily } from '../token/family-part.ts';
import {
  type GrantCall,
  type GrantResult,
  type RefusedGrant,
  refused,
  refusedAccess,
  requestedDetails,
  required,
} from '../token/grant.ts';
import { grantedApis } from '../token/granted-api.rules.ts';
import { newGrantId, planForFamily, type UserIssue } from '../token/issue.ts';
import { allowedScope, requestedResources } from '../token/requested-access.rules.ts';
import type { TokenFamily } from '../token/store.ts';
import { verifyByIssuer } from '../trusted-issuers/keys.ts';
import { type AccessVerdict, accessOfAssertion } from './access.rules.ts';
import { findPerson, type NoPerson } from './person.ts';
import {
  assertionFaults,
  type FaultyAssertion,
  type ReadAssertion,
  readIdentityAssertion,
  useOfIdentityAssertion,
} from './rules.ts';

type Call = GrantCall<'authenticated'>;
type Granted = Extract<AccessVerdict, { readonly kind: 'granted' }>;

/**
 * The order of the checks: what the assertion claims, who has signed it, what it may have, whom it names. What costs nothing comes first: keys
 * are fetched of issuers alone that this client may use, and its `jti` is spent by nothing but a token.
 */
export async function redeemAssertion(call: Call): Promise<GrantResult<UserIssue>> {
  const { services, application, caller } = call;
  const details = requestedDetails(call);
  if (details && 'kind' in details) return details;
  const expected = {
    issuers: application.assertion_issuers ?? [],
    issuer: issuerFor(services, application),
    client: caller.client,
  };
  const assertion = readIdentityAssertion(required(call, 'assertion'), expected, services.clock.now());
  if ('fault' in assertion) return refusedAssertion(assertion);
  const unproved = keyFault(call, assertion);
  if (unproved) return refusedAssertion(unproved);
  const verdict = await verifyByIssuer(services, assertion.issuer, assertion.jwt);
  if (verdict !== 'verified') {
    const { issuer, jwks_uri: uri } = assertion.issuer;
    return refusedAssertion({ fault: verdict, expected: uri ?? issuer, received: assertion.jwt.kid });
  }
  const access = accessOfAssertion(application, allowedScope(caller.client, application), assertion, {
    scope: call.params
      .get('scope')
      ?.split(' ')
      .filter(one => one !== ''),
    resources: requestedResources(call.params, application),
    details,
  });
  if (access.kind !== 'granted') return refusedWish(access);
  const person = await findPerson(services, application, assertion);
  if ('fault' in person) return refusedPerson(person, assertion);
  return issue(call, assertion, access, person);
}

/** Sections 8.7.1.2 and RFC 7800 section 3.1: a key that cannot be proved is no key that need not be. */
function keyFault({ binding }: Call, { jwt: { claims } }: ReadAssertion): FaultyAssertion | undefined {
  if (claims.cnf === undefined) return undefined;
  return hasProofOf(binding, readConfirmation(claims.cnf) ?? {}) ? undefined : { fault: 'keyMissing' };
}

function refusedAssertion(faulty: FaultyAssertion): RefusedGrant {
  const { fault } = faulty;
  const words = fault in assertionFaults ? assertionFaults[fault as keyof typeof assertionFaults] : '';
  return { kind: 'refused', failure: failure('identityAssertionInvalid', words), facts: factsOf(faulty) };
}

function refusedPerson({ fault, sub }: NoPerson, { issuer }: ReadAssertion): RefusedGrant {
  const faulty = { fault, expected: issuer.issuer } as const;
  return { ...refused('identityAssertionRefused'), facts: factsOf(faulty), ...(sub !== undefined && { sub }) };
}

const factsOf = (identityAssertion: FaultyAssertion): RefusalFacts => ({ identityAssertion });

function refusedWish(access: Exclude<AccessVerdict, Granted>): RefusedGrant {
  switch (access.kind) {
    case 'scopeInvalid':
      return { kind: 'refused', failure: scopeFailure(access.scope) };
    case 'targetInvalid':
      return { kind: 'refused', failure: targetFailure(access.resource) };
    case 'detailsInvalid':
      return { kind: 'refused', failure: failure('authorizationDetailsInvalid', access.reason) };
  }
}

/** An assertion is good once, on any node: a copy of it is of no use, whoever is first. */
async function issue(
  call: Call,
  assertion: ReadAssertion,
  { scope, resources, details }: Granted,
  user: Account,
): Promise<GrantResult<UserIssue>> {
  const { services, application, request, caller } = call;
  const { client } = caller;
  const { code } = application;
  const family: TokenFamily = {
    clientId: client.client_id,
    sub: user.sub,
    scope,
    resources: grantedApis(application, scope, resources),
    // Of unknown age is as old as can be, for whoever demands a fresh one (RFC 9470).
    authTime: Math.floor(Math.max(0, Math.min(assertion.authTime ?? 0, services.clock.now()))),
    // What its sign-in amounts to is not for the issuer to say (`acr_map` of a provider does).
    amr: ['fed'],
    sid: undefined,
    claims: details ? { ...NO_CLAIMS, authorization_details: details } : NO_CLAIMS,
  };
  const part = partOfNewFamily(services, application, user.sub);
  const access = planForFamily(services, application, family, call.binding, part);
  if (typeof access === 'string') return refusedAccess(call, access);
  const { issuer, jti, sub } = assertion;
  if (
    !(await isFirstUse(services, 'identity assertion', [code, issuer.issuer, jti], useOfIdentityAssertion(assertion)))
  )
    return refusedAssertion({ fault: 'replayed' });
  const tokens = {
    grantId: newGrantId(services),
    issuedAt: access.issuedAt,
    access: access.stored,
    refresh: undefined,
  };
  const event = requestEvent(services, request, {
    ...{ type: 'identity_assertion.accepted', outcome: 'success', actor: clientActor(client.client_id) },
    ...{ subject: user.sub, app: code, clientId: client.client_id },
    details: { issuer: issuer.issuer, person: shortText(sub), jti: shortText(jti), scope },
  });
  const outcome = await services.store.addTokenFamily(code, family, tokens, { event });
  if (outcome === 'clientGone') return refused('clientAuthenticationFailed');
  const owner = { subject: 'user', application, client, family, user, idToken: false } as const;
  return { kind: 'issued', issue: { ...owner, scope, access, refreshToken: undefined, nonce: undefined } };
}

const MAX_TEXT_LENGTH = 255;
const shortText = (text: string) => text.slice(0, MAX_TEXT_LENGTH);
