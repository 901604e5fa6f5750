import type { Locale } from './locale.rules.ts';

/** British English: day before month, the month as a word, 24 hours. No reader can take it for another day or half of the day. */
const LANGUAGES: Readonly<Record<Locale, string>> = { en: 'en-GB', zh: 'zh', de: 'de-DE' };

/** 16 Nov 2026, 06:41 UTC. The reader may be anywhere, and compares it with a log. */
export function timeText(locale: Locale, time: Date, precision: 'minute' | 'second' = 'minute'): string {
  const timeStyle = precision === 'minute' ? 'short' : 'medium';
  const shown = time.toLocaleString(LANGUAGES[locale], { dateStyle: 'medium', timeStyle, timeZone: 'UTC' });
  return `${shown} UTC`;
}

export function dateText(locale: Locale, time: Date): string {
  return time.toLocaleDateString(LANGUAGES[locale], { dateStyle: 'medium', timeZone: 'UTC' });
}
