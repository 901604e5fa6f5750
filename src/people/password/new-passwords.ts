import type { CommonPasswords } from './common-passwords.ts';
import { judgePassword, type PasswordFault, type PasswordPurpose } from './password.rules.ts';

/** Judges a password that a person or an operator sets. */
export interface NewPasswords {
  check(password: string, purpose: PasswordPurpose): Promise<PasswordFault | undefined>;
}

/** `isBreached`: asks the range service, if one is configured. It answers false when it cannot tell. */
export function createNewPasswords(isBreached: ((password: string) => Promise<boolean>) | undefined): NewPasswords {
  let loaded: CommonPasswords | undefined;
  return {
    async check(password, purpose) {
      loaded ??= await (await import('./common-passwords.ts')).loadCommonPasswords();
      const fault = judgePassword(password, purpose, loaded);
      if (fault) return fault;
      return (await isBreached?.(password)) ? { kind: 'breached' } : undefined;
    },
  };
}
