import type { Event } from '../../audit/events/rules.ts';

/**
 * Browsers in which a user is not asked for the second factor. Everything that ends a user's access ends them too, and so does the
 * removal of any factor, and new recovery codes.
 */
export interface TrustedBrowsers {
  /**
   * False, and nothing was added: the user is disabled, or has another password than `passwordHash` or another key for one-time
   * passwords than `totpKey` by now. If the user has `limit` already, the oldest ends.
   */
  trustBrowser(browser: NewTrustedBrowser, limit: number, event?: Event): Promise<boolean>;
  /** Whether one of these tokens is of a browser that the user trusts. Records the use, about once a day. */
  isTrustedBrowser(sub: string, tokenHashes: readonly string[], now: number): Promise<boolean>;
  trustedBrowsersOf(sub: string, now: number): Promise<TrustedBrowser[]>;
  /** False: the user has no such browser. */
  distrustBrowser(sub: string, id: string, event?: Event): Promise<boolean>;
}

export interface TrustedBrowser {
  readonly id: string;
  readonly userAgent: string | undefined;
  readonly createdAt: number;
  readonly lastUsedAt: number | undefined;
  readonly expiresAt: number;
}

export interface NewTrustedBrowser extends Omit<TrustedBrowser, 'lastUsedAt'> {
  readonly sub: string;
  readonly tokenHash: string;
  readonly passwordHash: string | undefined;
  /** The encrypted key that the code was of. */
  readonly totpKey?: string | undefined;
}
