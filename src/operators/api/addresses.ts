/**
 * The addresses of the admin API, below {base_url}/api/v1/admin. Each method names its operation (operation-table.ts), which is also the
 * operationId of the OpenAPI document. This table is loaded when the server starts; operations and their schemas with the first
 * request that needs them.
 */
export const adminRoutes = {
  '/applications': { GET: 'listApplications', POST: 'createApplication' },
  '/applications/{code}': { GET: 'getApplication', PATCH: 'updateApplication', DELETE: 'deleteApplication' },
  '/applications/{code}/restore': { POST: 'restoreApplication' },
  '/applications/{code}/clients': { GET: 'listClients', POST: 'createClient' },
  '/applications/{code}/clients/{client_id}': { GET: 'getClient', PATCH: 'updateClient', DELETE: 'deleteClient' },
  '/applications/{code}/clients/{client_id}/secrets': { GET: 'listClientSecrets', POST: 'createClientSecret' },
  '/applications/{code}/clients/{client_id}/secrets/{id}': { DELETE: 'deleteClientSecret' },
  '/applications/{code}/initial_access_tokens': { GET: 'listInitialAccessTokens', POST: 'createInitialAccessToken' },
  '/applications/{code}/initial_access_tokens/{id}': { DELETE: 'deleteInitialAccessToken' },
  '/applications/{code}/keys': { GET: 'listKeys' },
  '/applications/{code}/keys/rotate': { POST: 'rotateKeys' },
  '/applications/{code}/keys/{kid}': { DELETE: 'deleteKey' },
  '/users': { GET: 'listUsers', POST: 'createUser' },
  '/users/{sub}': { GET: 'getUser', PATCH: 'updateUser', DELETE: 'deleteUser' },
  '/users/{sub}/password': { PUT: 'setUserPassword' },
  '/invitations': { POST: 'inviteUser' },
  '/users/{sub}/invitation': { POST: 'resendInvitation' },
  '/users/{sub}/sign_out': { POST: 'signOutUser' },
  '/users/{sub}/sessions': { GET: 'listUserSessions' },
  '/users/{sub}/sessions/{id}': { DELETE: 'endUserSession' },
  '/users/{sub}/grants': { GET: 'listUserGrants' },
  '/users/{sub}/grants/{id}': { DELETE: 'revokeUserGrant' },
  '/users/{sub}/consents': { GET: 'listUserConsents' },
  '/users/{sub}/consents/{id}': { DELETE: 'withdrawUserConsent' },
  '/users/{sub}/factors': { GET: 'listUserFactors', DELETE: 'resetUserFactors' },
  '/users/{sub}/factors/{id}': { DELETE: 'removeUserFactor' },
  '/users/{sub}/email_undos': { GET: 'listEmailUndos', DELETE: 'revokeEmailUndos' },
  '/users/{sub}/trusted_browsers': { GET: 'listTrustedBrowsers' },
  '/users/{sub}/trusted_browsers/{id}': { DELETE: 'withdrawTrustedBrowser' },
  '/events': { GET: 'listEvents' },
  '/statistics': { GET: 'getStatistics' },
  '/status': { GET: 'getStatus' },
  '/outbox': { GET: 'listOutbox' },
  '/outbox/{id}': { GET: 'getOutboxMail' },
  '/api_keys': { GET: 'listApiKeys', POST: 'createApiKey' },
  '/api_keys/{id}': { DELETE: 'deleteApiKey' },
  '/operators': { GET: 'listOperators', POST: 'addOperator' },
  '/refusals': { GET: 'listRefusals' },
  '/refusal_groups': { GET: 'listRefusalGroups' },
  '/refusals/{request_id}': { GET: 'getRefusal' },
  '/operators/{sub}': { GET: 'getOperator', PATCH: 'updateOperator', DELETE: 'removeOperator' },
  '/webhooks': { GET: 'listWebhooks', POST: 'createWebhook' },
  '/webhooks/{id}': { GET: 'getWebhook', PATCH: 'updateWebhook', DELETE: 'deleteWebhook' },
  '/webhooks/{id}/secrets': { POST: 'rotateWebhookSecret' },
  '/webhooks/{id}/test': { POST: 'testWebhook' },
  '/webhooks/{id}/deliveries': { GET: 'listDeliveries' },
  '/webhooks/{id}/deliveries/{delivery_id}': { GET: 'getDelivery' },
  '/webhooks/{id}/deliveries/{delivery_id}/redeliver': { POST: 'redeliver' },
} as const satisfies Readonly<Record<string, Readonly<Partial<Record<AdminMethod, string>>>>>;

export type AdminMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

type Rows = (typeof adminRoutes)[keyof typeof adminRoutes];
type ValuesOf<T> = T extends unknown ? T[keyof T] : never;
export type OperationId = ValuesOf<Rows>;
