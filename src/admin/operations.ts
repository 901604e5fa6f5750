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
import { listEmailUndos, revokeEmailUndos } from './email-undos.ts';
import { listEvents } from './events.ts';
import {
  createInitialAccessToken,
  deleteInitialAccessToken,
  listInitialAccessTokens,
} from './initial-access-tokens.ts';
import { inviteUser, resendInvitation } from './invitations.ts';
import { deleteKey, listKeys, rotateKeys } from './keys.ts';
import type { Operation } from './operation.ts';
import { addOperator, getOperator, listOperators, removeOperator, updateOperator } from './operators.ts';
import { getOutboxMail, listOutbox } from './outbox.ts';
import { listRefusalGroups, listRefusals } from './refusal-lists.ts';
import { getRefusal } from './refusals.ts';
import { resetUserFactors } from './reset-factors.ts';
import type { OperationId } from './routes.ts';
import { getStatistics } from './statistics.ts';
import { getStatus } from './status.ts';
import { listTrustedBrowsers, withdrawTrustedBrowser } from './trusted-browsers.ts';
import {
  endUserSession,
  listUserConsents,
  listUserFactors,
  listUserGrants,
  listUserSessions,
  removeUserFactor,
  revokeUserGrant,
  signOutUser,
  withdrawUserConsent,
} from './user-holdings.ts';
import { createUser, deleteUser, getUser, listUsers, setUserPassword, updateUser } from './users.ts';
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
  listInitialAccessTokens,
  createInitialAccessToken,
  deleteInitialAccessToken,
  listKeys,
  rotateKeys,
  deleteKey,
  listUsers,
  createUser,
  getUser,
  updateUser,
  deleteUser,
  setUserPassword,
  inviteUser,
  resendInvitation,
  listUserSessions,
  endUserSession,
  listUserGrants,
  revokeUserGrant,
  listUserConsents,
  withdrawUserConsent,
  listUserFactors,
  removeUserFactor,
  resetUserFactors,
  listEmailUndos,
  revokeEmailUndos,
  listTrustedBrowsers,
  withdrawTrustedBrowser,
  signOutUser,
  listEvents,
  getStatistics,
  getStatus,
  listOutbox,
  getOutboxMail,
  listApiKeys,
  createApiKey,
  deleteApiKey,
  listOperators,
  addOperator,
  getOperator,
  updateOperator,
  removeOperator,
  getRefusal,
  listRefusals,
  listRefusalGroups,
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
