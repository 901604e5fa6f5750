import { hash, timingSafeEqual } from 'node:crypto';
import type { Random } from '../../platform/deps.ts';
import type { WaitingEmail } from './store.ts';

/**
 * An e-mail address that a mail was sent to. Whoever reads the mail confirms it: by the code, in the browser that asked for it, or by
 * the link, in any browser.
 */
export type Confirmation = SignUp | OwnAddress;

/** The account does not exist before the address is confirmed. */
export interface SignUp {
  readonly purpose: 'sign-up';
  readonly email: string;
  /** Undefined: the address is the name. */
  readonly username: string | undefined;
  readonly app: string;
  /**
   * The sealed sign-in that goes on when the link is opened in the same browser. It has the password; in another browser, a password is
   * chosen anew: whoever typed the first one need not own the mailbox. Undefined: it is too long to wait here.
   */
  readonly pending: string | undefined;
}

/** `verify`: the address that the user has, or the first one. `change`: another one. */
export interface OwnAddress {
  readonly purpose: 'verify' | 'change';
  readonly email: string;
  readonly sub: string;
  /** The address that the user has; undefined: none. */
  readonly from: string | undefined;
  readonly app: string | undefined;
  readonly pending: string | undefined;
}

/** How long code and link are good. */
export const CONFIRMATION_SECONDS = 1800;
/** How long a change of the address can be undone (docs/accounts.md). */
export const UNDO_SECONDS = 7 * 86_400;
/** An address that the user has had for less time gets no undo link: it may be a thief's, whom the owner has just removed. */
export const MIN_HELD_SECONDS = 7 * 86_400;
/** An ordinary sign-in has a tenth of it. */
export const MAX_WAITING_SIGN_IN_LENGTH = 8192;

/** Secret scanners recognise the prefixes in a log or a repository, and the masks of this server too (audit/refusals/mask.ts). */
const PREFIXES = { confirmation: 'gec_', undo: 'geu_' } as const;
/** Short, so that the link is one line of a mail, and more than can be guessed in a week. */
const TOKEN_BYTES = 16;

export function newMailToken(kind: keyof typeof PREFIXES, random: Random): string {
  return PREFIXES[kind] + random.bytes(TOKEN_BYTES).toString('base64url');
}

/** What the store has of it. Without a salt, because 128 random bits cannot be guessed. */
export function mailTokenHash(token: string): Buffer {
  return hash('sha256', token, 'buffer');
}

/** Crockford's base 32: no letters that look like digits, and no U, which keeps words out. Eight of them are 40 bits. */
const SYMBOLS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const CODE_LENGTH = 8;

export function newEmailCode(random: Random): string {
  return Array.from(random.bytes(CODE_LENGTH), byte => SYMBOLS[byte % SYMBOLS.length]).join('');
}

/** In constant time. Lower case, spaces, and letters that look like a digit are tolerated. */
export function isEmailCode(typed: string, expected: string): boolean {
  const symbols = typed.slice(0, 64).replace(/[\s-]/g, '').toUpperCase().replaceAll('O', '0').replace(/[IL]/g, '1');
  return timingSafeEqual(hash('sha256', symbols, 'buffer'), hash('sha256', expected, 'buffer'));
}

export type SealedConfirmation = Confirmation & { readonly code: string };

interface ConfirmationSealing {
  seal(purpose: 'e-mail confirmation', plain: Buffer, context: string): Buffer;
  open(purpose: 'e-mail confirmation', sealed: Uint8Array, context: string): Buffer | undefined;
}

/** For the store: 40 bits could be guessed from a hash. */
export function sealConfirmation(ring: ConfirmationSealing, id: string, confirmation: SealedConfirmation): Buffer {
  return ring.seal('e-mail confirmation', Buffer.from(JSON.stringify(confirmation)), id);
}

/** Undefined: none of the server's secrets opens it. */
export function openConfirmation(ring: ConfirmationSealing, waiting: WaitingEmail): SealedConfirmation | undefined {
  const plain = ring.open('e-mail confirmation', waiting.sealed, waiting.id);
  return plain && (JSON.parse(plain.toString()) as SealedConfirmation);
}
