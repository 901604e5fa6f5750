import { createApiKey, deleteApiKey, listApiKeys } from './api-keys.ts';
import {
  createApplication,
  deleteApplication,
  getApplication,
  listApplications,
  restoreApplication,
  updateApplication,
} from './applications.ts';
import { createClientSecret, deleteClientSecret, listClientSecrets } from './client-secrets.ts';
import { createClient, deleteClient, getClient, listClients, updateClient } from './clients.ts';
import { deleteKey, listKeys, rotateKeys } from './keys.ts';
import type { Operation } from './operation.ts';
import { addOperator, getOperator, listOperators, removeOperator, updateOperator } from './operators.ts';
import type { OperationId } from './routes.ts';
import { getDelivery, listDeliveries, redeliver, testWebhook } from './webhook-deliveries.ts';
import {
  createWebhook,
  deleteWebhook,
  getWebhook,
  listWebhooks,
  rotateWebhookSecret,
  updateWebhook,
} from './webhooks.ts';

/** Every operation by its id. The type makes a route without an operation a compile error. */
// biome-ignore lint/suspicious/noExplicitAny: each operation has types of its own, which its schemas check
export const operations: Readonly<Record<OperationId, Operation<any, any, any, any>>> = {
  listApplications,
  createApplication,
  getApplication,
  updateApplication,
  deleteApplication,
  restoreApplication,
  listClients,
  createClient,
  getClient,
  updateClient,
  deleteClient,
  listClientSecrets,
  createClientSecret,
  deleteClientSecret,
  listKeys,
  rotateKeys,
  deleteKey,
  listApiKeys,
  createApiKey,
  deleteApiKey,
  listOperators,
  addOperator,
  getOperator,
  updateOperator,
  removeOperator,
  listWebhooks,
  createWebhook,
  getWebhook,
  updateWebhook,
  deleteWebhook,
  rotateWebhookSecret,
  testWebhook,
  listDeliveries,
  getDelivery,
  redeliver,
};
