import type { Application, Client } from '../protocol/client.ts';
import type { ProfileChanges } from '../protocol/profile-changes.ts';
import type { SealedKey } from './signing-keys.ts';
import type { Account, LoginTaken } from './users.ts';

export type Provision =
  | { readonly kind: 'application'; readonly application: Application }
  | { readonly kind: 'client'; readonly app: string; readonly client: Client }
  /** Added if the application has no key of this algorithm, not counting retired ones. */
  | { readonly kind: 'signingKey'; readonly key: SealedKey }
  | NewUser
  | UserChange;

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
}

export type ProvisionOutcome = { readonly kind: 'done' } | LoginTaken;

export interface Provisioning {
  /** Atomic. `loginTaken`: a login name belongs to another user; nothing was written. `dryRun`: checks and writes nothing. */
  provision(changes: readonly Provision[], dryRun?: boolean): Promise<ProvisionOutcome>;
}
