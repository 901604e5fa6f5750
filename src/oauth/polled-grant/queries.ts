import { recordEvent } from '../../audit/events/queries.ts';
import { toProfile } from '../../directory/users/rows.store.ts';
import { optional, type Row, words } from '../../platform/store/row.ts';
import { FOR_UPDATE, type PerStore, perStore, type Query, sql } from '../../platform/store/sql.ts';
import { type ColdDatabase, type OwnSteps, rowsOf, runAll, type Steps } from '../../platform/store/steps.ts';
import { fromResources } from '../token/resource-cells.store.ts';
import { toFamily } from '../token/rows.store.ts';
import { judgePoll, type PolledState, type PollFacts, SLOW_DOWN_SECONDS } from './rules.ts';
import type { Approval, DecideOutcome, Decision, Poll, Polled } from './store.ts';

/**
 * A table of what clients poll for: a row waits until a person decides, and gives tokens once. Devices (RFC 8628) and backchannel requests
 * (CIBA) have one each, with the columns that are named here alike.
 */
export interface PolledTable {
  readonly name: string;
  /** The column of the hash that the client polls with. */
  readonly key: string;
  /** SQL: the claims that the tokens get (`TokenFamily`). */
  readonly claims: Query;
}

/** Without a transaction: a client that waits polls every few seconds, and its row seldom changes between the two statements. */
export function pollOf(db: ColdDatabase, table: PolledTable): Poll {
  const [name, column] = [written(table.name), written(table.key)];
  return async (app, hash, clientId, now) => {
    const place = { name, key: sql`${column} = ${hash} AND app = ${app}` };
    for (let attempt = 1; ; attempt++) {
      const [row] = await db.read(
        sql`SELECT client_id, state, expires_at, poll_interval, polled_at, sub, scope, resources, auth_time, amr,
            ${table.claims} AS family_claims
          FROM ${name} WHERE ${place.key}`,
      );
      if (!row) return { kind: 'unknown' };
      const polled = await poll(db, row, place, { clientId, now });
      if (polled) return polled;
      // Others have polled in parallel each time.
      if (attempt === MAX_POLL_ATTEMPTS) return { kind: 'slowDown', interval: toFacts(row).interval };
    }
  };
}

function written(text: string): PerStore {
  return perStore(text, text);
}

/** A client polls with one request at a time. */
const MAX_POLL_ATTEMPTS = 5;

interface Place {
  readonly name: PerStore;
  readonly key: Query;
}

/** Undefined: the row has changed since it was read. */
async function poll(
  db: ColdDatabase,
  row: Row,
  { name, key }: Place,
  { clientId, now }: { readonly clientId: string; readonly now: number },
): Promise<Polled | undefined> {
  const facts = toFacts(row);
  const verdict = judgePoll(facts, clientId, now);
  if (verdict === 'approved') return approved(db, row);
  if (verdict !== 'pending' && verdict !== 'slowDown') return { kind: verdict };
  const interval = facts.interval + (verdict === 'slowDown' ? SLOW_DOWN_SECONDS : 0);
  const noted = await db.write(
    sql`UPDATE ${name} SET polled_at = ${now}, poll_interval = ${interval}
      WHERE ${key} AND state = 'pending' AND poll_interval = ${facts.interval} AND coalesce(polled_at, 0) = ${facts.polledAt ?? 0}
      RETURNING 1`,
  );
  if (noted.length === 0) return undefined;
  return verdict === 'slowDown' ? { kind: verdict, interval } : { kind: verdict };
}

/** The user may have been disabled since. */
async function approved(db: ColdDatabase, row: Row): Promise<Polled> {
  const [user] = await db.read(sql`SELECT * FROM users WHERE sub = ${row.sub as string} AND NOT disabled`);
  if (!user) return { kind: 'denied' };
  const family = toFamily({ ...row, sid: null, claims: row.family_claims ?? null });
  return { kind: 'approved', family, user: toProfile(user) };
}

function toFacts(row: Row): PollFacts {
  return {
    clientId: row.client_id as string,
    state: row.state as PolledState,
    expiresAt: Number(row.expires_at),
    interval: Number(row.poll_interval),
    polledAt: row.polled_at === null ? undefined : Number(row.polled_at),
  };
}

/** Exactly one of any number of calls decides about the row that `row` selects. The consent and the events are written with it. */
export function* writeDecision(
  own: OwnSteps,
  { name, row }: { readonly name: string; readonly row: Query },
  decision: Decision,
  now: number,
): Steps<DecideOutcome> {
  const isApproval = decision.kind === 'approve';
  if (isApproval) {
    yield* own.lockUsers([decision.sub]);
    if (!(yield* isSignedIn(decision))) return { kind: 'signedOut' };
  }
  const change = isApproval
    ? sql`state = 'approved', sub = ${decision.sub}, auth_time = ${decision.authTime}, amr = ${decision.amr.join(' ')},
        scope = ${decision.scope.join(' ')}, resources = ${fromResources(decision)}`
    : sql`state = 'denied'`;
  const waiting = sql`state = 'pending' AND expires_at > ${now}`;
  const [decided] = yield* rowsOf(
    sql`UPDATE ${written(name)} SET ${change} WHERE ${row} AND ${waiting} RETURNING app, client_id`,
  );
  if (!decided) return yield* findEarlierDecision(written(name), row);
  if (isApproval) yield* addConsent(decision, decided, now);
  yield* runAll(decision.events.map(recordEvent));
  return { kind: 'done' };
}

function* isSignedIn({ sub, sid }: Approval): Steps<boolean> {
  const session = sql`SELECT 1 FROM sessions s JOIN users u ON u.sub = s.sub AND NOT u.disabled
    WHERE s.sub = ${sub} AND s.sid = ${sid}`;
  return (yield* rowsOf(session)).length > 0;
}

function* findEarlierDecision(name: PerStore, row: Query): Steps<DecideOutcome> {
  const [found] = yield* rowsOf(sql`SELECT state, sub FROM ${name} WHERE ${row}`);
  if (!found || found.state === 'pending') return { kind: 'gone' };
  const state = found.state as Exclude<PolledState, 'pending'>;
  return { kind: 'decided', state, sub: optional(found.sub) };
}

/** As `addConsent` of the store: it adds to what the user agreed to before, and writes nothing where the client was deleted meanwhile. */
function* addConsent({ sub, consented }: Approval, { app, client_id }: Row, now: number): Steps<void> {
  const [of, by] = [app as string, client_id as string];
  const [[before] = [], client = []] = yield* runAll([
    sql`SELECT scope FROM consents WHERE sub = ${sub} AND app = ${of} AND client_id = ${by} ${FOR_UPDATE}`,
    sql`SELECT 1 FROM clients WHERE app = ${of} AND client_id = ${by}`,
  ]);
  if (client.length === 0) return;
  const all = new Set([...(before ? words(before.scope) : []), ...consented]);
  yield* rowsOf(
    sql`INSERT INTO consents (sub, app, client_id, scope, given_at)
      VALUES (${sub}, ${of}, ${by}, ${[...all].join(' ')}, ${now})
      ON CONFLICT (sub, app, client_id) DO UPDATE SET scope = excluded.scope, given_at = excluded.given_at`,
  );
}

/** SQL: approvals that no client has redeemed yet end with the access that they would give. One statement for each table. */
export function denyApproved(condition: string): readonly string[] {
  return ['device_authorizations', 'backchannel_requests'].map(
    name => `UPDATE ${name} SET state = 'denied' WHERE ${condition} AND state = 'approved'`,
  );
}
