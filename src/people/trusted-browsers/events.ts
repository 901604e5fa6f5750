import type { EventDefinition } from '../../audit/events/definition.rules.ts';

export const trustedBrowserEvents = {
  'browser.trusted': { title: { en: 'Browser trusted', zh: '已信任浏览器' } },
  'browser.distrusted': { title: { en: 'Browser no longer trusted', zh: '已取消信任浏览器' } },
} as const satisfies Record<string, EventDefinition>;
