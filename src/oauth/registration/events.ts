import type { EventDefinition } from '../../audit/events/definition.rules.ts';

export const registrationEvents = {
  'initial_access_token.created': { title: { en: 'Initial access token created', zh: '已创建初始访问令牌' } },
  'initial_access_token.deleted': { title: { en: 'Initial access token deleted', zh: '已删除初始访问令牌' } },
} as const satisfies Record<string, EventDefinition>;
