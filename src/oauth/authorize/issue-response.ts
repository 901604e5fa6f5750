import type { Application } from '../../directory/applications/rules.ts';
import { type Client, canRefresh } from '../../directory/clients/rules.ts';
import { profileClaims } from '../../directory/users/claims.rules.ts';
import { provesItself } from '../../people/agents/rules.ts';
import type { LiveSession } from '../../people/sessions/store.ts';
import { CLIENT_FIRST, keyOf, newCredential } from '../../platform/crypto/credential.ts';
import type { Services } from '../../services.ts';
import type { NewCode } from '../authorization-code/store.ts';
import { FAPI_CODE_LIFETIME_SECONDS } from '../fapi/rules.ts';
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
import { hasWord } from './response-type.rules.ts';
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
  const issue = { application, client, request, session, family };
  switch (request.responseType) {
    case 'code':
      return issueCode(services, issue);
    case 'none':
      return confirmConsent(services, issue);
    default:
      return issueInFront(services, issue);
  }
}

interface Authorization {
  readonly application: Application;
  readonly client: Client;
  readonly request: AuthRequest;
  readonly session: LiveSession;
  readonly family: TokenFamily;
}

/** RFC 6749 section 4.1.2. */
async function issueCode(
  services: Services,
  { application, client, request, family }: Authorization,
): Promise<[['code', string]] | 'clientGone'> {
  const { random, clock, store, metrics } = services;
  const expiresAt = clock.now() + (client.profile ? FAPI_CODE_LIFETIME_SECONDS : CODE_LIFETIME_SECONDS);
  const part = partOfNewFamily(services, application, family.sub);
  const code = boundCredential(newCredential('code', expiresAt, random, part), boundTo(client, request));
  const stored: NewCode = {
    codeHash: keyOf(code),
    family,
    redirectUri: request.redirectUri,
    codeChallenge: request.codeChallenge,
    clientAuthenticationRequired: provesItself(client),
    withRefresh: canRefresh(client),
    nonce: request.nonce,
    expiresAt,
  };
  const outcome = await store.addCode(application.code, stored);
  if (outcome === 'clientGone') return outcome;
  metrics.tokens.add('code');
  return [['code', code]];
}

/** By a PKCE verifier alone only the code names its client, so the code says itself what has to be known before it is redeemed. */
function boundTo(client: Client, { dpopJkt }: AuthRequest): string | undefined {
  if (dpopJkt !== undefined) return dpopJkt;
  // Any key.
  if (client.dpop_bound_access_tokens) return '';
  return client.id_token_encrypted_response_alg === undefined ? undefined : CLIENT_FIRST;
}

/** OAuth 2.0 Multiple Response Types section 4: the client learns that the user is signed in and agrees, and gets nothing. */
async function confirmConsent({ store }: Services, { application, client, session }: Authorization) {
  const outcome = await store.noteSessionClient(application.code, client.client_id, session.sid);
  return outcome === 'clientGone' ? outcome : [];
}

/**
 * Tokens through the browser: the implicit flow (OIDC Core section 3.2.2.5), and with a code the hybrid flow (3.3.2.5). Never a refresh
 * token; an ID token only with the scope openid. The code has a grant of its own, which begins when it is redeemed.
 */
async function issueInFront(services: Services, authorization: Authorization): Promise<Authorized> {
  const { application, client, request, session, family } = authorization;
  const { nonce, scope, responseType } = request;
  const { user } = session;
  const withToken = hasWord(responseType, 'token');
  const isHybrid = hasWord(responseType, 'code');
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
  const issuedCode = isHybrid ? await issueCode(services, authorization) : [];
  if (issuedCode === 'clientGone') return issuedCode;
  const code = issuedCode[0]?.[1];
  const owner = { subject: 'user', application, client, family, user } as const;
  const issue: UserIssue = { ...owner, scope, access, refreshToken: undefined, nonce };
  const accessToken = withToken ? await accessTokenFor(services, issue) : undefined;
  // Where no access token follows there is no userinfo request, so the ID token contains the profile (OIDC Core section 5.4).
  const profile =
    responseType === 'id_token' ? profileClaims(user, scope, ID_TOKEN_CLAIMS_FORM, application) : undefined;
  const hasIdToken = hasWord(responseType, 'id_token') && scope.includes('openid');
  const idToken = hasIdToken ? await idTokenFor(services, issue, { accessToken, code, profile }) : undefined;
  services.statistics.tokensIssued(application.code, 'implicit');
  const answered: ResponseFields = [
    ['access_token', accessToken],
    ['token_type', UNBOUND.tokenType],
    ['expires_in', withToken ? String(access.stored.expiresAt - access.issuedAt) : undefined],
    // A scope has at least one character (RFC 6749 section 3.3).
    ['scope', (withToken ? scopeOf(issue) : scope).join(' ') || undefined],
  ];
  // The interface has token_type and scope in each answer of the implicit flow.
  return [...issuedCode, ...(withToken || !isHybrid ? answered : []), ['id_token', idToken]];
}
