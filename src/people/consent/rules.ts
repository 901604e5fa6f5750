import { type Api, apisWithScope, findApi, hasScope, type WithApis } from '../../directory/apis/rules.ts';
import { type GrantedApi, isGrantedAt } from '../../oauth/token/granted-api.rules.ts';
import type { Scope } from '../../oauth/token/scope.rules.ts';

/**
 * What a user agrees to, as it is remembered, for all requests that ask for it again: a scope of the server by its name, one of an API as
 * `identifier#scope`, because another API may have or get a scope of the same name. An API of which no scope is requested is agreed to as
 * `identifier#`: its audience alone may open it. No identifier has a `#`.
 */
export function consentedScopes(
  application: WithApis,
  scope: readonly Scope[],
  resources: readonly GrantedApi[] = [],
): string[] {
  const named = scope.flatMap(one => {
    if (apisWithScope(application, one).length === 0) return [one];
    return resources.filter(api => isGrantedAt(application, api, one)).map(({ identifier }) => `${identifier}#${one}`);
  });
  const isWithoutScope = (api: GrantedApi) => !scope.some(one => isGrantedAt(application, api, one));
  return [...named, ...resources.filter(isWithoutScope).map(({ identifier }) => `${identifier}#`)];
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
