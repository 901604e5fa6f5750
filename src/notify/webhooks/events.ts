import type { EventDefinition } from '../../audit/events/definition.rules.ts';

export const webhookEvents = {
  'webhook.created': { title: { en: 'Webhook created', zh: '已创建 Webhook' } },
  'webhook.updated': { title: { en: 'Webhook changed', zh: '已更改 Webhook' } },
  'webhook.deleted': { title: { en: 'Webhook deleted', zh: '已删除 Webhook' } },
  'webhook.paused': { title: { en: 'Webhook paused', zh: 'Webhook 已暂停' } },
  'webhook.tested': { title: { en: 'Webhook tested', zh: '已测试 Webhook' } },
  'webhook.redelivered': { title: { en: 'Delivery of a webhook repeated', zh: '已重新投递 Webhook' } },
} as const satisfies Record<string, EventDefinition>;
