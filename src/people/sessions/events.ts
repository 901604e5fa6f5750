import type { EventDefinition } from '../../audit/events/definition.rules.ts';

export const sessionEvents = {
  'session.ended': { title: { en: 'Session ended', zh: '会话已结束' } },
} as const satisfies Record<string, EventDefinition>;
