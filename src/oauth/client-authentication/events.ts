import type { EventDefinition } from '../../audit/events/definition.rules.ts';

export const clientAuthenticationEvents = {
  'client.authentication.failed': { title: { en: 'A client failed to authenticate', zh: '客户端认证失败' } },
} as const satisfies Record<string, EventDefinition>;
