import { type AccessLists, EVERYBODY } from '../../directory/access/rules.ts';
import type { Application } from '../../directory/applications/rules.ts';
import type { Client } from '../../directory/clients/rules.ts';
import { challengeOf } from '../../oauth/authorization-code/pkce.rules.ts';
import { allowedResponseTypes } from '../../oauth/authorize/response-type-use.rules.ts';
import { readAssertion } from '../../oauth/client-authentication/client-assertion.rules.ts';
import { signsMessages } from '../../oauth/fapi/rules.ts';
import type { GrantTypes } from '../../oauth/token/grant-types.rules.ts';
import { scopesOf } from '../../oauth/token/scope.rules.ts';
import { keyOf } from '../../platform/crypto/credential.ts';
import { type BodyFault, header, type Refusal, type Request } from '../../platform/http/message.ts';
import type { Params } from '../../platform/http/params.rules.ts';
import type { Services } from '../../services.ts';
import type {
  AdmittedFacts,
  ApplicationFacts,
  Parameter,
  RegisteredAnswers,
  Registration,
  Snapshot,
} from '../explain/snapshot.ts';
import type { RefusalFacts } from './facts.rules.ts';
import { loggedDetail, maskRandom, showUri } from './mask.ts';
import { receivedOf } from './received.ts';

/** Where a request went. */
export interface RefusedAt {
  /** The code of the application in the path, as it was sent; empty: the path has none. */
  readonly app: string;
  readonly route: string | undefined;
  readonly path: string;
}

/** A refused request that waits in memory until it is written. */
export interface Captured {
  readonly requestId: string;
  /** Of an application that exists; else empty. */
  readonly app: string;
  readonly snapshot: Snapshot;
  readonly lookups: Lookups;
}

/**
 * What the store is asked for before the refusal is written (find.ts). Codes and tokens are here as the keys of their rows, which
 * hold a hash. None of it is stored.
 */
export interface Lookups {
  readonly code?: Buffer | undefined;
  /** The challenge of the verifier that was sent. */
  readonly challenge?: string | undefined;
  readonly token?: Buffer | undefined;
  readonly clientId?: string | undefined;
  readonly applicationCode?: string | undefined;
  readonly sub?: string | undefined;
}

interface Capturing {
  readonly registry: Pick<Services['registry'], 'cachedClient' | 'cachedApplication'>;
  readonly baseUrl: string;
  readonly grantTypes: GrantTypes;
}

/** Reads what an explanation needs, while the request is at hand. */
export function capture(
  { registry, baseUrl, grantTypes }: Capturing,
  request: Request,
  { app: code, route, path }: RefusedAt,
  refusal: Refusal,
  app: string,
  time: number,
): Captured {
  const { failure, facts, retryAfter, sub, headers, errors } = refusal;
  const application = app === '' ? undefined : registry.cachedApplication(app);
  const scopes = application ? scopesOf(application) : [];
  const detail = shownDetail(failure.detail, scopes);
  const client = refusal.client === undefined || app === '' ? undefined : registry.cachedClient(app, refusal.client);
  const received = receivedOf(request, {
    isClient: text => text === refusal.client || (app !== '' && registry.cachedClient(app, text) !== undefined),
    scopes,
    scope: detail === failure.detail ? detail : undefined,
    grantTypes: [...grantTypes.keys()],
    issuerPrefix: `${baseUrl}/api/v1/authorize/`,
  });
  const validated = Object.entries(facts?.validated ?? {}).map(([name, shown]): [string, Parameter] => [
    name,
    { value: { shown }, in: 'query' },
  ]);
  const params = { ...received.params, ...Object.fromEntries(validated) };
  const isOfPath = ['notFound', 'applicationUnknown', 'methodNotAllowed'].includes(failure.name);
  return {
    requestId: request.id,
    app,
    snapshot: {
      time,
      reason: failure.name,
      error: failure.error,
      status: failure.status,
      description: failure.description,
      parameter: failure.parameter,
      detail,
      retryAfter,
      client: refusal.client,
      sub,
      route,
      method: request.method,
      path: isOfPath ? maskRandom(path.slice(0, MAX_PATH_LENGTH)) : undefined,
      allow: headers?.allow === undefined ? undefined : String(headers.allow),
      faults: errors?.slice(0, MAX_FAULTS).map(maskFault),
      received: { ...received, params },
      registration: client && registrationOf(client, failure.name, params),
      application: application && applicationFacts(application, failure.name),
      facts: facts && maskFacts(facts),
    },
    lookups: lookupsOf(request, refusal, code),
  };
}

/** Such as a refused scope: whatever the caller wrote, unless the application has it. */
function shownDetail(detail: string | undefined, scopes: readonly string[]): string | undefined {
  return detail !== undefined && scopes.includes(detail) ? detail : loggedDetail(detail);
}

/** The htu of a proof and the iss of a statement are whatever the caller wrote. */
function maskFacts(facts: RefusalFacts): RefusalFacts {
  if (facts.statementIssuer !== undefined) {
    return { ...facts, statementIssuer: shownUri(facts.statementIssuer) };
  }
  if (facts.proof?.fault !== 'address' || facts.proof.received === undefined) return facts;
  return { ...facts, proof: { ...facts.proof, received: shownUri(facts.proof.received) } };
}

function shownUri(text: string): string | undefined {
  const shown = showUri(text);
  return 'shown' in shown ? shown.shown : undefined;
}

/** A pointer has names that the caller chose. */
function maskFault({ pointer, detail }: BodyFault): BodyFault {
  return {
    pointer: maskRandom(pointer).slice(0, MAX_PATH_LENGTH),
    detail: maskRandom(detail).slice(0, MAX_PATH_LENGTH),
  };
}

const MAX_PATH_LENGTH = 300;
const MAX_FAULTS = 10;
const MAX_URIS = 20;

function applicationFacts(application: Application, reason: string): ApplicationFacts {
  const { strict_oidc, refresh_token_ttl, refresh_family_ttl, access = EVERYBODY, apis = [] } = application;
  const facts = { isStrict: strict_oidc, refreshTokenTtl: refresh_token_ttl, refreshFamilyTtl: refresh_family_ttl };
  if (ABOUT_EXCHANGE.includes(reason))
    return { ...facts, policies: application.token_exchange?.slice(0, MAX_POLICIES) };
  if (access !== EVERYBODY && ABOUT_ACCESS.includes(reason)) return { ...facts, access: admittedFacts(access) };
  if (!ABOUT_APIS.includes(reason)) return facts;
  const userScopes = [...new Set(application.user_attributes?.flatMap(({ scope }) => scope ?? []))];
  const ofUsers = userScopes.length === 0 ? {} : { userScopes };
  if (apis.length === 0) return { ...facts, ...ofUsers };
  const known = apis.slice(0, MAX_APIS).map(({ identifier, scopes }) => ({ identifier, scopes: Object.keys(scopes) }));
  return { ...facts, ...ofUsers, apis: known };
}

function admittedFacts({ groups, roles, users }: AccessLists): AdmittedFacts {
  return { groups: groups.slice(0, MAX_ADMITTED), roles: roles.slice(0, MAX_ADMITTED), users: users.length };
}

const ABOUT_EXCHANGE: readonly string[] = ['exchangeNotAllowed', 'exchangeScopeInvalid'];
const MAX_POLICIES = 20;
const ABOUT_ACCESS: readonly string[] = [
  'userNotAllowed',
  'passwordUserNotAllowed',
  'refreshUserNotAllowed',
  'subjectNotAllowed',
  'deviceUserNotAllowed',
  'approvalUserNotAllowed',
];
const MAX_ADMITTED = 20;
const ABOUT_APIS: readonly string[] = ['scopeInvalid', 'targetInvalid'];
const MAX_APIS = 20;

function registrationOf(client: Client, reason: string, params: Readonly<Record<string, Parameter>>): Registration {
  return {
    grantTypes: client.grant_types,
    scope: client.scope,
    authMethod: client.token_endpoint_auth_method,
    requirePkce: client.require_pkce,
    requireClientAuthentication: client.require_client_authentication,
    requireConsent: client.require_consent,
    refreshGrace: client.refresh_token_grace,
    ...(ABOUT_SUBJECTS.includes(reason) && { apis: client.apis?.slice(0, MAX_APIS) }),
    ...(ABOUT_ANSWERS.includes(reason) && { answers: answersOf(client) }),
    ...comparedUris(client, reason, params),
  };
}

const ABOUT_ANSWERS: readonly string[] = ['responseTypeUnsupported', 'responseTypeNotAllowed', 'responseModeInvalid'];

function answersOf(client: Client): RegisteredAnswers {
  const set = (...names: readonly (keyof Client)[]) => names.find(name => client[name]);
  return {
    types: allowedResponseTypes(client),
    boundBy: set('dpop_bound_access_tokens', 'tls_client_certificate_bound_access_tokens'),
    canSign: client.authorization_signed_response_alg !== undefined,
    signedBy:
      set('authorization_encrypted_response_alg') ?? (signsMessages(client) ? `profile: ${client.profile}` : undefined),
  };
}

function comparedUris(
  client: Client,
  reason: string,
  params: Readonly<Record<string, Parameter>>,
): Pick<Registration, 'uris' | 'moreUris'> {
  if (reason === 'redirectUriUntrusted' || reason === 'redirectUriMissing') {
    return closest(client.redirect_uris, params.redirect_uri);
  }
  if (reason !== 'postLogoutRedirectUriUntrusted') return {};
  return closest(client.post_logout_redirect_uris, params.post_logout_redirect_uri);
}

function closest(
  registered: readonly string[],
  received: Parameter | undefined,
): Pick<Registration, 'uris' | 'moreUris'> {
  const text = received && 'shown' in received.value ? received.value.shown : '';
  const uris = [...registered].sort((a, b) => sharedLength(b, text) - sharedLength(a, text)).slice(0, MAX_URIS);
  return { uris, moreUris: registered.length - uris.length };
}

/** Of their beginnings and ends: cheap, and good enough to choose the candidates. */
function sharedLength(a: string, b: string): number {
  let start = 0;
  while (start < a.length && a[start] === b[start]) start++;
  let end = 0;
  while (end < Math.min(a.length, b.length) - start && a.at(-1 - end) === b.at(-1 - end)) end++;
  return start + end;
}

const ABOUT_CODES: readonly string[] = [
  'codeUnknown',
  'codeInvalid',
  'codeExpired',
  'codeReplayed',
  'verifierWrong',
  'verifierUnexpected',
  'redirectUriDiffers',
  'clientNotAuthenticated',
];
const ABOUT_REFRESH_TOKENS: readonly string[] = ['refreshTokenInvalid', 'refreshTokenExpired', 'refreshTokenReused'];
const ABOUT_SUBJECTS: readonly string[] = ['subjectTokenInvalid', 'subjectTokenBound', 'subjectTokenTooDeep'];
const ABOUT_ACTORS: readonly string[] = ['actorTokenInvalid'];
const ABOUT_BEARERS: readonly string[] = ['tokenInvalid', 'clientNotAuthenticated'];
const ABOUT_CLIENTS: readonly string[] = [
  'clientUnknown',
  'clientAuthenticationFailed',
  'clientNotAuthenticated',
  'logoutClientMismatch',
];

function lookupsOf(request: Request, { failure: { name }, client, sub }: Refusal, code: string): Lookups {
  const body = request.form;
  const query = request.queryParams;
  const presented = (list: readonly string[], value: string | undefined) =>
    value !== undefined && list.includes(name) ? value : undefined;
  const verifier = body.get('code_verifier');
  const bearer = presented(ABOUT_BEARERS, bearerOf(request) ?? body.get('access_token'));
  const token =
    presented(ABOUT_REFRESH_TOKENS, body.get('refresh_token')) ??
    presented(ABOUT_SUBJECTS, body.get('subject_token')) ??
    presented(ABOUT_ACTORS, body.get('actor_token')) ??
    bearer;
  const redeemed = presented(ABOUT_CODES, body.get('code'));
  const named = () => body.get('client_id') ?? query.get('client_id') ?? basicName(request) ?? assertedName(body);
  const claimed = client === undefined ? named() : undefined;
  return {
    code: redeemed === undefined ? undefined : keyOf(redeemed),
    challenge: verifier === undefined ? undefined : challengeOf(verifier),
    token: token === undefined ? undefined : tokenKey(token),
    clientId: presented(ABOUT_CLIENTS, claimed)?.slice(0, MAX_NAME_LENGTH),
    applicationCode: name === 'applicationUnknown' ? code.slice(0, MAX_NAME_LENGTH) : undefined,
    sub: name === 'credentialsWrong' ? sub : undefined,
  };
}

const MAX_NAME_LENGTH = 128;

function bearerOf(request: Request): string | undefined {
  return /^(?:bearer|dpop) +(\S+) *$/i.exec(header(request, 'authorization') ?? '')?.[1];
}

function basicName(request: Request): string | undefined {
  const encoded = /^basic +([A-Za-z0-9+/_-]+=*) *$/i.exec(header(request, 'authorization') ?? '')?.[1];
  const [name] = encoded === undefined ? [] : Buffer.from(encoded, 'base64').toString().split(':');
  return name || undefined;
}

function assertedName(body: Params): string | undefined {
  const sub = readAssertion(body.get('client_assertion') ?? '')?.claims.sub;
  return typeof sub === 'string' && sub !== '' ? sub : undefined;
}

/** A JWT has the key of its row as its `jti`. */
function tokenKey(token: string): Buffer | undefined {
  const [, payload] = token.split('.');
  if (payload === undefined) return keyOf(token);
  try {
    const { jti } = JSON.parse(Buffer.from(payload, 'base64url').toString());
    return typeof jti === 'string' && jti.length <= MAX_NAME_LENGTH ? Buffer.from(jti, 'base64url') : undefined;
  } catch {
    return undefined;
  }
}
