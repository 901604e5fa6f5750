import type { Application } from '../../directory/applications/rules.ts';
import { asymmetricAlgs } from '../../directory/clients/keys.rules.ts';
import { type AuthMethod, authMethods } from '../../directory/clients/rules.ts';
import { acrValues } from '../../people/sign-in/acr.rules.ts';
import { locales } from '../../platform/ui/locale.rules.ts';
import { detailsTypesOf, knowsDetails } from '../authorization-details/rules.ts';
import { userClaims } from '../authorize/claims-request.rules.ts';
import { prompts } from '../authorize/request.rules.ts';
import { responseModes } from '../authorize/response-mode.rules.ts';
import { responseTypes } from '../authorize/response-type.rules.ts';
import { deliveryModes } from '../ciba/rules.ts';
import { assertionAlgs } from '../client-authentication/client-assertion.rules.ts';
import { contentEncryptions, keyEncryptionAlgs } from '../encryption/algorithms.rules.ts';
import { assertionMetadata } from '../identity-assertions/discovery.rules.ts';
import { subjectTypes } from '../pairwise/rules.ts';
import { signingAlgs } from '../signing-keys/algorithms.rules.ts';
import { type GrantTypes, offeredGrantTypes } from '../token/grant-types.rules.ts';
import { scopes, scopesOf } from '../token/scope.rules.ts';

/** As of the settings: TLS_CLIENT_CA, and where clients show their certificate. */
interface CertificateSettings {
  readonly authorities: string | undefined;
  readonly baseUrl: string | undefined;
}

interface Published {
  readonly issuer: string;
  readonly docsUrl: string;
  /** By their names in the document, below the issuer (`discovery` of the capabilities). */
  readonly endpoints: ReadonlyMap<string, string>;
  readonly grantTypes: GrantTypes;
  /** Undefined: no client can show a certificate. */
  readonly certificates?: CertificateSettings | undefined;
}

/** A certificate proves a name only by an authority that the operator trusts. */
function canAuthenticate(method: AuthMethod, certificates: Published['certificates']): boolean {
  if (method === 'tls_client_auth') return certificates?.authorities !== undefined;
  return method !== 'self_signed_tls_client_auth' || certificates !== undefined;
}

/** The endpoints that programs call: browsers would ask their users for a certificate. */
const ALIASED = [
  'token_endpoint',
  'revocation_endpoint',
  'introspection_endpoint',
  'pushed_authorization_request_endpoint',
  'device_authorization_endpoint',
  'backchannel_authentication_endpoint',
  'userinfo_endpoint',
];

/** RFC 8705 sections 3.3 and 5. */
function mtlsMetadata(issuer: string, endpoints: Published['endpoints'], baseUrl: string | undefined) {
  const path = new URL(issuer).pathname;
  const aliases = [...endpoints].filter(([name]) => ALIASED.includes(name));
  return {
    tls_client_certificate_bound_access_tokens: true,
    ...(baseUrl !== undefined && {
      mtls_endpoint_aliases: Object.fromEntries(aliases.map(([name, address]) => [name, baseUrl + path + address])),
    }),
  };
}

/** OpenID Connect Discovery section 3 and RFC 8414 section 2. It lists only what the server supports, and the application offers. */
export function discoveryDocument(
  { issuer, docsUrl, endpoints, grantTypes, certificates }: Published,
  application?: Application,
): Record<string, unknown> {
  const ownClaims = application?.user_attributes?.map(({ name }) => name) ?? [];
  const methods = authMethods.filter(method => canAuthenticate(method, certificates));
  const { client_id_metadata: documents = 'off', dynamic_registration: registration = 'off' } = application ?? {};
  return {
    issuer,
    ...Object.fromEntries([...endpoints].map(([name, address]) => [name, issuer + address])),
    ...(registration === 'off' ? {} : { registration_endpoint: `${issuer}/register` }),
    ...(documents === 'off' ? {} : { client_id_metadata_document_supported: true }),
    scopes_supported: application ? scopesOf(application) : scopes,
    response_types_supported: responseTypes,
    response_modes_supported: responseModes,
    grant_types_supported: offeredGrantTypes(grantTypes, application),
    ...assertionMetadata(application ?? {}),
    subject_types_supported: subjectTypes,
    id_token_signing_alg_values_supported: signingAlgs,
    ...encryptionOf('id_token'),
    userinfo_signing_alg_values_supported: signingAlgs,
    ...encryptionOf('userinfo'),
    authorization_signing_alg_values_supported: signingAlgs,
    ...encryptionOf('authorization'),
    token_endpoint_auth_methods_supported: methods,
    token_endpoint_auth_signing_alg_values_supported: assertionAlgs,
    introspection_endpoint_auth_methods_supported: methods.filter(method => method !== 'none'),
    introspection_endpoint_auth_signing_alg_values_supported: assertionAlgs,
    introspection_signing_alg_values_supported: signingAlgs,
    ...encryptionOf('introspection'),
    revocation_endpoint_auth_methods_supported: methods,
    revocation_endpoint_auth_signing_alg_values_supported: assertionAlgs,
    ...(certificates && mtlsMetadata(issuer, endpoints, certificates.baseUrl)),
    dpop_signing_alg_values_supported: asymmetricAlgs,
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
    prompt_values_supported: prompts,
    acr_values_supported: acrValues,
    display_values_supported: ['page', 'popup', 'touch'],
    backchannel_logout_supported: true,
    backchannel_logout_session_supported: true,
    backchannel_token_delivery_modes_supported: deliveryModes,
    backchannel_authentication_request_signing_alg_values_supported: asymmetricAlgs,
    backchannel_user_code_parameter_supported: true,
    frontchannel_logout_supported: true,
    frontchannel_logout_session_supported: true,
    claim_types_supported: ['normal'],
    claims_supported: [
      'iss sub aud azp iat exp auth_time amr acr nonce at_hash c_hash sid'.split(' '),
      userClaims,
      ownClaims,
    ].flat(),
    claims_parameter_supported: true,
    request_parameter_supported: true,
    request_object_signing_alg_values_supported: asymmetricAlgs,
    ...encryptionOf('request_object'),
    // Each client says for itself whether it must.
    require_signed_request_object: false,
    request_uri_parameter_supported: true,
    require_request_uri_registration: true,
    // Each client says for itself whether it must.
    require_pushed_authorization_requests: false,
    ...(application && knowsDetails(application)
      ? { authorization_details_types_supported: detailsTypesOf(application) }
      : {}),
    ui_locales_supported: locales,
    service_documentation: docsUrl,
  };
}

function encryptionOf(what: string): Record<string, readonly string[]> {
  return {
    [`${what}_encryption_alg_values_supported`]: keyEncryptionAlgs,
    [`${what}_encryption_enc_values_supported`]: contentEncryptions,
  };
}
