import { recordEvent } from '../../audit/events/queries.ts';
import { removeClient } from '../../directory/applications/queries.ts';
import type { Row } from '../../platform/store/row.ts';
import { applicationIn, BYTEWISE, type Query, sql } from '../../platform/store/sql.ts';
import { type ColdDatabase, rowsOf, runAll, type Steps } from '../../platform/store/steps.ts';
import type { ClientRegistrations } from './store.ts';

/** What the job asks, on most days for nothing. */
export function coldUnusedClients(db: ColdDatabase): Pick<ClientRegistrations, 'removeUnusedClients'> {
  return {
    removeUnusedClients: (before, now, limit, event) =>
      db.longTransaction(function* () {
        yield* db.own.lockRegistry();
        const unused = yield* unusedClients(before, now, limit);
        for (const row of unused) {
          const [app, clientId] = [row.app as string, row.client_id as string];
          yield* removeClient(db.own, app, clientId, now);
          yield* runAll([recordEvent(event(app, clientId))]);
        }
        if (unused.length > 0) yield* db.own.registryChanged();
        return unused.length;
      }),
  };
}

/**
 * Whether somebody uses a client is asked for each of a page: on a Citus cluster its grants are elsewhere than its registration,
 * and no statement can compare them row by row.
 */
function* unusedClients(before: number, now: number, limit: number): Steps<Row[]> {
  const unused: Row[] = [];
  let last: Row = { app: '', client_id: '' };
  while (unused.length < limit) {
    const old = yield* rowsOf(sql`SELECT app, client_id FROM client_registrations
      WHERE coalesce(used_at, created_at) < ${before}
        AND (app ${BYTEWISE} > ${last.app as string} OR app = ${last.app as string} AND client_id ${BYTEWISE} > ${last.client_id as string})
      ORDER BY app ${BYTEWISE}, client_id ${BYTEWISE} LIMIT ${limit}`);
    const grants = yield* runAll(old.map(row => liveGrantOf(row, now)));
    unused.push(...old.filter((_, index) => grants[index]?.length === 0));
    if (old.length < limit) break;
    last = old.at(-1) as Row;
  }
  return unused.slice(0, limit);
}

const APPLICATION_OF_GRANT = applicationIn('g');

function liveGrantOf({ app, client_id: clientId }: Row, now: number): Query {
  return sql`SELECT 1 FROM consents c JOIN grants g ON g.sub = c.sub AND g.client_id = c.client_id
    WHERE c.app = ${app as string} AND c.client_id = ${clientId as string} AND ${APPLICATION_OF_GRANT} = ${app as string}
      AND g.revoked_at IS NULL AND g.expires_at > ${now} LIMIT 1`;
}
