import { capability, from, placeOf } from '../../capability.ts';
import { operationsOf } from '../../operators/api/operation-table.ts';
import { webhookTables } from './tables.ts';

/** Webhooks: subscriptions to events, and their deliveries (Standard Webhooks 1.0.0). */
export const webhooks = capability('notify/webhooks', {
  nouns: { webhooks: { order: 60, summary: 'list and change webhooks, their secrets and deliveries' } },
  operations: [
    operationsOf(() => import('./operations.ts'), {
      '/webhooks': { GET: 'listWebhooks', POST: 'createWebhook' },
      '/webhooks/{id}': { GET: 'getWebhook', PATCH: 'updateWebhook', DELETE: 'deleteWebhook' },
      '/webhooks/{id}/secrets': { POST: 'rotateWebhookSecret' },
    }).onCommandLine('webhooks', {
      list: { operation: 'listWebhooks', withoutSecret: true },
      get: { operation: 'getWebhook', arguments: ['id'], example: 'whk_0123 --json' },
      create: {
        operation: 'createWebhook',
        arguments: ['url'],
        example: 'https://crm.example/hooks --application shop --event-types user.created',
      },
      update: { operation: 'updateWebhook', arguments: ['id'], example: 'whk_0123 --state active' },
      delete: { operation: 'deleteWebhook', arguments: ['id'], example: 'whk_0123', withoutSecret: true },
      'new-secret': {
        operation: 'rotateWebhookSecret',
        arguments: ['id'],
        example: 'whk_0123 --previous-valid-for 3600',
        withoutSecret: true,
      },
    }),
    operationsOf(() => import('./deliveries.operations.ts'), {
      '/webhooks/{id}/deliveries': { GET: 'listDeliveries' },
      '/webhooks/{id}/deliveries/{delivery_id}': { GET: 'getDelivery' },
      '/webhooks/{id}/deliveries/{delivery_id}/redeliver': { POST: 'redeliver' },
      '/webhooks/{id}/test': { POST: 'testWebhook' },
    }).onCommandLine('webhooks', {
      test: { operation: 'testWebhook', arguments: ['id'], example: 'whk_0123' },
      deliveries: { operation: 'listDeliveries', arguments: ['id'], example: 'whk_0123 --state failed' },
      delivery: { operation: 'getDelivery', arguments: ['id', 'delivery_id'], example: 'whk_0123 dlv_0123' },
      redeliver: { operation: 'redeliver', arguments: ['id', 'delivery_id'], example: 'whk_0123 dlv_0123' },
    }),
  ],
  console: {
    '/console/webhooks': from(() => import('./console.ts'), 'webhooks'),
    '/console/webhooks/new': from(() => import('./new.console.ts'), 'newWebhook'),
    '/console/webhooks/{id}': from(() => import('./webhook.console.ts'), 'webhook'),
    '/console/webhooks/{id}/deliveries/{delivery_id}': from(() => import('./delivery.console.ts'), 'delivery'),
  },
  places: {
    webhooks: placeOf('/console/webhooks', 60, 'listWebhooks', () => import('./console.text.ts'), 'webhooksPlace', {
      group: 'deployment',
      icon: 'webhooks',
    }),
  },
  jobs: [
    {
      name: 'webhooks',
      everyMs: 1000,
      runs: 'once on a machine',
      load: from(() => import('./job.ts'), 'sendWebhooks'),
    },
  ],
  waiting: [
    {
      name: 'gatehouse_webhook_deliveries_waiting',
      help: 'Webhook deliveries that are neither delivered nor given up.',
      count: store => store.countWaitingDeliveries(),
    },
  ],
  tables: webhookTables,
});
