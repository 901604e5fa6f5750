import type { Database } from '../../platform/store/sqlite/database.ts';
import { keyOfEnd } from '../token/key-of-end.sqlite.ts';

/** The clock of the machine may be set back: a code that has just expired must not be alive again then. */
const MAX_CLOCK_STEP_SECONDS = 60;

/**
 * Revokes codes that were not redeemed yet, for operations that are rare: it reads every code that is still alive, at most five
 * minutes' worth, so that issuing a code maintains no index. The end of a session and the withdrawal of a consent do not need
 * it: redeemCode looks them up. Runs inside a write.
 */
export function prepareRevokeCodes(db: Database, condition: string): (now: number, ...values: string[]) => void {
  const revoke = db.prepare(
    `UPDATE codes SET expires_at = 0 WHERE code_hash > ? AND expires_at > ? AND grant_id IS NULL AND ${condition}`,
  );
  return (now, ...values) => {
    const since = Math.max(0, now - MAX_CLOCK_STEP_SECONDS);
    revoke.run(keyOfEnd(since), since, ...values);
  };
}

/** SQL: whether the consent was withdrawn after the code was issued. `code` is the name or alias of the table codes. */
export function consentWithdrawn(code: string): string {
  return `EXISTS (SELECT 1 FROM withdrawn_consents w WHERE w.sub = ${code}.sub AND w.app = ${code}.app
    AND w.client_id = ${code}.client_id AND w.withdrawal IS NOT ${code}.withdrawal)`;
}
