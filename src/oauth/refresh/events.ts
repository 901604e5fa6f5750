import type { EventDefinition } from '../../audit/events/definition.rules.ts';

export const refreshEvents = {
  'refresh.reused': { title: { en: 'A refresh token was used twice', zh: '刷新令牌被使用两次' } },
  'refresh.repeated': { title: { en: 'A refresh was repeated', zh: '刷新请求被重试' } },
} as const satisfies Record<string, EventDefinition>;
