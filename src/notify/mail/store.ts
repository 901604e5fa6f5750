/**
 * The queue of mails. An entry is sealed, because it holds addresses and links (queue.ts): the store knows when it is due and
 * nothing else of it.
 */
export interface NewMail {
  readonly id: string;
  readonly sealed: Uint8Array;
  readonly createdAt: number;
  /** It is not sent after this time. */
  readonly expiresAt: number;
}

export interface Mail extends NewMail {
  /** With the one that this lease is for. */
  readonly attempts: number;
}

export interface Mails {
  /** False: `limit` mails are waiting already, and nothing was added. An entry with the same id that waits stays as it is. */
  addMail(mail: NewMail, limit: number): Promise<boolean>;
  /** Takes due mails for this caller alone: no other call returns them before `leaseUntil`. */
  takeMails(now: number, leaseUntil: number, limit: number): Promise<Mail[]>;
  /** It was sent, or is given up. */
  finishMail(id: string): Promise<void>;
  postponeMail(id: string, dueAt: number): Promise<void>;
  countWaitingMails(): Promise<number>;
}
