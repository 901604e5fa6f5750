import { failureDefinition, isFailureName } from '../../failures.ts';
import type { OperatorLocale } from '../../platform/ui/locale.rules.ts';

/** What happened, in one line. A newer release may have written a reason that this one does not know: then its name. */
export function refusalTitle(locale: OperatorLocale, reason: string): string {
  return isFailureName(reason) ? failureDefinition(reason).title[locale] : reason;
}

/** Undefined: the English text of the explanation is shown. What was expected, what differs and the fix stay in English. */
export function translatedRule(locale: OperatorLocale, reason: string): string | undefined {
  return locale !== 'en' && isFailureName(reason) ? failureDefinition(reason).rule[locale] : undefined;
}
