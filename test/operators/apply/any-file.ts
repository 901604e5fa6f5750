import { commandTables } from '../../../src/assembly/tables.ts';
import { mfaPolicies } from '../../../src/directory/applications/rules.ts';
import { type Preset, presetFields, presets } from '../../../src/directory/clients/presets.fields.ts';
import { authMethods } from '../../../src/directory/clients/rules.ts';
import { loginName } from '../../../src/directory/users/login-name.rules.ts';
import { neededGrant, responseTypes } from '../../../src/oauth/authorize/response-type.rules.ts';
import { CIBA_GRANT } from '../../../src/oauth/ciba/rules.ts';
import { signingAlgs } from '../../../src/oauth/signing-keys/algorithms.rules.ts';
import { scopes } from '../../../src/oauth/token/scope.rules.ts';
import { TOKEN_EXCHANGE } from '../../../src/oauth/token-exchange/rules.ts';
import { nameFault, usernameFault } from '../../../src/platform/text/readable-name.rules.ts';
import { aSigningPair } from '../../build/assertion.ts';
import { BRANDING } from '../../build/branding.ts';
import type { ApplicationInput, ClientInput, UserInput } from '../../build/fixture.ts';
import { JWT_BEARER } from '../../build/identity-assertion.ts';
import { aPasskey } from '../../build/passkey.ts';
import { anyCharacter, fc } from '../../build/random.ts';
import type { Provisioned } from '../../build/test-server.ts';
import { metadataXml } from '../../people/saml/corp.ts';

/** Random apply files that are valid, with texts that YAML could take for something else. */

const TRICKY = [
  ...['null', '~', 'true', 'no', '1e3', '0x1F', '012', '.5', '2020-01-01', '12:30', '<<', '=', '---', '...', '-', '?'],
  ...[
    '# no comment',
    'a # b',
    'a: b',
    'a:',
    '- a',
    '? a',
    '! a',
    '!!str',
    '&a',
    '*a',
    '%a',
    '@a',
    '`a',
    '|',
    '>',
    '"',
    "'",
  ],
  ...[
    "it's",
    '{a}',
    '[a]',
    'a, b',
    ' leading',
    'trailing ',
    '\u2028',
    '\u2029',
    '\ufeff',
    '\u00a0',
    '\u{10ffff}',
    '😀',
    'é',
  ],
];
const text = (maxLength: number) =>
  fc
    .oneof(fc.constantFrom(...TRICKY), fc.string({ unit: anyCharacter, maxLength }), fc.string({ maxLength }))
    .filter(value => value.length > 0 && value.length <= maxLength && nameFault(value) === undefined);
const lines = fc.array(fc.oneof(text(40), fc.constant('')), { minLength: 1, maxLength: 4 }).map(all => all.join('\n'));

const uri = fc
  .tuple(
    fc.constantFrom('https://a.example', 'https://b.example:8443', 'http://127.0.0.1:8080', 'com.example.app:'),
    fc.stringMatching(/^[a-z0-9/?&=%.~-]{0,12}$/),
  )
  .map(([origin, path]) => `${origin}/${path}`)
  .filter(value => URL.canParse(value));
const uris = fc.uniqueArray(uri, { maxLength: 3 });

type NewClientInput = ClientInput & { readonly preset?: Preset };

/** Every field may be left out. */
const some = <T>(model: { [K in keyof T]: fc.Arbitrary<T[K]> }) => fc.record(model, { requiredKeys: [] });
const flag = fc.boolean();
const acrs = fc.subarray(['1', '2', 'phr'], { minLength: 1 });
const clientLink = fc.constantFrom('https://a.example/x?y=1&z', 'http://localhost:1/');
const seconds = fc.integer({ min: 1, max: 31_536_000 });

/** How a client with keys names them, or an issuer of software statements. */
const keysOf = (isInline: boolean): Pick<ClientInput, 'jwks' | 'jwks_uri'> =>
  isInline
    ? { jwks: { keys: [aSigningPair('ES256').publicJwk, { ...aSigningPair('EdDSA').publicJwk, kid: undefined }] } }
    : { jwks_uri: 'https://keys.example/set' };

const client: fc.Arbitrary<NewClientInput> = some<NewClientInput>({
  preset: fc.constantFrom(...presets),
  client_id: fc.stringMatching(/^[\x21-\x39\x3b-\x7e]{1,12}$/),
  client_name: text(100),
  redirect_uris: uris,
  post_logout_redirect_uris: uris,
  grant_types: fc.subarray([...commandTables().grantTypes.keys()]),
  response_types: fc.subarray([...responseTypes], { minLength: 1 }),
  token_endpoint_auth_method: fc.constantFrom(...authMethods),
  token_endpoint_auth_signing_alg: fc.constantFrom('ES256', 'EdDSA'),
  scope: fc.shuffledSubarray([...scopes], { minLength: 1 }).map(all => all.join(' ')),
  id_token_signed_response_alg: fc.constantFrom(...signingAlgs),
  id_token_claims: fc.constantFrom('scope', 'minimal'),
  require_signed_request_object: flag,
  subject_type: fc.constant('public'),
  sector_identifier_uri: fc.constant('https://a.example/sector.json'),
  authorization_signed_response_alg: fc.constantFrom(...signingAlgs),
  introspection_signed_response_alg: fc.constantFrom(...signingAlgs),
  userinfo_signed_response_alg: fc.constantFrom(...signingAlgs),
  userinfo_claims: fc.constantFrom('documented', 'standard'),
  access_token_format: fc.constantFrom('opaque', 'jwt'),
  require_pkce: flag,
  require_pushed_authorization_requests: flag,
  dpop_bound_access_tokens: flag,
  require_client_authentication: flag,
  require_consent: flag,
  refresh_token_rotation: flag,
  refresh_token_grace: fc.integer({ min: 0, max: 120 }),
  backchannel_token_delivery_mode: fc.constantFrom('poll', 'ping'),
  backchannel_user_code_parameter: flag,
  backchannel_logout_uri: fc.constantFrom('https://a.example/bcl', 'http://localhost:1/bcl'),
  frontchannel_logout_session_required: flag,
  default_acr_values: acrs,
  default_max_age: fc.nat(31_536_000),
  logo_uri: clientLink,
  client_uri: clientLink,
  policy_uri: clientLink,
  tos_uri: clientLink,
  initiate_login_uri: clientLink,
  client_type: fc.constant('agent'),
})
  .map(asMethodNeeds)
  .map(asGrantsNeed)
  .map(asModeNeeds)
  .map(asSchemesNeed)
  .map(asAgentNeeds)
  .map(atOwnOrigin);

const WORKLOAD = { issuer: 'https://gitlab.example', subject: 'project_path:shop/web', audience: 'https://a.example' };

/** To the EC key of `keysOf`. */
const encrypting: NewClientInput = {
  ...{ id_token_encrypted_response_alg: 'ECDH-ES', id_token_encrypted_response_enc: 'A256GCM' },
  ...{ userinfo_encrypted_response_alg: 'ECDH-ES+A128KW', userinfo_encrypted_response_enc: 'A128CBC-HS256' },
  ...{ authorization_signed_response_alg: 'ES256', introspection_signed_response_alg: 'EdDSA' },
  ...{ authorization_encrypted_response_alg: 'ECDH-ES', authorization_encrypted_response_enc: 'A128GCM' },
  ...{ introspection_encrypted_response_alg: 'ECDH-ES+A256KW', introspection_encrypted_response_enc: 'A256CBC-HS512' },
};

/** An agent has an owner, and shows who it is. */
function asAgentNeeds({ client_type, ...made }: NewClientInput): NewClientInput {
  if (client_type === undefined || methodOf(made) === 'none') return made;
  return { ...made, client_type, owner: made.require_consent ? { user: 'alice' } : { group: 'Support' } };
}

function asMethodNeeds({ token_endpoint_auth_signing_alg: alg, ...made }: NewClientInput): NewClientInput {
  switch (methodOf(made)) {
    case 'none':
      return asPublic(made);
    case 'private_key_jwt':
      if (made.require_consent === true && !made.preset) return withProfile(made);
      return {
        ...{ ...made, ...keysOf(made.require_pkce === true), ...encrypting },
        ...(alg && { token_endpoint_auth_signing_alg: alg, request_object_signing_alg: alg as 'ES256' | 'EdDSA' }),
        ...(alg && { request_uris: ['https://a.example/request'], request_object_encryption_alg: 'ECDH-ES' as const }),
        ...(alg && { request_object_encryption_enc: 'A256GCM' as const }),
        ...(alg && { backchannel_authentication_request_signing_alg: alg as 'ES256' | 'EdDSA' }),
        ...(alg && made.require_pkce && { federated_credentials: [WORKLOAD] }),
      };
    case 'tls_client_auth':
      return { ...made, dpop_bound_access_tokens: false, ...byCertificate(made.default_max_age ?? 0) };
    case 'self_signed_tls_client_auth':
      return { ...made, jwks: { keys: [{ ...aSigningPair('ES256').publicJwk, x5c: ['MIIB'] }] } };
    case 'client_secret_jwt':
      return { ...made, ...(alg && { token_endpoint_auth_signing_alg: 'HS256' }) };
    default:
      return made;
  }
}

/** What is not named here comes from the profile. */
function withProfile({ client_id, client_name, refresh_token_grace }: NewClientInput): NewClientInput {
  const named = { ...(client_id && { client_id }), ...(client_name && { client_name }) };
  const fields = { profile: 'fapi2-security', redirect_uris: ['https://a.example/cb'], ...keysOf(true) } as const;
  return { ...named, ...fields, ...(refresh_token_grace !== undefined && { refresh_token_grace }) };
}

/** Exactly one name each. */
function byCertificate(chosen: number): NewClientInput {
  const names: readonly NewClientInput[] = [
    { tls_client_auth_subject_dn: 'CN=web,O=Shop', tls_client_certificate_bound_access_tokens: true },
    { tls_client_auth_san_dns: 'web.example' },
    { tls_client_auth_san_uri: 'spiffe://example/web' },
    { tls_client_auth_san_ip: '192.0.2.7' },
    { tls_client_auth_san_email: 'web@example.com' },
  ];
  return names[chosen % names.length] ?? {};
}

/** Of the response types those that its grants stand for. */
function asGrantsNeed({ response_types: types, ...made }: NewClientInput): NewClientInput {
  const ofPreset = made.preset ? presetFields(made.preset).grant_types : undefined;
  const grants: readonly string[] = made.grant_types ?? ofPreset ?? ['authorization_code', 'refresh_token'];
  const fitting = types?.filter(type => grants.includes(neededGrant(type))) ?? [];
  return fitting.length === 0 ? made : { ...made, response_types: fitting };
}

/** A client in the mode ping says where it is told. */
function asModeNeeds(made: NewClientInput): NewClientInput {
  if (made.backchannel_token_delivery_mode !== 'ping') return made;
  return { ...made, backchannel_client_notification_endpoint: 'https://a.example/told?a=1' };
}

/** A scheme of its own is for native applications, which have no secret (RFC 8252 section 8.4). */
function asSchemesNeed(made: NewClientInput): NewClientInput {
  if (!made.redirect_uris || methodOf(made) === 'none') return made;
  return { ...made, redirect_uris: made.redirect_uris.filter(address => address.startsWith('http')) };
}

function methodOf({ token_endpoint_auth_method: method, preset }: NewClientInput) {
  return method ?? (preset && presetFields(preset).token_endpoint_auth_method);
}

/** Beside its first web address. */
function atOwnOrigin(made: NewClientInput): NewClientInput {
  const web = made.redirect_uris?.find(each => each.startsWith('http'));
  return web === undefined ? made : { ...made, frontchannel_logout_uri: new URL('/front?a=1', web).href };
}

const WITH_SECRET: readonly string[] = ['password', 'client_credentials', TOKEN_EXCHANGE, JWT_BEARER, CIBA_GRANT];

function asPublic({
  require_client_authentication: _,
  refresh_token_rotation: __,
  ...made
}: NewClientInput): NewClientInput {
  // The others demand what a public client cannot have.
  const { preset, ...rest } = made;
  return {
    ...(preset === 'web' || preset === 'machine' ? rest : made),
    ...(made.grant_types && { grant_types: made.grant_types.filter(type => !WITH_SECRET.includes(type)) }),
  };
}

const names = fc.uniqueArray(
  text(64).filter(name => name === name.trim()),
  { maxLength: 3 },
);
const userNames = fc.uniqueArray(
  text(60).filter(name => loginName(name) !== undefined && usernameFault(name) === undefined),
  { maxLength: 3 },
);
const roles = fc.dictionary(fc.constantFrom('shop', 'constructor', '*', '0'), names);

type ApiInput = NonNullable<ApplicationInput['apis']>[number];

const api: fc.Arbitrary<ApiInput> = fc.record(
  {
    identifier: uri,
    name: text(100),
    scopes: fc.dictionary(fc.stringMatching(/^[a-z:.#/-]{3,5}$/), text(200), { maxKeys: 3, noNullPrototype: true }),
    access_token_format: fc.constantFrom('opaque', 'jwt'),
    access_token_ttl: seconds,
    require_dpop: flag,
  },
  { requiredKeys: ['identifier', 'name'] },
);

const issuerName = text(255).filter(name => name === name.trim() && !/[\p{Cf}\p{Zl}\p{Zp}]/u.test(name));
const statementIssuers = fc.uniqueArray(
  fc.tuple(issuerName, flag).map(([issuer, isInline]) => ({ issuer, ...keysOf(isInline) })),
  { minLength: 1, maxLength: 3, selector: ({ issuer }) => issuer },
);

const assertionScopes = fc.uniqueArray(fc.stringMatching(/^[a-z:.#/-]{1,5}$/), { minLength: 1, maxLength: 3 });
const issuers = fc.constantFrom('https://one.example', 'https://two.example/a/', 'https://three.example:444');
const clientNames = fc.uniqueArray(fc.constantFrom('web', 'agent', 'till'), { minLength: 1 });
const assertionPolicies = fc.uniqueArray(
  fc.record(
    {
      client: fc.constantFrom('web', 'agent'),
      audience: issuers,
      scopes: assertionScopes,
      client_id: issuerName,
      subject_client: fc.constant('web'),
      resources: fc.constant(['https://api.one.example']),
      authorization_details_types: fc.constant(['payment']),
    },
    { requiredKeys: ['client', 'audience', 'scopes'] },
  ),
  { maxLength: 3, selector: ({ client, audience }) => `${client} ${audience}` },
);
const assertionIssuers = fc.uniqueArray(
  fc
    .tuple(
      issuers,
      flag,
      fc.record(
        { subject: fc.constantFrom('link', 'email'), clients: clientNames, scopes: assertionScopes },
        { requiredKeys: ['clients', 'scopes'] },
      ),
    )
    .map(([issuer, isInline, rest]) => ({ issuer, ...keysOf(isInline), ...rest })),
  { maxLength: 3, selector: ({ issuer }) => issuer },
);

/** Clients have scopes of the APIs, and introspect some. */
function withAccess(made: ApplicationInput): fc.Arbitrary<ApplicationInput> {
  const { apis = [], clients } = made;
  if (!clients || apis.length === 0) return fc.constant(made);
  const known = [...scopes, ...new Set(apis.flatMap(one => Object.keys(one.scopes ?? {})))];
  const access = fc.record({
    scope: fc.shuffledSubarray(known, { minLength: 1 }).map(all => all.join(' ')),
    apis: fc.subarray(apis.map(({ identifier }) => identifier)),
  });
  return fc
    .tuple(...clients.map(() => access))
    .map(all => ({ ...made, clients: clients.map((one, at) => ({ ...one, ...all[at] })) }));
}

/** Policies of token exchange between the APIs and clients of the application. */
function withPolicies(made: ApplicationInput): fc.Arbitrary<ApplicationInput> {
  const { apis = [], clients = [] } = made;
  if (apis.length === 0) return fc.constant(made);
  const from = [...apis.map(({ identifier }) => identifier), ...clients.flatMap(one => one.client_id ?? [])];
  const policy = fc.constantFrom(...apis).chain(({ identifier: to, scopes: known = {} }) => {
    const names = Object.keys(known);
    const some = fc.subarray(names, { minLength: Math.min(1, names.length) });
    return fc.record({ from: fc.constantFrom(...from), to: fc.constant(to), scopes: some });
  });
  return fc
    .uniqueArray(policy, { maxLength: 3, selector: one => `${one.from} ${one.to}` })
    .map(token_exchange => ({ ...made, token_exchange }));
}

const orNull = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null, freq: 5 });
const link = uri.filter(value => value.startsWith('http'));

const application: fc.Arbitrary<ApplicationInput> = fc
  .record(
    {
      code: fc.stringMatching(/^[a-z0-9][a-z0-9_-]{0,6}$/),
      name: text(100),
      strict_oidc: flag,
      access_token_ttl: seconds,
      id_token_ttl: seconds,
      refresh_token_ttl: seconds,
      refresh_family_ttl: seconds,
      id_token_signed_response_alg: fc.constantFrom(...signingAlgs),
      password_min_length: fc.integer({ min: 8, max: 64 }),
      mfa: fc.constantFrom(...mfaPolicies),
      trusted_browsers: flag,
      passkeys: flag,
      sign_up: flag,
      require_verified_email: flag,
      providers: fc.constantFrom([], ['corp'], ['other', 'corp']),
      local_sign_in: flag,
      logo_uri: orNull(fc.constant(BRANDING.logo_uri)),
      accent_color: orNull(fc.stringMatching(/^#[0-9A-Fa-f]{6}$/)),
      help_uri: orNull(link),
      policy_uri: orNull(link),
      tos_uri: orNull(link),
      access: fc.oneof(fc.constant('everybody' as const), some({ groups: names, roles: names, users: userNames })),
      clients: fc.uniqueArray(client, {
        maxLength: 4,
        selector: ({ client_id, client_name }) => client_id ?? `/${client_name}`,
      }),
      userinfo_acr_values: acrs,
      userinfo_max_age: fc.nat(31_536_000),
      apis: fc.uniqueArray(api, { maxLength: 3, selector: ({ identifier }) => identifier }),
      identity_assertions: assertionPolicies,
      assertion_issuers: assertionIssuers,
      client_id_metadata: fc.constantFrom('off' as const, 'any' as const, ['client.example', '*.tools.example']),
      dynamic_registration: fc.constantFrom('off', 'token', 'open'),
      software_statements: fc.record({ required: flag, issuers: statementIssuers }, { requiredKeys: ['issuers'] }),
    },
    { requiredKeys: ['code', 'name'] },
  )
  .chain(withAccess)
  .chain(withPolicies);

const HASH = '$2b$04$LxbFgoKCML1opwm7D.JK6.D/jHgTdz8szGcm3i55d4lz/9ahqEruy';

const user = fc.record(
  {
    username: text(60).filter(name => loginName(name) !== undefined && usernameFault(name) === undefined),
    password_hash: fc.constant(HASH),
    email: orNull(fc.stringMatching(/^[a-zA-Z0-9.'+#-]{1,10}@[a-z]{1,5}\.example$/)),
    email_verified: orNull(flag),
    groups: orNull(names),
    roles: orNull(roles),
    phone_number: orNull(fc.stringMatching(/^\+?\d[\d ().-]{2,14}$/)),
    phone_number_verified: orNull(flag),
    nickname: orNull(text(100)),
    picture: orNull(fc.webUrl()),
    name: orNull(text(100)),
    given_name: orNull(text(100)),
    family_name: orNull(text(100)),
    middle_name: orNull(text(100)),
    profile: orNull(fc.webUrl()),
    website: orNull(fc.webUrl()),
    gender: orNull(text(50)),
    birthdate: orNull(fc.constantFrom('1990', '1990-01-31', '0000-02-29')),
    zoneinfo: orNull(fc.constantFrom('Europe/Paris', 'UTC', 'Etc/GMT+5')),
    locale: orNull(fc.constantFrom('fr', 'en-US', 'no')),
    address: orNull(
      fc.oneof(
        lines,
        some({ formatted: lines, street_address: lines, locality: text(50), postal_code: text(10), country: text(50) }),
      ),
    ),
    disabled: orNull(flag),
    require_mfa: orNull(flag),
    require_password_change: orNull(flag),
    totp_secret: fc.constantFrom('JBSWY3DPEHPK3PXP', 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'),
    passkeys: fc.nat(2).map(length => Array.from({ length }, aPasskeyEntry)),
    links: fc.nat(2).map(length => Array.from({ length }, aLinkEntry)),
    attributes: orNull(
      some({
        team: text(500),
        size: fc.double({ noNaN: true, noDefaultInfinity: true }),
        staff: flag,
        since: fc.constantFrom('2024-02-29', '1999-12-31'),
        tags: fc.uniqueArray(text(100), { minLength: 1, maxLength: 3 }),
      }),
    ),
  },
  { requiredKeys: ['username'] },
) as fc.Arbitrary<UserInput>;

/** Each is a passkey of its own: no two users can have the same. */
function aPasskeyEntry() {
  const { credentialId, publicKey } = aPasskey();
  return { credential_id: credentialId, public_key: publicKey, user_handle: 'AAAA', name: 'é: # "key"', sign_count: 7 };
}

/** The same of a link. */
function aLinkEntry() {
  return { provider: 'corp', subject: `00u "é" ${++links}` };
}

let links = 0;

/** The names and types are always the same: another type is refused, and what users have has to fit. */
const attributes = fc.tuple(
  ...Object.entries({ team: 'string', size: 'number', staff: 'boolean', since: 'date', tags: 'list' } as const).map(
    ([name, type]) =>
      fc.record({
        name: fc.constant(name),
        type: fc.constant(type),
        label: text(60),
        editable_by: fc.constantFrom('user' as const, 'operator' as const),
        scope: fc.constantFrom('profile', 'hr'),
      }),
  ),
);

const provider = fc.record({
  type: fc.constant('oidc' as const),
  name: orNull(text(20)),
  issuer: fc.constantFrom('https://login.corp.example', 'http://localhost:1/realms/x'),
  client_id: fc.constantFrom('gatehouse', 'a:b'),
  token_endpoint_auth_method: orNull(fc.constantFrom('client_secret_post', 'none')),
  scope: orNull(fc.constantFrom(['openid'], ['openid', 'email'])),
  domains: orNull(fc.constantFrom([], ['corp.example'])),
  trusts_email: orNull(flag),
  create_users: orNull(flag),
  update_profile: orNull(fc.constantFrom('always', 'never')),
  claims: orNull(fc.constant({ username: 'upn' })),
  groups: orNull(fc.constant({ engineers: 'staff' })),
  acr_map: orNull(fc.constant({ 'urn:mfa': '2' })),
  max_age: orNull(fc.constantFrom(0, 3600)),
});

const METADATA = metadataXml();

const samlProvider = fc
  .record({
    type: fc.constant('saml' as const),
    entity_id: orNull(fc.constantFrom('urn:example:gatehouse', 'https://id.example/?a=b&c')),
    name_id_format: orNull(fc.constantFrom('persistent', 'transient')),
    sign_requests: orNull(flag),
    allow_unsolicited: orNull(flag),
    sign_out: orNull(flag),
    claims: orNull(fc.constant({ sub: 'urn:oid:0.9.2342.19200300.100.1.1' })),
  })
  .chain(settings =>
    fc.constantFrom(
      { ...settings, metadata: METADATA, metadata_url: null },
      { ...settings, metadata: null, metadata_url: 'https://login.corp.example/metadata?a=b' },
    ),
  );

/** Applications may name the first two. */
const providers = fc.tuple(provider, provider, samlProvider).map(
  ([one, other, partner]) =>
    [
      { id: 'corp', ...one },
      { id: 'other', ...other },
      { id: 'partner', ...partner },
    ] as const,
);

/** Names that two entries share, or that readApplyFiles refuses for another reason, are left to the caller. */
export const anyFile: fc.Arbitrary<Provisioned> = fc.record({
  providers: providers as fc.Arbitrary<NonNullable<Provisioned['providers']>>,
  user_attributes: attributes,
  applications: fc.uniqueArray(application, { maxLength: 4, selector: ({ code }) => code }),
  users: fc.uniqueArray(user, { maxLength: 6, selector: ({ username }) => loginName(username ?? '') }),
});
