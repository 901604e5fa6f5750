import type { Application, Client } from '../protocol/client.ts';
import type { SealedKey } from './signing-keys.ts';
import type { Account } from './users.ts';

export type Provision =
  | { readonly kind: 'application'; readonly application: Application }
  | { readonly kind: 'client'; readonly app: string; readonly client: Client }
  /** Added if there is none of its algorithm, retired ones not counted. */
  | { readonly kind: 'signingKey'; readonly key: SealedKey }
  | {
      readonly kind: 'user';
      readonly account: Account;
      readonly loginNames: readonly string[];
      /** The stored hash stays, whatever `account` says: it may have been replaced since the account was read. */
      readonly keepPassword?: boolean;
    };

export type ProvisionOutcome = { readonly kind: 'done' } | { readonly kind: 'loginTaken'; readonly loginName: string };

export interface Provisioning {
  /** All or nothing. `loginTaken`: a login name belongs to another user; nothing was written. `dryRun` only looks. */
  provision(changes: readonly Provision[], dryRun?: boolean): Promise<ProvisionOutcome>;
}
