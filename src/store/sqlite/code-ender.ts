import type { Database } from './database.ts';

/**
 * Ends codes that are still on their way. They are few, five minutes' worth, and it happens rarely: so they are found by
 * going over the live ones, and issuing a code need not keep an index for it. Runs inside a write.
 */
export function codeEnder(db: Database, condition: string): (now: number, ...values: string[]) => void {
  const end = db.prepare(`UPDATE codes SET expires_at = ? WHERE expires_at > ? AND grant_id IS NULL AND ${condition}`);
  return (now, ...values) => {
    end.run(now, now, ...values);
  };
}
