import type { Application } from '../../directory/applications/rules.ts';
import { isStandardScope } from '../../oauth/token/scope.rules.ts';
import type { Locale } from '../../platform/ui/locale.rules.ts';
import { apiOfConsent } from './rules.ts';
import { consentText } from './text.ts';

/** What each scope gives, in the words of the server, or in those of operators for APIs and for users' own fields. */
export function scopeTexts(
  locale: Locale,
  application: Pick<Application, 'apis' | 'user_attributes'>,
  scope: readonly string[],
): string[] {
  const { scopes } = consentText[locale];
  return scope.flatMap(one => {
    const fields = (application.user_attributes ?? []).filter(field => field.scope === one);
    const named = fields.length === 0 ? [] : [fields.map(({ label }) => label).join(', ')];
    if (isStandardScope(one)) return [scopes[one], ...named];
    if (named.length > 0) return named;
    const found = apiOfConsent(application, one);
    if (!found) return [one];
    return [found.text === undefined ? found.api.name : `${found.api.name}: ${found.text}`];
  });
}
