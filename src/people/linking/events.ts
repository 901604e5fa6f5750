import type { EventDefinition } from '../../audit/events/definition.rules.ts';

export const linkingEvents = {
  'user.linked': { title: { en: 'Linked to an identity provider', zh: '已关联身份提供方' } },
  'user.unlinked': { title: { en: 'Link to an identity provider removed', zh: '已取消关联身份提供方' } },
} as const satisfies Record<string, EventDefinition>;
