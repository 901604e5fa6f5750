import { toListedSession } from '../rows.ts';
import type { Sessions } from '../sessions.ts';
import { sql } from './sql.ts';
import type { ColdDatabase } from './steps.ts';

export function coldSessions(db: ColdDatabase): Pick<Sessions, 'sessionsOf'> {
  return {
    sessionsOf: async (sub, now, receivedAt) => {
      const sessions = sql`SELECT sid, auth_time, idle_expires_at, expires_at FROM sessions
        WHERE sub = ${sub} AND expires_at > ${now} AND idle_expires_at > ${now} ORDER BY auth_time DESC`;
      return (await db.read(sessions, receivedAt)).map(toListedSession);
    },
  };
}
