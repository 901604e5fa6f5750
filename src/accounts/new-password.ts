/** Of a password that a person chooses (accounts contract, Passwords). */
export const MIN_NEW_PASSWORD_LENGTH = 8;
const MAX_NEW_PASSWORD_LENGTH = 256;

export type NewPasswordVerdict = 'good' | 'tooShort' | 'tooLong';

/** Whether a person may choose this password. `about`: what it must not repeat. */
export async function judgeNewPassword(
  password: string,
  _about: { readonly username: string; readonly email: string | undefined },
): Promise<NewPasswordVerdict> {
  // Characters and not UTF-16 units, as a person counts them.
  const length = [...password].length;
  if (length < MIN_NEW_PASSWORD_LENGTH) return 'tooShort';
  return length > MAX_NEW_PASSWORD_LENGTH ? 'tooLong' : 'good';
}
