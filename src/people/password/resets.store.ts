import type { Event } from '../../audit/events/rules.ts';
import type { NewMail } from '../../notify/mail/store.ts';

/** The links by which users set a new password, or their first one. A user has one at most: that of the newest request or invitation. */
export interface PasswordResets {
  /**
   * Makes the link and queues the mail that brings it, and removes the entry of the queue that asked for it. False: the user is gone,
   * disabled, or has not this verified e-mail address any more, or got `maxLinks` while the newest link is still good.
   */
  startPasswordReset(start: PasswordResetStart, now: number): Promise<boolean>;
  /** Undefined: the link was used, replaced or ended, or is too old. */
  findPasswordReset(tokenHash: Uint8Array, now: number): Promise<PasswordReset | undefined>;
  /**
   * Sets the password, once for each link, and ends everything the user holds. The link of an invitation also verifies the e-mail
   * address, which it was sent to. False: as above, and nothing was changed. A link ends also when the password or the e-mail address
   * changes, and when the user is disabled.
   */
  resetPassword(
    tokenHash: Uint8Array,
    passwordHash: string,
    now: number,
    act: { readonly event: Event; readonly mail?: NewMail | undefined },
  ): Promise<boolean>;
}

export interface PasswordResetStart {
  readonly sub: string;
  readonly email: string;
  readonly tokenHash: Uint8Array;
  readonly expiresAt: number;
  readonly maxLinks: number;
  readonly mail: NewMail;
  /** The id of the entry in the queue. */
  readonly requestedBy: string;
  readonly event: Event;
  readonly context?: ResetContext | undefined;
}

/** Where the user asked for the link. */
export interface ResetContext {
  /** Undefined: a page of this server. */
  readonly app?: string | undefined;
  /** The sealed sign-in, which goes on after the reset in the same browser. */
  readonly pending?: string | undefined;
}

export interface PasswordReset {
  readonly sub: string;
  readonly username: string;
  readonly email: string;
  readonly isInvitation: boolean;
  readonly context?: ResetContext | undefined;
}

/** A link by which an invited user sets a first password; it replaces the link before it. */
export interface NewInvitation {
  readonly tokenHash: Uint8Array;
  readonly expiresAt: number;
  readonly mail: NewMail;
}
