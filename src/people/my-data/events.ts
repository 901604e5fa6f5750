import type { EventDefinition } from '../../audit/events/definition.rules.ts';

export const myDataEvents = {
  'user.exported': { title: { en: 'Data of the user exported', zh: '已导出用户数据' } },
} as const satisfies Record<string, EventDefinition>;
