import { json, type Refusal, type Request } from '../message.ts';
import { acrOf } from '../protocol/acr.ts';
import { profileClaims, requestedClaims } from '../protocol/claims.ts';
import type { Application } from '../protocol/client.ts';
import { dialectOf } from '../protocol/dialect.ts';
import { failure } from '../protocol/errors.ts';
import { grantedScope } from '../protocol/scope.ts';
import { challengeOfDemands, type LoginDemands, meetsDemands } from '../protocol/step-up.ts';
import { isSubjectClient } from '../protocol/subject.ts';
import type { Endpoint, Services } from '../services.ts';
import type { TokenUser } from '../store/tokens.ts';
import { needsProof, presentedToken, refusedProof } from './proof/presented-token.ts';
import { findLiveToken, type Located, locateJwt, locateOpaque } from './token-lookup.ts';

/** OIDC Core section 5.3. */
export const userinfo: Endpoint = async (services, request, application) => {
  const presented = presentedToken(request);
  if ('failure' in presented) return presented;

  const located = locateOpaque(presented.token) ?? (await locateJwt(services, application, presented.token));
  if (located?.kind !== 'access') return { failure: failure('tokenInvalid') };
  const now = services.clock.now();
  const tokenUser = await services.store.findTokenUser(application.code, located.hash, now, request.receivedAt);
  if (!tokenUser) return withoutUser(services, request, application, located);

  const { confirmation } = located;
  const refusal = needsProof(presented, confirmation)
    ? await refusedProof(services, request, presented, confirmation)
    : undefined;
  const { token, user } = tokenUser;
  if (refusal) return { ...refusal, client: token.clientId };
  const dialect = dialectOf(application);
  const scope = grantedScope(token.scope);
  // A token for an API is none for this endpoint, whatever its scope.
  const isForUserinfo = token.audience === undefined && !isSubjectClient(token);
  if (!isForUserinfo || (!scope.includes('openid') && !dialect.userinfoWithoutOpenid)) {
    const facts = { grantedScope: scope };
    return { failure: failure('scopeInsufficient'), client: token.clientId, sub: token.sub, facts };
  }
  const { code, userinfo_acr_values: acrValues, userinfo_max_age: maxAge } = application;
  if (acrValues !== undefined || maxAge !== undefined) {
    const insufficient = insufficientLogin({ acrValues, maxAge }, tokenUser, now);
    if (insufficient) return insufficient;
  }
  const claims = profileClaims(user, scope, dialect, code);
  const { userinfo: requested } = tokenUser.claims;
  return json(requested.length === 0 ? claims : { ...requestedClaims(user, requested, dialect, code), ...claims });
};

/** RFC 9470: the client gets the user to sign in as the application demands, and comes back with another token. */
function insufficientLogin(
  demands: LoginDemands,
  { token, authTime, amr }: TokenUser,
  now: number,
): Refusal | undefined {
  if (meetsDemands(demands, { authTime, amr }, now)) return undefined;
  const { acrValues, maxAge } = demands;
  const facts = { demanded: { acrValues, maxAge, acr: acrOf(amr?.split(' ') ?? []), authTime: authTime ?? undefined } };
  const challenge = challengeOfDemands(demands);
  return { failure: failure('authenticationInsufficient'), client: token.clientId, sub: token.sub, challenge, facts };
}

/** The token of a client that acts for itself is valid, and there is no user to tell about. */
async function withoutUser(
  services: Services,
  request: Request,
  application: Application,
  located: Located,
): Promise<Refusal> {
  const token = await findLiveToken(services, request, application, located);
  if (!token || !isSubjectClient(token)) return { failure: failure('tokenInvalid') };
  const facts = { grantedScope: grantedScope(token.scope) };
  return { failure: failure('scopeInsufficient'), client: token.clientId, sub: token.sub, facts };
}
