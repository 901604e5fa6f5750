import type { ProviderSettings, ProviderType } from '../../directory/providers/rules.ts';

/**
 * What is known of services, so that `client_id` and `client_secret` suffice, and where they differ from the specifications. Each quirk is
 * from the documentation of the service, which is named beside it.
 */
export const openidTypes = ['oidc', 'google', 'microsoft', 'apple', 'gitlab', 'gatehouse'] as const;
/** OAuth 2.0 alone: an access token opens a document about the person. */
export const oauthTypes = ['oauth', 'github'] as const;

export type OpenidType = (typeof openidTypes)[number];

type Claims = Readonly<Record<string, unknown>>;
type Settings = Readonly<ProviderSettings>;

export interface Preset {
  /** Undefined: the provider names its own. */
  readonly issuer?: string;
  readonly scope: readonly string[];
  /** Beside those of every authorization request. */
  readonly parameters?: Readonly<Record<string, string>>;
  /** Instead of the secret in the header. */
  readonly authMethod?: 'client_secret_post';
  /** What the provider says about the person, by the names of OpenID Connect. `sent`: parameters of the answer. */
  claims?(claims: Claims, sent: (name: string) => string | undefined): Claims;
}

const SCOPE = ['openid', 'profile', 'email'];

const PRESETS: Readonly<Partial<Record<ProviderType, Preset>>> = {
  google: { issuer: 'https://accounts.google.com', scope: SCOPE, claims: googleClaims },
  microsoft: { issuer: 'https://login.microsoftonline.com', scope: SCOPE, claims: microsoftClaims },
  apple: {
    issuer: 'https://appleid.apple.com',
    scope: ['openid', 'name', 'email'],
    // Sign in with Apple, "Configuring your webpage": required where a name or address is asked for.
    parameters: { response_mode: 'form_post' },
    authMethod: 'client_secret_post',
    claims: appleClaims,
  },
  gitlab: { issuer: 'https://gitlab.com', scope: SCOPE },
  github: { scope: ['read:user', 'user:email'], claims: githubClaims },
  oauth: { scope: [] },
};

export function presetOf({ type }: Pick<Settings, 'type'>): Preset {
  return PRESETS[type] ?? { scope: SCOPE };
}

/**
 * Google, "OpenID Connect", Obtain user information: Google speaks for the addresses of its own mail and of the organisations that it hosts
 * (`hd`). Other addresses were verified once, and may belong to somebody else today.
 */
function googleClaims(claims: Claims): Claims {
  const { email, hd } = claims;
  const isOwn = typeof email === 'string' && /@(gmail|googlemail)\.com$/i.test(email);
  return isOwn || typeof hd === 'string' ? claims : { ...claims, email_verified: false };
}

/**
 * Microsoft, "Claims validation": `email` can be set to any text by an administrator of any tenant. Only the optional claim `xms_edov` says that
 * the owner of the domain is verified.
 */
function microsoftClaims(claims: Claims): Claims {
  const { xms_edov: edov } = claims;
  const isVerified = edov === true || edov === 1 || edov === '1' || edov === 'true';
  return { ...claims, email_verified: isVerified };
}

/** Sign in with Apple: the name comes once, at the first sign-in, and through the browser: nothing but a name is read from it. */
function appleClaims(claims: Claims, sent: (name: string) => string | undefined): Claims {
  const { firstName, lastName } = appleName(sent('user'));
  return {
    ...claims,
    ...(firstName === undefined ? {} : { given_name: firstName }),
    ...(lastName === undefined ? {} : { family_name: lastName }),
    ...(firstName === undefined || lastName === undefined ? {} : { name: `${firstName} ${lastName}` }),
  };
}

function appleName(user: string | undefined): { readonly firstName?: string; readonly lastName?: string } {
  try {
    const { name } = JSON.parse(user ?? '{}') as { readonly name?: Readonly<Record<string, unknown>> };
    const { firstName, lastName } = name ?? {};
    return {
      ...(typeof firstName === 'string' && firstName !== '' ? { firstName } : {}),
      ...(typeof lastName === 'string' && lastName !== '' ? { lastName } : {}),
    };
  } catch {
    return {};
  }
}

/** GitHub, "Get the authenticated user"; the address comes from "List email addresses for the authenticated user" (oauth.ts). */
function githubClaims(claims: Claims): Claims {
  const { id, login, name, avatar_url, html_url, blog, email, email_verified } = claims;
  return {
    ...claims,
    sub: id,
    preferred_username: login,
    name,
    picture: avatar_url,
    profile: html_url,
    website: blog === '' ? undefined : blog,
    email,
    email_verified,
  };
}

/** Microsoft names its issuers by tenant; these stand for many of them, and the metadata have `{tenantid}` in the place of one. */
const DEFAULT_TENANT = 'common';
const TENANT_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** The tenant of personal accounts. */
const PERSONAL = '9188040d-6c67-4b5b-b112-36a304b66dad';

/** The address below which the metadata are. */
export function issuerOf({ type, issuer, tenant = DEFAULT_TENANT }: Settings): string {
  const base = issuer ?? presetOf({ type }).issuer ?? '';
  return type === 'microsoft' ? `${base.replace(/\/$/, '')}/${tenant}/v2.0` : base;
}

/** Whether the metadata that were read there are those of the provider (Discovery section 4.3). */
export function isIssuerOf(provider: Settings, named: unknown): boolean {
  if (provider.type !== 'microsoft') return named === issuerOf(provider);
  return (
    [templateOf(provider), issuerOf(provider)].includes(named as string) || tenantIn(provider, named) !== undefined
  );
}

/** For many tenants. */
function templateOf(provider: Settings): string {
  return issuerOf({ ...provider, tenant: '{tenantid}' });
}

/** The tenant that the issuer is for. */
function tenantIn(provider: Settings, issuer: unknown): string | undefined {
  const [before = '', after = ''] = templateOf(provider).split('{tenantid}');
  if (typeof issuer !== 'string' || !issuer.startsWith(before) || !issuer.endsWith(after)) return undefined;
  const tenant = issuer.slice(before.length, issuer.length - after.length);
  return TENANT_ID.test(tenant) ? tenant : undefined;
}

/**
 * Microsoft, "Validate the issuer": where the metadata are for many tenants, the issuer of an ID token is that of its tenant (`tid`).
 * Undefined: the one of the metadata.
 */
export function issuerOfToken(provider: Settings, named: string, tid: unknown): string | undefined {
  if (provider.type !== 'microsoft' || named !== templateOf(provider)) return undefined;
  const isTaken =
    typeof tid === 'string' && TENANT_ID.test(tid) && !(provider.tenant === 'organizations' && tid === PERSONAL);
  return isTaken ? issuerOf({ ...provider, tenant: tid }) : 'the issuer of a tenant that signs in here';
}

/** A subject belongs to its issuer (OIDC Core section 2), so where there are several of these it is named beside it. */
export function subjectOf(
  provider: Settings,
  named: string,
  { sub, tid }: { readonly sub: string; readonly tid?: unknown },
) {
  return issuerOfToken(provider, named, tid) === undefined ? sub : `${tid}:${sub}`;
}
