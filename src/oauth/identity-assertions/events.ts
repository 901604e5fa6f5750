import type { EventDefinition } from '../../audit/events/definition.rules.ts';

export const identityAssertionEvents = {
  'identity_assertion.issued': { title: { en: 'Identity assertion issued', zh: '已签发身份断言' } },
  'identity_assertion.accepted': { title: { en: 'Identity assertion accepted', zh: '已接受身份断言' } },
} as const satisfies Record<string, EventDefinition>;
