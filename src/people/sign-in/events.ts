import type { EventDefinition } from '../../audit/events/definition.rules.ts';

export const signInEvents = {
  'user.login.succeeded': { title: { en: 'Signed in', zh: '已登录' } },
  'user.login.failed': { title: { en: 'A sign-in failed', zh: '登录失败' } },
  'user.login.denied': { title: { en: 'The application did not admit the user', zh: '应用不允许该用户访问' } },
} as const satisfies Record<string, EventDefinition>;
