import { capability, from } from '../../capability.ts';
import { operationsOf } from '../../operators/api/operation-table.ts';
import { webhookTables } from './tables.ts';

/** Webhooks: subscriptions to events, and their deliveries (Standard Webhooks 1.0.0). */
export const webhooks = capability('notify/webhooks', {
  operations: [
    operationsOf(() => import('./deliveries.operations.ts'), {
      '/webhooks/{id}/deliveries': { GET: 'listDeliveries' },
      '/webhooks/{id}/deliveries/{delivery_id}': { GET: 'getDelivery' },
      '/webhooks/{id}/deliveries/{delivery_id}/redeliver': { POST: 'redeliver' },
      '/webhooks/{id}/test': { POST: 'testWebhook' },
    }),
    operationsOf(() => import('./operations.ts'), {
      '/webhooks': { GET: 'listWebhooks', POST: 'createWebhook' },
      '/webhooks/{id}': { GET: 'getWebhook', PATCH: 'updateWebhook', DELETE: 'deleteWebhook' },
      '/webhooks/{id}/secrets': { POST: 'rotateWebhookSecret' },
    }),
  ],
  console: {
    '/console/webhooks': from(() => import('./console.ts'), 'webhooks'),
    '/console/webhooks/new': from(() => import('./new.console.ts'), 'newWebhook'),
    '/console/webhooks/{id}': from(() => import('./webhook.console.ts'), 'webhook'),
    '/console/webhooks/{id}/deliveries/{delivery_id}': from(() => import('./delivery.console.ts'), 'delivery'),
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
