import { findApi, hasScope, type WithApis } from '../../directory/apis/rules.ts';
import type { Scope } from './scope.rules.ts';

/** An API that a grant covers, with the scopes that were granted there. Another API may get a scope of the same name later. */
export interface GrantedApi {
  readonly identifier: string;
  readonly scope: readonly Scope[];
}

/** At the time of the grant. `identifiers`: undefined where the grant covers no API. */
export function grantedApis(
  application: WithApis,
  scope: readonly Scope[],
  identifiers: readonly string[] | undefined,
): readonly GrantedApi[] | undefined {
  return identifiers?.map(identifier => {
    const api = findApi(application, identifier);
    return { identifier, scope: scope.filter(one => api !== undefined && hasScope(api, one)) };
  });
}

/** Whether the scope is granted at this API, and the API still has it. */
export function isGrantedAt(application: WithApis, { identifier, scope }: GrantedApi, one: Scope): boolean {
  const api = findApi(application, identifier);
  return api !== undefined && hasScope(api, one) && scope.includes(one);
}
