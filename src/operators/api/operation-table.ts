import { listEvents } from '../../audit/events/operations.ts';
import { getRefusal } from '../../audit/explain/operations.ts';
import { listRefusalGroups, listRefusals } from '../../audit/refusals/operations.ts';
import { getStatistics } from '../../audit/statistics/operations.ts';
import {
  createApplication,
  deleteApplication,
  getApplication,
  listApplications,
  restoreApplication,
  updateApplication,
} from '../../directory/applications/operations.ts';
import {
  createClient,
  deleteClient,
  getClient,
  listClients,
  updateClient,
} from '../../directory/clients/operations.ts';
import {
  createClientSecret,
  deleteClientSecret,
  listClientSecrets,
} from '../../directory/clients/secrets.operations.ts';
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
} from '../../directory/users/holdings.operations.ts';
import { inviteUser, resendInvitation } from '../../directory/users/invitations.operations.ts';
import {
  createUser,
  deleteUser,
  getUser,
  listUsers,
  setUserPassword,
  updateUser,
} from '../../directory/users/operations.ts';
import { getOutboxMail, listOutbox } from '../../notify/mail/operations.ts';
import { getDelivery, listDeliveries, redeliver, testWebhook } from '../../notify/webhooks/deliveries.operations.ts';
import {
  createWebhook,
  deleteWebhook,
  getWebhook,
  listWebhooks,
  rotateWebhookSecret,
  updateWebhook,
} from '../../notify/webhooks/operations.ts';
import {
  createInitialAccessToken,
  deleteInitialAccessToken,
  listInitialAccessTokens,
} from '../../oauth/registration/operations.ts';
import { deleteKey, listKeys, rotateKeys } from '../../oauth/signing-keys/operations.ts';
import { listEmailUndos, revokeEmailUndos } from '../../people/email/operations.ts';
import { resetUserFactors } from '../../people/second-factor/operations.ts';
import { listTrustedBrowsers, withdrawTrustedBrowser } from '../../people/trusted-browsers/operations.ts';
import { createApiKey, deleteApiKey, listApiKeys } from '../api-keys/operations.ts';
import { getStatus } from '../overview/operations.ts';
import { addOperator, getOperator, listOperators, removeOperator, updateOperator } from '../roles/operations.ts';
import type { OperationId } from './addresses.ts';
import type { Operation } from './operation.ts';

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
