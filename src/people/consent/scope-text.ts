import type { Application } from '../../directory/applications/rules.ts';
import { isStandardScope } from '../../oauth/token/scope.rules.ts';
import type { Locale } from '../../platform/ui/locale.rules.ts';
import { apiOfConsent } from './rules.ts';
import { consentText } from './text.ts';

/** What each scope gives, in the words of the server, or in those of the application for its APIs. */
export function scopeTexts(locale: Locale, application: Pick<Application, 'apis'>, scope: readonly string[]): string[] {
  const { scopes } = consentText[locale];
  return scope.map(one => {
    if (isStandardScope(one)) return scopes[one];
    const found = apiOfConsent(application, one);
    if (!found) return one;
    return found.text === undefined ? found.api.name : `${found.api.name}: ${found.text}`;
  });
}
