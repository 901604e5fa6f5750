import { recordEvent, recordEvents } from '../../audit/events/queries.ts';
import { sql } from '../../platform/store/sql.ts';
import { type ColdDatabase, rowsOf, runAll } from '../../platform/store/steps.ts';
import { endConfirmations, endUndos } from '../email/undo-records.queries.ts';
import { toListedSession } from './rows.store.ts';
import type { Sessions } from './store.ts';

export function coldSessions(
  db: ColdDatabase,
): Pick<Sessions, 'sessionsOf' | 'endSessionElsewhere' | 'endOtherSessions'> {
  return {
    sessionsOf: async (sub, now) => {
      const sessions = sql`SELECT sid, auth_time, idle_expires_at, expires_at, user_agent, address, started_at FROM sessions
        WHERE sub = ${sub} AND expires_at > ${now} AND idle_expires_at > ${now} ORDER BY auth_time DESC`;
      return (await db.read(sessions)).map(toListedSession);
    },
    endSessionElsewhere: (sub, sid, now, event) =>
      db.transaction(function* () {
        yield* db.own.lockUsers([sub]);
        const found = yield* rowsOf(sql`SELECT 1 FROM sessions WHERE sub = ${sub} AND sid = ${sid}`);
        yield* db.own.endSession(sub, sid, now);
        yield* rowsOf(endConfirmations(sub));
        if (event && found.length > 0) yield* rowsOf(recordEvent(event({ sub, sid })));
      }),
    endOtherSessions: (sub, keptSid, now, event) =>
      db.transaction(function* () {
        yield* db.own.lockUsers([sub]);
        const ended = yield* db.own.endOtherSessions(sub, keptSid, now);
        yield* runAll([endConfirmations(sub), endUndos(sub)]);
        if (event && ended.length > 0) yield* rowsOf(recordEvents(ended.map(sid => event({ sub, sid }))));
        return ended.length;
      }),
  };
}
