import type { Action, BodyKind, PageRoute, Route } from '../../platform/http/route.ts';
import type { Page } from '../../services.ts';
import { type AdminMethod, adminRoutes, type OperationId } from './addresses.ts';
import { openApi } from './documents.ts';

const BASE = '/api/v1/admin';

const BODIES: Readonly<Record<AdminMethod, BodyKind>> = {
  GET: 'none',
  POST: 'json',
  PUT: 'json',
  PATCH: 'merge-patch',
  DELETE: 'none',
};

const problem = (pattern: string, methods: PageRoute['methods']): Route => ({
  kind: 'page',
  pattern: BASE + pattern,
  name: BASE + pattern,
  errors: 'problem',
  cors: 'none',
  methods,
});

function action(method: string, id: OperationId): [string, Action<Page>] {
  // Loaded with the first request: most nodes never serve one.
  const handle: Page = async (services, request) => (await import('./endpoint.ts')).adminRequest(services, request, id);
  return [method, { body: BODIES[method as AdminMethod], handle }];
}

/** The routes of the admin API, from its own table (addresses.ts). */
export const adminApiRoutes: readonly Route[] = [
  ...Object.entries(adminRoutes).map(([pattern, methods]) =>
    problem(pattern, Object.fromEntries(Object.entries(methods).map(([method, id]) => action(method, id)))),
  ),
  problem('/openapi.json', {
    GET: { body: 'none', handle: openApi },
  }),
  problem('/*', {}),
];
