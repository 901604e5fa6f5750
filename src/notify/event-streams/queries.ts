import { toEvent } from '../../audit/events/queries.ts';
import { optional, optionalNumber, type Row } from '../../platform/store/row.ts';
import { sql } from '../../platform/store/sql.ts';
import { type ColdDatabase, rowsOf, runAll } from '../../platform/store/steps.ts';
import type { EventStreamState, EventStreams } from './store.ts';

/** Of the last sealed event. Pruning removes the first events of the chain, never the last ones. */
const LAST_SEQ = sql`(SELECT coalesce(max(seq), 0) FROM events WHERE seq IS NOT NULL)`;

export function coldEventStreams(db: ColdDatabase): EventStreams {
  return {
    keepEventStreams: (targets, now) =>
      db.transaction(function* () {
        yield* runAll(
          targets.map(
            target => sql`INSERT INTO event_streams (target, next_seq, holder, leased_until, failures, due_at, seen_at)
              VALUES (${target}, ${LAST_SEQ} + 1, '', 0, 0, 0, ${now})
              ON CONFLICT (target) DO UPDATE SET seen_at = excluded.seen_at`,
          ),
        );
      }),
    listEventStreams: async () => {
      const rows =
        await db.read(sql`SELECT target, failures, failing_since, reason, due_at, seen_at, ${LAST_SEQ} + 1 - next_seq AS waiting
        FROM event_streams ORDER BY target`);
      return rows.map(toState);
    },
    takeEvents: ({ target, holder, leaseUntil }, now, limit) =>
      db.transaction(function* () {
        const [taken] = yield* rowsOf(
          sql`UPDATE event_streams SET holder = ${holder}, leased_until = ${leaseUntil}
            WHERE target = ${target} AND due_at <= ${now} AND (holder = ${holder} OR leased_until <= ${now}) RETURNING next_seq`,
        );
        if (!taken) return undefined;
        const rows = yield* rowsOf(
          sql`SELECT id, time, type, outcome, actor_kind, actor, subject, app, client_id, address, user_agent, request_id, details, seq
            FROM events WHERE seq >= ${taken.next_seq as number} ORDER BY seq LIMIT ${limit}`,
        );
        return rows.map(row => ({ seq: row.seq as number, event: toEvent(row) }));
      }),
    finishEvents: async ({ target, holder }, lastSeq) => {
      const finished = await db.write(
        sql`UPDATE event_streams SET next_seq = ${lastSeq + 1}, failures = 0, failing_since = NULL, reason = NULL
          WHERE target = ${target} AND holder = ${holder} AND next_seq <= ${lastSeq} RETURNING 1`,
      );
      return finished.length > 0;
    },
    failEvents: async ({ target, holder }, reason, retryAt, now) => {
      await db.write(
        sql`UPDATE event_streams SET failures = failures + 1, failing_since = coalesce(failing_since, ${now}), reason = ${reason},
            due_at = ${retryAt}, leased_until = 0
          WHERE target = ${target} AND holder = ${holder}`,
      );
    },
    releaseEventStreams: async holder => {
      await db.write(sql`UPDATE event_streams SET leased_until = 0 WHERE holder = ${holder}`);
    },
  };
}

function toState(row: Row): EventStreamState {
  return {
    target: row.target as string,
    waiting: Math.max(0, Number(row.waiting)),
    failures: row.failures as number,
    failingSince: optionalNumber(row.failing_since),
    reason: optional(row.reason),
    dueAt: row.due_at as number,
    seenAt: row.seen_at as number,
  };
}
