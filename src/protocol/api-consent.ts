import { type Api, apisWithScope, findApi, hasScope, type WithApis } from './api.ts';
import type { Scope } from './scope.ts';

/**
 * What a user agrees to, as it is remembered: scopes, each for all requests that ask for it again. Where several APIs share the name
 * of a scope, the user agrees for each API: `identifier#scope`. An API of which no scope is requested is agreed to as `identifier#`: its
 * audience alone may open it. No identifier has a `#`.
 */
export function consentedScopes(
  application: WithApis,
  scope: readonly Scope[],
  resources: readonly string[] = [],
): string[] {
  const named = scope.flatMap(one => {
    const owners = apisWithScope(application, one);
    if (owners.length < 2) return [one];
    return owners.filter(api => resources.includes(api.identifier)).map(api => `${api.identifier}#${one}`);
  });
  const isWithoutScope = (identifier: string) => {
    const api = findApi(application, identifier);
    return !scope.some(one => api !== undefined && hasScope(api, one));
  };
  return [...named, ...resources.filter(isWithoutScope).map(identifier => `${identifier}#`)];
}

/** The API that a consented scope belongs to, and the text of the scope, if it is for one; undefined for a scope of the server, or one that is gone. */
export function apiOfConsent(
  application: WithApis,
  consented: string,
): { readonly api: Api; readonly text: string | undefined } | undefined {
  const [owner] = apisWithScope(application, consented);
  if (owner) return { api: owner, text: owner.scopes[consented] as string };
  const at = consented.indexOf('#');
  const [identifier, scope] = [consented.slice(0, at), consented.slice(at + 1)];
  const api = at < 0 ? undefined : findApi(application, identifier);
  if (api && scope === '') return { api, text: undefined };
  return api && hasScope(api, scope) ? { api, text: api.scopes[scope] as string } : undefined;
}
