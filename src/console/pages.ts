import type { ConsolePage } from './page.ts';
import { activity } from './pages/activity.ts';
import { activityExport } from './pages/activity-export.ts';
import { api, newApi } from './pages/api.ts';
import { apiKeys } from './pages/api-keys.ts';
import { application } from './pages/application.ts';
import { applications } from './pages/applications.ts';
import { clientConnect } from './pages/client-connect.ts';
import { clientSecrets } from './pages/client-secrets.ts';
import { clientSettings } from './pages/client-settings.ts';
import { clientTry } from './pages/client-try.ts';
import { continueForm } from './pages/continue-form.ts';
import { delivery } from './pages/delivery.ts';
import { initialAccessTokens } from './pages/initial-access-tokens.ts';
import { inviteUser } from './pages/invite-user.ts';
import { keys } from './pages/keys.ts';
import { newApplication } from './pages/new-application.ts';
import { newClient } from './pages/new-client.ts';
import { newUser } from './pages/new-user.ts';
import { newWebhook } from './pages/new-webhook.ts';
import { operator } from './pages/operator.ts';
import { operators } from './pages/operators.ts';
import { outbox, outboxMail } from './pages/outbox.ts';
import { overview } from './pages/overview.ts';
import { refusal } from './pages/refusal.ts';
import { refusals } from './pages/refusals.ts';
import { settings } from './pages/settings.ts';
import { tryCallback } from './pages/try-callback.ts';
import { user } from './pages/user.ts';
import { users } from './pages/users.ts';
import { webhook } from './pages/webhook.ts';
import { webhooks } from './pages/webhooks.ts';
import type { ConsolePageId } from './routes.ts';

/** A further page is a file, a row here and one in routes.ts. */
export const pages: Readonly<Record<ConsolePageId, ConsolePage>> = {
  overview,
  applications,
  newApplication,
  application,
  continueForm,
  keys,
  initialAccessTokens,
  newApi,
  api,
  newClient,
  clientConnect,
  clientSettings,
  clientSecrets,
  clientTry,
  tryCallback,
  users,
  newUser,
  inviteUser,
  user,
  operators,
  operator,
  apiKeys,
  webhooks,
  newWebhook,
  webhook,
  delivery,
  settings,
  outbox,
  outboxMail,
  refusals,
  refusal,
  activity,
  activityExport,
};
