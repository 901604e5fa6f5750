import { activity } from '../../audit/events/console.ts';
import { activityExport } from '../../audit/events/export.console.ts';
import { refusal } from '../../audit/explain/console.ts';
import { refusals } from '../../audit/refusals/console.ts';
import { api, newApi } from '../../directory/apis/console.ts';
import { application } from '../../directory/applications/application.console.ts';
import { applications } from '../../directory/applications/console.ts';
import { newApplication } from '../../directory/applications/new.console.ts';
import { settings } from '../../directory/applications/settings.console.ts';
import { clientConnect } from '../../directory/clients/connect.console.ts';
import { newClient } from '../../directory/clients/new.console.ts';
import { clientSecrets } from '../../directory/clients/secrets.console.ts';
import { clientSettings } from '../../directory/clients/settings.console.ts';
import { clientTry } from '../../directory/clients/try.console.ts';
import { tryCallback } from '../../directory/clients/try-callback.console.ts';
import { users } from '../../directory/users/console.ts';
import { inviteUser } from '../../directory/users/invite.console.ts';
import { newUser } from '../../directory/users/new.console.ts';
import { user } from '../../directory/users/user.console.ts';
import { outbox, outboxMail } from '../../notify/mail/console.ts';
import { webhooks } from '../../notify/webhooks/console.ts';
import { delivery } from '../../notify/webhooks/delivery.console.ts';
import { newWebhook } from '../../notify/webhooks/new.console.ts';
import { webhook } from '../../notify/webhooks/webhook.console.ts';
import { initialAccessTokens } from '../../oauth/registration/console.ts';
import { keys } from '../../oauth/signing-keys/console.ts';
import { apiKeys } from '../api-keys/console.ts';
import { overview } from '../overview/console.ts';
import { operators } from '../roles/console.ts';
import { operator } from '../roles/operator.console.ts';
import type { ConsolePageId } from './addresses.ts';
import { continueForm } from './continue-form.ts';
import type { ConsolePage } from './page.ts';

/** A further page is a file, a row here and one in addresses.ts. */
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
