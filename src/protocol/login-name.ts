import type { Profile } from './claims.ts';

/**
 * What a person types to say who they are: user name, e-mail or telephone number. All three share one name space, so
 * that a name finds at most one person; letters count without case, and a telephone number without its punctuation.
 */
const LONGEST = 256;
/** Normalising takes its time on text made for it, so what is far too long is not even tried. */
const LONGEST_TYPED = 4 * LONGEST;

/** Undefined for what can be nobody's name; the caller then behaves exactly as for an unknown user. */
export function loginName(typed: string): string | undefined {
  if (typed.length > LONGEST_TYPED) return undefined;
  const name = typed.normalize('NFKC').trim().toLowerCase();
  if (name === '' || name.length > LONGEST) return undefined;
  return /^\+[\d\s().-]+$/.test(name) ? name.replace(/[^+\d]/g, '') : name;
}

/** Every name this user can sign in with. */
export function loginNamesOf(user: Pick<Profile, 'username' | 'email' | 'phoneNumber'>): string[] {
  const names = [user.username, user.email, user.phoneNumber]
    .map(typed => loginName(typed ?? ''))
    .filter(name => name !== undefined);
  return [...new Set(names)];
}
