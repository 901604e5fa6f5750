import type { EventDefinition } from '../../audit/events/definition.rules.ts';

export const providerEvents = {
  'provider.created': { title: { en: 'Identity provider created', zh: '已创建身份提供方' } },
  'provider.updated': { title: { en: 'Identity provider changed', zh: '已更改身份提供方' } },
  'provider.tried': { title: { en: 'Identity provider tried by an operator', zh: '管理员试用了身份提供方' } },
  'provider.deleted': { title: { en: 'Identity provider deleted', zh: '已删除身份提供方' } },
} as const satisfies Record<string, EventDefinition>;
