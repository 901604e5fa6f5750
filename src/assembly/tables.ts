import { capabilities } from '../capabilities.ts';
import type { Capability, DeclaredGrant, Load } from '../capability.ts';
import type { Fields } from '../directory/fields/sum.fields.ts';
import type { Events } from '../events.ts';
import { listedFailures } from '../failures.ts';
import type { GrantHandler } from '../oauth/token/grant.ts';
import type { GrantTypes } from '../oauth/token/grant-types.rules.ts';
import { createOperationTable } from '../operators/api/operation-table.ts';
import { operationRoutes } from '../operators/api/routes.ts';
import { consoleRoute } from '../operators/console-frame/routes.ts';
import { inOrder } from '../people/sign-in/next-step.rules.ts';
import { stepRoutes } from '../people/sign-in/routes.ts';
import type { LoadedStep } from '../people/sign-in/visit.ts';
import { isPreloaded, type Route } from '../platform/http/route.ts';
import type { Tables } from '../services.ts';
import { storeTables } from './store-tables.ts';

/** What the capabilities declare, together; what a request must not wait for is loaded. */
export async function loadTables(declared: readonly Capability[] = capabilities): Promise<Tables> {
  const { grantTypes, operations, store, deferredMails, fields, failures, events } = commandTables(declared);
  const steps = stepsOf(declared);
  const routes = [
    ...declared.flatMap(each => each.routes ?? []),
    ...stepRoutes(steps),
    ...operationRoutes(operations),
    ...declared.flatMap(each => Object.entries(each.console ?? {}).map(([path, load]) => consoleRoute(path, load))),
  ];
  const [grants, proofs] = await Promise.all([
    loadGrants(declared),
    Promise.all(declared.flatMap(each => each.proofs ?? []).map(load => load())),
    preload(routes),
  ]);
  return {
    routes,
    discovery: unique(
      'metadata',
      declared.flatMap(each => Object.entries(each.discovery ?? {})),
    ),
    grantTypes,
    grants,
    grantParameters: [
      ...new Set([
        'grant_type',
        ...[...grants.values()].flatMap(({ required, optional }) => [...required, ...optional]),
      ]),
    ],
    proofs,
    steps,
    fields,
    controls: unique(
      'control',
      declared.flatMap(each => Object.entries(each.controls ?? {})),
    ),
    connectors: unique(
      'connector',
      declared.flatMap(each => Object.entries(each.connectors ?? {})),
    ),
    passwordCheckers: unique(
      'password checker',
      declared.flatMap(each => Object.entries(each.passwordCheckers ?? {})),
    ),
    operations,
    store,
    places: unique(
      'place',
      declared.flatMap(each => Object.entries(each.places ?? {})).sort(([, one], [, other]) => one.order - other.order),
    ),
    searches: unique(
      'search',
      declared.flatMap(each => Object.entries(each.searches ?? {})),
    ),
    deferredMails,
    failures,
    events,
    jobs: declared.flatMap(each => each.jobs ?? []),
    waiting: declared.flatMap(each => each.waiting ?? []),
  };
}

/** What a command needs of them. It answers no request, so it has no routes and loads no grant. */
export function commandTables(declared: readonly Capability[] = capabilities): Tables {
  const deferred = declared.flatMap(each => Object.entries(each.deferredMails ?? {}));
  const grantTypes = unique('grant type', grantsOf(declared));
  const events = unique(
    'type of event',
    declared.flatMap(each => Object.entries(each.events ?? {})),
  );
  return {
    routes: [],
    discovery: new Map(),
    grantTypes,
    grants: new Map(),
    grantParameters: [],
    proofs: [],
    steps: [],
    places: new Map(),
    searches: new Map(),
    jobs: [],
    waiting: [],
    store: storeTables(declared),
    controls: new Map(),
    connectors: new Map(),
    passwordCheckers: new Map(),
    failures: unique('failure', [...listedFailures, ...declared.flatMap(each => Object.entries(each.failures ?? {}))]),
    events,
    fields: fieldsOf(declared, grantTypes, events),
    operations: createOperationTable(declared.flatMap(each => each.operations ?? [])),
    deferredMails: unique(
      'deferred mail',
      deferred.map(([kind, load]) => [kind, async (services, id, entry) => (await load())(services, id, entry)]),
    ),
  };
}

function grantsOf(declared: readonly Capability[]): [string, DeclaredGrant][] {
  return declared.flatMap(each => Object.entries(each.grants ?? {}));
}

async function loadGrants(declared: readonly Capability[]): Promise<ReadonlyMap<string, GrantHandler>> {
  const loaded = await Promise.all(grantsOf(declared).map(async ([name, { load }]) => [name, await load?.()] as const));
  return new Map(loaded.filter((each): each is [string, GrantHandler] => each[1] !== undefined));
}

function stepsOf(declared: readonly Capability[]): readonly LoadedStep[] {
  const named = declared.flatMap(each => Object.entries(each.steps ?? {}));
  return inOrder([...unique('step', named)].map(([name, step]) => ({ ...step, name })));
}

/** Summed when they are first asked for: most commands, and most requests, need none. */
function fieldsOf(declared: readonly Capability[], grantTypes: GrantTypes, events: Events): Load<Fields> {
  let sum: Promise<Fields> | undefined;
  const make = async () => {
    const [{ sumOfFields }, ...fields] = await Promise.all([
      import('../directory/fields/sum.fields.ts'),
      ...declared.flatMap(each => each.fields ?? []).map(load => load()),
    ]);
    return sumOfFields(fields, grantTypes, events);
  };
  return () => {
    sum ??= make();
    return sum;
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
