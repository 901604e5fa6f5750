import type { Account } from '../../directory/users/store.ts';
import type { Services } from '../../services.ts';
import type { ConnectedProvider, Identity, ProviderFault } from './connector.ts';

/**
 * How providers of one type check what is typed into the ordinary form. A capability declares its checker by the types that it serves
 * (`passwordCheckers`).
 */
export interface PasswordChecker {
  /** The password that is right there becomes one of an account here (people/password-check). */
  readonly takesOver?: true;
  /** Without a password nobody is let in, and the answer takes as long as for a wrong one: the account has no attempts left. */
  check(asked: TypedPassword): Promise<Checked>;
  /** Whether somebody who signed in before is still let in. A checker without it cannot tell without a password. */
  isStillThere?(
    asked: Pick<TypedPassword, 'services' | 'provider'> & { readonly subject: string },
  ): Promise<StillThere>;
}

export interface TypedPassword {
  readonly services: Services;
  readonly provider: ConnectedProvider;
  readonly username: string;
  readonly password: string | undefined;
  /** The account here that has the name. */
  readonly account: Account | undefined;
  /** Counts the guess for the entry that the name has found, before its password is compared. */
  readonly countEntry: CountEntry;
}

/**
 * An entry can be found by many spellings of its name, of which each would have the guesses of a name of its own. `subject`: of the
 * entry, for the account that is linked to it.
 */
export type CountEntry = (entry: string, subject: string | undefined) => Promise<CountedEntry>;

/** `refused`: the entry has no attempts left. It is answered as a wrong password, and takes as long. */
export type CountedEntry = { readonly kind: 'refused' } | { readonly kind: 'admitted'; succeeded(): Promise<void> };

export type Checked =
  | { readonly kind: 'identified'; readonly identity: Identity }
  /** Nobody has this name there, or the password is another, or the person may not sign in. `reason` is for operators. */
  | { readonly kind: 'refused'; readonly reason: string; readonly isKnown: boolean }
  /** It could not be asked. */
  | { readonly kind: 'failed'; readonly fault: ProviderFault };

export type StillThere =
  | { readonly kind: 'there' }
  | { readonly kind: 'gone'; readonly reason: string }
  | { readonly kind: 'failed'; readonly fault: ProviderFault };
