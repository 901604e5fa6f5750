import type { EventDefinition } from '../../audit/events/definition.rules.ts';

export const mailEvents = {
  'mail.undelivered': { title: { en: 'A mail could not be delivered', zh: '邮件未能送达' } },
  'mail.tested': { title: { en: 'Test mail sent', zh: '已发送测试邮件' } },
} as const satisfies Record<string, EventDefinition>;
