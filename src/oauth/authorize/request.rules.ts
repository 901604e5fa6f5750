import { findDemandingKey, grantedAccess } from '../../directory/apis/rules.ts';
import type { Application } from '../../directory/applications/rules.ts';
import type { Client } from '../../directory/clients/rules.ts';
import {
  type Failure,
  type FailureName,
  failure,
  parameterFailure,
  scopeFailure,
  targetFailure,
} from '../../failures.ts';
import type { RequestedAcr } from '../../people/sign-in/acr.rules.ts';
import type { Params } from '../../platform/http/params.rules.ts';
import { readChallenge } from '../authorization-code/pkce.rules.ts';
import { checkDetails, detailsIn, PARAMETER, withApisOf } from '../authorization-details/rules.ts';
import { signsMessages } from '../fapi/rules.ts';
import { allowedScope, readAccess, readScope, undecodableResource } from '../token/requested-access.rules.ts';
import type { Scope } from '../token/scope.rules.ts';
import { claimsAllowed, parseClaimsRequest, type RequestedClaims, requestedAcr } from './claims-request.rules.ts';
import { isRegistered } from './redirect-uri.rules.ts';
import { readUnsignedRequestObject } from './request-object.rules.ts';
import {
  documentedErrorMode,
  errorResponseMode,
  isSigned,
  type ResponseMode,
  readResponseMode,
} from './response-mode.rules.ts';
import { hasWord, type ResponseType, readResponseType } from './response-type.rules.ts';
import { forbiddenBy, isNonceRequired, knownToClient } from './response-type-use.rules.ts';
import { dialectOf } from './strict-oidc.rules.ts';

/**
 * The authorization request (OIDC Core sections 3.1.2.1, 3.2.2.1 and 3.3.2.1), in two stages: `checkRedirectTarget`, whose errors are shown
 * as a page, then `readAuthRequest`, whose errors go back to the client.
 */
/** In bytes, so that it fits into an address. */
export const MAX_REQUEST_LENGTH = 16 * 1024;

export const prompts = ['none', 'login', 'consent', 'select_account'] as const;
export type Prompt = (typeof prompts)[number];

/** A validated request, as plain data: the browser carries it, encrypted, while the user is on the sign-in pages. */
export interface AuthRequest {
  readonly clientId: string;
  readonly redirectUri: string;
  readonly responseType: ResponseType;
  readonly responseMode: ResponseMode;
  readonly state: string | undefined;
  readonly scope: readonly Scope[];
  /** The APIs that the grant is for (RFC 8707). Undefined: none. */
  readonly resources?: readonly string[] | undefined;
  readonly nonce: string | undefined;
  readonly codeChallenge: string | undefined;
  /** The thumbprint of the key whose holder alone may redeem the code (RFC 9449 section 10). */
  readonly dpopJkt?: string | undefined;
  readonly prompt: readonly Prompt[];
  readonly maxAge: number | undefined;
  readonly loginHint: string | undefined;
  /** The id of an identity provider that the sign-in is to go to. */
  readonly idpHint?: string | undefined;
  readonly uiLocales: string | undefined;
  readonly idTokenHint: string | undefined;
  /** The pushed request that it came from (RFC 9126). Undefined: it came through the browser. */
  readonly pushedId?: string | undefined;
  /** From the parameters `claims` and `acr_values`. */
  readonly claims: RequestedClaims;
  /** From the same parameters; undefined: the request asks for no class of authentication. */
  readonly acr?: RequestedAcr | undefined;
}

/** Where the response is sent. It is checked first, because every later error is sent there. */
export interface RedirectTarget {
  readonly client: Client;
  readonly redirectUri: string;
}

export type RedirectTargetResult =
  | { readonly kind: 'trusted'; readonly target: RedirectTarget }
  | { readonly kind: 'untrusted'; readonly failure: Failure };

/** First stage. Until client and redirect URI are trusted, nothing may be sent there (RFC 6749 section 4.1.2.1). */
export function checkRedirectTarget(params: Params, client: Client | undefined): RedirectTargetResult {
  const untrusted = (name: FailureName): RedirectTargetResult => ({ kind: 'untrusted', failure: failure(name) });
  if (params.get('client_id') === undefined) return untrusted('clientIdMissing');
  if (!client) return untrusted('clientUnknown');
  const redirectUri = params.get('redirect_uri');
  if (redirectUri === undefined) return untrusted('redirectUriMissing');
  if (!isRegistered(client, redirectUri)) return untrusted('redirectUriUntrusted');
  return { kind: 'trusted', target: { client, redirectUri } };
}

export type AuthRequestResult =
  | { readonly kind: 'valid'; readonly request: AuthRequest }
  | { readonly kind: 'refused'; readonly failure: Failure; readonly mode: ResponseMode };

/**
 * Parameters that must not be repeated (RFC 6749 section 3.1). Unknown ones may be: extensions such as RFC 8707 repeat theirs.
 */
const SINGLE_VALUED = [
  'response_type',
  'response_mode',
  'scope',
  'state',
  'nonce',
  'code_challenge',
  'code_challenge_method',
  'dpop_jkt',
  'prompt',
  'max_age',
  'login_hint',
  'id_token_hint',
  'ui_locales',
  'claims_locales',
  'acr_values',
  'display',
  'claims',
  'request',
  'request_uri',
  PARAMETER,
];

/** The parameters whose errors have a literal text (interface 7.2). */
const DOCUMENTED_ERRORS: Readonly<Record<string, FailureName>> = {
  scope: 'scopeInvalid',
  code_challenge: 'codeChallengeInvalid',
  code_challenge_method: 'codeChallengeMethodInvalid',
  response_mode: 'responseModeInvalid',
};

/** Second stage: the checks in order. The first one that fails decides the error. */
export function readAuthRequest(params: Params, target: RedirectTarget, application: Application): AuthRequestResult {
  const { client } = target;
  const dialect = dialectOf(application);
  const responseType = knownToClient(readResponseType(params.get('response_type')), client);
  const asking = { dialect, client };
  const errorMode = errorResponseMode(params.get('response_mode'), params.get('response_type'), asking);
  const refused = (reason: Failure, mode: ResponseMode = errorMode): AuthRequestResult => ({
    kind: 'refused',
    failure: reason,
    mode,
  });
  // Documented errors (interface 7.2 and row 14) are sent in the query, whatever the response_mode.
  const documentedMode = documentedErrorMode(errorMode, responseType, dialect);
  const documented = (reason: Failure) => refused(reason, documentedMode);

  const fault = params.fault(SINGLE_VALUED);
  if (fault) {
    const name = DOCUMENTED_ERRORS[fault.name];
    if (name && !(fault.name === 'scope' && fault.kind === 'duplicated')) return documented(failure(name));
    return refused(parameterFailure(fault));
  }
  // Checked before the parameters beside a request object: those inside it replace them.
  const requestObject = params.get('request');
  if (requestObject !== undefined) {
    const inside = readUnsignedRequestObject(requestObject);
    const responseMode = inside.responseMode ?? params.get('response_mode');
    const type = inside.responseType ?? params.get('response_type');
    return refused(failure('requestNotSupported'), errorResponseMode(responseMode, type, asking));
  }
  if (params.get('request_uri') !== undefined) return refused(failure('requestUriNotSupported'));
  if (responseType === undefined) {
    const isMissing = params.get('response_type') === undefined;
    return documented(failure(isMissing ? 'responseTypeMissing' : 'responseTypeUnsupported'));
  }
  const responseMode = readResponseMode(params, responseType, asking);
  if (responseMode === undefined || lacksSignature(responseMode, client)) {
    return documented(failure('responseModeInvalid'));
  }
  const forbidden = forbiddenBy(responseType, client);
  if (forbidden !== undefined) return refused(failure('responseTypeNotAllowed', forbidden));

  const undecodable = undecodableResource(params, application);
  if (undecodable) return refused(undecodable);
  const access = readAccess(params, client, application);
  if (access.kind === 'scopeInvalid') return documented(scopeFailure(access.scope));
  if (access.kind === 'targetInvalid') return refused(targetFailure(access.resource));
  const { scope } = access;
  const rich = detailsIn(params, application, allowedScope(client, application));
  if (rich?.kind === 'invalid') return refused(failure('authorizationDetailsInvalid', rich.reason));
  const resources = withApisOf(rich?.apis, access.resources);
  const unreachable = unreachableTarget(responseType, application, resources);
  if (unreachable) return refused(unreachable);
  if (needsOpenid(responseType) && !scope.includes('openid')) return documented(failure('scopeInvalid'));

  const hasCode = hasWord(responseType, 'code');
  const pkce = pkceFault(params, hasCode, client);
  if (pkce) return documented(failure(pkce));

  const dpopJkt = params.get('dpop_jkt');
  if (dpopJkt !== undefined && !THUMBPRINT.test(dpopJkt)) return refused(failure('parameterInvalid', 'dpop_jkt'));
  const nonce = params.get('nonce');
  if (nonce === undefined && isNonceRequired(responseType, dialect))
    return refused(failure('parameterMissing', 'nonce'));
  const prompt = readPrompt(params.get('prompt'));
  if (!prompt) return refused(failure('parameterInvalid', 'prompt'));
  const maxAge = readMaxAge(params.get('max_age'));
  if (Number.isNaN(maxAge)) return refused(failure('parameterInvalid', 'max_age'));

  const claims = parseClaimsRequest(params.get('claims'), params.get('acr_values'), client.scope);
  if (claims === 'malformed') return refused(failure('parameterInvalid', 'claims'));
  if (claims === 'unmet') return refused(failure('authenticationRequirementsUnmet'));
  if (claims === 'twoUsers') return refused(failure('twoUsersNamed'));

  return {
    kind: 'valid',
    request: {
      clientId: client.client_id,
      redirectUri: target.redirectUri,
      responseType,
      responseMode,
      state: params.get('state'),
      scope,
      resources,
      nonce,
      codeChallenge: hasCode ? readChallenge(params.get('code_challenge') ?? '') : undefined,
      dpopJkt: hasCode ? dpopJkt : undefined,
      prompt,
      maxAge,
      loginHint: params.get('login_hint'),
      idpHint: params.get('idp_hint'),
      uiLocales: params.get('ui_locales'),
      idTokenHint: params.get('id_token_hint'),
      claims: rich ? { ...claims, authorization_details: rich.details } : claims,
      acr: requestedAcr(params.get('claims'), params.get('acr_values')),
    },
  };
}

/**
 * Checks again a request that was valid at most ten minutes ago: the registration of its client may have changed while the user was
 * on the sign-in pages. `readAuthRequest` has decided what does not depend on the registration.
 */
export function recheckAuthRequest(
  request: AuthRequest,
  client: Client,
  application: Application,
): AuthRequestResult | { readonly kind: 'untrusted'; readonly failure: Failure } {
  const { responseType, responseMode, redirectUri } = request;
  const dialect = dialectOf(application);
  if (!isRegistered(client, redirectUri)) return { kind: 'untrusted', failure: failure('redirectUriUntrusted') };
  const refused = (reason: Failure, mode: ResponseMode): AuthRequestResult => ({
    kind: 'refused',
    failure: reason,
    mode,
  });
  const documentedMode = documentedErrorMode(responseMode, responseType, dialect);
  if (lacksSignature(responseMode, client)) return refused(failure('responseModeInvalid'), responseMode);
  const forbidden = forbiddenBy(responseType, client);
  if (forbidden !== undefined) return refused(failure('responseTypeNotAllowed', forbidden), responseMode);
  const read = readScope(request.scope.join(' '), client, application);
  if (read.kind === 'refused') return refused(scopeFailure(read.token), documentedMode);
  const { resources = [] } = request;
  const { scope } = read;
  const access = grantedAccess(application, allowedScope(client, application), { resources, scope });
  if (access.kind === 'scopeInvalid') return refused(scopeFailure(access.scope), documentedMode);
  if (access.kind === 'targetInvalid') return refused(targetFailure(access.resource), responseMode);
  const unreachable = unreachableTarget(responseType, application, access.resources);
  if (unreachable) return refused(unreachable, responseMode);
  const details = request.claims.authorization_details;
  const rich = details && checkDetails(details, application, allowedScope(client, application));
  if (rich?.kind === 'invalid') return refused(failure('authorizationDetailsInvalid', rich.reason), responseMode);
  if (request.codeChallenge === undefined && needsChallenge(hasWord(responseType, 'code'), client)) {
    return refused(failure('codeChallengeInvalid'), documentedMode);
  }
  return { kind: 'valid', request: { ...request, scope, claims: claimsAllowed(request.claims, client.scope) } };
}

/** Where nothing else comes than an ID token, or the type is of OpenID Connect alone. The interface's `id_token token` does without. */
function needsOpenid(responseType: ResponseType): boolean {
  return hasWord(responseType, 'id_token') && responseType !== 'id_token token';
}

/** FAPI 2.0 Message Signing section 5.4. */
function lacksSignature(mode: ResponseMode, client: Client): boolean {
  return signsMessages(client) && !isSigned(mode);
}

/** A SHA-256 in base64url (RFC 7638). */
const THUMBPRINT = /^[\w-]{43}$/;

/** A token that comes through the browser cannot be bound to a key. */
function unreachableTarget(
  responseType: ResponseType,
  application: Application,
  resources: readonly string[] | undefined,
): Failure | undefined {
  const demanding = hasWord(responseType, 'token') ? findDemandingKey(application, resources) : undefined;
  return demanding === undefined ? undefined : targetFailure(demanding);
}

/** RFC 7636 section 4.4.1. If challenge and method are both invalid, the error names the challenge. */
function pkceFault(params: Params, hasCode: boolean, client: Client): FailureName | undefined {
  const challenge = params.get('code_challenge');
  const method = params.get('code_challenge_method');
  if (challenge === undefined) {
    if (method !== undefined) return 'codeChallengeInvalid';
    return needsChallenge(hasCode, client) ? 'codeChallengeInvalid' : undefined;
  }
  if (readChallenge(challenge) === undefined) return 'codeChallengeInvalid';
  return method === 'S256' ? undefined : 'codeChallengeMethodInvalid';
}

function needsChallenge(hasCode: boolean, client: Client): boolean {
  return hasCode && (client.require_pkce || client.token_endpoint_auth_method === 'none');
}

/** `none` forbids all pages, so it must be the only value (OIDC Core section 3.1.2.1). */
function readPrompt(text: string | undefined): Prompt[] | undefined {
  if (text === undefined) return [];
  const values = text.split(' ').filter(value => value !== '');
  if (!values.every((value): value is Prompt => (prompts as readonly string[]).includes(value))) return undefined;
  return values.includes('none') && values.length > 1 ? undefined : values;
}

function readMaxAge(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  return /^\d+$/.test(text) ? Number(text) : Number.NaN;
}
