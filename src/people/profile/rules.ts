import type { Membership, RolesByApplication } from '../../directory/access/rules.ts';
import { type AttributeChanges, changeAttributes } from '../../directory/user-attributes/rules.ts';
import type { Profile } from '../../directory/users/claims.rules.ts';
import { loginName } from '../../directory/users/login-name.rules.ts';
import type { StandardClaims } from '../../directory/users/standard-claims.rules.ts';

/** A field that is not named stays as it is; null clears it. */
export interface ProfileChanges {
  readonly username?: string | undefined;
  readonly nickname?: string | null | undefined;
  readonly picture?: string | null | undefined;
  readonly email?: string | null | undefined;
  readonly emailVerified?: boolean | undefined;
  /** A provider named the address, not an operator. */
  readonly isEmailClaimed?: boolean | undefined;
  readonly phoneNumber?: string | null | undefined;
  readonly phoneNumberVerified?: boolean | undefined;
  /** The user typed the number, not an operator. */
  readonly isPhoneClaimed?: boolean | undefined;
  /** Claim by claim, the postal address as a whole. */
  readonly standardClaims?: {
    readonly [Name in keyof Omit<StandardClaims, 'attributes'>]?: StandardClaims[Name] | null | undefined;
  };
  /** Field by field; null clears all. */
  readonly attributes?: AttributeChanges | null | undefined;
  /** As a whole. */
  readonly groups?: readonly string[] | null | undefined;
  readonly roles?: RolesByApplication | null | undefined;
}

/** Of a new account, before anything is said of it. */
export const EMPTY_PROFILE: Omit<Profile, 'sub' | 'updatedAt'> = {
  username: '',
  email: undefined,
  emailVerified: false,
  phoneNumber: undefined,
  phoneNumberVerified: false,
  nickname: undefined,
  picture: undefined,
  standardClaims: undefined,
};

export function changeProfile(before: Profile, changes: ProfileChanges): Profile {
  const membership = changeMembership(before.membership ?? {}, changes);
  return { ...changePersonal(before, changes), ...(membership || before.membership ? { membership } : {}) };
}

function changePersonal(profile: Profile, changes: ProfileChanges): Profile {
  const { isEmailClaimed: wasEmailClaimed, isPhoneClaimed: wasPhoneClaimed, ...before } = profile;
  const email = changed(before.email, changes.email);
  const isSameEmail = isSameName(before.email, email);
  const emailVerified = changes.emailVerified ?? (before.emailVerified && isSameEmail);
  const emailClaim = { isNamed: changes.isEmailClaimed, was: wasEmailClaimed, isSame: isSameEmail };
  const phoneNumber = changed(before.phoneNumber, changes.phoneNumber);
  const isSameNumber = isSameName(before.phoneNumber, phoneNumber);
  const phoneClaim = { isNamed: changes.isPhoneClaimed, was: wasPhoneClaimed, isSame: isSameNumber };
  const phoneNumberVerified = changes.phoneNumberVerified ?? (before.phoneNumberVerified && isSameNumber);
  return {
    ...before,
    username: changes.username ?? before.username,
    nickname: changed(before.nickname, changes.nickname),
    picture: changed(before.picture, changes.picture),
    email,
    emailVerified,
    ...claim('isEmailClaimed', !emailVerified && isClaimed(changes.email, emailClaim), wasEmailClaimed),
    phoneNumber,
    phoneNumberVerified,
    ...claim('isPhoneClaimed', !phoneNumberVerified && isClaimed(changes.phoneNumber, phoneClaim), wasPhoneClaimed),
    standardClaims: changeClaims(before.standardClaims ?? {}, {
      ...changes.standardClaims,
      ...(changes.attributes === undefined
        ? {}
        : { attributes: changeAttributes(before.standardClaims?.attributes, changes.attributes) ?? null }),
    }),
  };
}

/** Without empty lists, so that the same membership is always stored in the same way. */
function changeMembership(before: Membership, { groups, roles }: ProfileChanges): Membership | undefined {
  const after = {
    groups: groups === undefined ? before.groups : groups,
    roles: roles === undefined ? before.roles : roles,
  };
  const isSet = { groups: (after.groups ?? []).length > 0, roles: Object.keys(after.roles ?? {}).length > 0 };
  if (!isSet.groups && !isSet.roles) return undefined;
  return {
    ...(isSet.groups ? { groups: after.groups ?? [] } : {}),
    ...(isSet.roles ? { roles: after.roles ?? {} } : {}),
  };
}

function changed(before: string | undefined, change: string | null | undefined): string | undefined {
  return change === undefined ? before : (change ?? undefined);
}

/** Named only where it is or was so: a profile that stays as it is has the same fields. */
function claim(name: 'isEmailClaimed' | 'isPhoneClaimed', isSo: boolean, was: boolean | undefined): Partial<Profile> {
  return isSo || was ? { [name]: isSo || undefined } : {};
}

interface Claim {
  /** The change says so. */
  readonly isNamed: boolean | undefined;
  readonly was: boolean | undefined;
  /** The same as before, however it is written. */
  readonly isSame: boolean;
}

/** What an operator has set stays so if the user, or a provider, only writes it differently. */
function isClaimed(change: string | null | undefined, { isNamed = false, was = false, isSame }: Claim): boolean {
  if (typeof change !== 'string') return change === undefined && was;
  return isNamed && (!isSame || was);
}

/** Whether an address was verified is a fact about that address: another one is unverified until the change says otherwise. */
function isSameName(before: string | undefined, after: string | undefined): boolean {
  if (before === undefined || after === undefined) return before === after;
  return loginName(before) === loginName(after);
}

function changeClaims(before: StandardClaims, changes: object): StandardClaims | undefined {
  const named = Object.entries(changes).filter(([, value]) => value !== undefined);
  const set = Object.entries({ ...before, ...Object.fromEntries(named) }).filter(([, value]) => value !== null);
  return set.length === 0 ? undefined : Object.fromEntries(set);
}
