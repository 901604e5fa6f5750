import type { Event } from '../../audit/events/rules.ts';
import type { Account, LoginTaken } from '../../directory/users/store.ts';
import type { NewMail } from '../../notify/mail/store.ts';
import type { NewEmailUndo } from './undo.store.ts';

/**
 * E-mail addresses that wait for their confirmation: of a sign-up, of a user who has to verify the address, or of a user who wants
 * another one. A mail brings a code for the browser that asked, and a link. What is confirmed is sealed (confirmation.ts).
 */
export interface EmailConfirmations {
  /**
   * Queues the entry by which a user asks for the confirmation of an address. What ends the confirmations of the user ends it too, and it
   * counts for nothing if the session that asks has ended meanwhile. False: as of `addMail`.
   */
  requestEmailConfirmation(request: EmailConfirmationRequest): Promise<boolean>;
  /**
   * Makes code and link valid and queues the mail that brings them, and removes the entry of the queue that asked for it. `taken`: the
   * address belongs to another user, and the mail that says so was queued instead. `limited`: the address, or this sign-in, got as many
   * mails as it may. `gone`: the entry was handled before, its request has ended, or the user is gone or disabled.
   */
  startEmailConfirmation(start: EmailConfirmationStart, now: number): Promise<'started' | 'taken' | 'limited' | 'gone'>;
  /** Undefined: the link was used or replaced, or is too old. */
  findEmailConfirmation(tokenHash: Uint8Array, now: number): Promise<WaitingEmail | undefined>;
  /** Of a user who is signing in. Undefined: there is no such user, or it is disabled. */
  emailStateOf(sub: string, id: string, now: number): Promise<EmailState | undefined>;
  /**
   * Counts an attempt before its code is compared, so that of parallel attempts, on any number of nodes, at most `limit` are compared.
   * Undefined: no code is right, because none was sent.
   */
  attemptEmailCode(attempt: EmailCodeAttempt, now: number): Promise<WaitingEmail | undefined | 'exhausted'>;
  /** Creates the user of a sign-up, once. `ended`: as above. `loginTaken`: nothing was written, the link stays good. */
  createConfirmedUser(
    tokenHash: Uint8Array,
    account: Account,
    now: number,
    event: Event,
  ): Promise<'created' | 'ended' | LoginTaken>;
  /** Sets the verified address of a user, once. `ended`: as above, or the user has another address meanwhile or is disabled. */
  confirmEmail(
    tokenHash: Uint8Array,
    change: EmailChange,
    now: number,
    event: Event,
  ): Promise<'confirmed' | 'ended' | LoginTaken>;
}

export interface EmailConfirmationRequest {
  readonly entry: NewMail;
  readonly limit: number;
  readonly sub: string;
  /** Undefined: a sign-in in progress, which has no session yet. */
  readonly sid: string | undefined;
}

export interface EmailConfirmationStart {
  /** The id of the pending request. It has one code and one link, those of the newest mail. */
  readonly id: string;
  /** Undefined: a sign-up. */
  readonly sub: string | undefined;
  /** The login name that the address is (directory/users/login-name.rules.ts). */
  readonly loginName: string;
  /** Stands for the address in the count of its mails. */
  readonly addressKey: string;
  readonly tokenHash: Uint8Array;
  readonly sealed: Uint8Array;
  readonly expiresAt: number;
  /** For this id, and for the address, while the newest is good. The user whose address it is, and all others, are counted apart. */
  readonly maxMails: number;
  readonly maxMailsOfAddress: number;
  readonly mail: NewMail;
  readonly takenMail: NewMail;
  /** The id of the entry in the queue. */
  readonly requestedBy: string;
}

export interface WaitingEmail {
  readonly id: string;
  readonly tokenHash: Uint8Array;
  readonly sealed: Uint8Array;
}

export interface EmailState {
  readonly username: string;
  readonly email: string | undefined;
  readonly emailVerified: boolean;
  readonly passwordHash: string | undefined;
  /** Whether a mail for this id is on its way and its code is good. */
  readonly isSent: boolean;
}

export interface EmailCodeAttempt {
  readonly id: string;
  readonly limit: number;
  /** When the count can be deleted. */
  readonly expiresAt: number;
}

export interface EmailChange {
  readonly sub: string;
  readonly email: string;
  /** The address that the user had when the mail was sent. */
  readonly from: string | undefined;
  /** For a change of the address: the way back. */
  readonly undo?: NewEmailUndo | undefined;
}
