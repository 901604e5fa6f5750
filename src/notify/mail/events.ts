import type { EventDefinition } from '../../audit/events/definition.rules.ts';

export const mailEvents = {
  'mail.undelivered': { title: { en: 'A mail could not be delivered', zh: '邮件未能送达' } },
} as const satisfies Record<string, EventDefinition>;
