import type { EventDefinition } from '../../audit/events/definition.rules.ts';

export const operatorEvents = {
  'operator.added': { title: { en: 'Operator added', zh: '已添加管理员' } },
  'operator.updated': { title: { en: 'Operator changed', zh: '已更改管理员' } },
  'operator.removed': { title: { en: 'Operator removed', zh: '已移除管理员' } },
} as const satisfies Record<string, EventDefinition>;
