import type { ConsolePage } from './page.ts';
import { activity } from './pages/activity.ts';
import { activityExport } from './pages/activity-export.ts';
import { application } from './pages/application.ts';
import { applications } from './pages/applications.ts';
import { continueForm } from './pages/continue-form.ts';
import { newApplication } from './pages/new-application.ts';
import { overview } from './pages/overview.ts';
import { refusal } from './pages/refusal.ts';
import { refusals } from './pages/refusals.ts';
import type { ConsolePageId } from './routes.ts';

/** A further page is a file, a row here and one in routes.ts. */
export const pages: Readonly<Record<ConsolePageId, ConsolePage>> = {
  overview,
  applications,
  newApplication,
  application,
  continueForm,
  refusals,
  refusal,
  activity,
  activityExport,
};
