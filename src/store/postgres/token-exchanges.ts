import { applicationOfPart } from '../application-parts.ts';
import { eventJson } from '../event-cells.ts';
import type { TokenExchanges } from '../token-exchanges.ts';
import { onAllParts, partOf } from './citus/parts.ts';
import { dropExchangedOfClient } from './citus/revocation.ts';
import type { Database } from './connection/database.ts';
import { clientLock } from './connection/locks.ts';
import { BY_KEY, type Run, type Statement, statement, withCitusForm } from './connection/statement.ts';
import { recordWith } from './events.ts';
import { isKnown, NOT_REVOKED } from './grants.ts';
import type { Partitions } from './schema/partitions.ts';

/** A client that acts for itself must not be taken for a user (protocol/subject.ts); the login of an exchanged token says which it is. */
const IS_CLIENT = '(t.auth_time IS NULL OR t.sub = t.client_id)';
const SUBJECT_EXISTS = `CASE WHEN ${IS_CLIENT} THEN NOT EXISTS (SELECT 1 FROM users u WHERE u.sub = t.sub ${BY_KEY})
  ELSE EXISTS (SELECT 1 FROM users u WHERE u.sub = t.sub AND NOT u.disabled ${BY_KEY}) END`;

/** Finds its own token again if it is repeated after a lost answer. */
const add = (known: string) =>
  statement(
    `WITH access AS (
     INSERT INTO access_tokens (app, token_hash, grant_id, client_id, sub, scope, claims, issued_at, expires_at,
       auth_time, amr, audience, exchange)
     SELECT t.app, $4, t.grant_id, $2, t.sub, $5, NULL, $6, $7, CASE WHEN NOT ${IS_CLIENT} THEN t.auth_time END,
       CASE WHEN NOT ${IS_CLIENT} THEN t.amr END, $8, $9
     FROM access_tokens t WHERE t.app = $1 AND t.token_hash = $3 AND t.expires_at > $6 AND t.expires_at >= $7
       AND ${NOT_REVOKED} AND ${SUBJECT_EXISTS} AND ${known}
     ON CONFLICT DO NOTHING RETURNING 1
   ),
   noted AS (
     INSERT INTO token_exchanges (app, token_hash, subject_hash, client_id, expires_at)
     SELECT $1, $4, $3, $2, $7 FROM access
   ),
   recorded AS (${recordWith('access', '$10::text')})
   SELECT ${known} AS known, EXISTS (SELECT 1 FROM access)
     OR EXISTS (SELECT 1 FROM token_exchanges WHERE app = $1 AND token_hash = $4) AS done`,
  );
const ADD: Statement = { ...add(isKnown('$1')), onCitus: add(isKnown(applicationOfPart('$1'))) };

export function tokenExchanges(db: Database, partitions: Partitions): TokenExchanges {
  return {
    addExchangedToken: async (app, subject, token, event, receivedAt) => {
      const { hash, clientId, scope, issuedAt, expiresAt, audience, exchange } = token;
      const values = [
        partOf(db, app, subject),
        clientId,
        subject,
        hash,
        scope.join(' '),
        issuedAt,
        expiresAt,
        audience,
      ];
      const more = [JSON.stringify(exchange), event ? eventJson(event) : null];
      const operation = db.operation(receivedAt);
      const add = () => operation.write(ADD, [...values, ...more], clientLock(app, clientId));
      const [row] = await partitions.writing(operation, [['access_tokens', hash]], add);
      if (!row?.known) return 'clientGone';
      return row.done ? 'issued' : 'subjectGone';
    },
  };
}

/** The tokens that came from the exchanges that meet the condition, and those that these were exchanged for; for WITH RECURSIVE. */
export function derivedTokens(condition: string): string {
  return `derived (hash) AS (
      SELECT token_hash FROM token_exchanges WHERE app = $1 AND ${condition}
      UNION SELECT e.token_hash FROM token_exchanges e JOIN derived d ON e.app = $1 AND e.subject_hash = d.hash
    )`;
}

export const DROP_DERIVED =
  'DELETE FROM access_tokens WHERE app = $1 AND token_hash = ANY (ARRAY(SELECT hash FROM derived))';

const PARTS_WITH_EXCHANGES = onAllParts(app =>
  statement(`SELECT DISTINCT app FROM token_exchanges WHERE ${app} = $1 AND client_id = $2`),
);
const DROP_EXCHANGED_OF_CLIENT: Statement = withCitusForm(
  statement(`WITH RECURSIVE ${derivedTokens('client_id = $2')} ${DROP_DERIVED}`),
  dropExchangedOfClient,
);

/** Deletes what the client got by exchange, and what that was exchanged for. */
export async function dropExchangedOf(run: Run, app: string, clientId: string): Promise<void> {
  for (const { app: part } of await run(PARTS_WITH_EXCHANGES, [app, clientId]))
    await run(DROP_EXCHANGED_OF_CLIENT, [part as string, clientId]);
}
