import type { Act, AlreadyAnswered } from '../../audit/acts/store.ts';
import type { Event } from '../../audit/events/rules.ts';
import type { NewMail } from '../../notify/mail/store.ts';

/**
 * The way back after a user has changed the e-mail address: a link to the former one. A user has one at most, that of the oldest
 * address. Every act that repairs an account ends it: another e-mail address, password or factor, signing out everywhere, disabling.
 * Otherwise whoever reads the former mailbox could take the repaired account again.
 */
export interface EmailUndos {
  /** Undefined: the link was used, has ended, or is too old. */
  findEmailUndo(tokenHash: Uint8Array, now: number): Promise<EmailUndo | undefined>;
  /**
   * Gives the user the former address back, as verified, once. Whoever changed it may know the password: so the password and the
   * factors that were added since are removed, an owner's factors excepted, and everything the user holds ends. A link to a new
   * password is made. False: as above, the user is disabled, or the address belongs to another user meanwhile.
   */
  undoEmailChange(tokenHash: Uint8Array, now: number, act: UndoAct): Promise<boolean>;
  /** Those that can still be used. */
  emailUndosOf(sub: string, now: number): Promise<PendingEmailUndo[]>;
  /** False: there was none, and nothing was recorded. */
  revokeEmailUndos(sub: string, now: number, act: Act): Promise<boolean | AlreadyAnswered>;
}

/**
 * The former address gets one mail at most: the one with the link, where it was verified, the user has had it since `heldSince`, and
 * no earlier change can be undone; `notice` where it was verified; none otherwise, because it may be a stranger's.
 */
export interface NewEmailUndo {
  readonly id: string;
  readonly tokenHash: Uint8Array;
  readonly expiresAt: number;
  readonly heldSince: number;
  readonly mail: NewMail;
  readonly notice: NewMail;
}

export interface EmailUndo {
  readonly sub: string;
  readonly username: string;
  /** The former address. */
  readonly email: string;
}

export interface PendingEmailUndo {
  readonly id: string;
  /** The former address. */
  readonly email: string;
  readonly changedAt: number;
  readonly expiresAt: number;
}

export interface UndoAct {
  readonly event: Event;
  readonly reset: { readonly tokenHash: Uint8Array; readonly expiresAt: number; readonly mail: NewMail };
}
