import type { RequestedAccess } from '../../directory/apis/rules.ts';
import type { Application } from '../../directory/applications/rules.ts';
import { type Client, signingAlgOf } from '../../directory/clients/rules.ts';
import {
  type AccessTokenFacts,
  accessTokenClaims,
  type Claims,
  idTokenClaims,
  type Profile,
  profileClaims,
  requestedClaims,
  setMembership,
} from '../../directory/users/claims.rules.ts';
import { agentActor, isAgent } from '../../people/agents/rules.ts';
import { keyOf, newCredential, newStamp } from '../../platform/crypto/credential.ts';
import { keptImport } from '../../platform/kept-import.ts';
import type { Services } from '../../services.ts';
import { detailsFor, isWithin } from '../authorization-details/rules.ts';
import type { AuthorizationDetail } from '../authorization-details/schema.rules.ts';
import { dialectOf, hasProfileInIdToken, ID_TOKEN_CLAIMS_FORM } from '../authorize/strict-oidc.rules.ts';
import { issuerFor } from '../discovery/issuer.ts';
import { isPairwise } from '../pairwise/rules.ts';
import { type Binding, boundCredential, keyOfBinding, UNBOUND } from '../proof-of-possession/binding.ts';
import { type NamedKey, nameOfKey } from '../proof-of-possession/confirmation.rules.ts';
import type { Actor } from '../token-exchange/rules.ts';
import { type AccessTarget, accessTarget } from './access-target.rules.ts';
import { isStandardScope, type Scope } from './scope.rules.ts';
import type {
  AccessForApi,
  LiveToken,
  NewAccessToken,
  NewToken,
  RequestedTarget,
  TargetRefusal,
  TokenFamily,
} from './store.ts';
import { subOfClient } from './subject.rules.ts';

const loadDetails = keptImport(() => import('../authorization-details/token-details.ts'));

/** Tokens in two steps: plan them (values and hashes, for the store's one operation), then sign and shape the answer. */
export interface PlannedAccess {
  readonly value: string;
  readonly issuedAt: number;
  readonly stored: NewAccessToken;
  /** The key that it is bound to. */
  readonly binding: Binding;
  /** Where the store has its family, if the application is spread (family-part.ts). */
  readonly part: number | undefined;
  /** What it is for. Undefined: the issuer itself, with the scope of its family. */
  readonly target?: AccessTarget | undefined;
  /** Undefined: none. */
  readonly details?: readonly AuthorizationDetail[] | undefined;
}

export function planAccessToken(
  { random, clock }: Services,
  application: Application,
  binding: Binding,
  part: number | undefined,
  target?: AccessTarget | undefined,
  latestEnd = Number.POSITIVE_INFINITY,
): PlannedAccess {
  const issuedAt = clock.now();
  const expiresAt = Math.min(issuedAt + (target?.api?.access_token_ttl ?? application.access_token_ttl), latestEnd);
  const credential = newCredential('access', expiresAt, random, part);
  const { confirmation } = binding;
  const value = binding === UNBOUND ? credential : boundCredential(credential, nameOfKey(confirmation));
  const stored = { hash: keyOf(value), expiresAt };
  if (!target) return { value, issuedAt, stored, binding, part };
  const forTarget = { ...stored, audience: target.api?.identifier, scope: target.scope };
  return { value, issuedAt, stored: forTarget, binding, part, target };
}

/** Whether the API takes bound tokens only, and the request has no proof for one (RFC 9449). */
export function lacksProof({ api }: AccessTarget, binding: Binding): boolean {
  return api?.require_dpop === true && keyOfBinding(binding) === undefined;
}

/** The first access token of a family, of a grant that has no code. */
export function planForFamily(
  services: Services,
  application: Application,
  family: Pick<TokenFamily, 'scope' | 'resources'> & Partial<Pick<TokenFamily, 'claims'>>,
  binding: Binding,
  part: number | undefined,
): PlannedAccess | TargetRefusal {
  if (family.resources === undefined) return planAccessToken(services, application, binding, part);
  const target = accessTarget(application, family, { resources: [], scope: undefined });
  if (!target) return 'targetInvalid';
  if (lacksProof(target, binding)) return 'proofMissing';
  return withDetails(application, family, undefined, planAccessToken(services, application, binding, part, target));
}

/** With what it has of the authorization details of its grant (RFC 9396). */
function withDetails(
  application: Application,
  { claims }: Partial<Pick<TokenFamily, 'claims'>>,
  requested: readonly AuthorizationDetail[] | undefined,
  access: PlannedAccess,
): PlannedAccess {
  if (!claims?.authorization_details) return access;
  const details = detailsFor(application, claims.authorization_details, requested, access.target?.api);
  return details.length === 0 ? access : { ...access, details };
}

/** The access token of a request that presents a code or refresh token: for an API where the family covers some. */
export interface RequestedPlan {
  readonly target: RequestedTarget;
  /** The token that the store has written. */
  written(): PlannedAccess;
  /** After `clientUnread`: the client that the family names. */
  unread(): string | undefined;
}

/**
 * `access`: the token for the issuer itself, which nearly every request gets. `client`: undefined where only the family names it,
 * which is refused as `clientUnread` then. What it is not registered for any more at an API, it does not get.
 */
export function planForRequest(
  services: Services,
  application: Application,
  requested: RequestedAccess,
  access: PlannedAccess,
  client: Client | undefined,
): RequestedPlan {
  let forApi: PlannedAccess | undefined;
  let unread: string | undefined;
  const accessFor: AccessForApi = ({ clientId, scope, resources, claims }) => {
    unread = client ? undefined : clientId;
    if (!client) return 'clientUnread';
    // A person may have given an agent more (requested-access.rules.ts).
    const isLeft = (one: Scope) => isAgent(client) || isStandardScope(one) || client.scope.includes(one);
    const target = accessTarget(application, { resources, scope: scope.filter(isLeft) }, requested);
    if (!target) return 'targetInvalid';
    if (lacksProof(target, access.binding)) return 'proofMissing';
    const { details } = requested;
    if (details && !isWithin(details, claims.authorization_details ?? [])) return 'detailsInvalid';
    const planned = () => planAccessToken(services, application, access.binding, access.part, target);
    forApi ??= withDetails(application, { claims }, details, planned());
    return forApi.stored;
  };
  const namesResource = requested.resources.length > 0 || requested.details !== undefined;
  return { target: { namesResource, accessFor }, written: () => forApi ?? access, unread: () => unread };
}

/** A refresh token: the value for the client, and the hash for the store. */
export interface PlannedRefresh {
  readonly value: string;
  readonly stored: NewToken;
}

/** `key`: what the refresh token of a public client is bound to (`refreshKey` of oauth/proof-of-possession/binding.ts). */
export function planRefreshToken(
  { random, clock }: Services,
  application: Application,
  part: number | undefined,
  key?: NamedKey,
): PlannedRefresh {
  const expiresAt = clock.now() + Math.min(application.refresh_token_ttl, application.refresh_family_ttl);
  const value = boundCredential(newCredential('refresh', expiresAt, random, part), key);
  return { value, stored: { hash: keyOf(value), expiresAt } };
}

/** With 80 random bits, since it is no secret. The stamp comes first, as in a credential: families of one time are stored side by side. */
export function newGrantId({ random, clock }: Pick<Services, 'random' | 'clock'>): string {
  return newStamp(clock.now()).toString('base64url') + random.bytes(10).toString('base64url');
}

/** What every access token has. */
interface AccessIssue {
  readonly application: Application;
  readonly client: Client;
  /** That the client gets now; a refresh may have narrowed it. */
  readonly scope: readonly Scope[];
  readonly access: PlannedAccess;
}

/** Tokens with which the client acts on behalf of a user. */
export interface UserIssue extends AccessIssue {
  readonly subject: 'user';
  readonly family: TokenFamily;
  /** Undefined where no claim about the user is needed. */
  readonly user: Profile | undefined;
  /** Undefined in the implicit flow, and for a client without the refresh grant. */
  readonly refreshToken: string | undefined;
  readonly nonce: string | undefined;
  /** Nobody has signed in to the client: the access token alone. */
  readonly idToken?: false;
}

/** A token with which the client acts for itself: no login, so no ID token, and no refresh token (RFC 6749 section 4.4.3). */
export interface ClientIssue extends AccessIssue {
  readonly subject: 'client';
}

/** A token that another one was exchanged for (RFC 8693): it acts for the same subject, and there is nothing to refresh it with. */
export interface ExchangedIssue extends AccessIssue {
  readonly subject: 'exchanged';
  readonly sub: string;
  /** Undefined where the subject is a client. */
  readonly login: LiveToken['login'];
  readonly act: Actor | undefined;
  /** Undefined: as API and client have it. */
  readonly format: 'jwt' | undefined;
  readonly issuedTokenType: string;
}

export type Issue = UserIssue | ClientIssue | ExchangedIssue;

/** RFC 6749 section 5.1, with the ID token of OIDC Core section 3.1.3.3. */
export async function tokenSet(services: Services, issue: Issue): Promise<Record<string, unknown>> {
  const accessToken = await accessTokenFor(services, issue);
  const set: Record<string, unknown> = {
    access_token: accessToken,
    expires_in: issue.access.stored.expiresAt - issue.access.issuedAt,
    refresh_token: issue.subject === 'user' ? issue.refreshToken : undefined,
    token_type: issue.access.binding.tokenType,
    // A scope has at least one character (RFC 6749 section 3.3).
    scope: scopeOf(issue).join(' ') || undefined,
    authorization_details: issue.access.details,
  };
  if (issue.subject === 'exchanged') return { ...set, issued_token_type: issue.issuedTokenType };
  if (issue.subject === 'client') return set;
  if (issue.refreshToken !== undefined) services.metrics.tokens.add('refresh');
  if (issue.idToken === false) return set;
  if (issue.family.scope.includes('openid') || dialectOf(issue.application).idTokenWithoutOpenid) {
    set.id_token = await idTokenFor(services, issue, { accessToken, profile: profileFor(issue) });
  }
  return set;
}

/** Of the access token. One for an API has the scopes of the API only. */
export function scopeOf({ access, scope }: AccessIssue): readonly Scope[] {
  return access.target?.scope ?? scope;
}

/** Many client libraries look for name and e-mail in the ID token alone (row 44). */
function profileFor({ application, client, user, scope }: UserIssue): Claims | undefined {
  if (!user || !hasProfileInIdToken(application, client)) return undefined;
  return profileClaims(user, scope, ID_TOKEN_CLAIMS_FORM, application);
}

/**
 * Opaque, or a JWT (RFC 9068) whose `jti` is the hash by which the store finds the token: a `jti` in a log is no token, and
 * revocation works alike for both. A token that is bound states its key itself: as `cnf`, or opaque and with a DPoP key or a certificate
 * as its last part. For another kind of key it is always a JWT.
 */
export async function accessTokenFor(services: Services, issue: Issue): Promise<string> {
  const { application, client, access } = issue;
  const { confirmation } = access.binding;
  const { api } = access.target ?? {};
  const { details } = access;
  if (details) await noteTokenDetails(services, issue, details);
  services.metrics.tokens.add('access');
  const requested = issue.subject === 'exchanged' ? issue.format : undefined;
  const format = requested ?? api?.access_token_format ?? client.access_token_format;
  if (format === 'opaque' && (confirmation === undefined || nameOfKey(confirmation) !== undefined)) return access.value;
  const acts = { ...actsFor(issue), isOfClient: isOfClient(issue) };
  const claims = accessTokenClaims(issuerFor(services, application), {
    audience: api?.identifier,
    ...(isPairwise(client) ? await services.subjects.shownTo(application.code, client, acts) : acts),
    clientId: client.client_id,
    scope: scopeOf(issue),
    iat: access.issuedAt,
    exp: access.stored.expiresAt,
    jti: Buffer.from(access.stored.hash).toString('base64url'),
    confirmation,
  });
  if (details) claims.authorization_details = details;
  // RFC 9068 section 2.2.3.1. Of the scope of the grant: a token for an API has the scopes of the API only.
  if (issue.subject === 'user' && issue.user) setMembership(claims, issue.user, issue.scope, application.code);
  return services.signer.sign(application.code, signingAlgOf(application, client), 'at+jwt', claims);
}

async function noteTokenDetails(
  services: Services,
  issue: Issue,
  details: readonly AuthorizationDetail[],
): Promise<void> {
  const { application, client, access } = issue;
  const { noteDetails } = await loadDetails();
  const sub = isOfClient(issue) ? undefined : actsFor(issue).sub;
  await noteDetails(services, application.code, access.stored, { sub, clientId: client.client_id }, details);
}

/** Whether no user is behind the token: nobody logged in for it. */
function isOfClient(issue: Issue): boolean {
  return issue.subject === 'client' || (issue.subject === 'exchanged' && issue.login === undefined);
}

/** The subject of an access token, how it logged in if it is a user, and who acts for it. */
function actsFor(issue: Issue): Pick<AccessTokenFacts, 'sub' | 'authTime' | 'amr' | 'act'> {
  switch (issue.subject) {
    case 'user': {
      const { sub, authTime, amr } = issue.family;
      return { sub, authTime, amr, act: agentActor(issue.client) };
    }
    case 'client':
      return { sub: subOfClient(issue.client.client_id), authTime: undefined, act: agentActor(issue.client) };
    case 'exchanged':
      return { sub: issue.sub, authTime: issue.login?.authTime, amr: issue.login?.amr, act: issue.act };
  }
}

export interface IdTokenParts {
  readonly accessToken: string | undefined;
  /** Issued in the same answer (hybrid flow). */
  readonly code?: string | undefined;
  /** Claims about the user, by the granted scopes. */
  readonly profile: Claims | undefined;
}

export async function idTokenFor(services: Services, issue: UserIssue, parts: IdTokenParts): Promise<string> {
  const { application, client, family, user, nonce } = issue;
  services.metrics.tokens.add('id');
  const iat = services.clock.now();
  const alg = signingAlgOf(application, client);
  const shown = isPairwise(client) ? await services.subjects.shownTo(application.code, client, family) : family;
  const claims = idTokenClaims(
    issuerFor(services, application),
    { ...shown, nonce },
    { iat, exp: iat + application.id_token_ttl },
    parts,
    alg,
  );
  const requested =
    user && requestedClaims(user, family.claims.id_token, ID_TOKEN_CLAIMS_FORM, application.code, family.amr);
  const signed = await services.signer.sign(application.code, alg, 'JWT', {
    ...parts.profile,
    ...requested,
    ...claims,
  });
  if (client.id_token_encrypted_response_alg === undefined) return signed;
  // Signed, then encrypted (OpenID Connect Core section 2). The endpoint has checked that there is a key.
  const encrypt = await services.encryption.to(client, 'id_token');
  if (!encrypt) throw new Error(`the key of ${client.client_id} for encrypted ID tokens is gone`);
  return encrypt(signed);
}
