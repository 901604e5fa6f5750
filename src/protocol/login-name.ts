/**
 * A login name is a user name, an e-mail address or a telephone number. All three share one name space, so that a name finds at
 * most one user. Letters are compared without case, telephone numbers without punctuation.
 */
const MAX_LENGTH = 256;
/**
 * Longer text is refused before it is normalised. The time of that grows with the square of the length where combining characters stand in the
 * wrong order: 1 ms for this length, more than a second for 64 KB.
 */
export const MAX_NORMALIZED_LENGTH = 1024;
/** Normalising and trimming leave it as it is. */
const PRINTABLE_ASCII = /^[!-~]+$/;

/** The normalised login name. Undefined if it cannot be one; the caller must then behave exactly as for an unknown user. */
export function loginName(typed: string): string | undefined {
  if (typed.length > MAX_NORMALIZED_LENGTH) return undefined;
  const name = (PRINTABLE_ASCII.test(typed) ? typed : typed.normalize('NFKC').trim()).toLowerCase();
  if (name === '' || name.length > MAX_LENGTH) return undefined;
  return /^\+[\d\s().-]+$/.test(name) ? name.replace(/[^+\d]/g, '') : name;
}

interface Named {
  readonly username: string;
  readonly email: string | undefined;
  readonly phoneNumber: string | undefined;
}

/** Every name this user can sign in with. */
export function loginNamesOf(user: Named): string[] {
  const names: string[] = [];
  for (const typed of [user.username, user.email, user.phoneNumber]) {
    const name = typed === undefined ? undefined : loginName(typed);
    if (name !== undefined && !names.includes(name)) names.push(name);
  }
  return names;
}
