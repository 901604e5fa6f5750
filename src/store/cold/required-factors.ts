import { perStore, sql } from './sql.ts';
import { rowsOf, type Steps } from './steps.ts';

const MFA = perStore("json_extract(a.settings, '$.mfa')", "a.settings::json ->> 'mfa'");

/**
 * Whether the user may not be without a second factor: an operator requires one of this user, or an application with `mfa: required`
 * has a grant or consent of the user, or takes part in a session. So a person cannot get out of a rule by removing the factor, and can
 * remove it where no rule of an application that the person uses needs it. The transaction has locked the row of the user.
 */
function* requiresSecondFactor(sub: string, now: number): Steps<boolean> {
  const used = sql`SELECT app FROM grants WHERE sub = ${sub} AND revoked_at IS NULL AND expires_at > ${now}
    UNION SELECT app FROM consents WHERE sub = ${sub}
    UNION SELECT c.app FROM sessions s JOIN session_clients c ON c.sid = s.sid WHERE s.sub = ${sub} AND s.expires_at > ${now}`;
  const found = yield* rowsOf(sql`SELECT 1 AS one FROM users u WHERE u.sub = ${sub} AND u.require_mfa
    UNION ALL SELECT 1 FROM applications a WHERE a.deleted_at IS NULL AND ${MFA} = 'required' AND a.code IN (${used})`);
  return found.length > 0;
}

/** Whether the user has a second factor beside this one. Recovery codes are none: they stand in for one. */
function* hasOtherFactor(sub: string, id: string): Steps<boolean> {
  const others = sql`SELECT 1 FROM credentials WHERE sub = ${sub} AND id <> ${id} AND kind IN ('totp', 'passkey')`;
  return (yield* rowsOf(others)).length > 0;
}

/** Whether this factor is the last one of a user who may not be without. */
export function* mustKeepFactor(sub: string, id: string, now: number): Steps<boolean> {
  return !(yield* hasOtherFactor(sub, id)) && (yield* requiresSecondFactor(sub, now));
}
