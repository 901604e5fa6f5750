import { isChoosableName, MAX_NORMALIZED_LENGTH } from '../../directory/users/login-name.rules.ts';
import { usernameFault } from '../../platform/text/readable-name.rules.ts';

/** Names that people type for themselves. They are stricter than those of operators (directory/users/fields.ts), who know what they do. */

const MAX_EMAIL_LENGTH = 254;
const MAX_USERNAME_LENGTH = 64;
/** One recipient, and nothing that begins another address or header (RFC 5322 section 3.4.1). */
const EMAIL = /^[^\s\p{C}@<>()[\]\\,;:"]+@[\p{L}\p{N}](?:[\p{L}\p{N}.-]*[\p{L}\p{N}])?$/u;

/**
 * The address in the form that is compared (directory/users/login-name.rules.ts), but for upper case: the mail must go to the very mailbox whose
 * login name it becomes. Undefined: it is none.
 */
export function typedEmail(typed: string): string | undefined {
  if (typed.length > MAX_NORMALIZED_LENGTH) return undefined;
  const email = typed.trim().normalize('NFKC');
  return email.length <= MAX_EMAIL_LENGTH && EMAIL.test(email) ? email : undefined;
}

export function typedUsername(typed: string): string | undefined {
  if (typed.length > MAX_NORMALIZED_LENGTH) return undefined;
  const username = typed.trim().normalize('NFKC');
  if (username.length > MAX_USERNAME_LENGTH || usernameFault(username) !== undefined) return undefined;
  return isChoosableName(username) ? username : undefined;
}
