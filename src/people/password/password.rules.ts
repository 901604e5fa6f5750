import { MIN_PASSWORD_LENGTH } from '../../directory/applications/rules.ts';
import { MAX_NORMALIZED_LENGTH } from '../../directory/users/login-name.rules.ts';

/**
 * What a new password must be (docs/decisions/passwords.md): long enough, not made of the names around it, and not one of the
 * most common. There are no rules about kinds of characters, because they make passwords harder to remember and not to guess. The
 * rules judge a password when it is set, never at sign-in. Characters are code points.
 */
export const MAX_NEW_PASSWORD_LENGTH = 256;

/**
 * In UTF-16 code units. Longer than any passphrase that a person types; a longer one is refused without being hashed. New passwords
 * have a lower limit.
 */
export const MAX_PASSWORD_LENGTH = 1024;

/** common-passwords.ts has one. */
interface CommonPasswords {
  has(password: string): boolean;
}

/** What the password is for. */
export interface PasswordPurpose {
  /** Undefined: the password belongs to no application, and has the default length. */
  readonly minLength?: number | undefined;
  readonly username?: string | undefined;
  readonly email?: string | undefined;
  /** Undefined: the same, and the name is that of this service. */
  readonly application?: string | undefined;
}

export type PasswordFault =
  | { readonly kind: 'tooShort'; readonly min: number }
  | { readonly kind: 'tooLong'; readonly max: number }
  | { readonly kind: 'like'; readonly name: 'username' | 'email' | 'application' }
  | { readonly kind: 'common' }
  /** The range service knows it (range.ts). */
  | { readonly kind: 'breached' };

export function judgePassword(
  password: string,
  purpose: PasswordPurpose,
  common: CommonPasswords,
): PasswordFault | undefined {
  const { minLength: min = MIN_PASSWORD_LENGTH } = purpose;
  const names = { ...purpose, application: purpose.application ?? SERVICE_NAME };
  if (password.length > MAX_NORMALIZED_LENGTH) return { kind: 'tooLong', max: MAX_NEW_PASSWORD_LENGTH };
  const length = lengthOf(password);
  if (length < min) return { kind: 'tooShort', min };
  if (length > MAX_NEW_PASSWORD_LENGTH) return { kind: 'tooLong', max: MAX_NEW_PASSWORD_LENGTH };
  const name = NAMES.find(each => wordsOf(each, names[each]).some(word => isLike(fold(password), fold(word))));
  if (name !== undefined) return { kind: 'like', name };
  return common.has(password) ? { kind: 'common' } : undefined;
}

/** In code points of the normalised text, so that a letter counts alike however its accent was typed. */
export function lengthOf(password: string): number {
  return [...password.normalize('NFC')].length;
}

const SERVICE_NAME = 'Gatehouse';
const NAMES = ['username', 'email', 'application'] as const;
/** So many characters beside a name are soon tried: a year, or a few digits. */
const FEW_CHARACTERS = 4;
const SEPARATORS = /[\s._-]+/g;
/** A shorter name without its separators is a part of too many words. */
const MIN_JOINED_LENGTH = 4;

/** An e-mail address is also known by the part before the @. */
function wordsOf(name: (typeof NAMES)[number], text: string | undefined): readonly string[] {
  if (!text) return [];
  return name === 'email' ? [text, text.slice(0, text.lastIndexOf('@'))] : [text];
}

/** Names may come in compatibility forms (directory/users/login-name.rules.ts), so both are compared in that form. */
function fold(text: string): string {
  return text.normalize('NFKC').toLowerCase();
}

function isLike(password: string, name: string): boolean {
  if (name === '') return false;
  if (name.includes(password) || addsLittle(password, name)) return true;
  const joined = name.replaceAll(SEPARATORS, '');
  return joined.length >= MIN_JOINED_LENGTH && addsLittle(password.replaceAll(SEPARATORS, ''), joined);
}

/** Whether few characters, or one repeated character, are left without the name. */
function addsLittle(password: string, name: string): boolean {
  if (!password.includes(name)) return false;
  const left = [...password.replaceAll(name, '')];
  return left.length <= FEW_CHARACTERS || new Set(left).size === 1;
}
