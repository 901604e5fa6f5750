import type { Profile } from './claims.ts';
import { loginName } from './login-name.ts';
import type { StandardClaims } from './standard-claims.ts';

/** A field that is not named stays as it is; null clears it. */
export interface ProfileChanges {
  readonly username?: string | undefined;
  readonly nickname?: string | null | undefined;
  readonly picture?: string | null | undefined;
  readonly email?: string | null | undefined;
  readonly emailVerified?: boolean | undefined;
  readonly phoneNumber?: string | null | undefined;
  readonly phoneNumberVerified?: boolean | undefined;
  /** Claim by claim, the postal address as a whole. */
  readonly standardClaims?: { readonly [Name in keyof StandardClaims]?: StandardClaims[Name] | null | undefined };
}

export function changeProfile(before: Profile, changes: ProfileChanges): Profile {
  const email = changed(before.email, changes.email);
  const phoneNumber = changed(before.phoneNumber, changes.phoneNumber);
  return {
    ...before,
    username: changes.username ?? before.username,
    nickname: changed(before.nickname, changes.nickname),
    picture: changed(before.picture, changes.picture),
    email,
    emailVerified: changes.emailVerified ?? (before.emailVerified && isSameName(before.email, email)),
    phoneNumber,
    phoneNumberVerified:
      changes.phoneNumberVerified ?? (before.phoneNumberVerified && isSameName(before.phoneNumber, phoneNumber)),
    standardClaims: changeClaims(before.standardClaims ?? {}, changes.standardClaims ?? {}),
  };
}

function changed(before: string | undefined, change: string | null | undefined): string | undefined {
  return change === undefined ? before : (change ?? undefined);
}

/** Whether an address was verified is a fact about that address: another one is unverified until the change says otherwise. */
function isSameName(before: string | undefined, after: string | undefined): boolean {
  return before !== undefined && after !== undefined && loginName(before) === loginName(after);
}

function changeClaims(before: StandardClaims, changes: object): StandardClaims | undefined {
  const named = Object.entries(changes).filter(([, value]) => value !== undefined);
  const set = Object.entries({ ...before, ...Object.fromEntries(named) }).filter(([, value]) => value !== null);
  return set.length === 0 ? undefined : Object.fromEntries(set);
}
