import { header, isForm, json, type Request } from '../message.ts';
import { profileClaims, requestedClaims } from '../protocol/claims.ts';
import { dialectOf } from '../protocol/dialect.ts';
import { type Failure, failure } from '../protocol/errors.ts';
import { parseParams } from '../protocol/params.ts';
import { grantedScope } from '../protocol/scope.ts';
import { isSubjectClient } from '../protocol/subject.ts';
import type { Endpoint } from '../services.ts';
import { bearerToken, locateToken } from './look-up.ts';

/** OIDC Core section 5.3. */
export const userinfo: Endpoint = async (services, request, application) => {
  const presented = presentedToken(request);
  if ('failure' in presented) return presented;

  const locating = locateToken(services, application, presented.token);
  const located = locating instanceof Promise ? await locating : locating;
  if (located?.kind !== 'access') return { failure: failure('tokenInvalid') };
  const now = services.clock.now();
  const found = await services.store.findTokenUser(application.code, located.hash, now, request.receivedAt);
  if (!found) return { failure: failure('tokenInvalid') };

  const dialect = dialectOf(application);
  const scope = grantedScope(found.token.scope);
  if (isSubjectClient(found.token) || (!scope.includes('openid') && !dialect.userinfoWithoutOpenid)) {
    return { failure: failure('scopeInsufficient'), client: found.token.clientId, sub: found.user.sub };
  }
  const claims = profileClaims(found.user, scope, dialect);
  const { userinfo: asked } = found.claims;
  return json(asked.length === 0 ? claims : { ...requestedClaims(found.user, asked, dialect), ...claims });
};

/** RFC 6750 sections 2.1 and 2.2. A token in the address (2.3) is not looked at: addresses are logged everywhere. */
function presentedToken(request: Request): { readonly token: string } | { readonly failure: Failure } {
  const authorization = header(request, 'authorization');
  const inHeader = bearerToken(authorization);
  const inBody = request.method === 'POST' && isForm(request) ? bodyToken(request) : undefined;
  if (inHeader !== undefined && inBody !== undefined) return { failure: failure('bearerTwice') };
  const token = inHeader ?? inBody;
  if (token !== undefined) return { token };
  // "Bearer" with something that is no token is a bad token; anything else is none at all.
  return { failure: failure(/^bearer +\S/i.test(authorization ?? '') ? 'tokenInvalid' : 'bearerMissing') };
}

function bodyToken(request: Request): string | undefined {
  return parseParams(request.body).get('access_token');
}
