import type { EventDefinition } from '../../audit/events/definition.rules.ts';

export const applyEvents = {
  'configuration.applied': { title: { en: 'Configuration applied', zh: '已应用配置' } },
} as const satisfies Record<string, EventDefinition>;
