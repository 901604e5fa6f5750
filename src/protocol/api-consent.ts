import { type Api, apisWithScope, findApi, type WithApis } from './api.ts';
import type { Scope } from './scope.ts';

/**
 * What a user agrees to, as it is remembered: scopes, each for all requests that ask for it again. Where several APIs share the name
 * of a scope, the user agrees for each API: `identifier#scope`. No identifier has a `#`, and no scope of the server either.
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
  const [identifier, scope] = consented.includes('#') ? split(consented) : [undefined, consented];
  const api = identifier === undefined ? apisWithScope(application, scope)[0] : findApi(application, identifier);
  const text = api?.scopes[scope];
  return api && text !== undefined ? { api, text } : undefined;
}

function split(consented: string): [string, string] {
  const at = consented.indexOf('#');
  return [consented.slice(0, at), consented.slice(at + 1)];
}
