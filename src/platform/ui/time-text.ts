import type { Locale } from './locale.rules.ts';

/** British English: day before month, the month as a word, 24 hours. No reader can take it for another day or half of the day. */
const LANGUAGES: Readonly<Record<Locale, string>> = { en: 'en-GB', zh: 'zh', de: 'de-DE' };

/** 16 Nov 2026, 06:41 UTC. The reader may be anywhere, and compares it with a log. */
export function timeText(locale: Locale, time: Date, precision: 'minute' | 'second' = 'minute'): string {
  const timeStyle = precision === 'minute' ? 'short' : 'medium';
  const shown = time.toLocaleString(LANGUAGES[locale], { dateStyle: 'medium', timeStyle, timeZone: 'UTC' });
  return `${shown} UTC`;
}

/** 3600 is "1 hour", and 90 "1 minute, 30 seconds". */
export function durationText(locale: Locale, seconds: number): string {
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  const parts = { hours, minutes, seconds: seconds % 60 };
  const isNothing = seconds === 0;
  return new Intl.DurationFormat(LANGUAGES[locale], {
    style: 'long',
    ...(isNothing && { secondsDisplay: 'always' as const }),
  }).format(parts);
}

export function dateText(locale: Locale, time: Date): string {
  return time.toLocaleDateString(LANGUAGES[locale], { dateStyle: 'medium', timeZone: 'UTC' });
}
