import { type Application, issuerOf } from '../../directory/applications/rules.ts';
import type { Client } from '../../directory/clients/rules.ts';
import { type Claims, profileClaims, requestedClaims } from '../../directory/users/claims.rules.ts';
import { failure } from '../../failures.ts';
import { acrOf } from '../../people/sign-in/acr.rules.ts';
import { json, NOT_STORED, type Refusal, type Reply, withHeaders } from '../../platform/http/message.ts';
import type { Endpoint, Services } from '../../services.ts';
import { dialectOf, userinfoClaimsOf } from '../authorize/strict-oidc.rules.ts';
import { challengeOfDemands, type LoginDemands, meetsDemands } from '../introspect/step-up.rules.ts';
import { isPairwise } from '../pairwise/rules.ts';
import {
  challengeOf,
  checkPossession,
  invalidToken,
  needsProof,
  PROVED,
  type PresentedToken,
  presentedToken,
} from '../proof-of-possession/presented-token.ts';
import { findLiveToken, type Located, locateJwt, locateOpaque } from '../token/lookup.ts';
import { grantedScope } from '../token/scope.rules.ts';
import type { LiveToken, TokenUser } from '../token/store.ts';
import { isSubjectClient } from '../token/subject.rules.ts';

/** OIDC Core section 5.3. */
export const userinfo: Endpoint = async (services, request, application) => {
  const presented = presentedToken(services, request);
  if ('failure' in presented) return presented;

  const located = locateOpaque(presented.token) ?? (await locateJwt(services, application, presented.token));
  if (located?.kind !== 'access') return invalidToken(services, presented.tokenType);
  const now = services.clock.now();
  const tokenUser = await services.store.findTokenUser(application.code, located.hash, now);
  if (!tokenUser) return withoutUser(services, application, presented, located);

  const { confirmation } = located;
  const checked = needsProof(presented, confirmation)
    ? await checkPossession(services, request, presented, confirmation)
    : PROVED;
  const { token, user } = tokenUser;
  if (checked.kind === 'refused') return { ...checked, client: token.clientId };
  const dialect = dialectOf(application);
  const scope = grantedScope(token.scope);
  // A token for an API is none for this endpoint, whatever its scope.
  const isForUserinfo = token.audience === undefined && !isSubjectClient(token);
  if (!isForUserinfo || (!scope.includes('openid') && !dialect.userinfoWithoutOpenid)) {
    return insufficientScope(services, token, presented);
  }
  const { code, userinfo_acr_values: acrValues, userinfo_max_age: maxAge } = application;
  if (acrValues !== undefined || maxAge !== undefined) {
    const insufficient = insufficientLogin(services, { acrValues, maxAge }, tokenUser, presented, now);
    if (insufficient) return insufficient;
  }
  // From the cache: nearly every request finds it there.
  const { registry } = services;
  const client = registry.cachedClient(code, token.clientId) ?? (await registry.client(code, token.clientId));
  const form = userinfoClaimsOf(dialect, client);
  const claims = profileClaims(user, scope, form, application);
  const { userinfo: requested } = tokenUser.claims;
  const named = requested.length === 0 ? claims : { ...requestedClaims(user, requested, form, code), ...claims };
  const all = isPairwise(client) ? await services.subjects.shownTo(code, client, { ...named, sub: token.sub }) : named;
  const isPlain = !client?.userinfo_signed_response_alg && !client?.userinfo_encrypted_response_alg;
  if (!client || isPlain) return withHeaders(json(all), checked.headers);
  const answer = await asJwt(services, application, client, all);
  return 'failure' in answer ? answer : withHeaders(answer, checked.headers);
};

/** OIDC Core section 5.3.2. Without `exp` it passes for no ID token (oauth/signing-keys/verifier.ts). */
async function asJwt(
  services: Services,
  { code }: Application,
  client: Client,
  claims: Claims,
): Promise<Reply | Refusal> {
  const { signer, config } = services;
  const { client_id: aud, userinfo_signed_response_alg: alg } = client;
  const forClient = { ...claims, iss: issuerOf(config.baseUrl, code), aud };
  const plain = alg ? await signer.sign(code, alg, 'JWT', forClient) : JSON.stringify(forClient);
  const body = client.userinfo_encrypted_response_alg
    ? await (await services.encryption.to(client, 'userinfo', alg ? 'nested' : 'claims'))?.(plain)
    : plain;
  if (body === undefined) return { failure: failure('encryptionKeyMissing'), client: aud };
  return { status: 200, headers: { ...NOT_STORED, 'content-type': 'application/jwt' }, body };
}

/** RFC 9470: the client gets the user to sign in as the application demands, and comes back with another token. */
function insufficientLogin(
  services: Services,
  demands: LoginDemands,
  { token, authTime, amr }: TokenUser,
  { tokenType }: PresentedToken,
  now: number,
): Refusal | undefined {
  if (meetsDemands(demands, { authTime, amr }, now)) return undefined;
  const { acrValues, maxAge } = demands;
  const facts = { demanded: { acrValues, maxAge, acr: acrOf(amr?.split(' ') ?? []), authTime: authTime ?? undefined } };
  const { challenge: ofProof } = challengeOf(services, tokenType);
  const parameters = [challengeOfDemands(demands), ...(ofProof ? [ofProof.parameters] : [])].join(', ');
  const challenge = { scheme: tokenType, parameters };
  return { failure: failure('authenticationInsufficient'), client: token.clientId, sub: token.sub, challenge, facts };
}

/** The token of a client that acts for itself is valid, and there is no user to tell about. */
async function withoutUser(
  services: Services,
  application: Application,
  presented: PresentedToken,
  located: Located,
): Promise<Refusal> {
  const token = await findLiveToken(services, application, located);
  if (!token || !isSubjectClient(token)) return invalidToken(services, presented.tokenType);
  return insufficientScope(services, token, presented);
}

function insufficientScope(
  services: Services,
  { clientId, sub, scope, audience }: LiveToken,
  { tokenType }: PresentedToken,
): Refusal {
  const facts = { grantedScope: grantedScope(scope), audience };
  return { failure: failure('scopeInsufficient'), client: clientId, sub, facts, ...challengeOf(services, tokenType) };
}
