import type { EventDefinition } from '../../audit/events/definition.rules.ts';

export const passwordCheckEvents = {
  'user.moved': { title: { en: 'Moved here with the password of another system', zh: '已从其他系统迁入并保留密码' } },
} as const satisfies Record<string, EventDefinition>;
