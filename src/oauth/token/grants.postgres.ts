import { recordWith } from '../../audit/events/postgres.ts';
import type { StoredApp } from '../../platform/store/application-parts.ts';
import { BY_KEY, type Statement, statement, type Value } from '../../platform/store/postgres/statement.ts';
import { GRANT_SLACK_SECONDS } from '../../platform/store/retention.ts';
import type { Row } from '../../platform/store/row.ts';
import { fromResources } from './resource-cells.store.ts';
import { fromClaims } from './rows.store.ts';
import type { IssueOutcome, NewTokens, TokenFamily } from './store.ts';

/** SQL for token families (the table grants) that oauth/authorization-code/postgres.ts, oauth/refresh/postgres.ts, postgres.ts and people/sessions/postgres.ts share. */

/** Revokes the grants that meet the condition. It returns a row if there was one. */
export function revokeGrants(condition: string, time = '$1'): Statement {
  return statement(`WITH ${gone(condition, time)} SELECT 1 FROM gone LIMIT 1`);
}

/** The same, with the event $n as JSON: the user of the grant becomes its subject. */
export function revokeGrantsAndRecord(condition: string, time: string, event: string): Statement {
  return statement(`WITH ${gone(condition, time)} ${recordWith('gone', event, 'gone.sub')}`);
}

/** The lookup of an access token reads revoked_grants only. */
function gone(condition: string, time: string): string {
  return `gone AS (
      UPDATE grants SET revoked_at = ${time} WHERE ${condition} AND revoked_at IS NULL
      RETURNING app, grant_id, expires_at, sub
    ),
    noted AS (
      INSERT INTO revoked_grants (app, grant_id, expires_at) SELECT app, grant_id, expires_at FROM gone
      ON CONFLICT DO NOTHING
    )`;
}

/** Of an access token t. */
export const NOT_REVOKED = `NOT EXISTS (SELECT 1 FROM revoked_grants r WHERE r.app = t.app AND r.grant_id = t.grant_id ${BY_KEY})`;

/** The clocks of two nodes differ by less than this. */
const MAX_CLOCK_DIFFERENCE_SECONDS = 3600;

/** Revokes codes that were not redeemed yet, for every node, whatever its clock says; $1 is the time. */
export function revokeCodes(condition: string): Statement {
  const alive = `expires_at > $1 - ${MAX_CLOCK_DIFFERENCE_SECONDS} AND grant_id IS NULL`;
  return statement(`UPDATE codes SET expires_at = 0 WHERE ${alive} AND ${condition}`);
}

const NOT_ENDED = 'NOT EXISTS (SELECT 1 FROM ended_sessions WHERE sid = $3)';

export const isKnown = (app: string) => `EXISTS (SELECT 1 FROM clients WHERE app = ${app} AND client_id = $2)`;
const KNOWN = isKnown('$1');

/** Whether the client and the session of a grant still exist: they may have ended after the request read them. */
export const MAY_GRANT = `${KNOWN} AND ${NOT_ENDED}`;

/**
 * False if the user was disabled, or got another password, after the password was checked. No row is written then, so the issued
 * token never works, also if the user is enabled again. The transaction shares the user's lock.
 */
export function mayGetIn(sub: string, passwordHash: string): string {
  return `${isEnabled(sub)} AND (${passwordHash}::text IS NULL OR ${hasPassword(sub, passwordHash)})`;
}

export function isEnabled(sub: string): string {
  return `EXISTS (SELECT 1 FROM users WHERE sub = ${sub} AND NOT disabled)`;
}

export function hasPassword(sub: string, passwordHash: string): string {
  return `EXISTS (SELECT 1 FROM credentials WHERE sub = ${sub} AND id = 'password' AND data = ${passwordHash})`;
}

/** Whether the user still has every one of these passkeys; their ids are separated by spaces. */
export function hasPasskeys(sub: string, ids: string): string {
  return `NOT EXISTS (SELECT 1 FROM unnest(string_to_array(${ids}, ' ')) AS proved (id) WHERE NOT EXISTS (
    SELECT 1 FROM credentials c WHERE c.sub = ${sub} AND c.id = proved.id AND c.kind = 'passkey'))`;
}

/** Whether the caller, unless NULL, is a client of the application: it may have been deleted after it authenticated. */
export function callerIsClient(app: string, caller: string): string {
  return `(${caller} IS NULL OR EXISTS (SELECT 1 FROM clients c WHERE c.app = ${app} AND c.client_id = ${caller}))`;
}

/** The last part of a statement that issues something to a client, for `issueOutcome`. */
export const SELECT_KNOWN = `SELECT ${KNOWN} AS known`;

export function issueOutcome(rows: readonly Row[] | undefined): IssueOutcome {
  return rows?.[0]?.known ? 'issued' : 'clientGone';
}

/** Records that a client takes part in a session: it gets a logout notice when the session ends. */
export const NOTE_CLIENT = `INSERT INTO session_clients (app, client_id, sid)
  SELECT $1::text, $2::text, $3::text WHERE $3::text IS NOT NULL AND ${NOT_ENDED} ON CONFLICT DO NOTHING`;

/** $1 to $9: what a grant is, in the order that MAY_GRANT, NOTE_CLIENT and familyTypes (platform/store/citus/column-types.ts) rely on. */
export function familyValues(part: StoredApp, family: TokenFamily): Value[] {
  return [
    part,
    family.clientId,
    family.sid ?? null,
    family.sub,
    family.scope.join(' '),
    family.authTime,
    family.amr.join(' '),
    fromClaims(family.claims),
    fromResources(family),
  ];
}

export function grantEnd(tokens: Pick<NewTokens, 'access' | 'refresh'>): number {
  return Math.max(tokens.access.expiresAt, tokens.refresh?.expiresAt ?? 0) + GRANT_SLACK_SECONDS;
}
