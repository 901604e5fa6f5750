import type { Act, AlreadyAnswered, Change } from '../../audit/acts/store.ts';
import type { Event } from '../../audit/events/rules.ts';
import type { LastOwner, Role } from '../../operators/roles/store.ts';
import type { ClientGrant, Consent } from '../../people/consent/store.ts';
import type { LinkKey, LinkRefused } from '../../people/linking/rules.ts';
import type { PasskeyRecord, PasskeyTaken } from '../../people/passkey/store.ts';
import type { NewInvitation } from '../../people/password/resets.store.ts';
import type { ProfileChanges } from '../../people/profile/rules.ts';
import type { ListedSession } from '../../people/sessions/store.ts';
import type { AttributeGone } from '../user-attributes/rules.ts';
import type { Profile } from './claims.rules.ts';

export interface Account extends Profile {
  readonly passwordHash: string | undefined;
  /** The encrypted key for one-time passwords, where the user has one and the operation reads it. */
  readonly totp?: string | undefined;
  /** Of an account that is created. */
  readonly passkeys?: readonly PasskeyRecord[] | undefined;
  /** The same: who the user is at identity providers. */
  readonly links?: readonly LinkKey[] | undefined;
  readonly hasPasskey?: boolean | undefined;
  readonly disabled: boolean;
  /** The user must have a second factor, whatever the application says. */
  readonly requiresMfa?: boolean | undefined;
  /** The next sign-in asks for a new password. */
  readonly requirePasswordChange?: boolean | undefined;
  /** When the account is deleted, as its user asked for (people/my-data/store.ts); until then it is disabled. */
  readonly deletionDue?: number | undefined;
}

/** Each operation changes only the fields it names, so that concurrent changes of other fields are kept. */
export interface Users {
  /** By user name, e-mail or telephone number: one name space, already normalised (login-name.rules.ts). */
  findAccount(loginName: string): Promise<Account | undefined>;
  /** The login names follow user name, e-mail and telephone number. `loginTaken`: nothing was written. */
  updateProfile(sub: string, changes: ProfileChanges, now: number): Promise<ProfileOutcome>;
}

export type ProfileOutcome = { readonly kind: 'done' } | { readonly kind: 'unknown' } | LoginTaken;

export interface LoginTaken {
  readonly kind: 'loginTaken';
  /** It belongs to another user. */
  readonly loginName: string;
}

/** A user as operators see one: the hash of the password stays in the store. */
export interface User extends Profile {
  readonly disabled: boolean;
  readonly hasPassword: boolean;
  readonly requiresMfa: boolean;
  readonly requirePasswordChange?: boolean | undefined;
  /** As of `Account`. */
  readonly deletionDue?: number | undefined;
}

/** The users as operators administer them. */
export interface UserAdministration {
  /**
   * Without a search: all users in the order of their names. With one: first the users with a login name that begins with it, in the order
   * of the first such name, then, if it has three characters (of Chinese, Japanese or Korean one), all others whose user name, e-mail,
   * telephone number, full, given or family name contains it (search.rules.ts), in no order that means something. Both orders of names are
   * byte by byte. Each user comes once, and those that come or go between two pages move no others; who is called otherwise in
   * between may come twice. A page of a search may have fewer users than there are further ones.
   */
  listUsers(page: UserPage): Promise<UserListing>;
  findUser(sub: string): Promise<User | undefined>;
  /** Those of them that exist, in no order. */
  findUsers(subs: readonly string[]): Promise<User[]>;
  /**
   * `create` where there is no current user, `change`, `invite` and `delete` where there is one. A change that disables the user or sets a
   * password ends everything the user holds.
   *
   * `delete` removes everything that names the user: login names, credentials, sessions, grants, codes, access tokens, consents, the
   * role of an operator. Refresh tokens name no user; they are dead, and are deleted when they expire. The audit log keeps `sub`.
   */
  changeUser<R>(
    sub: string,
    decide: (facts: UserFacts) => Change<UserAct, R>,
  ): Promise<R | AlreadyAnswered | LoginTaken | PasskeyTaken | LinkRefused | LastOwner>;
  /**
   * Adds users, many with each statement. A user that exists stays as it is, or is changed where `change` is given. `loginTaken`,
   * `passkeyTaken`, `linkRefused`, `attributeGone` and `lastOwner`: this entry was not written, the others were. For `gatehouse import users`.
   */
  importUsers(entries: readonly ImportEntry[], event: (done: ImportCounts) => Event): Promise<readonly ImportOutcome[]>;
  /** What `importUsers` would answer; writes nothing. */
  checkImport(entries: readonly ImportEntry[]): Promise<readonly ImportOutcome[]>;
}

export interface UserPage {
  /** Normalised (login-name.rules.ts). */
  readonly search: string | undefined;
  /** `next` of the page before. */
  readonly after: string | undefined;
  readonly limit: number;
}

export interface UserListing {
  readonly users: readonly User[];
  /** Undefined: there are no more. */
  readonly next: string | undefined;
}

export interface UserFacts {
  readonly current: User | undefined;
  /** Of an operator; undefined for all other users. */
  readonly role: Role | undefined;
}

export type UserAct =
  | { readonly kind: 'create'; readonly account: Account; readonly invitation?: NewInvitation | undefined }
  | ({ readonly kind: 'change' } & UserWrite)
  | { readonly kind: 'invite'; readonly invitation: NewInvitation }
  | { readonly kind: 'delete'; readonly now: number };

/** Fields that are not set stay as they are. */
export interface UserWrite {
  readonly now: number;
  readonly profile?: ProfileChanges | undefined;
  /** True ends everything the user holds. */
  readonly disabled?: boolean | undefined;
  /** Ends everything the user holds. Null: no password from now on. */
  readonly passwordHash?: string | null | undefined;
  readonly requiresMfa?: boolean | undefined;
  readonly requirePasswordChange?: boolean | undefined;
  /** The encrypted key for one-time passwords; it replaces the present one. */
  readonly totp?: string | undefined;
  /** Added to those that the user has. One of these stays as it is. */
  readonly passkeys?: readonly PasskeyRecord[] | undefined;
  /** Added to those that the user has, by which people of identity providers sign in. */
  readonly links?: readonly LinkKey[] | undefined;
}

export interface ImportEntry {
  readonly account: Account;
  /** The entry names a `sub`, by which the user is found if it exists. All others are found by their name. */
  readonly keepsSub: boolean;
  /** What changes if the user exists; undefined: nothing. */
  readonly change: Omit<UserWrite, 'now'> | undefined;
}

export type ImportOutcome =
  | { readonly kind: 'created' }
  | { readonly kind: 'updated' }
  /** The user exists and stays as it is. */
  | { readonly kind: 'present' }
  | LoginTaken
  | PasskeyTaken
  | LinkRefused
  | AttributeGone
  | LastOwner;

export interface ImportCounts {
  readonly created: number;
  readonly updated: number;
}

/**
 * What a user holds, as operators see and end it. Lists are in the order of the key `after`, newest first where it begins with a
 * time.
 */
export interface UserHoldings {
  userSessions(sub: string, now: number, page: HoldingPage<TimeAndId>): Promise<HeldSession[]>;
  userGrants(sub: string, now: number, page: HoldingPage<TimeAndId>): Promise<HeldGrant[]>;
  userConsents(sub: string, page: HoldingPage<ClientKey>): Promise<Consent[]>;
  userFactors(sub: string): Promise<Factor[]>;
  /** As `endSessionElsewhere`. */
  endUserSession(sub: string, sid: string, now: number, act: Act): Promise<Ended>;
  /** Revokes the tokens of one login at one client. */
  revokeUserGrant(sub: string, grantId: string, now: number, act: Act): Promise<Ended>;
  /** As `withdrawConsent`. */
  withdrawUserConsent(sub: string, client: ClientKey, now: number, act: Act): Promise<Ended>;
  /** Without its password the user cannot sign in by one; everything the user holds ends. */
  removeUserFactor(sub: string, id: string, now: number, act: Act): Promise<Ended>;
  /** Removes every factor but the password, with the recovery codes. No browser is trusted any more. */
  resetUserFactors(sub: string, now: number, act: Act): Promise<Ended>;
  /** The user is asked for the second factor in this browser again. */
  withdrawTrustedBrowser(sub: string, id: string, act: Act): Promise<Ended>;
  /** As `endUserAccess`. */
  signOutUser(sub: string, now: number, act: Act): Promise<Ended>;
}

/** False: it is not there, or another user's; nothing was recorded. */
type Ended = boolean | AlreadyAnswered;

export interface HoldingPage<Key> {
  /** The key of the last one of the page before. */
  readonly after: Key | undefined;
  readonly limit: number;
}

export type TimeAndId = readonly [time: number, id: string];

export interface ClientKey {
  readonly app: string;
  readonly clientId: string;
}

export interface HeldSession extends ListedSession {
  readonly amr: readonly string[];
}

export interface HeldGrant extends ClientGrant {
  readonly grantId: string;
  /** The session it came from. */
  readonly sid: string | undefined;
  readonly startedAt: number;
  readonly expiresAt: number;
}

/** A credential without its data. */
export interface Factor {
  readonly id: string;
  readonly kind: string;
  readonly createdAt: number;
  readonly lastUsedAt: number | undefined;
}
