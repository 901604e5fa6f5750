import type { EventDefinition } from '../../audit/events/definition.rules.ts';

export const userAttributeEvents = {
  'user_attribute.created': { title: { en: 'User attribute defined', zh: '已定义用户属性' } },
  'user_attribute.updated': { title: { en: 'User attribute changed', zh: '已更改用户属性' } },
  'user_attribute.deleted': { title: { en: 'User attribute deleted', zh: '已删除用户属性' } },
} as const satisfies Record<string, EventDefinition>;
