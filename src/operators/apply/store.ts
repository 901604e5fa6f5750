import type { Event } from '../../audit/events/rules.ts';
import type { ApplicationSettings } from '../../directory/applications/rules.ts';
import type { Client } from '../../directory/clients/rules.ts';
import type { Account, LoginTaken } from '../../directory/users/store.ts';
import type { SealedKey } from '../../oauth/signing-keys/store.ts';
import type { PasskeyRecord, PasskeyTaken } from '../../people/passkey/store.ts';
import type { ProfileChanges } from '../../people/profile/rules.ts';
import type { LastOwner } from '../roles/store.ts';

export type Provision =
  | { readonly kind: 'application'; readonly application: ApplicationSettings }
  | { readonly kind: 'client'; readonly app: string; readonly client: Client }
  /** Added if the application has no key of this algorithm, not counting retired ones. */
  | { readonly kind: 'signingKey'; readonly key: SealedKey }
  /** Its signing keys are made after this write, by a server (`pendingKeys`). */
  | { readonly kind: 'pendingKeys'; readonly app: string }
  | NewUser
  | UserChange
  | Removal;

/** What does not exist is skipped. */
export type Removal =
  /** Nothing finds it any more; its data is kept until the purge removes it. */
  | { readonly kind: 'deleteApplication'; readonly app: string; readonly now: number }
  /** Ends its grants and codes. */
  | { readonly kind: 'deleteClient'; readonly app: string; readonly clientId: string; readonly now: number }
  /** Ends everything the user holds. An operator is skipped: that role is taken away first. */
  | { readonly kind: 'deleteUser'; readonly sub: string; readonly now: number };

export interface NewUser {
  readonly kind: 'newUser';
  readonly account: Account;
}

/** Fields that are not set stay as they are. A user that does not exist any more is skipped. */
export interface UserChange {
  readonly kind: 'user';
  readonly sub: string;
  readonly now: number;
  readonly profile?: ProfileChanges;
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
}

export type ProvisionOutcome = { readonly kind: 'done' } | LoginTaken | PasskeyTaken | LastOwner;

export interface Provisioning {
  /**
   * Atomic, with the events of the changes. `loginTaken`: a login name belongs to another user; `passkeyTaken`: so does a
   * passkey; `lastOwner`: the change would disable it. Nothing was written then. `dryRun`: checks and writes nothing. Removals come first:
   * the login names and passkeys of a user that is deleted are free for others.
   */
  provision(changes: readonly Provision[], dryRun?: boolean, events?: readonly Event[]): Promise<ProvisionOutcome>;
  /** In the order of user names, byte by byte: those after this name, or the first ones. */
  accountsAfter(username: string | undefined, limit: number): Promise<Account[]>;
}
