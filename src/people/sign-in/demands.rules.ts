import { isRestricted } from '../../directory/access/rules.ts';
import { BUILT_IN_APPLICATION } from '../../directory/applications/built-in.rules.ts';
import { type Application, DEFAULT_MFA, type MfaPolicy, type OperatorMfa } from '../../directory/applications/rules.ts';
import { type Client, isSelfRegistered } from '../../directory/clients/rules.ts';
import { scopesOfClaims, voluntaryAcr } from '../../oauth/authorize/claims-request.rules.ts';
import { isNative } from '../../oauth/authorize/redirect-uri.rules.ts';
import type { AuthRequest, Prompt } from '../../oauth/authorize/request.rules.ts';
import { grantedApis } from '../../oauth/token/granted-api.rules.ts';
import { operatorScopes, type Scope } from '../../oauth/token/scope.rules.ts';
import { consentedScopes } from '../consent/rules.ts';
import type { RequestedAcr } from './acr.rules.ts';

type DemandingApplication = Pick<
  Application,
  | 'code'
  | 'access'
  | 'mfa'
  | 'trusted_browsers'
  | 'require_verified_email'
  | 'passkeys'
  | 'apis'
  | 'providers'
  | 'local_sign_in'
>;

/** What an authorization request, its client and its parameters demand of a sign-in. */
export interface Demands {
  /** Undefined: a page of this server. */
  readonly application?: DemandingApplication | undefined;
  readonly prompt: readonly Prompt[];
  readonly maxAge: number | undefined;
  /** The user whom id_token_hint or the parameter claims names. */
  readonly requiredSub: string | undefined;
  /** The scopes that a remembered consent must cover; undefined: the client needs no consent. */
  readonly consentTo: readonly Scope[] | undefined;
  /** The user has to agree to this very request, whatever is remembered. */
  readonly consentEachTime?: boolean | undefined;
  readonly mfa: MfaPolicy;
  /** A browser that the user trusts counts as the second factor for `mfa`, never for `acr`. */
  readonly trustsBrowsers: boolean;
  readonly acr: RequestedAcr | undefined;
  /** The application wants users whose e-mail address is verified. */
  readonly verifiedEmail: boolean;
  /** Whether the application takes passkeys. Where it does not, users have none. */
  readonly passkeys: boolean;
  /** A session that a password or passkey of this server opened does not count: the provider is asked (`local_sign_in: false`). */
  readonly onlyProviders?: boolean | undefined;
  /** The application and who may sign in to it; undefined: everybody. */
  readonly access?: Pick<Application, 'code' | 'access'> | undefined;
}

/** The age of the authentication for every change of factors, on the account pages and in the sign-in (docs/accounts.md). */
export const RECENT_SECONDS = 300;

/** Of a page of the server itself, such as /account: users who have a second factor are asked for it. */
export const NO_DEMANDS: Demands = {
  prompt: [],
  maxAge: undefined,
  requiredSub: undefined,
  consentTo: undefined,
  mfa: DEFAULT_MFA,
  trustsBrowsers: false,
  acr: undefined,
  verifiedEmail: false,
  passkeys: true,
};

type ClientPolicy = Pick<
  Client,
  'origin' | 'require_consent' | 'token_endpoint_auth_method' | 'default_acr_values' | 'default_max_age'
>;

export function demandsOf(
  request: Pick<AuthRequest, 'prompt' | 'maxAge' | 'scope' | 'resources' | 'claims' | 'redirectUri' | 'acr'>,
  client: ClientPolicy,
  requiredSub: string | undefined,
  application: DemandingApplication,
  operatorMfa: OperatorMfa,
): Demands {
  // Another program can imitate a native client (RFC 8252 section 8.6, row 27).
  const needsConsent = isSelfRegistered(client) || client.require_consent || isNative(client, request.redirectUri);
  const consentTo = needsConsent ? requestedScopes(request, application) : undefined;
  // OpenID Connect Registration section 2: the defaults of the client apply where the request says nothing.
  const maxAge = request.maxAge ?? client.default_max_age;
  const acr = request.acr ?? voluntaryAcr(client.default_acr_values);
  return {
    application,
    prompt: request.prompt,
    // Nobody has vouched for such a client: what is remembered of it answers no question.
    // Nor does anything that was agreed to before answer for an act such as a payment (RFC 9396 section 11.1).
    consentEachTime: isSelfRegistered(client) || request.claims.authorization_details !== undefined,
    maxAge,
    requiredSub,
    consentTo,
    mfa: mfaPolicyOf(application, request.scope, operatorMfa),
    acr,
    trustsBrowsers: application.trusted_browsers,
    verifiedEmail: application.require_verified_email,
    passkeys: application.passkeys,
    onlyProviders: application.local_sign_in === false && (application.providers ?? []).length > 0,
    ...(isRestricted(application) ? { access: application } : {}),
  };
}

/** A token with a scope of operators calls the admin API (docs/admin.md). */
function mfaPolicyOf(
  { code, mfa }: Pick<Application, 'code' | 'mfa'>,
  scope: readonly Scope[],
  operatorMfa: OperatorMfa,
): MfaPolicy {
  const isForOperators = code === BUILT_IN_APPLICATION && operatorScopes.some(each => scope.includes(each));
  return isForOperators && operatorMfa === 'required' ? 'required' : mfa;
}

/** What a user is asked to agree to: the scopes, and those that stand for claims requested one by one. */
export function requestedScopes(
  { scope, claims, resources }: Pick<AuthRequest, 'scope' | 'claims' | 'resources'>,
  application: Pick<Application, 'apis'>,
): readonly Scope[] {
  return [
    ...new Set([
      ...consentedScopes(application, scope, grantedApis(application, scope, resources)),
      ...scopesOfClaims(claims),
    ]),
  ];
}
