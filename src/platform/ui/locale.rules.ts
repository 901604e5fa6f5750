import { byPreference } from '../http/preference.rules.ts';

/** The languages of the pages. `ui_locales` (OIDC Core section 3.1.2.1) has precedence over the browser's Accept-Language. */
export const locales = ['en', 'zh'] as const;
export type Locale = (typeof locales)[number];

export function chooseLocale(uiLocales: string | undefined, acceptLanguage: string | undefined): Locale {
  const wished = [...(uiLocales?.split(' ') ?? []), ...byPreference(acceptLanguage ?? '')];
  for (const tag of wished) {
    const language = tag.split('-')[0]?.toLowerCase();
    const locale = locales.find(known => known === language);
    if (locale) return locale;
  }
  return 'en';
}
