import type { EventDefinition } from '../../audit/events/definition.rules.ts';

export const consentEvents = {
  'consent.given': { title: { en: 'Consent given', zh: '已授权同意' } },
  'consent.withdrawn': { title: { en: 'Consent withdrawn', zh: '已撤回同意' } },
} as const satisfies Record<string, EventDefinition>;
