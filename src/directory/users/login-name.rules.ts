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

/**
 * Whether people may choose it as their user name. All login names share one name space, so it must look neither like an address nor
 * like a number: whoever has that one would find it taken, or type the password into the account of somebody else.
 */
export function isChoosableName(username: string): boolean {
  const name = loginName(username);
  return name !== undefined && !name.includes('@') && /\p{L}/u.test(name);
}

interface Named {
  readonly username: string;
  readonly email: string | undefined;
  readonly emailVerified?: boolean | undefined;
  readonly isEmailClaimed?: boolean | undefined;
  readonly phoneNumber: string | undefined;
  readonly phoneNumberVerified: boolean;
  readonly isPhoneClaimed?: boolean | undefined;
}

/**
 * Every name this user can sign in with. An address or a telephone number is one if it was verified, or if an operator has set it: otherwise
 * anybody could take that of somebody else, who could then not have it.
 */
export function loginNamesOf(user: Named): string[] {
  const names: string[] = [];
  const email = user.isEmailClaimed && !user.emailVerified ? undefined : user.email;
  const phoneNumber = user.isPhoneClaimed && !user.phoneNumberVerified ? undefined : user.phoneNumber;
  for (const typed of [user.username, email, phoneNumber]) {
    const name = typed === undefined ? undefined : loginName(typed);
    if (name !== undefined && !names.includes(name)) names.push(name);
  }
  return names;
}
