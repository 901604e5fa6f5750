import type { ConsolePage } from './page.ts';
import { application } from './pages/application.ts';
import { applications } from './pages/applications.ts';
import { clientConnect } from './pages/client-connect.ts';
import { clientSecrets } from './pages/client-secrets.ts';
import { clientSettings } from './pages/client-settings.ts';
import { clientTry } from './pages/client-try.ts';
import { continueForm } from './pages/continue-form.ts';
import { keys } from './pages/keys.ts';
import { newApplication } from './pages/new-application.ts';
import { newClient } from './pages/new-client.ts';
import { overview } from './pages/overview.ts';
import { tryCallback } from './pages/try-callback.ts';
import type { ConsolePageId } from './routes.ts';

/** A further page is a file, a row here and one in routes.ts. */
export const pages: Readonly<Record<ConsolePageId, ConsolePage>> = {
  overview,
  applications,
  newApplication,
  application,
  continueForm,
  keys,
  newClient,
  clientConnect,
  clientSettings,
  clientSecrets,
  clientTry,
  tryCallback,
};
