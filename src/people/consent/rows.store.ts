import { toResources } from '../../oauth/token/resource-cells.store.ts';
import { toClaims } from '../../oauth/token/rows.store.ts';
import { grantedScope, type Scope } from '../../oauth/token/scope.rules.ts';
import { type Row, words } from '../../platform/store/row.ts';
import type { ClientAccess, ClientGrant, Consent } from './store.ts';

export function toClientGrant(row: Row): ClientGrant {
  return {
    app: row.app as string,
    clientId: row.client_id as string,
    scope: grantedScope(row.scope as string),
    claims: toClaims(row.claims),
  };
}

export function toConsent(row: Row): Consent {
  return {
    app: row.app as string,
    clientId: row.client_id as string,
    scope: words(row.scope) as Scope[],
    givenAt: row.given_at as number,
  };
}

export function toClientAccess(row: Row): ClientAccess {
  return { ...toClientGrant(row), ...toResources(row), since: Number(row.since) };
}
