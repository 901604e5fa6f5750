import type { StoredApp } from '../../platform/store/application-parts.ts';
import { clientLock, type Lock } from '../../platform/store/postgres/locks.ts';
import {
  BY_KEY,
  type Columns,
  manyStatement,
  requestRows,
  type Value,
} from '../../platform/store/postgres/statement.ts';
import { grantEnd } from './grants.postgres.ts';
import { fromResources } from './resource-cells.store.ts';
import type { NewTokens, TokenFamily } from './store.ts';

/**
 * The grant of a client that acts for itself (RFC 6749 section 4.4): no user, session, claims or refresh token. Those of one commit are
 * written by one statement, as rotations are; ADD_GRANT (postgres.ts) writes the others, each with a statement of its own.
 */

export function isClientAlone({ clientId, sub, sid }: TokenFamily, { refresh }: NewTokens): boolean {
  return sub === clientId && sid === undefined && refresh === undefined;
}

const GRANT: Columns = {
  client_id: 'text',
  scope: 'text',
  resources: 'text',
  grant_id: 'text',
  grant_end: 'bigint',
  access_hash: 'bytea',
  now: 'bigint',
  access_end: 'bigint',
  access_scope: 'text',
  audience: 'text',
};

export function clientGrantValues(app: StoredApp, family: TokenFamily, tokens: NewTokens): Value[] {
  const { grantId, issuedAt, access } = tokens;
  const target = [access.scope?.join(' ') ?? null, access.audience ?? null];
  return [
    ...[app, family.clientId, family.scope.join(' '), fromResources(family), grantId, grantEnd(tokens)],
    ...[access.hash, issuedAt, access.expiresAt, ...target],
  ];
}

/** Nobody but the client can lose it: there is no user. */
export function clientGrantLock(app: string, { clientId }: TokenFamily): Lock {
  return clientLock(app, clientId);
}

/** A client is looked for once, however many of its tokens are in the commit. A grant that is there comes from a repeated attempt. */
export const ADD_CLIENT_GRANT = manyStatement(
  `WITH request AS MATERIALIZED (${requestRows(GRANT)}),
   client AS MATERIALIZED (
     SELECT app, client_id, (SELECT true FROM clients c WHERE c.app = r.app AND c.client_id = r.client_id ${BY_KEY}) AS known
     FROM (SELECT DISTINCT app, client_id FROM request) AS r
   ),
   good AS MATERIALIZED (SELECT request.* FROM request JOIN client USING (app, client_id) WHERE known),
   granted AS (
     INSERT INTO grants (app, client_id, sid, sub, scope, auth_time, amr, claims, resources, grant_id, expires_at, started_at)
     SELECT app, client_id, NULL, client_id, scope, now, '', NULL, resources, grant_id, grant_end, now FROM good
     ON CONFLICT DO NOTHING RETURNING app, grant_id
   ),
   access AS (
     INSERT INTO access_tokens (app, token_hash, grant_id, client_id, sub, scope, claims, issued_at, expires_at, auth_time, amr, audience)
     SELECT app, access_hash, grant_id, client_id, client_id, coalesce(access_scope, scope), NULL, now, access_end, now, '', audience
     FROM good JOIN granted USING (app, grant_id)
   )
   SELECT n, known FROM request JOIN client USING (app, client_id)`,
);
