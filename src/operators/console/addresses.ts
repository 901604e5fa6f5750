/**
 * The addresses of the console. This table is loaded when the server starts; the pages (pages.ts) with the first request, since most
 * nodes never show one.
 */
export const consoleRoutes = {
  '/console': 'overview',
  '/console/applications': 'applications',
  '/console/applications/new': 'newApplication',
  '/console/applications/{code}': 'application',
  '/console/continue': 'continueForm',
  '/console/applications/{code}/keys': 'keys',
  '/console/applications/{code}/initial-access-tokens': 'initialAccessTokens',
  '/console/applications/{code}/apis/new': 'newApi',
  '/console/applications/{code}/apis/{identifier}': 'api',
  '/console/applications/{code}/clients/new': 'newClient',
  '/console/applications/{code}/clients/{client_id}': 'clientConnect',
  '/console/applications/{code}/clients/{client_id}/settings': 'clientSettings',
  '/console/applications/{code}/clients/{client_id}/secrets': 'clientSecrets',
  '/console/applications/{code}/clients/{client_id}/try': 'clientTry',
  '/console/try/callback': 'tryCallback',
  '/console/users': 'users',
  '/console/users/new': 'newUser',
  '/console/users/invite': 'inviteUser',
  '/console/users/{sub}': 'user',
  '/console/operators': 'operators',
  '/console/operators/{sub}': 'operator',
  '/console/api-keys': 'apiKeys',
  '/console/webhooks': 'webhooks',
  '/console/webhooks/new': 'newWebhook',
  '/console/webhooks/{id}': 'webhook',
  '/console/webhooks/{id}/deliveries/{delivery_id}': 'delivery',
  '/console/settings': 'settings',
  '/console/outbox': 'outbox',
  '/console/outbox/{id}': 'outboxMail',
  '/console/refusals': 'refusals',
  '/console/refusals/{request_id}': 'refusal',
  '/console/activity': 'activity',
  '/console/activity/export': 'activityExport',
} as const;

export type ConsolePageId = (typeof consoleRoutes)[keyof typeof consoleRoutes];
