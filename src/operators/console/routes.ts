import { form, noBody, type Route } from '../../platform/http/route.ts';
import { consoleRoutes } from './addresses.ts';

/** The routes of the console, from its own table (addresses.ts). */
export const consolePageRoutes: readonly Route[] = Object.entries(consoleRoutes).map(([pattern, id]) => ({
  kind: 'page',
  pattern,
  name: pattern,
  errors: 'page',
  cors: 'none',
  methods: {
    GET: noBody(async (services, request) => (await import('./endpoint.ts')).showConsole(services, request, id)),
    POST: form(async (services, request) => (await import('./endpoint.ts')).submitConsole(services, request, id)),
  },
}));
