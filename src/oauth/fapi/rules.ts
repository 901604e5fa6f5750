import type { ClientEntry } from '../../directory/clients/rules.ts';
import { type Profile, profiles } from './profiles.rules.ts';

/** FAPI 2.0: what a client with a profile has, and what stands against it. Sections are those of the Security Profile unless said. */
/** Section 5.4.1. Both names of EdDSA with Ed25519 are in use (RFC 9864). */
export const FAPI_ALGS: readonly string[] = ['PS256', 'ES256', 'EdDSA', 'Ed25519'];

/** Section 5.3.2.1: the maximum lifetime of authorization codes. */
export const FAPI_CODE_LIFETIME_SECONDS = 60;

const METHODS: readonly string[] = ['private_key_jwt', 'tls_client_auth', 'self_signed_tls_client_auth'];

/** Those of a client that its profile allows. */
export function allowedAlgs(client: Pick<ClientEntry, 'profile'>, algs: readonly string[]): readonly string[] {
  return client.profile === undefined ? algs : algs.filter(alg => FAPI_ALGS.includes(alg));
}

/** Message Signing sections 5.3 and 5.4: requests and responses are signed. */
export function signsMessages({ profile }: Pick<ClientEntry, 'profile'>): boolean {
  return profile === 'fapi2-message-signing';
}

type Fields = Readonly<Record<string, unknown>>;

/**
 * The fields of a client with those of its profile beneath, where it names one. `present`: what it has already. An unknown profile stays, for
 * the schema to refuse.
 */
export function withProfile(given: unknown, present: Fields = {}): unknown {
  if (typeof given !== 'object' || given === null || !('profile' in given) || !isProfile(given.profile)) return given;
  // Null stands for the default, and that is the one of the profile.
  const named = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined && value !== null));
  return { ...given, ...profileFields(given.profile, { ...present, ...named }), ...named };
}

function isProfile(value: unknown): value is Profile {
  return (profiles as readonly unknown[]).includes(value);
}

function profileFields(profile: Profile, known: Fields): Fields {
  const method = METHODS.find(each => each === known.token_endpoint_auth_method) ?? 'private_key_jwt';
  const bound = known.tls_client_certificate_bound_access_tokens === true || known.dpop_bound_access_tokens === true;
  const binding =
    method === 'private_key_jwt' ? 'dpop_bound_access_tokens' : 'tls_client_certificate_bound_access_tokens';
  return {
    token_endpoint_auth_method: method,
    require_pushed_authorization_requests: true,
    require_pkce: true,
    require_client_authentication: true,
    refresh_token_rotation: false,
    id_token_signed_response_alg: 'ES256',
    ...(bound ? {} : { [binding]: true }),
    ...(profile === 'fapi2-message-signing' && {
      require_signed_request_object: true,
      authorization_signed_response_alg: 'ES256',
      introspection_signed_response_alg: 'ES256',
    }),
  };
}

/** What of a client stands against its profile, by field. */
export function profileFaults(client: ClientEntry): [string, string][] {
  const { profile } = client;
  if (profile === undefined) return [];
  const why = `with the profile ${profile}`;
  return RULES.flatMap(([field, isMet, demand]) =>
    isMet(client) ? [] : [[field, `${demand} ${why}`] as [string, string]],
  );
}

type Rule = readonly [field: keyof ClientEntry, isMet: (client: ClientEntry) => boolean, demand: string];

const isTrue =
  (field: keyof ClientEntry): Rule[1] =>
  client =>
    client[field] === true;
const ALG_FIELDS = [
  'token_endpoint_auth_signing_alg',
  'request_object_signing_alg',
  'backchannel_authentication_request_signing_alg',
  'id_token_signed_response_alg',
  'userinfo_signed_response_alg',
  'authorization_signed_response_alg',
  'introspection_signed_response_alg',
] as const;
const isUnlessSigning =
  (isMet: Rule[1]): Rule[1] =>
  client =>
    !signsMessages(client) || isMet(client);

const RULES: readonly Rule[] = [
  // Section 5.3.2.1.
  [
    'token_endpoint_auth_method',
    ({ token_endpoint_auth_method: method }) => METHODS.includes(method),
    `must be ${METHODS.join(', ')}`,
  ],
  // The token of a workload comes more than once.
  ['federated_credentials', ({ federated_credentials: workloads = [] }) => workloads.length === 0, 'must be left out'],
  ['require_client_authentication', isTrue('require_client_authentication'), 'must be true'],
  [
    'dpop_bound_access_tokens',
    client => client.dpop_bound_access_tokens === true || client.tls_client_certificate_bound_access_tokens === true,
    'must be true, or tls_client_certificate_bound_access_tokens,',
  ],
  [
    'grant_types',
    ({ grant_types: grants }) => !grants.includes('password') && !grants.includes('implicit'),
    'must not have password or implicit',
  ],
  // Section 5.3.2.2.
  [
    'response_types',
    ({ response_types: types = [] }) => types.every(type => type === 'code'),
    'must be code alone, or be left out,',
  ],
  ['require_pushed_authorization_requests', isTrue('require_pushed_authorization_requests'), 'must be true'],
  ['require_pkce', isTrue('require_pkce'), 'must be true'],
  [
    'redirect_uris',
    ({ redirect_uris: uris }) => uris.every(uri => /^https:/i.test(uri)),
    'must have https addresses alone',
  ],
  // Section 5.4.1.
  ...ALG_FIELDS.map(
    (field): Rule => [
      field,
      client => client[field] === undefined || FAPI_ALGS.includes(client[field]),
      'must be PS256, ES256 or EdDSA',
    ],
  ),
  [
    'id_token_signed_response_alg',
    ({ id_token_signed_response_alg: alg }) => alg !== undefined,
    'must be ES256 or EdDSA',
  ],
  // Message Signing sections 5.3 and 5.4.
  ['require_signed_request_object', isUnlessSigning(isTrue('require_signed_request_object')), 'must be true'],
  [
    'authorization_signed_response_alg',
    isUnlessSigning(client => client.authorization_signed_response_alg !== undefined),
    'must be ES256 or EdDSA',
  ],
];
