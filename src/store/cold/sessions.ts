import { toListedSession } from '../rows.ts';
import type { Sessions } from '../sessions.ts';
import { endUndos } from './email-undo-records.ts';
import { recordEvents } from './events.ts';
import { sql } from './sql.ts';
import { type ColdDatabase, rowsOf } from './steps.ts';

export function coldSessions(db: ColdDatabase): Pick<Sessions, 'sessionsOf' | 'endOtherSessions'> {
  return {
    sessionsOf: async (sub, now, receivedAt) => {
      const sessions = sql`SELECT sid, auth_time, idle_expires_at, expires_at, user_agent, address, started_at FROM sessions
        WHERE sub = ${sub} AND expires_at > ${now} AND idle_expires_at > ${now} ORDER BY auth_time DESC`;
      return (await db.read(sessions, receivedAt)).map(toListedSession);
    },
    endOtherSessions: (sub, keptSid, now, event, receivedAt) =>
      db.transaction(function* () {
        yield* db.own.lockUsers([sub]);
        const ended = yield* db.own.endOtherSessions(sub, keptSid, now);
        yield* rowsOf(endUndos(sub));
        if (event && ended.length > 0) yield* rowsOf(recordEvents(ended.map(sid => event({ sub, sid }))));
        return ended.length;
      }, receivedAt),
  };
}
