import type { Event } from '../../audit/events/rules.ts';
import type { EventType } from '../../events.ts';
import type { Locale } from '../../platform/ui/locale.rules.ts';
import { eventText } from './text.ts';

export const toldTypes = Object.keys(eventText.en) as readonly EventType[];

export function toldEvent(locale: Locale, event: Event): string {
  const told: Readonly<Partial<Record<EventType, (event: Event) => string>>> = eventText[locale];
  return told[event.type]?.(event) ?? '';
}
