import type { EventDefinition } from '../../audit/events/definition.rules.ts';

export const apiKeyEvents = {
  'api_key.created': { title: { en: 'API key created', zh: '已创建 API 密钥' } },
  'api_key.deleted': { title: { en: 'API key deleted', zh: '已删除 API 密钥' } },
} as const satisfies Record<string, EventDefinition>;
