import type { Act } from '../../audit/acts/store.ts';
import type { Event } from '../../audit/events/rules.ts';

/** The passwords of users: one for each user at most, as a hash. Other credentials: people/passkey and people/second-factor. */
export interface Credentials {
  /** The password hash of the first user whose `sub` is not before this point, or of the first of all. */
  passwordHashFrom(point: string): Promise<string | undefined>;
  /** Stores another hash of the same password; ends nothing. False: the stored hash is not `from` any more, and stays. */
  replacePasswordHash(sub: string, from: string, to: string): Promise<boolean>;
  /** The user chose it: ends everything the user holds, and no new one is demanded any more. Undefined: no password from now on. False: there is no such user. */
  changePassword(sub: string, hash: string | undefined, now: number, event?: Event): Promise<boolean>;
  /**
   * The same, unless the stored hash is not `from` any more: a user changes the password with the present one, and must not undo what
   * another has set meanwhile. `from` undefined: the user has none. False: nothing was changed.
   */
  replacePassword(
    sub: string,
    change: { readonly from: string | undefined; readonly to: string },
    now: number,
    act: Act,
  ): Promise<boolean>;
}
