import type { EventDefinition } from '../../audit/events/definition.rules.ts';

export const revocationEvents = {
  'token.revoked': { title: { en: 'Token revoked', zh: '已撤销令牌' } },
} as const satisfies Record<string, EventDefinition>;
