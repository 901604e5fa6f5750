import type { Profile } from '../protocol/claims.ts';
import type { ProfileChanges } from '../protocol/profile-changes.ts';

export interface Account extends Profile {
  readonly passwordHash: string | undefined;
  readonly disabled: boolean;
}

/** Each operation changes only the fields it names, so that concurrent changes of other fields are kept. */
export interface Users {
  /** By user name, e-mail or telephone number: one name space, already normalised (protocol/login-name.ts). */
  findAccount(loginName: string, receivedAt?: number): Promise<Account | undefined>;
  /** The login names follow user name, e-mail and telephone number. `loginTaken`: nothing was written. */
  updateProfile(sub: string, changes: ProfileChanges, now: number, receivedAt?: number): Promise<ProfileOutcome>;
  /** Ends everything the user holds. False: there is no such user. */
  disableUser(sub: string, now: number, receivedAt?: number): Promise<boolean>;
  /** Sessions and grants that ended stay ended. False: there is no such user. */
  enableUser(sub: string, now: number, receivedAt?: number): Promise<boolean>;
}

export type ProfileOutcome = { readonly kind: 'done' } | { readonly kind: 'unknown' } | LoginTaken;

export interface LoginTaken {
  readonly kind: 'loginTaken';
  /** It belongs to another user. */
  readonly loginName: string;
}
