import type { EventDefinition } from '../../audit/events/definition.rules.ts';

export const agentEvents = {
  'agent.stopped': { title: { en: 'Agent stopped by its owner', zh: '所有者停用了智能体' } },
  'agent.started': { title: { en: 'Agent started again by its owner', zh: '所有者重新启用了智能体' } },
} as const satisfies Record<string, EventDefinition>;
