import { form, noBody, type Route } from '../../platform/http/route.ts';
import type { ConsolePage } from './page.ts';

/** The route of a page of the console. Pages are loaded with their first visitor: most nodes never show one. */
export function consoleRoute(pattern: string, load: () => Promise<ConsolePage>): Route {
  const endpoint = () => import('./endpoint.ts');
  return {
    kind: 'page',
    pattern,
    name: pattern,
    errors: 'page',
    cors: 'none',
    methods: {
      GET: noBody(async (services, request) => (await endpoint()).showConsole(services, request, await load())),
      POST: form(async (services, request) => (await endpoint()).submitConsole(services, request, await load())),
    },
  };
}
