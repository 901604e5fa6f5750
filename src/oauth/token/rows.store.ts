import { optional, type Row, words } from '../../platform/store/row.ts';
import { NO_CLAIMS, type RequestedClaims } from '../authorize/claims-request.rules.ts';
import { toResources } from './resource-cells.store.ts';
import { grantedScope } from './scope.rules.ts';
import type { TokenFamily } from './store.ts';

export function toFamily(row: Row): TokenFamily {
  return {
    clientId: row.client_id as string,
    sub: row.sub as string,
    scope: grantedScope(row.scope as string),
    authTime: row.auth_time as number,
    amr: words(row.amr),
    sid: optional(row.sid),
    claims: toClaims(row.claims),
    ...toResources(row),
  };
}

export function toClaims(value: Row[string] | undefined): RequestedClaims {
  return value === null ? NO_CLAIMS : JSON.parse(value as string);
}

/** NULL if no single claim was requested, which is nearly always. */
export function fromClaims(claims: RequestedClaims): string | null {
  const isEmpty = claims.userinfo.length + claims.id_token.length === 0 && !claims.authorization_details;
  return isEmpty ? null : JSON.stringify(claims);
}
