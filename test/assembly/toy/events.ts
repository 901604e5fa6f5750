import type { EventDefinition } from '../../../src/audit/events/definition.rules.ts';

declare module '../../../src/events.ts' {
  interface DeclaredEvents {
    'guest_book.cleared': true;
  }
}

export const guestEvents = {
  'guest_book.cleared': { title: { en: 'Guest book cleared', zh: '清空留言簿' } },
} as const satisfies Record<string, EventDefinition>;
