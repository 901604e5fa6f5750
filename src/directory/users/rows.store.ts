import type { CodeFacts } from '../../oauth/authorization-code/rules.ts';
import { NO_CLAIMS, type RequestedClaims } from '../../oauth/authorize/claims-request.rules.ts';
import { DEFAULT_REFRESH_FAMILY_TTL, type RefreshFacts } from '../../oauth/refresh/rules.ts';
import type { LiveRefreshToken } from '../../oauth/refresh/store.ts';
import type { SealedKey } from '../../oauth/signing-keys/store.ts';
import { toResources } from '../../oauth/token/resource-cells.store.ts';
import { grantedScope, type Scope } from '../../oauth/token/scope.rules.ts';
import type { TokenFamily } from '../../oauth/token/store.ts';
import type { ClientAccess, ClientGrant, Consent } from '../../people/consent/store.ts';
import type { ListedSession, LiveSession } from '../../people/sessions/store.ts';
import { optional, type Row, words } from '../../platform/store/row.ts';
import { EVERYBODY, type Membership } from '../access/rules.ts';
import type { SecretUse } from '../applications/store.ts';
import {
  type Application,
  type ApplicationSettings,
  type Client,
  DEFAULT_MFA,
  DEFAULT_SIGNING_ALG,
  MIN_PASSWORD_LENGTH,
} from '../clients/rules.ts';
import type { Profile } from './claims.rules.ts';
import type { StandardClaims } from './standard-claims.rules.ts';
import type { Account, Factor, HeldGrant, HeldSession, User } from './store.ts';

const profileColumns = [
  'username',
  'nickname',
  'picture',
  'email',
  'email_verified',
  'phone_number',
  'phone_number_verified',
  'updated_at',
  'standard_claims',
  'membership',
];

/** What `toProfile` reads beside `sub`, which other tables have too. */
export const PROFILE_COLUMNS = profileColumns.join(', ');
export const USER_COLUMNS = ['sub', ...profileColumns].map(name => `u.${name}`).join(', ');

export function toProfile(row: Row): Profile {
  const profile: Profile = {
    sub: row.sub as string,
    username: row.username as string,
    nickname: optional(row.nickname),
    picture: optional(row.picture),
    email: optional(row.email),
    emailVerified: Boolean(row.email_verified),
    phoneNumber: optional(row.phone_number),
    phoneNumberVerified: Boolean(row.phone_number_verified),
    updatedAt: row.updated_at as number,
    standardClaims: toStandardClaims(row.standard_claims as string | null),
  };
  const { membership = null, phone_claimed = null } = row;
  const claimed = phone_claimed ? { ...profile, isPhoneClaimed: true } : profile;
  return membership === null ? claimed : { ...claimed, membership: JSON.parse(membership as string) };
}

/** NULL where there is neither a group nor a role. */
export function fromMembership(membership: Membership | undefined): string | null {
  return membership === undefined || Object.keys(membership).length === 0 ? null : JSON.stringify(membership);
}

export function toStandardClaims(value: string | null): StandardClaims | undefined {
  return value === null ? undefined : JSON.parse(value);
}

/** NULL where none is set. */
export function fromStandardClaims(claims: StandardClaims | undefined): string | null {
  return claims === undefined || Object.keys(claims).length === 0 ? null : JSON.stringify(claims);
}

export function toAccount(row: Row): Account {
  const account = { ...toProfile(row), passwordHash: optional(row.password_hash), disabled: Boolean(row.disabled) };
  return {
    ...account,
    ...(row.totp == null ? {} : { totp: row.totp as string }),
    ...(row.has_passkey ? { hasPasskey: true } : {}),
    ...(row.require_mfa ? { requiresMfa: true } : {}),
    ...(row.require_password_change ? { requirePasswordChange: true } : {}),
    ...toDeletion(row),
  };
}

/** Of a session: which credentials its user has, by their kinds. */
export function toHeldKinds(
  value: Row[string] | undefined,
): Pick<LiveSession, 'hasTotp' | 'hasPasskey' | 'hasPassword'> {
  const kinds = value == null ? [] : words(value);
  return {
    hasTotp: kinds.includes('totp'),
    hasPasskey: kinds.includes('passkey'),
    hasPassword: kinds.includes('password'),
  };
}

export function toUser(row: Row): User {
  return {
    ...toProfile(row),
    disabled: Boolean(row.disabled),
    hasPassword: Number(row.passwords) > 0,
    requiresMfa: Boolean(row.require_mfa),
    ...(row.require_password_change ? { requirePasswordChange: true } : {}),
    ...toDeletion(row),
  };
}

function toDeletion({ deletion_due = null }: Row): { readonly deletionDue?: number } {
  return deletion_due === null ? {} : { deletionDue: Number(deletion_due) };
}

export function toFamily(row: Row): TokenFamily {
  return {
    clientId: row.client_id as string,
    sub: row.sub as string,
    scope: grantedScope(row.scope as string),
    authTime: row.auth_time as number,
    amr: words(row.amr),
    sid: optional(row.sid),
    claims: toClaims(row.claims),
    ...toResources(row),
  };
}

export function toClientGrant(row: Row): ClientGrant {
  return {
    app: row.app as string,
    clientId: row.client_id as string,
    scope: grantedScope(row.scope as string),
    claims: toClaims(row.claims),
  };
}

export function toConsent(row: Row): Consent {
  return {
    app: row.app as string,
    clientId: row.client_id as string,
    scope: words(row.scope) as Scope[],
    givenAt: row.given_at as number,
  };
}

export function toClientAccess(row: Row): ClientAccess {
  return { ...toClientGrant(row), ...toResources(row), since: Number(row.since) };
}

export function toHeldGrant(row: Row): HeldGrant {
  return {
    ...toClientGrant(row),
    grantId: row.grant_id as string,
    sid: optional(row.sid),
    startedAt: Number(row.started_at),
    expiresAt: row.expires_at as number,
  };
}

export function toFactor(row: Row): Factor {
  return {
    id: row.id as string,
    kind: row.kind as string,
    createdAt: row.created_at as number,
    lastUsedAt: row.last_used_at === null ? undefined : (row.last_used_at as number),
  };
}

export function toClaims(value: Row[string] | undefined): RequestedClaims {
  return value === null ? NO_CLAIMS : JSON.parse(value as string);
}

/** NULL if no single claim was requested, which is nearly always. */
export function fromClaims(claims: RequestedClaims): string | null {
  return claims.userinfo.length + claims.id_token.length === 0 ? null : JSON.stringify(claims);
}

export function toLiveRefreshToken(row: Row): LiveRefreshToken {
  return {
    familyStartedAt: row.started_at as number,
    clientId: row.client_id as string,
    sub: row.sub as string,
    scope: row.scope as string,
    issuedAt: row.issued_at as number,
    expiresAt: row.expires_at as number,
  };
}

/** The defaults for an application that an earlier release stored without these settings. */
const SETTINGS_ADDED_LATER = {
  refresh_family_ttl: DEFAULT_REFRESH_FAMILY_TTL,
  id_token_signed_response_alg: DEFAULT_SIGNING_ALG,
  password_min_length: MIN_PASSWORD_LENGTH,
  mfa: DEFAULT_MFA,
  trusted_browsers: false,
  sign_up: false,
  require_verified_email: false,
  passkeys: true,
  access: EVERYBODY,
  apis: [],
  token_exchange: [],
  client_id_metadata: 'off',
  dynamic_registration: 'off',
} satisfies Partial<Application>;

export function applicationFromRow(row: Row | undefined): Application | undefined {
  return row && { ...toSettings(row), ...(row.logo_hash === null ? {} : { logo_hash: row.logo_hash as string }) };
}

/** With the logo, where the row has it. */
export function settingsFromRow(row: Row): ApplicationSettings {
  const { logo = null } = row;
  return { ...toSettings(row), ...(logo === null ? {} : { logo_uri: logo as string }) };
}

function toSettings({ code, name, settings }: Row): Omit<Application, 'logo_hash'> {
  return { ...SETTINGS_ADDED_LATER, ...JSON.parse(settings as string), code, name };
}

/** The same for a client. */
const METADATA_ADDED_LATER = { userinfo_claims: 'documented' } satisfies Partial<Client>;

export function clientFromRow(row: Row): Client {
  const metadata = JSON.parse(row.metadata as string);
  return {
    ...METADATA_ADDED_LATER,
    ...metadata,
    client_id: row.client_id,
    secret_hash: optional(row.secret_hash),
  };
}

export function toKey(row: Row): SealedKey {
  return {
    app: row.app as string,
    kid: row.kid as string,
    alg: row.alg as SealedKey['alg'],
    publicJwk: row.public_jwk as string,
    sealedPrivateKey: row.sealed_private_key as Uint8Array,
    createdAt: row.created_at as number,
    signFrom: row.sign_from as number,
    retiredAt: row.retired_at === null ? undefined : (row.retired_at as number),
    hasSigned: Boolean(row.has_signed),
  };
}

export function toSecretUse(row: Row): SecretUse {
  return {
    id: row.id as string,
    signingKeys: Number(row.signing_keys),
    clientSecrets: Number(row.client_secrets),
    webhookSecrets: Number(row.webhook_secrets),
    totpKeys: Number(row.totp_keys),
  };
}

export function toListedSession(row: Row): ListedSession {
  return {
    sid: row.sid as string,
    authTime: row.auth_time as number,
    idleExpiresAt: row.idle_expires_at as number,
    expiresAt: row.expires_at as number,
    userAgent: optional(row.user_agent),
    address: optional(row.address),
    startedAt: row.started_at as number,
  };
}

/** What a session keeps of the one that it replaces. */
export interface Kept {
  readonly sid: string;
  readonly startedAt: number;
}

export function toKept(row: Row): Kept {
  return { sid: row.sid as string, startedAt: Number(row.started_at) };
}

export function toHeldSession(row: Row): HeldSession {
  return { ...toListedSession(row), amr: words(row.amr) };
}

export function toRefreshFacts(row: Row, { clientId, scope }: TokenFamily, successorUsed: boolean): RefreshFacts {
  return {
    clientId,
    scope,
    expiresAt: row.token_expires_at as number,
    rotatedAt: row.rotated_at === null ? undefined : (row.rotated_at as number),
    successorUsed,
    familyStartedAt: row.started_at as number,
  };
}

export function toCodeFacts(row: Row): CodeFacts {
  return {
    clientId: row.client_id as string,
    redirectUri: row.redirect_uri as string,
    codeChallenge: optional(row.code_challenge),
    clientAuthenticationRequired: Boolean(row.client_authentication_required),
    expiresAt: row.expires_at as number,
    redeemed: row.grant_id !== null,
  };
}
