/** Identity providers of the deployment: what is registered of one. Pure. */

/** Each type that a capability connects (`connectors` of its declaration), or checks passwords with (`passwordCheckers`). */
export const providerTypes = [
  'oidc',
  'oauth',
  'saml',
  'ldap',
  'password-check',
  'google',
  'microsoft',
  'apple',
  'github',
  'gitlab',
  'gatehouse',
] as const;

export type ProviderType = (typeof providerTypes)[number];

/** When the profile of a person follows what the provider says: at the first sign-in, at each, or at none. */
export const profileUpdates = ['first', 'always', 'never'] as const;

export type ProfileUpdate = (typeof profileUpdates)[number];

/** How Gatehouse authenticates at the token endpoint of the provider (OIDC Core section 9). */
export const providerAuthMethods = ['client_secret_basic', 'client_secret_post', 'private_key_jwt', 'none'] as const;

/** A provider as it is stored, without its secrets. Names and meanings are in fields.ts of the capabilities. */
export interface ProviderSettings {
  readonly id: string;
  readonly type: ProviderType;
  readonly name?: string | undefined;
  readonly issuer?: string | undefined;
  readonly client_id?: string | undefined;
  readonly token_endpoint_auth_method?: (typeof providerAuthMethods)[number] | undefined;
  readonly scope?: readonly string[] | undefined;
  /** Of Microsoft: who may sign in there. */
  readonly tenant?: string | undefined;
  /** Of Apple: with these the client secret is the private key that signs one. */
  readonly team_id?: string | undefined;
  readonly key_id?: string | undefined;
  /** Of a provider that speaks OAuth alone. */
  readonly authorization_endpoint?: string | undefined;
  readonly token_endpoint?: string | undefined;
  readonly userinfo_endpoint?: string | undefined;
  readonly subject_claim?: string | undefined;
  readonly metadata?: string | undefined;
  readonly metadata_url?: string | undefined;
  readonly entity_id?: string | undefined;
  readonly name_id_format?: 'persistent' | 'transient' | 'email' | 'unspecified' | undefined;
  readonly sign_requests?: boolean | undefined;
  readonly allow_unsolicited?: boolean | undefined;
  /** Addresses of these domains go straight to this provider. */
  readonly domains: readonly string[];
  /** An address that it calls verified may join an account that exists. */
  readonly trusts_email: boolean;
  /** False: only people who are linked already. */
  readonly create_users: boolean;
  readonly update_profile: ProfileUpdate;
  /** Fields of a user by the claims that they come from. */
  readonly claims?: Readonly<Record<string, string>> | undefined;
  /** Groups here by the groups of the provider; all others are dropped. Of a directory: where its groups are. */
  readonly groups?: GroupMap | GroupSearch | undefined;
  /** Classes of `acr` here by those of the provider. */
  readonly acr_map?: Readonly<Record<string, string>> | undefined;
  readonly max_age?: number | undefined;
  /** Its tokens are kept encrypted, for token exchange. */
  readonly keep_tokens?: boolean | undefined;
  /** Signing out here signs out there. */
  readonly sign_out?: boolean | undefined;
  /** Of a directory: its servers, the first of which is asked first. */
  readonly url?: string | readonly string[] | undefined;
  readonly starttls?: boolean | undefined;
  /** Certificates in PEM that are believed instead of those of the system. */
  readonly tls_ca?: string | undefined;
  readonly bind_dn?: string | undefined;
  readonly search_base?: string | undefined;
  readonly search_filter?: string | undefined;
  /** The attribute that says who the person is, for ever. */
  readonly subject_attribute?: string | undefined;
  /** Fields of a user by the attributes that they come from. */
  readonly attributes?: Readonly<Record<string, string>> | undefined;
  /** How long a person may refresh tokens before the directory is asked whether the person is still there. */
  readonly recheck?: string | number | undefined;
  /** Of an old system: how many people it has. */
  readonly expected_users?: number | undefined;
}

export type GroupMap = Readonly<Record<string, string>>;

export interface GroupSearch {
  readonly search_base: string;
  readonly filter?: string | undefined;
  /** With the groups that these groups are members of. */
  readonly nested?: boolean | undefined;
  /** The attribute with the name of a group. */
  readonly name?: string | undefined;
  /** Groups here by the names there; all others are dropped. Undefined: each has the name that it has there. */
  readonly map?: GroupMap | undefined;
}

/** What is kept encrypted, by the names of the fields. */
export type ProviderSecrets = Readonly<Record<string, string>>;

/** A provider as operators set it. */
export type ProviderEntry = ProviderSettings & {
  readonly client_secret?: string | undefined;
  readonly private_keys?: string | undefined;
  readonly bind_password?: string | undefined;
  readonly signing_secret?: string | undefined;
};

export interface Provider extends ProviderSettings {
  /** Undefined: it has none. */
  readonly sealedSecrets: Uint8Array | undefined;
}

/** Of a deployment. All of them are in memory. */
export const MAX_PROVIDERS = 200;

/** Part of its addresses. */
export const PROVIDER_ID = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/** What the button says: "Continue with …". */
export function providerName({ name, type, id }: NamedProvider): string {
  return name ?? (type === undefined ? undefined : SERVICES[type]) ?? id;
}

type NamedProvider = Pick<ProviderSettings, 'id' | 'name'> & { readonly type?: string | undefined };

const SERVICES: Readonly<Record<string, string>> = {
  google: 'Google',
  microsoft: 'Microsoft',
  apple: 'Apple',
  github: 'GitHub',
  gitlab: 'GitLab',
};

/** Where the provider sends people back to. Each has an address of its own, so that none can answer for another (RFC 9700 section 4.4). */
export function callbackOf(baseUrl: string, id: string): string {
  return `${baseUrl}/login/provider/${id}/callback`;
}

/** Those that the application offers, in its order. One that is not there any more is left out. */
export function offeredOf(
  providers: readonly Provider[],
  { providers: ids = [] }: { readonly providers?: readonly string[] | undefined },
): readonly Provider[] {
  return ids.flatMap(id => providers.find(each => each.id === id) ?? []);
}

/** The ids of the old systems among providers. */
export function oldSystemsIn(
  providers: readonly { readonly id: string; readonly type?: string | null | undefined }[],
): ReadonlySet<string> {
  return new Set(providers.filter(({ type }) => type === 'password-check').map(({ id }) => id));
}

/** Why an application needs `local_sign_in`: people who have moved from an old system have their passwords here. Undefined: it does not. */
export function passwordsNeeded(
  {
    providers = [],
    local_sign_in,
  }: { readonly providers?: readonly string[] | undefined; readonly local_sign_in?: boolean | undefined },
  oldSystems: ReadonlySet<string>,
): string | undefined {
  const needed = local_sign_in === false ? providers.find(id => oldSystems.has(id)) : undefined;
  return needed && `must be true with ${needed}: people who have moved from an old system have their passwords here`;
}

/** The one to which the domain of this e-mail address belongs. */
export function providerOfAddress<P extends Pick<ProviderSettings, 'domains'>>(
  providers: readonly P[],
  address: string,
): P | undefined {
  const domain = address.slice(address.lastIndexOf('@') + 1).toLowerCase();
  return address.includes('@') ? providers.find(({ domains }) => domains.includes(domain)) : undefined;
}

/** Of a directory `groups` says where its groups are, and it has found and named them itself. */
export function groupMapOf({ type, groups }: Pick<ProviderSettings, 'type' | 'groups'>): GroupMap | undefined {
  return type === 'ldap' ? undefined : (groups as GroupMap | undefined);
}
