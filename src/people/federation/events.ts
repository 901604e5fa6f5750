import type { EventDefinition } from '../../audit/events/definition.rules.ts';

export const federationEvents = {
  'provider.sign_in.succeeded': { title: { en: 'Signed in at an identity provider', zh: '已通过身份提供方登录' } },
  'provider.sign_in.failed': {
    title: { en: 'A sign-in at an identity provider failed', zh: '通过身份提供方登录失败' },
  },
} as const satisfies Record<string, EventDefinition>;
