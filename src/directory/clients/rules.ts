import type { ResponseType } from '../../oauth/authorize/response-type.rules.ts';
import type { DeliveryMode } from '../../oauth/ciba/rules.ts';
import type { AssertionAlg } from '../../oauth/client-authentication/client-assertion.rules.ts';
import type { ContentEncryption, KeyEncryptionAlg } from '../../oauth/encryption/algorithms.rules.ts';
import type { Profile } from '../../oauth/fapi/profiles.rules.ts';
import type { FederatedCredential } from '../../oauth/federated-credentials/rules.ts';
import type { KeyAlg, SigningAlg } from '../../oauth/signing-keys/algorithms.rules.ts';
import type { Scope } from '../../oauth/token/scope.rules.ts';
import type { AgentOwner } from '../../people/agents/rules.ts';
import type { AsymmetricAlg, ClientKeySet } from './keys.rules.ts';

export const authMethods = [
  'client_secret_basic',
  'client_secret_post',
  'client_secret_jwt',
  'private_key_jwt',
  'tls_client_auth',
  'self_signed_tls_client_auth',
  'none',
] as const;

export type AuthMethod = (typeof authMethods)[number];

/** Whether a client of this method has a secret: a public one has none, and one with keys or a certificate proves itself by these. */
export function hasSecret(method: AuthMethod): boolean {
  return method !== 'none' && method !== 'private_key_jwt' && !isByCertificate(method);
}

/** RFC 8705 section 2: it authenticates by the certificate of its TLS connection. */
export function isByCertificate(method: AuthMethod): method is 'tls_client_auth' | 'self_signed_tls_client_auth' {
  return method === 'tls_client_auth' || method === 'self_signed_tls_client_auth';
}

/**
 * The form of claims about a user. `documented`: `updated_at` is the text "YYYY-MM-DD HH:mm:ss" in UTC, an unset nickname or phone
 * number is "". `standard`: a NumericDate (OIDC Core 5.1), and unset claims are omitted (5.3.2).
 */
export const claimsForms = ['documented', 'standard'] as const;

export type ClaimsForm = (typeof claimsForms)[number];

/** Of a self-registered client, one that no operator has set: by which setting of its application it is there. */
export type ClientOrigin = 'dynamic_registration' | 'client_id_metadata';

/** A client of one application. The field names are those of RFC 7591. */
export interface Client {
  readonly client_id: string;
  /** Undefined: operators set it. Users are asked about every request of a self-registered one, and its names are its own words. */
  readonly origin?: ClientOrigin | undefined;
  readonly client_name: string;
  /** Undefined: an ordinary client. */
  readonly client_type?: 'agent' | undefined;
  /** Who answers for an agent (people/agents). */
  readonly owner?: AgentOwner | undefined;
  /** FAPI 2.0. Undefined: none. */
  readonly profile?: Profile | undefined;
  /** Of a client that has registered itself: its own changes stay within them (operator-limits.ts). Undefined: none. */
  readonly operator_limits?: OperatorLimits | undefined;
  /** Addresses of its own: its logo, website, privacy policy and terms, for the consent page. */
  readonly logo_uri?: string | undefined;
  readonly client_uri?: string | undefined;
  readonly policy_uri?: string | undefined;
  readonly tos_uri?: string | undefined;
  /** Where a login at the client begins (OpenID Connect Core section 4). */
  readonly initiate_login_uri?: string | undefined;
  /** HMAC of the secret under a key of the server; absent for a method without a secret (`hasSecret`). */
  readonly secret_hash: string | undefined;
  /** The secret itself, sealed: for client_secret_jwt alone, whose signatures nothing else can verify (secrets.ts). */
  readonly sealed_secret?: string | undefined;
  /** Whole seconds; unknown for the secret of an apply file. */
  readonly secret_created_at?: number | undefined;
  /** Secrets that were replaced and are still valid for some time. */
  readonly previous_secrets?: readonly PreviousSecret[] | undefined;
  readonly redirect_uris: readonly string[];
  readonly post_logout_redirect_uris: readonly string[];
  readonly grant_types: readonly string[];
  /** Undefined: those of the interface that its grants stand for. Read it with `allowedResponseTypes`. */
  readonly response_types?: readonly ResponseType[] | undefined;
  readonly token_endpoint_auth_method: AuthMethod;
  /** The only algorithm of its assertions. Undefined: every one of its method. */
  readonly token_endpoint_auth_signing_alg?: AssertionAlg | undefined;
  /** Its public keys, or where they are. */
  readonly jwks?: ClientKeySet | undefined;
  readonly jwks_uri?: string | undefined;
  /** The workloads that are this client: tokens of their platforms are its assertions. */
  readonly federated_credentials?: readonly FederatedCredential[] | undefined;
  /** The allowed scope, and the default if a request has none. */
  readonly scope: readonly Scope[];
  /** Undefined: the application's current algorithm. Read it with `signingAlgOf`. */
  readonly id_token_signed_response_alg: SigningAlg | undefined;
  /** Undefined: the default of the application's dialect (oauth/authorize/strict-oidc.rules.ts). */
  readonly id_token_claims: 'scope' | 'minimal' | undefined;
  /** Undefined: userinfo is plain JSON. */
  readonly userinfo_signed_response_alg?: SigningAlg | undefined;
  /** Read it with `userinfoClaimsOf`: strict_oidc overrides it. */
  readonly userinfo_claims: ClaimsForm;
  /** RFC 9701. Undefined: introspection answers it with JSON. */
  readonly introspection_signed_response_alg?: SigningAlg | undefined;
  /** JARM. Undefined: it cannot ask for signed responses. */
  readonly authorization_signed_response_alg?: SigningAlg | undefined;
  /** How answers are encrypted to it (oauth/encryption). Undefined: not, and `enc`: by default. */
  readonly id_token_encrypted_response_alg?: KeyEncryptionAlg | undefined;
  readonly id_token_encrypted_response_enc?: ContentEncryption | undefined;
  readonly userinfo_encrypted_response_alg?: KeyEncryptionAlg | undefined;
  readonly userinfo_encrypted_response_enc?: ContentEncryption | undefined;
  readonly authorization_encrypted_response_alg?: KeyEncryptionAlg | undefined;
  readonly authorization_encrypted_response_enc?: ContentEncryption | undefined;
  readonly introspection_encrypted_response_alg?: KeyEncryptionAlg | undefined;
  readonly introspection_encrypted_response_enc?: ContentEncryption | undefined;
  /** Undefined: public. */
  readonly subject_type?: 'public' | 'pairwise' | undefined;
  readonly sector_identifier_uri?: string | undefined;
  readonly access_token_format: 'opaque' | 'jwt';
  readonly require_pkce: boolean;
  readonly require_client_authentication: boolean;
  /** RFC 9126 section 6. */
  readonly require_pushed_authorization_requests?: boolean | undefined;
  /** RFC 9101. Undefined, and not required: it cannot send `request`. */
  readonly request_object_signing_alg?: AsymmetricAlg | undefined;
  readonly require_signed_request_object?: boolean | undefined;
  /** Where it publishes them (RFC 9101 section 5.2). Undefined: nowhere. */
  readonly request_uris?: readonly string[] | undefined;
  /** How it encrypts them to a key of the application. */
  readonly request_object_encryption_alg?: KeyEncryptionAlg | undefined;
  readonly request_object_encryption_enc?: ContentEncryption | undefined;
  /** RFC 9449 section 5.2: its access tokens are bound to a key. */
  readonly dpop_bound_access_tokens?: boolean | undefined;
  /** RFC 8705 section 2.1.2: the name in its certificate, exactly one with tls_client_auth. */
  readonly tls_client_auth_subject_dn?: string | undefined;
  readonly tls_client_auth_san_dns?: string | undefined;
  readonly tls_client_auth_san_uri?: string | undefined;
  readonly tls_client_auth_san_ip?: string | undefined;
  readonly tls_client_auth_san_email?: string | undefined;
  /** RFC 8705 section 3.4: its access tokens are bound to its certificate. */
  readonly tls_client_certificate_bound_access_tokens?: boolean | undefined;
  readonly require_consent: boolean;
  readonly refresh_token_rotation: boolean;
  readonly refresh_token_grace: number;
  readonly backchannel_logout_uri: string | undefined;
  readonly frontchannel_logout_uri?: string | undefined;
  readonly frontchannel_logout_session_required?: boolean | undefined;
  /** Where a request asks for no class of authentication (OpenID Connect Registration section 2). */
  readonly default_acr_values?: readonly string[] | undefined;
  /** Seconds, where a request has no max_age. */
  readonly default_max_age?: number | undefined;
  /** CIBA Core section 4. Undefined: poll. */
  readonly backchannel_token_delivery_mode?: DeliveryMode | undefined;
  /** Where it is told that a person has decided, in the mode ping. */
  readonly backchannel_client_notification_endpoint?: string | undefined;
  /** The only algorithm of its signed requests. Undefined: they come as parameters. */
  readonly backchannel_authentication_request_signing_alg?: AsymmetricAlg | undefined;
  /** It can ask its users for the code that they have set against requests of strangers. */
  readonly backchannel_user_code_parameter?: boolean | undefined;
  /** The APIs whose access tokens it may introspect, and exchange if it has the grant. */
  readonly apis?: readonly string[] | undefined;
}

type SetByServer =
  | 'origin'
  | 'operator_limits'
  | 'secret_hash'
  | 'sealed_secret'
  | 'secret_created_at'
  | 'previous_secrets';
/** Each has a value in the end, which depends on other fields. */
type Completed =
  | 'client_id'
  | 'client_name'
  | 'refresh_token_grace'
  | 'id_token_signed_response_alg'
  | 'id_token_claims'
  | 'backchannel_logout_uri';

/** A client as operators set it: an entry of an apply file, or the body of an operation. */
export type ClientEntry = Omit<Client, SetByServer | Completed> & {
  readonly [Name in Completed]?: Client[Name] | undefined;
} & { readonly client_secret?: string | undefined };

/** What operators have set of the fields that a self-registered client sets itself. */
export type OperatorLimits = Readonly<Partial<Omit<Client, 'operator_limits'>>>;

export interface PreviousSecret {
  readonly hash: string;
  readonly sealed?: string | undefined;
  readonly created_at: number | undefined;
  readonly expires_at: number;
}

export function isSelfRegistered({ origin }: Pick<Client, 'origin'>): boolean {
  return origin !== undefined;
}

/** Of an application. They are rows that strangers cause. */
export const MAX_SELF_REGISTERED_CLIENTS = 10_000;

/** Only a client with the refresh grant gets refresh tokens: for another client they would only be a risk. */
export function canRefresh({ grant_types }: Pick<Client, 'grant_types'>): boolean {
  return grant_types.includes('refresh_token');
}

/** The fields that name an algorithm with which this server signs for a client, or opens its requests. The application has keys for each. */
export const keyFields = [
  'id_token_signed_response_alg',
  'userinfo_signed_response_alg',
  'authorization_signed_response_alg',
  'introspection_signed_response_alg',
  'request_object_encryption_alg',
] as const;

/** All algorithms for which the application needs a key for this client: it signs with it, or opens its encrypted requests. */
export function keyAlgsOf(
  application: { readonly id_token_signed_response_alg: SigningAlg },
  client: Partial<Pick<Client, (typeof keyFields)[number]>>,
): readonly KeyAlg[] {
  const named = keyFields.flatMap(name => client[name] ?? []);
  return [...new Set([signingAlgOf(application, client), ...named])];
}

/** The algorithm that signs the ID tokens, logout tokens and JWT access tokens of a client. */
export function signingAlgOf(
  application: { readonly id_token_signed_response_alg: SigningAlg },
  client: { readonly id_token_signed_response_alg?: SigningAlg | undefined },
): SigningAlg {
  return client.id_token_signed_response_alg ?? application.id_token_signed_response_alg;
}
