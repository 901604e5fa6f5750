import { type Api, apisWithScope, findApi, type RequestedAccess, type WithApis } from '../../directory/apis/rules.ts';
import { isAdminApi } from '../../directory/applications/built-in.rules.ts';
import { type GrantedApi, isGrantedAt } from './granted-api.rules.ts';
import { isUserScope, type Scope } from './scope.rules.ts';

/** What one access token is for. Without an API: for the endpoints of the issuer itself, such as userinfo. */
export interface AccessTarget {
  readonly api: Api | undefined;
  readonly scope: readonly Scope[];
}

/**
 * One access token is for one API: the first requested one, else the one that the requested scope selects, else the first of the grant
 * (RFC 8707 section 2.2). A refresh can ask for the others, one at a time. Undefined: the grant does not cover the target, or the API
 * is gone.
 */
export function accessTarget(
  application: WithApis,
  granted: { readonly resources?: readonly GrantedApi[] | undefined; readonly scope: readonly Scope[] },
  requested: RequestedAccess,
): AccessTarget | undefined {
  // A refresh that asks for more is refused before (oauth/refresh/rules.ts); this alone decides what a token can have.
  const scope = requested.scope?.filter(one => granted.scope.includes(one)) ?? granted.scope;
  const covering = targetApi(application, granted.resources ?? [], requested, scope);
  if (covering === 'none') return { api: undefined, scope: scope.filter(one => isOfUserinfo(application, one)) };
  const api = covering && findApi(application, covering.identifier);
  if (!covering || !api) return undefined;
  return { api, scope: scope.filter(one => isGrantedAt(application, covering, one)) };
}

function targetApi(
  application: WithApis,
  granted: readonly GrantedApi[],
  requested: RequestedAccess,
  scope: readonly Scope[],
): GrantedApi | 'none' | undefined {
  if (requested.resources.length > 0) {
    const named = requested.resources.map(resource =>
      isAdminApi(application, resource) ? 'none' : granted.find(({ identifier }) => identifier === resource),
    );
    return named.includes(undefined) ? undefined : named[0];
  }
  const [first = 'none'] = granted;
  if (requested.scope === undefined) return first;
  const selects = (api: GrantedApi) => scope.some(one => isGrantedAt(application, api, one));
  return granted.find(selects) ?? (scope.some(one => isOfUserinfo(application, one)) ? 'none' : first);
}

/** Where an API has the scope of user attributes too, it is the API's (docs/user-attributes.md). */
function isOfUserinfo(application: WithApis, scope: Scope): boolean {
  return isUserScope(application, scope) && apisWithScope(application, scope).length === 0;
}
