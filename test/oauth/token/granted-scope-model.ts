/**
 * docs/apis.md in sets: what a request for scopes and APIs gets. The property compares the server with it, so nothing here is taken
 * from src.
 */
export const STANDARD = ['openid', 'profile', 'email', 'offline_access'] as const;
/** Few names, so that APIs share some. */
export const API_SCOPES = ['read', 'write', 'list', 'sell'] as const;
export const SCOPES: readonly string[] = [...STANDARD, ...API_SCOPES];

/** The APIs of the application, each with its scopes. */
export type Apis = ReadonlyMap<string, readonly string[]>;

export interface Wish {
  /** Undefined: the request has no such parameter. */
  readonly scope: readonly string[] | undefined;
  readonly resources: readonly string[];
}

/** What a grant covers. */
export interface Covered {
  readonly scope: readonly string[];
  readonly resources: readonly string[];
}

/** A grant, with what each API had of its scope when it was made: a name that an API gets later is not granted there. */
export interface Grant extends Covered {
  readonly at: Apis;
}

/** What one access token is for. Without an API: the issuer. */
export interface Target {
  readonly api: string | undefined;
  readonly scope: readonly string[];
}

/** Where a request has two faults, the server may name either. */
export interface Refused {
  readonly errors: readonly string[];
}

export const isStandard = (scope: string) => (STANDARD as readonly string[]).includes(scope);

const ownersOf = (apis: Apis, scope: string) => [...apis].filter(([, own]) => own.includes(scope)).map(([api]) => api);
const unique = (values: readonly string[]) => [...new Set(values)];

/** An origin is the same with its slash. */
const identifierOf = (resource: string) => resource.replace(/^(https:\/\/[^/]+)\/$/, '$1');

/** Whether a client may request this scope: `offline_access` goes with `openid`, and a scope that no API has is without effect. */
export function mayHave(apis: Apis, registered: readonly string[], scope: string): boolean {
  if (scope === 'offline_access' && registered.includes('openid')) return true;
  return registered.includes(scope) && (isStandard(scope) || ownersOf(apis, scope).length > 0);
}

/** "What a grant covers". */
export function coveredBy(apis: Apis, registered: readonly string[], { scope, resources }: Wish): Covered | Refused {
  const named = unique(resources.map(identifierOf));
  const isOpen = (api: string) => {
    const own = apis.get(api);
    return own !== undefined && (own.length === 0 || own.some(one => registered.includes(one)));
  };
  const errors = [
    ...(scope?.every(one => mayHave(apis, registered, one)) === false ? ['invalid_scope'] : []),
    ...(named.every(isOpen) ? [] : ['invalid_target']),
  ];
  if (errors.length > 0) return { errors };
  const wanted = scope ?? registered.filter(one => mayHave(apis, registered, one));
  const isWithin = (chosen: readonly string[]) => (one: string) =>
    isStandard(one) || ownersOf(apis, one).some(api => chosen.includes(api));
  if (named.length > 0) {
    if (scope?.every(isWithin(named)) === false) return { errors: ['invalid_scope'] };
    return { scope: wanted.filter(isWithin(named)), resources: named };
  }
  const chosen = unique(wanted.map(one => ownersOf(apis, one)).flatMap(owners => (owners.length === 1 ? owners : [])));
  return wanted.every(isWithin(chosen)) ? { scope: wanted, resources: chosen } : { errors: ['invalid_target'] };
}

export function grantOf(apis: Apis, { scope, resources }: Covered): Grant {
  const at = resources.map(api => [api, scope.filter(one => apis.get(api)?.includes(one))] as const);
  return { scope, resources, at: new Map(at) };
}

/** "What an access token is for", with what client and API have now. A scope of OpenID Connect stays with its grant. */
export function tokenFor(apis: Apis, registered: readonly string[], grant: Grant, wish: Wish): Target | Refused {
  const named = wish.resources.map(identifierOf);
  const isKnown = (one: string) => isStandard(one) || ownersOf(apis, one).length > 0;
  const isWider = wish.scope?.some(one => !grant.scope.includes(one) || !isKnown(one)) === true;
  const left = (wish.scope ?? grant.scope).filter(one => isStandard(one) || registered.includes(one));
  const api = named[0] ?? selectedBy(apis, grant, wish.scope && left);
  const isUncovered = named.some(one => !grant.resources.includes(one)) || (api !== undefined && !apis.has(api));
  if (isWider || isUncovered) {
    return { errors: [...(isWider ? ['invalid_scope'] : []), ...(isUncovered ? ['invalid_target'] : [])] };
  }
  return { api, scope: left.filter(one => (api === undefined ? isStandard(one) : isGrantedAt(apis, grant, api, one))) };
}

const isGrantedAt = (apis: Apis, { at }: Grant, api: string, scope: string) =>
  apis.get(api)?.includes(scope) === true && at.get(api)?.includes(scope) === true;

function selectedBy(apis: Apis, grant: Grant, scope: readonly string[] | undefined): string | undefined {
  const [first] = grant.resources;
  if (scope === undefined) return first;
  const selected = grant.resources.find(api => scope.some(one => isGrantedAt(apis, grant, api, one)));
  return selected ?? (scope.some(isStandard) ? undefined : first);
}

/** "Machines": the scopes of APIs, and no others. */
export function tokenForMachine(apis: Apis, registered: readonly string[], wish: Wish): Target | Refused {
  const covered = coveredBy(
    apis,
    registered.filter(one => !isStandard(one)),
    wish,
  );
  if ('errors' in covered) return covered;
  const [api] = covered.resources;
  return { api, scope: covered.scope.filter(one => api !== undefined && apis.get(api)?.includes(one)) };
}

/** What the user has to agree to, as it is remembered: for each API by itself. */
export function consentNames(apis: Apis, { scope, resources }: Covered): string[] {
  const named = scope.flatMap(one => {
    const owners = ownersOf(apis, one);
    return owners.length > 0 ? owners.filter(api => resources.includes(api)).map(api => `${api}#${one}`) : [one];
  });
  const isWithoutScope = (api: string) => !scope.some(one => apis.get(api)?.includes(one));
  return [...named, ...resources.filter(isWithoutScope).map(api => `${api}#`)];
}
