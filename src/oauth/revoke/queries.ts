import { recordEvent } from '../../audit/events/queries.ts';
import type { Event } from '../../audit/events/rules.ts';
import { applicationOf, type StoredApp } from '../../platform/store/application-parts.ts';
import type { Row } from '../../platform/store/row.ts';
import { SKIP_LOCKED, sql } from '../../platform/store/sql.ts';
import { type ColdDatabase, type OwnSteps, rowsOf, runAll, type Steps } from '../../platform/store/steps.ts';
import type { ReplayedFamily, WaitingRevocation, WaitingRevocations } from './store.ts';

const COLUMNS = sql`app, grant_id, replayed_at, event, unless_issued, attempts`;

export function coldWaitingRevocations(db: ColdDatabase): WaitingRevocations {
  return {
    addRevocation: async ({ part, grantId, replayedAt, event, unlessIssued }) => {
      const json = event === undefined ? null : JSON.stringify(event);
      await db.write(sql`INSERT INTO waiting_revocations (${COLUMNS}, due_at)
        VALUES (${part}, ${grantId}, ${replayedAt}, ${json}, ${unlessIssued ?? null}, 0, ${replayedAt})
        ON CONFLICT (app, grant_id) DO NOTHING`);
    },
    takeRevocations: async (now, leaseUntil, limit) => {
      const due = sql`SELECT app, grant_id FROM waiting_revocations WHERE due_at <= ${now}
        ORDER BY attempts, due_at LIMIT ${limit} ${SKIP_LOCKED}`;
      const leased = sql`UPDATE waiting_revocations SET due_at = ${leaseUntil}, attempts = attempts + 1
        WHERE (app, grant_id) IN (${due}) RETURNING ${COLUMNS}`;
      return (await db.write(leased)).map(toWaitingRevocation);
    },
    finishRevocation: family => db.transaction(() => finish(db.own, family)),
    countWaitingRevocations: async () =>
      Number((await db.read(sql`SELECT count(*) AS count FROM waiting_revocations`))[0]?.count),
  };
}

function* finish(own: OwnSteps, family: ReplayedFamily): Steps<void> {
  const { part, grantId, replayedAt, event } = family;
  // The worker of the application first: on Citus a transaction that begins with the coordinator would begin again there.
  const revoked = !(yield* isOwnRotation(family)) && (yield* own.revokeGrant(part as StoredApp, grantId, replayedAt));
  const done = sql`DELETE FROM waiting_revocations WHERE app = ${part} AND grant_id = ${grantId}`;
  yield* runAll(revoked && event ? [recordEvent(event), done] : [done]);
}

function* isOwnRotation({ part, unlessIssued }: ReplayedFamily): Steps<boolean> {
  if (!unlessIssued) return false;
  const issued = sql`SELECT 1 FROM access_tokens WHERE app = ${part} AND token_hash = ${unlessIssued}`;
  return (yield* rowsOf(issued)).length > 0;
}

function toWaitingRevocation(row: Row): WaitingRevocation {
  const part = row.app as StoredApp;
  return {
    part,
    app: applicationOf(part),
    grantId: row.grant_id as string,
    replayedAt: row.replayed_at as number,
    event: row.event === null ? undefined : (JSON.parse(row.event as string) as Event),
    unlessIssued: row.unless_issued === null ? undefined : new Uint8Array(row.unless_issued as Uint8Array),
    attempts: row.attempts as number,
  };
}
