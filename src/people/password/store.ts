import type { Act } from '../../audit/acts/store.ts';
import type { Event } from '../../audit/events/rules.ts';

/**
 * The credentials of users: for now a password, at most one for each user. A credential has an id, a kind, and data in a form that
 * depends on the kind: for a password its hash. Secrets that the server must read again are encrypted before they are stored (keys/).
 */
export interface Credentials {
  /** The password hash of the first user whose `sub` is not before this point, or of the first of all. */
  passwordHashFrom(point: string, receivedAt?: number): Promise<string | undefined>;
  /** Stores another hash of the same password; ends nothing. False: the stored hash is not `from` any more, and stays. */
  replacePasswordHash(sub: string, from: string, to: string, receivedAt?: number): Promise<boolean>;
  /** The user chose it: ends everything the user holds, and no new one is demanded any more. Undefined: no password from now on. False: there is no such user. */
  changePassword(
    sub: string,
    hash: string | undefined,
    now: number,
    event?: Event,
    receivedAt?: number,
  ): Promise<boolean>;
  /**
   * The same, unless the stored hash is not `from` any more: a user changes the password with the present one, and must not undo what
   * another has set meanwhile. `from` undefined: the user has none. False: nothing was changed.
   */
  replacePassword(
    sub: string,
    change: { readonly from: string | undefined; readonly to: string },
    now: number,
    act: Act,
    receivedAt?: number,
  ): Promise<boolean>;
}
