import type { Locale } from '../../platform/ui/locale.rules.ts';
import type { OperatorTexts } from '../../platform/ui/texts.ts';
import type { PasswordFault } from './password.rules.ts';
import { passwordFaultTexts } from './text.ts';

export function passwordFaultText(fault: PasswordFault, locale: Locale = 'en'): string {
  const text = passwordFaultTexts[locale];
  switch (fault.kind) {
    case 'tooShort':
      return text.tooShort(fault.min);
    case 'tooLong':
      return text.tooLong(fault.max);
    case 'like':
      return text.like[fault.name];
    case 'common':
    case 'breached':
      return text[fault.kind];
  }
}

/** In every language of operators, where the reader is not known yet. */
export function passwordFaultIn(fault: PasswordFault): OperatorTexts<string> {
  return { en: passwordFaultText(fault, 'en'), zh: passwordFaultText(fault, 'zh') };
}
