import type { Act } from '../../audit/acts/store.ts';
import type { LastOwner } from '../../operators/roles/store.ts';

/**
 * Accounts that their users have asked to delete. Until the day the user is disabled, and can have the account back by signing in. An
 * operator who enables or disables the user ends the request.
 */
export interface AccountDeletions {
  /** Disables the user and ends everything the user holds. False: there is no such user, or it is disabled already. */
  scheduleDeletion(sub: string, dueAt: number, now: number, act: Act): Promise<boolean | LastOwner>;
  /**
   * Enables the user again. `isCurrent` tells whether the stored hash of the password is still the one that the user has proved to
   * know. False: no deletion is scheduled any more, or the password is another one.
   */
  keepAccount(
    sub: string,
    isCurrent: (passwordHash: string | undefined) => boolean,
    now: number,
    act: Act,
  ): Promise<boolean>;
  /** Users whose day has come. */
  dueDeletions(now: number, limit: number): Promise<string[]>;
  /** Deletes the user as an operator does (directory/users/store.ts). False: the user is not due any more, or was deleted by another node. */
  deleteDueAccount(sub: string, now: number, act: Act): Promise<boolean>;
}
