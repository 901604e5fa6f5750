import type { Row } from '../../platform/store/row.ts';
import type { TokenFamily } from '../token/store.ts';
import type { RefreshFacts } from './rules.ts';
import type { LiveRefreshToken } from './store.ts';

export function toLiveRefreshToken(row: Row): LiveRefreshToken {
  return {
    familyStartedAt: row.started_at as number,
    clientId: row.client_id as string,
    sub: row.sub as string,
    scope: row.scope as string,
    issuedAt: row.issued_at as number,
    expiresAt: row.expires_at as number,
  };
}

export function toRefreshFacts(row: Row, { clientId, scope }: TokenFamily, successorUsed: boolean): RefreshFacts {
  return {
    clientId,
    scope,
    expiresAt: row.token_expires_at as number,
    rotatedAt: row.rotated_at === null ? undefined : (row.rotated_at as number),
    successorUsed,
    familyStartedAt: row.started_at as number,
  };
}
