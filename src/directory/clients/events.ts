import type { EventDefinition } from '../../audit/events/definition.rules.ts';

export const clientEvents = {
  'client.created': { title: { en: 'Client created', zh: '已创建客户端' } },
  'client.updated': { title: { en: 'Client changed', zh: '已更改客户端' } },
  'client.deleted': { title: { en: 'Client deleted', zh: '已删除客户端' } },
  'client.secret.created': { title: { en: 'Client secret created', zh: '已创建客户端密钥' } },
  'client.secret.deleted': { title: { en: 'Client secret deleted', zh: '已删除客户端密钥' } },
} as const satisfies Record<string, EventDefinition>;
