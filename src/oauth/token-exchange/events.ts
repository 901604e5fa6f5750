import type { EventDefinition } from '../../audit/events/definition.rules.ts';

export const tokenExchangeEvents = {
  'token.exchanged': { title: { en: 'Token exchanged', zh: '已交换令牌' } },
} as const satisfies Record<string, EventDefinition>;
