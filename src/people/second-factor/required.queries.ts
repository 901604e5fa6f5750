import { APPLICATION, among, perStore, sql } from '../../platform/store/sql.ts';
import { rowsOf, runAll, type Steps } from '../../platform/store/steps.ts';

const MFA = perStore("json_extract(a.settings, '$.mfa')", "a.settings::json ->> 'mfa'");

/**
 * Whether the user may not be without a second factor: an operator requires one of this user, or an application with `mfa: required`
 * has a grant or consent of the user, or takes part in a session. So a person cannot get out of a rule by removing the factor, and can
 * remove it where no rule of an application that the person uses needs it. The transaction has locked the row of the user. No query
 * joins grants, sessions and applications: on a Citus cluster they are on different machines.
 */
function* requiresSecondFactor(sub: string, now: number): Steps<boolean> {
  const [required = [], ...used] = yield* runAll([
    sql`SELECT 1 FROM users WHERE sub = ${sub} AND require_mfa`,
    sql`SELECT DISTINCT ${APPLICATION} AS app FROM grants WHERE sub = ${sub} AND revoked_at IS NULL AND expires_at > ${now}`,
    sql`SELECT DISTINCT app FROM consents WHERE sub = ${sub}`,
  ]);
  if (required.length > 0) return true;
  const sessions = yield* rowsOf(sql`SELECT sid FROM sessions WHERE sub = ${sub} AND expires_at > ${now}`);
  const sids = sessions.map(({ sid }) => sid as string);
  const takingPart = yield* rowsOf(
    sql`SELECT DISTINCT ${APPLICATION} AS app FROM session_clients WHERE sid ${among(sids)}`,
  );
  const apps = [...new Set([...used.flat(), ...takingPart].map(({ app }) => app as string))];
  const requiring = sql`SELECT 1 FROM applications a
    WHERE a.deleted_at IS NULL AND ${MFA} = 'required' AND a.code ${among(apps)}`;
  return (yield* rowsOf(requiring)).length > 0;
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
