import { header, isForm, json, type Request } from '../message.ts';
import { profileClaims, requestedClaims } from '../protocol/claims.ts';
import { dialectOf } from '../protocol/dialect.ts';
import { type Failure, failure } from '../protocol/errors.ts';
import { parseParams } from '../protocol/params.ts';
import { grantedScope } from '../protocol/scope.ts';
import { isSubjectClient } from '../protocol/subject.ts';
import type { Endpoint } from '../services.ts';
import { bearerToken, locateToken } from './token-lookup.ts';

/** OIDC Core section 5.3. */
export const userinfo: Endpoint = async (services, request, application) => {
  const presented = presentedToken(request);
  if ('failure' in presented) return presented;

  const located = await locateToken(services, application, presented.token);
  if (located?.kind !== 'access') return { failure: failure('tokenInvalid') };
  const now = services.clock.now();
  const tokenUser = await services.store.findTokenUser(application.code, located.hash, now, request.receivedAt);
  if (!tokenUser) return { failure: failure('tokenInvalid') };

  const { token, user } = tokenUser;
  const dialect = dialectOf(application);
  const scope = grantedScope(token.scope);
  if (isSubjectClient(token) || (!scope.includes('openid') && !dialect.userinfoWithoutOpenid)) {
    return { failure: failure('scopeInsufficient'), client: token.clientId, sub: token.sub };
  }
  const claims = profileClaims(user, scope, dialect);
  const { userinfo: requested } = tokenUser.claims;
  return json(requested.length === 0 ? claims : { ...requestedClaims(user, requested, dialect), ...claims });
};

/** RFC 6750 sections 2.1 and 2.2. A token in the URL (2.3) is ignored: URLs are logged everywhere. */
function presentedToken(request: Request): { readonly token: string } | { readonly failure: Failure } {
  const authorization = header(request, 'authorization');
  const inHeader = bearerToken(authorization);
  const inBody = request.method === 'POST' && isForm(request) ? bodyToken(request) : undefined;
  if (inHeader !== undefined && inBody !== undefined) return { failure: failure('bearerTwice') };
  const token = inHeader ?? inBody;
  if (token !== undefined) return { token };
  // "Bearer" with a malformed token is an invalid token; another scheme counts as no token.
  return { failure: failure(/^bearer +\S/i.test(authorization ?? '') ? 'tokenInvalid' : 'bearerMissing') };
}

function bodyToken(request: Request): string | undefined {
  return parseParams(request.body).get('access_token');
}
