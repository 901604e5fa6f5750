import type { ConsoleContext } from '../../operators/console-frame/page.ts';

type Reader = Pick<ConsoleContext, 'services' | 'locale'>;

/** What happened, in one line. A newer release may have written a reason that this one does not know: then its name. */
export function refusalTitle({ services, locale }: Reader, reason: string): string {
  return services.tables.failures.get(reason)?.title[locale] ?? reason;
}

/** Undefined: the English text of the explanation is shown. What was expected, what differs and the fix stay in English. */
export function translatedRule({ services, locale }: Reader, reason: string): string | undefined {
  return locale === 'en' ? undefined : services.tables.failures.get(reason)?.rule[locale];
}
