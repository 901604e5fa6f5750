import type { Action, BodyKind, PageRoute, Route } from '../../platform/http/route.ts';
import { keptImport } from '../../platform/kept-import.ts';
import type { Handler } from '../../services.ts';
import type { AdminMethod, OperationAddress, OperationTable } from './operation-table.ts';

const BASE = '/api/v1/admin';

const BODIES: Readonly<Record<AdminMethod, BodyKind>> = {
  GET: 'none',
  POST: 'json',
  PUT: 'json',
  PATCH: 'merge-patch',
  DELETE: 'none',
};

/** An address of the admin API, whose refusals are problem details. */
export const problem = (pattern: string, methods: PageRoute['methods']): Route => ({
  kind: 'page',
  pattern: BASE + pattern,
  name: BASE + pattern,
  errors: 'problem',
  cors: 'none',
  methods,
});

const loadEndpoint = keptImport(() => import('./endpoint.ts'));

function action(address: OperationAddress): Action<Handler> {
  // Loaded with the first request: most nodes never serve one.
  const handle: Handler = async (services, request) => {
    const [{ adminRequest }, operation] = await Promise.all([loadEndpoint(), address.load()]);
    return adminRequest(services, request, address, operation);
  };
  return { body: address.takesFile ? 'file' : BODIES[address.method], handle };
}

/** The routes of the operations. */
export function operationRoutes({ addresses }: OperationTable): readonly Route[] {
  const byPath = Map.groupBy(addresses, ({ path }) => path);
  return [...byPath].map(([path, own]) =>
    problem(path, Object.fromEntries(own.map(each => [each.method, action(each)]))),
  );
}
