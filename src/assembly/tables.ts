import { capabilities } from '../capabilities.ts';
import type { Capability, Load } from '../capability.ts';
import { createOperationTable } from '../operators/api/operation-table.ts';
import { operationRoutes } from '../operators/api/routes.ts';
import { consoleRoute } from '../operators/console/routes.ts';
import type { Step } from '../people/sign-in/next-step.rules.ts';
import type { StepPage } from '../people/sign-in/visit.ts';
import { isPreloaded, type Route } from '../platform/http/route.ts';
import type { Tables } from '../services.ts';

/** What the capabilities declare, together; what a request must not wait for is loaded. */
export async function loadTables(declared: readonly Capability[] = capabilities): Promise<Tables> {
  const { operations, deferredMails } = commandTables(declared);
  const routes = [
    ...declared.flatMap(each => each.routes ?? []),
    ...operationRoutes(operations),
    ...declared.flatMap(each => Object.entries(each.console ?? {}).map(([path, load]) => consoleRoute(path, load))),
  ];
  const [grants, proofs] = await Promise.all([
    Promise.all(declared.flatMap(each => each.grants ?? []).map(load => load())),
    Promise.all(declared.flatMap(each => each.proofs ?? []).map(load => load())),
    preload(routes),
  ]);
  return {
    routes,
    discovery: unique(
      'metadata',
      declared.flatMap(each => Object.entries(each.discovery ?? {})),
    ),
    grants: unique(
      'grant type',
      grants.map(grant => [grant.grantType, grant]),
    ),
    grantParameters: [
      ...new Set(['grant_type', ...grants.flatMap(({ required, optional }) => [...required, ...optional])]),
    ],
    proofs,
    steps: unique(
      'step',
      declared.flatMap(each => Object.entries(each.steps ?? {}) as [Step, Load<StepPage>][]),
    ),
    operations,
    places: unique(
      'place',
      declared.flatMap(each => Object.entries(each.places ?? {})).sort(([, one], [, other]) => one.order - other.order),
    ),
    deferredMails,
    jobs: declared.flatMap(each => each.jobs ?? []),
    waiting: declared.flatMap(each => each.waiting ?? []),
  };
}

/** What a command needs of them. It answers no request, so it has no routes and loads no grant. */
export function commandTables(declared: readonly Capability[] = capabilities): Tables {
  const deferred = declared.flatMap(each => Object.entries(each.deferredMails ?? {}));
  return {
    routes: [],
    discovery: new Map(),
    grants: new Map(),
    grantParameters: [],
    proofs: [],
    steps: new Map(),
    places: new Map(),
    jobs: [],
    waiting: [],
    operations: createOperationTable(declared.flatMap(each => each.operations ?? [])),
    deferredMails: unique(
      'deferred mail',
      deferred.map(([kind, load]) => [kind, async (services, id, entry) => (await load())(services, id, entry)]),
    ),
  };
}

/** Two capabilities that declare the same name would take it from each other. */
export function unique<Key, Value>(what: string, entries: readonly (readonly [Key, Value])[]): ReadonlyMap<Key, Value> {
  const table = new Map(entries);
  if (table.size === entries.length) return table;
  const names = entries.map(([name]) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  throw new Error(`two capabilities declare the ${what} ${String(twice)}`);
}

async function preload(routes: readonly Route[]): Promise<void> {
  const handlers = routes.flatMap(({ methods }) => Object.values(methods).map(({ handle }) => handle as unknown));
  await Promise.all(handlers.filter(isPreloaded).map(handler => handler.preload()));
}
