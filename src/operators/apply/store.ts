import type { AlreadyAnswered, NewAnswer } from '../../audit/acts/store.ts';
import type { Event } from '../../audit/events/rules.ts';
import type { ApplicationSettings } from '../../directory/applications/rules.ts';
import type { StoredApplication } from '../../directory/applications/store.ts';
import type { Client } from '../../directory/clients/rules.ts';
import type { Provider } from '../../directory/providers/rules.ts';
import type { AttributeGone, UserAttribute } from '../../directory/user-attributes/rules.ts';
import type { Account, LoginTaken, UserWrite } from '../../directory/users/store.ts';
import type { SealedKey } from '../../oauth/signing-keys/store.ts';
import type { LinkKey, LinkRefused } from '../../people/linking/rules.ts';
import type { PasskeyTaken } from '../../people/passkey/store.ts';
import type { LastOwner } from '../roles/store.ts';

export type Provision =
  | RowChange
  /** Added if the application has no key of this algorithm, not counting retired ones. */
  | { readonly kind: 'signingKey'; readonly key: SealedKey }
  /** Its signing keys are made after this write, by a server (`pendingKeys`). */
  | { readonly kind: 'pendingKeys'; readonly app: string }
  | NewUser
  | UserChange
  | { readonly kind: 'userAttribute'; readonly attribute: UserAttribute }
  /** The values of users go after it (directory/user-attributes/job.ts). */
  | { readonly kind: 'deleteUserAttribute'; readonly name: string; readonly now: number }
  | Removal;

/** A row is written as a whole, the fields too that the file leaves out. */
export type RowChange =
  | ({ readonly kind: 'application'; readonly application: ApplicationSettings } & DecidedOn<StoredApplication>)
  | ({ readonly kind: 'client'; readonly app: string; readonly client: Client } & DecidedOn<Client>)
  | ({ readonly kind: 'provider'; readonly provider: Provider } & DecidedOn<Provider>);

interface DecidedOn<Present> {
  /** If it is another one by now, the outcome is `stale`. Undefined: the change does not depend on what is there. */
  readonly from?: Present | 'none';
}

/** What does not exist is skipped. */
export type Removal =
  /** Nothing finds it any more; its data is kept until the purge removes it. */
  | { readonly kind: 'deleteApplication'; readonly app: string; readonly now: number }
  /** With the links of people to it. */
  | { readonly kind: 'deleteProvider'; readonly id: string }
  /** What it has opened stays. */
  | { readonly kind: 'deleteLink'; readonly sub: string; readonly link: LinkKey }
  /** Ends its grants and codes. */
  | { readonly kind: 'deleteClient'; readonly app: string; readonly clientId: string; readonly now: number }
  /** Ends everything the user holds. An operator is skipped: that role is taken away first. */
  | { readonly kind: 'deleteUser'; readonly sub: string; readonly now: number };

export interface NewUser {
  readonly kind: 'newUser';
  readonly account: Account;
}

/** A user that does not exist any more is skipped. */
export interface UserChange extends UserWrite {
  readonly kind: 'user';
  readonly sub: string;
  /** By a file, which was written before: of a user who has asked to delete the account, `disabled` stays as it is. */
  readonly keepsDeletion?: true | undefined;
}

export type ProvisionOutcome =
  | { readonly kind: 'done' }
  | { readonly kind: 'stale' }
  | LoginTaken
  | PasskeyTaken
  | LinkRefused
  | AttributeGone
  | LastOwner
  | AlreadyAnswered;

export interface Provisioning {
  /**
   * Atomic, with the events of the changes. Nothing was written with any outcome but `done`. `stale`: a row has changed since its change was
   * decided; `loginTaken`: a login name belongs to another user; `passkeyTaken`: so does a passkey; `linkRefused`: a link is not possible;
   * `attributeGone`: a user has a value of an attribute that is not defined any more; `lastOwner`: the change would disable it. `dryRun`:
   * checks and writes nothing. Removals come first: the login names and passkeys of a user that is deleted are free for others.
   */
  provision(
    changes: readonly Provision[],
    dryRun?: boolean,
    events?: readonly Event[],
    /** For a request that may be repeated; written with the first event. */
    answer?: NewAnswer,
  ): Promise<ProvisionOutcome>;
  /** In the order of user names, byte by byte: those after this name, or the first ones. */
  accountsAfter(username: string | undefined, limit: number): Promise<Account[]>;
}
