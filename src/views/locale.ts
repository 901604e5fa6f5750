/** The languages our pages speak. `ui_locales` (OIDC Core section 3.1.2.1) comes before the browser's own wish. */
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

/** RFC 9110 section 12.5.4. */
function byPreference(header: string): string[] {
  return header
    .slice(0, 500)
    .split(',')
    .map(entry => {
      const [tag = '', ...options] = entry.trim().split(';');
      const weight = options.map(option => /^\s*q=([\d.]+)/.exec(option)?.[1]).find(found => found !== undefined);
      return { tag: tag.trim(), weight: weight === undefined ? 1 : Number(weight) };
    })
    .filter(({ weight }) => weight > 0)
    .sort((one, other) => other.weight - one.weight)
    .map(({ tag }) => tag);
}
