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
  '/console/refusals': 'refusals',
  '/console/refusals/{request_id}': 'refusal',
  '/console/activity': 'activity',
  '/console/activity/export': 'activityExport',
} as const;

export type ConsolePageId = (typeof consoleRoutes)[keyof typeof consoleRoutes];
