import type { EventDefinition } from '../../audit/events/definition.rules.ts';

export const passwordEvents = {
  'user.password.changed': { title: { en: 'Password changed', zh: '已更改密码' } },
  'user.password.reset.requested': { title: { en: 'Link to a new password sent', zh: '已发送重设密码的链接' } },
} as const satisfies Record<string, EventDefinition>;
