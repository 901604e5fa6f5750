import type { CommonPasswords } from './common-passwords.ts';
import { judgePassword, type PasswordFault, type PasswordPurpose } from './password.rules.ts';

/** Judges a password that a person or an operator sets. */
export interface NewPasswords {
  check(password: string, purpose: PasswordPurpose): Promise<PasswordFault | undefined>;
  /** Its first half, by the rules and the list of this server. */
  judge(password: string, purpose: PasswordPurpose): Promise<PasswordFault | undefined>;
  /** Its second half, which asks another server: for somebody unknown after the request was counted. */
  checkBreaches(password: string): Promise<PasswordFault | undefined>;
}

/** `isBreached`: asks the range service, if one is configured. It answers false when it cannot tell. */
export function createNewPasswords(isBreached: ((password: string) => Promise<boolean>) | undefined): NewPasswords {
  let loaded: CommonPasswords | undefined;
  const judge: NewPasswords['judge'] = async (password, purpose) => {
    loaded ??= await (await import('./common-passwords.ts')).loadCommonPasswords();
    return judgePassword(password, purpose, loaded);
  };
  const checkBreaches: NewPasswords['checkBreaches'] = async password =>
    (await isBreached?.(password)) ? { kind: 'breached' } : undefined;
  return {
    check: async (password, purpose) => (await judge(password, purpose)) ?? checkBreaches(password),
    judge,
    checkBreaches,
  };
}
