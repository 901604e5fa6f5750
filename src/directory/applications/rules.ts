import type { AssertionPolicy } from '../../oauth/identity-assertions/issue.rules.ts';
import type { AssertionIssuer } from '../../oauth/identity-assertions/rules.ts';
import type { SoftwareStatements } from '../../oauth/registration/software-statement.rules.ts';
import type { SigningAlg } from '../../oauth/signing-keys/algorithms.rules.ts';
import type { ExchangePolicy } from '../../oauth/token-exchange/rules.ts';
import type { Access } from '../access/rules.ts';
import type { Api } from '../apis/rules.ts';
import type { ClientIdMetadata } from '../client-id-metadata/rules.ts';
import type { UserAttribute } from '../user-attributes/rules.ts';

/** An application ({app_code}) is one issuer with its own keys, clients and tokens. */
export interface Application {
  readonly code: string;
  readonly name: string;
  readonly strict_oidc: boolean;
  readonly access_token_ttl: number;
  readonly id_token_ttl: number;
  readonly refresh_token_ttl: number;
  /** Seconds after the login at which a token family ends, however often it was refreshed. */
  readonly refresh_family_ttl: number;
  /** The default for clients that have none of their own. */
  readonly id_token_signed_response_alg: SigningAlg;
  /** Whether users are asked for a second factor: never, those who have one, or all. */
  readonly mfa: MfaPolicy;
  /** Whether users may skip the second factor for 30 days in a browser that they trust. */
  readonly trusted_browsers: boolean;
  /** Whether users can sign in to it with a passkey. */
  readonly passkeys: boolean;
  /** Of passwords that are set through this application, in characters. */
  readonly password_min_length: number;
  /** Whether people can make an account for themselves. */
  readonly sign_up: boolean;
  /** Whether a user whose e-mail address is not verified has to verify it before the client gets an answer. */
  readonly require_verified_email: boolean;
  /** For its pages: `#rrggbb`, in lower case; they show it with its contrast corrected (platform/ui/accent.rules.ts). */
  readonly accent_color?: string | undefined;
  /** Links of its pages: help, privacy policy, terms of service. The names are those of RFC 7591, which has the last two. */
  readonly help_uri?: string | undefined;
  readonly policy_uri?: string | undefined;
  readonly tos_uri?: string | undefined;
  /** Who may sign in to it. Undefined: everybody. */
  readonly access?: Access | undefined;
  /** Undefined: none. */
  readonly apis?: readonly Api[] | undefined;
  /** Which access tokens may be exchanged for others (RFC 8693). Undefined: none. */
  readonly token_exchange?: readonly ExchangePolicy[] | undefined;
  /** Which clients get assertions about their people for which other issuers. Undefined: none. */
  readonly identity_assertions?: readonly AssertionPolicy[] | undefined;
  /** Whose assertions count here. Undefined: nobody's. */
  readonly assertion_issuers?: readonly AssertionIssuer[] | undefined;
  /** What userinfo demands of the login of a token (RFC 9470): one of these classes or a stronger one, and its greatest age in seconds. */
  readonly userinfo_acr_values?: readonly string[] | undefined;
  readonly userinfo_max_age?: number | undefined;
  /** Which clients may be used that publish their metadata themselves (directory/client-id-metadata/rules.ts). Undefined: none. */
  readonly client_id_metadata?: ClientIdMetadata | undefined;
  /** Who may register clients at {issuer}/register (RFC 7591): nobody, holders of an initial access token, anybody. Undefined: nobody. */
  readonly dynamic_registration?: DynamicRegistration | undefined;
  /** Whose software statements count there. Undefined: nobody's. */
  readonly software_statements?: SoftwareStatements | undefined;
  /** The identity providers that its sign-in page offers, in the order of the buttons. Undefined: none. */
  readonly providers?: readonly string[] | undefined;
  /** Whether people sign in with a password or passkey of this server too. Undefined: yes. */
  readonly local_sign_in?: boolean | undefined;
  /** Users' own fields that its clients can get, as the deployment defines them: no setting of the application. Undefined: none. */
  readonly user_attributes?: readonly UserAttribute[] | undefined;
  /** Names the logo in its address. The image is not part of this, because every request reads it: see `findLogo` of the store. */
  readonly logo_hash?: string | undefined;
}

/** An application as operators set it: with the image, a data: URI (directory/branding/rules.ts). */
export interface ApplicationSettings extends Omit<Application, 'logo_hash'> {
  readonly logo_uri?: string | undefined;
}

/** The default of an application, the least that one can have, and what counts where a password belongs to no application. */
export const MIN_PASSWORD_LENGTH = 8;

export const mfaPolicies = ['off', 'optional', 'required'] as const;

export type MfaPolicy = (typeof mfaPolicies)[number];

export const DEFAULT_MFA: MfaPolicy = 'optional';

/** The same for operators, of the whole deployment (GATEHOUSE_OPERATOR_MFA). */
export type OperatorMfa = Exclude<MfaPolicy, 'off'>;

export const dynamicRegistrations = ['off', 'token', 'open'] as const;

export type DynamicRegistration = (typeof dynamicRegistrations)[number];

/** A deleted application can be restored for 30 days; then its data is deleted. */
export const RESTORABLE_SECONDS = 30 * 86_400;

export function issuerOf(baseUrl: string, app: string): string {
  return `${baseUrl}/api/v1/authorize/${app}/oauth2`;
}
