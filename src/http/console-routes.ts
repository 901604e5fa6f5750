import { consoleRoutes } from '../console/routes.ts';
import { form, noBody, type Route } from './route.ts';

/** The routes of the console, from its own table (console/routes.ts). */
export const consolePageRoutes: readonly Route[] = Object.entries(consoleRoutes).map(([pattern, id]) => ({
  kind: 'page',
  pattern,
  name: pattern,
  errors: 'page',
  cors: 'none',
  methods: {
    GET: noBody(async (services, request) =>
      (await import('../console/console.ts')).showConsole(services, request, id),
    ),
    POST: form(async (services, request) =>
      (await import('../console/console.ts')).submitConsole(services, request, id),
    ),
  },
}));
