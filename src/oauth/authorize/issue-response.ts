import type { Application } from '../../directory/applications/rules.ts';
import { type Client, canRefresh } from '../../directory/clients/rules.ts';
import { profileClaims } from '../../directory/users/claims.rules.ts';
import type { LiveSession } from '../../people/sessions/store.ts';
import { keyOf, newCredential } from '../../platform/crypto/credential.ts';
import type { Services } from '../../services.ts';
import type { NewCode } from '../authorization-code/store.ts';
import { boundCredential, UNBOUND } from '../proof-of-possession/binding.ts';
import { partOfNewFamily } from '../token/family-part.ts';
import { grantedApis } from '../token/granted-api.rules.ts';
import {
  accessTokenFor,
  idTokenFor,
  newGrantId,
  planAccessToken,
  planForFamily,
  scopeOf,
  type UserIssue,
} from '../token/issue.ts';
import type { TokenFamily } from '../token/store.ts';
import type { AuthRequest } from './request.rules.ts';
import type { ResponseFields } from './response-mode.rules.ts';
import { ID_TOKEN_CLAIMS_FORM } from './strict-oidc.rules.ts';

/** Fixed by the interface. */
const CODE_LIFETIME_SECONDS = 300;

/** The response to the client. `clientGone`: the client was deleted meanwhile, so there is no trusted address to respond to. */
export type Authorized = ResponseFields | 'clientGone';

/** Issues a code or tokens. The caller has validated the request and the user is signed in. */
export function authorize(
  services: Services,
  application: Application,
  client: Client,
  request: AuthRequest,
  session: LiveSession,
): Promise<Authorized> {
  const family: TokenFamily = {
    clientId: request.clientId,
    sub: session.user.sub,
    scope: request.scope,
    resources: grantedApis(application, request.scope, request.resources),
    authTime: session.authTime,
    amr: session.amr,
    sid: session.sid,
    claims: request.claims,
  };
  return request.responseType === 'code'
    ? issueCode(services, application, client, request, family)
    : issueImplicit(services, application, client, request, session, family);
}

/** RFC 6749 section 4.1.2. */
async function issueCode(
  services: Services,
  application: Application,
  client: Client,
  request: AuthRequest,
  family: TokenFamily,
): Promise<Authorized> {
  const { random, clock, store, metrics } = services;
  const expiresAt = clock.now() + CODE_LIFETIME_SECONDS;
  const part = partOfNewFamily(services, application, family.sub);
  // Empty: any key, so that a PKCE verifier alone does not redeem it without a proof.
  const key = request.dpopJkt ?? (client.dpop_bound_access_tokens ? '' : undefined);
  const code = boundCredential(newCredential('code', expiresAt, random, part), key);
  const stored: NewCode = {
    codeHash: keyOf(code),
    family,
    redirectUri: request.redirectUri,
    codeChallenge: request.codeChallenge,
    clientAuthenticationRequired: client.require_client_authentication,
    withRefresh: canRefresh(client),
    nonce: request.nonce,
    expiresAt,
  };
  const outcome = await store.addCode(application.code, stored);
  if (outcome === 'clientGone') return outcome;
  metrics.tokens.add('code');
  return [['code', code]];
}

/** OIDC Core section 3.2.2.5. Never a refresh token; an ID token only with the scope openid. */
async function issueImplicit(
  services: Services,
  application: Application,
  client: Client,
  request: AuthRequest,
  session: LiveSession,
  family: TokenFamily,
): Promise<Authorized> {
  const { nonce, scope } = request;
  const { user } = session;
  const withToken = request.responseType === 'id_token token';
  const part = partOfNewFamily(services, application, user.sub);
  const access = withToken
    ? planForFamily(services, application, family, UNBOUND, part)
    : planAccessToken(services, application, UNBOUND, part);
  if (typeof access === 'string') throw new Error('the API of a request that was checked is gone');
  const tokens = { grantId: newGrantId(services), issuedAt: access.issuedAt, access: access.stored };
  const outcome = withToken
    ? await services.store.addTokenFamily(application.code, family, { ...tokens, refresh: undefined }, undefined)
    : await services.store.noteSessionClient(application.code, client.client_id, session.sid);
  if (outcome === 'clientGone') return outcome;
  const owner = { subject: 'user', application, client, family, user } as const;
  const issue: UserIssue = { ...owner, scope, access, refreshToken: undefined, nonce };
  const accessToken = withToken ? await accessTokenFor(services, issue) : undefined;
  // Without an access token there is no userinfo request, so the ID token contains the profile (OIDC Core section 5.4).
  const profile = withToken ? undefined : profileClaims(user, scope, ID_TOKEN_CLAIMS_FORM, application);
  const idToken = scope.includes('openid') ? await idTokenFor(services, issue, { accessToken, profile }) : undefined;
  services.statistics.tokensIssued(application.code, 'implicit');
  return [
    ['access_token', accessToken],
    ['token_type', UNBOUND.tokenType],
    ['expires_in', withToken ? String(access.stored.expiresAt - access.issuedAt) : undefined],
    // A scope has at least one character (RFC 6749 section 3.3).
    ['scope', (withToken ? scopeOf(issue) : scope).join(' ') || undefined],
    ['id_token', idToken],
  ];
}
