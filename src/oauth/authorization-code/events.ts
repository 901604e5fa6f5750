import type { EventDefinition } from '../../audit/events/definition.rules.ts';

export const authorizationCodeEvents = {
  'code.replayed': { title: { en: 'A code was used twice', zh: '授权码被使用两次' } },
} as const satisfies Record<string, EventDefinition>;
