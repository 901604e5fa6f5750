import { toClientGrant } from '../../people/consent/rows.store.ts';
import { toListedSession } from '../../people/sessions/rows.store.ts';
import { optional, type Row, words } from '../../platform/store/row.ts';
import type { Membership } from '../access/rules.ts';
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
  const { membership = null, phone_claimed = null, email_claimed = null } = row;
  const claimed = {
    ...profile,
    ...(email_claimed ? { isEmailClaimed: true } : {}),
    ...(phone_claimed ? { isPhoneClaimed: true } : {}),
  };
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

export function toHeldSession(row: Row): HeldSession {
  return { ...toListedSession(row), amr: words(row.amr) };
}
