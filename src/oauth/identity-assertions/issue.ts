import { clientActor, requestEvent } from '../../audit/events/request-event.ts';
import { signingAlgOf } from '../../directory/clients/rules.ts';
import { type Claims, hasVerifiedEmail } from '../../directory/users/claims.rules.ts';
import { failure, parameterFailure } from '../../failures.ts';
import { acrOf } from '../../people/sign-in/acr.rules.ts';
import { PARAMETER, parseDetails } from '../authorization-details/rules.ts';
import { issuerFor } from '../discovery/issuer.ts';
import { keyOfBinding } from '../proof-of-possession/binding.ts';
import type { GrantCall, GrantResult, RefusedGrant } from '../token/grant.ts';
import type { ExchangedIssue } from '../token/issue.ts';
import { ASSERTION_SECONDS, type AssertionPolicy, type FaultySubject } from './issue.rules.ts';
import { findLogin, type Login, SUBJECT_TOKEN_TYPES } from './login.ts';
import { ID_JAG_JWT_TYPE, ID_JAG_TYPE } from './names.rules.ts';

type Call = GrantCall<'authenticated'>;

/** What of the policy the request asks for. */
interface Wish {
  readonly scope: readonly string[];
  readonly resource: string | readonly string[] | undefined;
  readonly details: readonly object[] | undefined;
}

/** Section 4.3 of the draft. The policy comes first, which is about the client alone, then what it asks for, then whose sign-in it shows. */
export async function issueAssertion(call: Call): Promise<GrantResult<ExchangedIssue>> {
  const fault = parameterFault(call);
  if (fault) return fault;
  const policy = policyFor(call);
  if ('failure' in policy) return policy;
  const wish = readWish(call, policy);
  if ('failure' in wish) return wish;
  const login = await findLogin(call);
  if ('fault' in login) return refusedSubject(login);
  return sign(call, policy, wish, login);
}

const refused = (reason: ReturnType<typeof failure>): RefusedGrant => ({ kind: 'refused', failure: reason });

function parameterFault({ params }: Call): RefusedGrant | undefined {
  const isKnown = (Object.values(SUBJECT_TOKEN_TYPES) as readonly string[]).includes(
    params.get('subject_token_type') ?? '',
  );
  if (!isKnown) return refused(failure('parameterInvalid', 'subject_token_type'));
  // What an actor means here is left to later specifications (section 8.5).
  const actor = ['actor_token', 'actor_token_type'].find(name => params.get(name) !== undefined);
  if (actor !== undefined) return refused(failure('parameterInvalid', actor));
  const malformed = params.fault(['audience']) ?? params.fault(['resource']);
  // Both may be repeated: several audiences are told as a target.
  return malformed?.kind === 'malformed' ? refused(parameterFailure(malformed)) : undefined;
}

/** An assertion for this issuer itself would widen what the client may do here (section 8.3). */
function policyFor({ services, application, caller, params }: Call): AssertionPolicy | RefusedGrant {
  const [audience, ...others] = new Set(params.all('audience'));
  if (audience === undefined) return refused(failure('parameterMissing', 'audience'));
  const { client_id: clientId } = caller.client;
  const policy = (application.identity_assertions ?? []).find(
    each => each.client === clientId && each.audience === audience,
  );
  const isOwn = audience === issuerFor(services, application);
  return policy && others.length === 0 && !isOwn ? policy : refused(failure('identityAssertionNotAllowed', 'audience'));
}

/** More than the policy has is refused, as at every exchange. */
function readWish({ params }: Call, policy: AssertionPolicy): Wish | RefusedGrant {
  const scope = params
    .get('scope')
    ?.split(' ')
    .filter(one => one !== '');
  const isScopeAllowed = scope?.every(one => policy.scopes.includes(one)) ?? true;
  if (!isScopeAllowed || scope?.length === 0) return refused(failure('identityAssertionScopeInvalid'));
  const resources = [...new Set(params.all('resource'))];
  if (!resources.every(one => policy.resources?.includes(one))) {
    return refused(failure('identityAssertionNotAllowed', 'resource'));
  }
  const text = params.get(PARAMETER);
  const details = text === undefined ? undefined : parseDetails(text);
  if (typeof details === 'string') return refused(failure('authorizationDetailsInvalid', details));
  if (!(details?.every(({ type }) => policy.authorization_details_types?.includes(type)) ?? true)) {
    return refused(failure('authorizationDetailsInvalid', 'unknown type'));
  }
  // Who asks for details alone gets these alone.
  const granted = scope ? [...new Set(scope)] : details ? [] : policy.scopes;
  return { scope: granted, resource: resources.length > 1 ? resources : resources[0], details };
}

function refusedSubject({ sub, ...faulty }: FaultySubject & { readonly sub?: string }): RefusedGrant {
  const facts = { identitySubject: faulty };
  return { ...refused(failure('identitySubjectInvalid')), facts, ...(sub !== undefined && { sub }) };
}

const ID_BYTES = 16;

async function sign(
  call: Call,
  policy: AssertionPolicy,
  { scope, resource, details }: Wish,
  { user, authTime, amr, scope: granted }: Login,
): Promise<GrantResult<ExchangedIssue>> {
  const { services, request, application, caller, binding } = call;
  const { client } = caller;
  const { code } = application;
  const sub = await shownSubject(call, policy, user.sub);
  if (sub === undefined) return refused(failure('identityAssertionNotAllowed', 'audience'));
  const [jti, iat, jkt] = [
    services.random.bytes(ID_BYTES).toString('base64url'),
    services.clock.now(),
    keyOfBinding(binding),
  ];
  const acr = acrOf(amr);
  const isEmailShown = granted.includes('email') && hasVerifiedEmail(user);
  const claims: Claims = {
    iss: issuerFor(services, application),
    sub,
    aud: policy.audience,
    client_id: policy.client_id ?? client.client_id,
    jti,
    iat,
    exp: iat + ASSERTION_SECONDS,
    auth_time: authTime,
    amr,
    ...(acr !== undefined && { acr }),
    ...(scope.length > 0 && { scope: scope.join(' ') }),
    ...(resource !== undefined && { resource }),
    ...(details && { authorization_details: details }),
    ...(isEmailShown && { email: user.email, email_verified: true }),
    // Section 8.7.1.1: only who has the key can use it there.
    ...(jkt !== undefined && { cnf: { jkt } }),
  };
  const assertion = await services.signer.sign(code, signingAlgOf(application, client), ID_JAG_JWT_TYPE, claims);
  services.recorder.record(
    requestEvent(services, request, {
      ...{
        type: 'identity_assertion.issued',
        outcome: 'success',
        actor: clientActor(client.client_id),
        subject: user.sub,
      },
      ...{ app: code, clientId: client.client_id, details: { audience: policy.audience, scope, jti } },
    }),
  );
  return {
    kind: 'handedOut',
    set: {
      access_token: assertion,
      issued_token_type: ID_JAG_TYPE,
      token_type: 'N_A',
      expires_in: ASSERTION_SECONDS,
      ...(scope.length > 0 && { scope: scope.join(' ') }),
      ...(details && { authorization_details: details }),
    },
  };
}

/**
 * Section 3.1: the sub by which the other issuer knows the person, as one of the clients here. Otherwise the one that the asking client sees: it
 * reads the assertion, and a pairwise client must not learn there whom others see. Undefined: that client is gone.
 */
async function shownSubject(
  { services, application, caller }: Call,
  { subject_client: named }: AssertionPolicy,
  sub: string,
): Promise<string | undefined> {
  const { code } = application;
  const client = named === undefined ? caller.client : await services.registry.client(code, named);
  return client && (await services.subjects.shownTo(code, client, { sub })).sub;
}
