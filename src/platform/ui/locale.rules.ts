import { byPreference } from '../http/preference.rules.ts';

/** The languages of what people read: pages and mails. The first is chosen where no other is wished for. */
export const locales = ['en', 'zh', 'de'] as const;
export type Locale = (typeof locales)[number];

/** The languages of what only operators read: the console. */
export const operatorLocales = ['en', 'zh'] as const satisfies readonly Locale[];
export type OperatorLocale = (typeof operatorLocales)[number];

/** `ui_locales` (OIDC Core section 3.1.2.1) has precedence over the browser's Accept-Language. */
export function chooseLocale(uiLocales: string | undefined, acceptLanguage: string | undefined): Locale {
  return chosenFrom(locales, uiLocales, acceptLanguage);
}

export function chooseOperatorLocale(acceptLanguage: string | undefined): OperatorLocale {
  return chosenFrom(operatorLocales, undefined, acceptLanguage);
}

function chosenFrom<Known extends Locale>(
  known: readonly [Known, ...Known[]],
  uiLocales: string | undefined,
  acceptLanguage: string | undefined,
): Known {
  const wished = [...(uiLocales?.split(' ') ?? []), ...byPreference(acceptLanguage ?? '')];
  for (const tag of wished) {
    const language = tag.split('-')[0]?.toLowerCase();
    const locale = known.find(each => each === language);
    if (locale) return locale;
  }
  return known[0];
}

/** The value of `lang` in HTML. */
export const languageTags: Readonly<Record<Locale, string>> = { en: 'en', zh: 'zh-Hans', de: 'de' };
