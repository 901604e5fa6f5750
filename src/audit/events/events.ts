import type { EventDefinition } from './definition.rules.ts';

export const auditLogEvents = {
  'events.dropped': { title: { en: 'Events were dropped', zh: '部分事件被丢弃' } },
} as const satisfies Record<string, EventDefinition>;
