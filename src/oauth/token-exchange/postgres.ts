import { eventJson } from '../../audit/events/cells.store.ts';
import { actOnCitus, recordWith } from '../../audit/events/postgres.ts';
import type { Event } from '../../audit/events/rules.ts';
import { onAllParts, partOf } from '../../platform/store/citus/parts.ts';
import type { Database, Operation } from '../../platform/store/postgres/database.ts';
import { clientLock, type Lock, takeLocks } from '../../platform/store/postgres/locks.ts';
import type { Partitions } from '../../platform/store/postgres/partitions.ts';
import {
  BY_KEY,
  lookedUp,
  type Run,
  type Statement,
  statement,
  type Value,
  withCitusForm,
} from '../../platform/store/postgres/statement.ts';
import type { Row } from '../../platform/store/row.ts';
import { dropExchangedOfClient } from '../revoke/citus.ts';
import { addExchanged } from '../token/citus.ts';
import { isKnown, NOT_REVOKED } from '../token/grants.postgres.ts';
import type { TokenExchanges } from './store.ts';

/** A client that acts for itself must not be taken for a user (oauth/token/subject.rules.ts); the login of an exchanged token says which it is. */
const IS_CLIENT = '(t.auth_time IS NULL OR t.sub = t.client_id)';
const SUBJECT_EXISTS = `CASE WHEN ${IS_CLIENT} THEN NOT EXISTS (SELECT 1 FROM users u WHERE u.sub = t.sub ${BY_KEY})
  ELSE EXISTS (SELECT 1 FROM users u WHERE u.sub = t.sub AND NOT u.disabled ${BY_KEY}) END`;

/**
 * The subject token with the tokens that it came from. Until the exchange is committed nobody deletes any of them: who revokes one
 * waits for the exchange, and then sees it. The first of them is locked first, as by a revocation, so that the two do not deadlock.
 */
const HELD = `RECURSIVE chain (hash, level) AS (
     SELECT $3::bytea, 0
     UNION ALL SELECT e.subject_hash, c.level + 1 FROM chain c
       CROSS JOIN ${lookedUp('SELECT subject_hash FROM token_exchanges WHERE app = $1 AND token_hash = c.hash')} AS e
   ),
   held AS MATERIALIZED (
     SELECT c.level, t.* FROM (SELECT hash, level FROM chain ORDER BY level DESC) AS c CROSS JOIN LATERAL (
       SELECT app, grant_id, client_id, sub, auth_time, amr, expires_at FROM access_tokens
       WHERE app = $1 AND token_hash = c.hash FOR KEY SHARE
     ) AS t
   ),`;
const FROM_HELD = 'held t WHERE t.level = 0 AND (SELECT count(*) FROM held) = (SELECT count(*) FROM chain)';

/** Finds its own token again if it is repeated after a lost answer. */
const ADD = withCitusForm(
  statement(
    `WITH ${HELD} access AS (
     INSERT INTO access_tokens (app, token_hash, grant_id, client_id, sub, scope, claims, issued_at, expires_at,
       auth_time, amr, audience, exchange)
     SELECT t.app, $4, t.grant_id, $2, t.sub, $5, NULL, $6, $7, CASE WHEN NOT ${IS_CLIENT} THEN t.auth_time END,
       CASE WHEN NOT ${IS_CLIENT} THEN t.amr END, $8, $9
     FROM ${FROM_HELD} AND t.expires_at > $6 AND t.expires_at >= $7
       AND ${NOT_REVOKED} AND ${SUBJECT_EXISTS} AND ${isKnown('$1')}
     ON CONFLICT DO NOTHING RETURNING 1
   ),
   noted AS (
     INSERT INTO token_exchanges (app, token_hash, subject_hash, client_id, expires_at)
     SELECT $1, $4, $3, $2, $7 FROM access
   ),
   recorded AS (${recordWith('access', '$10::text')})
   SELECT ${isKnown('$1')} AS known, EXISTS (SELECT 1 FROM access)
     OR EXISTS (SELECT 1 FROM token_exchanges WHERE app = $1 AND token_hash = $4) AS done`,
  ),
  addExchanged,
);

function addHolding(
  operation: Operation,
  values: readonly Value[],
  event: Event | undefined,
  lock: Lock,
): Promise<Row[]> {
  if (!operation.isCitus) return operation.write(ADD, [...values, event ? eventJson(event) : null], lock);
  return operation.transaction(async run => {
    await takeLocks(run, { shared: [lock] });
    return actOnCitus(run, ADD, values, event);
  });
}

export function tokenExchanges(db: Database, partitions: Partitions): TokenExchanges {
  return {
    addExchangedToken: async (app, subject, token, event) => {
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
        JSON.stringify(exchange),
      ];
      const operation = db.operation();
      const write = () => addHolding(operation, values, event, clientLock(app, clientId));
      const [row] = await partitions.writing(operation, [['access_tokens', hash]], write);
      if (!row?.known) return 'clientGone';
      return row.done ? 'issued' : 'subjectGone';
    },
  };
}

/**
 * Deletes the tokens that came from the exchanges that meet the condition, and those that these were exchanged for. The first and the
 * last of their keys tell which partitions are read: none where there is no such token.
 */
function dropDerived(condition: string): string {
  const key = (order: 'ASC' | 'DESC') => `(SELECT hash FROM derived ORDER BY hash ${order} LIMIT 1)`;
  return `WITH RECURSIVE derived (hash) AS (
      SELECT token_hash FROM token_exchanges WHERE app = $1 AND ${condition}
      UNION SELECT e.token_hash FROM token_exchanges e JOIN derived d ON e.app = $1 AND e.subject_hash = d.hash
    )
    DELETE FROM access_tokens WHERE app = $1 AND token_hash >= ${key('ASC')} AND token_hash <= ${key('DESC')}
      AND token_hash = ANY (ARRAY(SELECT hash FROM derived)) RETURNING 1 AS dropped`;
}

/** Nothing where the token is still there, because it is another client's. */
export const DROP_DERIVED_OF_GONE = statement(
  dropDerived(
    `subject_hash = $2 AND NOT EXISTS (SELECT 1 FROM access_tokens WHERE app = $1 AND token_hash = $2 ${BY_KEY})`,
  ),
);

const PARTS_WITH_EXCHANGES = onAllParts(app =>
  statement(`SELECT DISTINCT app FROM token_exchanges WHERE ${app} = $1 AND client_id = $2`),
);
const DROP_EXCHANGED_OF_CLIENT: Statement = withCitusForm(
  statement(dropDerived('client_id = $2')),
  dropExchangedOfClient,
);

/** Deletes what the client got by exchange, and what that was exchanged for. */
export async function dropExchangedOf(run: Run, app: string, clientId: string): Promise<void> {
  for (const { app: part } of await run(PARTS_WITH_EXCHANGES, [app, clientId])) {
    const drop = async () => (await run(DROP_EXCHANGED_OF_CLIENT, [part as string, clientId])).some(row => row.dropped);
    // Again while it finds some: it may have waited for another client that exchanged one of them.
    while (await drop());
  }
}
