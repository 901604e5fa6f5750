import { type Api, apisWithScope, findApi, hasScope, type WithApis } from './api.ts';
import type { Scope } from './scope.ts';

/**
 * What a user agrees to, as it is remembered: scopes, each for all requests that ask for it again. Where several APIs share the name
 * of a scope, the user agrees for each API: `identifier#scope`. No identifier has a `#`.
 */
export function consentedScopes(
  application: WithApis,
  scope: readonly Scope[],
  resources: readonly string[] = [],
): string[] {
  return scope.flatMap(one => {
    const owners = apisWithScope(application, one);
    if (owners.length < 2) return [one];
    return owners.filter(api => resources.includes(api.identifier)).map(api => `${api.identifier}#${one}`);
  });
}

/** The API that a consented scope belongs to, and the text of it; undefined for a scope of the server, or one that is gone. */
export function apiOfConsent(
  application: WithApis,
  consented: string,
): { readonly api: Api; readonly text: string } | undefined {
  const [owner] = apisWithScope(application, consented);
  if (owner) return { api: owner, text: owner.scopes[consented] as string };
  const at = consented.indexOf('#');
  const [identifier, scope] = [consented.slice(0, at), consented.slice(at + 1)];
  const api = at < 0 ? undefined : findApi(application, identifier);
  return api && hasScope(api, scope) ? { api, text: api.scopes[scope] as string } : undefined;
}
