import type { NewMail } from '../../notify/mail/store.ts';

/** Mails about sign-ins with new browsers. */
export interface BrowserNotices {
  /**
   * Queues the mail in place of the entry that it comes from, unless this was the first sign-in of the user, or the user got as many
   * today. False: no mail was queued.
   */
  noteNewBrowser(notice: BrowserNotice, now: number): Promise<boolean>;
}

export interface BrowserNotice {
  readonly sub: string;
  /** Undefined: the user cannot be told. The sign-in is noted all the same. */
  readonly mail: NewMail | undefined;
  readonly maxPerDay: number;
  /** The id of the entry in the queue of mails. */
  readonly requestedBy: string;
}
