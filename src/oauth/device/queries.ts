import { recordEvent } from '../../audit/events/queries.ts';
import { toProfile } from '../../directory/users/rows.store.ts';
import { optional, type Row, words } from '../../platform/store/row.ts';
import { among, FOR_UPDATE, type Query, sql } from '../../platform/store/sql.ts';
import { type ColdDatabase, type OwnSteps, rowsOf, runAll, type Steps } from '../../platform/store/steps.ts';
import { fromResources, toResources } from '../token/resource-cells.store.ts';
import { toFamily } from '../token/rows.store.ts';
import { grantedScope } from '../token/scope.rules.ts';
import { type DeviceFacts, type DeviceState, judgePoll, SLOW_DOWN_SECONDS } from './rules.ts';
import type {
  DecideOutcome,
  DeviceAuthorization,
  DeviceAuthorizations,
  DeviceDecision,
  PolledDevice,
} from './store.ts';

type Approval = Extract<DeviceDecision, { readonly kind: 'approve' }>;

/** Without `redeemDevice`, which writes to the tables of tokens. */
export function coldDeviceAuthorizations(db: ColdDatabase): Omit<DeviceAuthorizations, 'redeemDevice'> {
  return {
    addDeviceAuthorization: async (app, device) => {
      const { deviceHash, userCodeHash, clientId, scope, address, interval, createdAt, expiresAt } = device;
      const added = await db.write(
        sql`INSERT INTO device_authorizations (device_hash, user_code_hash, app, client_id, scope, resources, address,
            created_at, expires_at, state, poll_interval)
          VALUES (${deviceHash}, ${userCodeHash}, ${app}, ${clientId}, ${scope.join(' ')}, ${device.resources?.join(' ') ?? null},
            ${address}, ${createdAt}, ${expiresAt}, 'pending', ${interval})
          ON CONFLICT DO NOTHING RETURNING 1`,
      );
      return added.length === 1;
    },
    findDevice: async (userCodeHashes, now) => {
      const [row] = await db.read(
        sql`SELECT app, client_id, scope, resources, address, created_at, state, sub FROM device_authorizations
          WHERE user_code_hash ${among(userCodeHashes)} AND expires_at > ${now}`,
      );
      return row && toDevice(row);
    },
    decideDevice: (userCodeHashes, decision, now) =>
      db.transaction(() => writeDecision(db.own, sql`user_code_hash ${among(userCodeHashes)}`, decision, now)),
    pollDevice: async (app, deviceHash, clientId, now) => {
      const key = sql`device_hash = ${deviceHash} AND app = ${app}`;
      for (let attempt = 1; ; attempt++) {
        const [row] = await db.read(sql`SELECT * FROM device_authorizations WHERE ${key}`);
        if (!row) return { kind: 'unknown' };
        const polled = await poll(db, row, key, { clientId, now });
        if (polled) return polled;
        // Others have polled in parallel each time.
        if (attempt === MAX_POLL_ATTEMPTS) return { kind: 'slowDown', interval: toFacts(row).interval };
      }
    },
  };
}

function toDevice(row: Row): DeviceAuthorization {
  return {
    app: row.app as string,
    clientId: row.client_id as string,
    scope: grantedScope(row.scope as string),
    resources: toResources(row).resources?.map(({ identifier }) => identifier),
    address: row.address as string,
    createdAt: Number(row.created_at),
    state: row.state as DeviceState,
    sub: optional(row.sub),
  };
}

function* writeDecision(own: OwnSteps, code: Query, decision: DeviceDecision, now: number): Steps<DecideOutcome> {
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
    sql`UPDATE device_authorizations SET ${change} WHERE ${code} AND ${waiting} RETURNING app, client_id`,
  );
  if (!decided) return yield* findEarlierDecision(code);
  if (isApproval) yield* addConsent(decision, decided, now);
  yield* runAll(decision.events.map(recordEvent));
  return { kind: 'done' };
}

function* isSignedIn({ sub, sid }: Approval): Steps<boolean> {
  const session = sql`SELECT 1 FROM sessions s JOIN users u ON u.sub = s.sub AND NOT u.disabled
    WHERE s.sub = ${sub} AND s.sid = ${sid}`;
  return (yield* rowsOf(session)).length > 0;
}

function* findEarlierDecision(code: Query): Steps<DecideOutcome> {
  const [row] = yield* rowsOf(sql`SELECT state, sub FROM device_authorizations WHERE ${code}`);
  if (!row || row.state === 'pending') return { kind: 'gone' };
  const state = row.state as Exclude<DeviceState, 'pending'>;
  return { kind: 'decided', state, sub: optional(row.sub) };
}

/** As `addConsent` of the store: it adds to what the user agreed to before. */
function* addConsent({ sub, consented }: Approval, { app, client_id }: Row, now: number): Steps<void> {
  const [of, by] = [app as string, client_id as string];
  const [before] = yield* rowsOf(
    sql`SELECT scope FROM consents WHERE sub = ${sub} AND app = ${of} AND client_id = ${by} ${FOR_UPDATE}`,
  );
  const all = new Set([...(before ? words(before.scope) : []), ...consented]);
  yield* rowsOf(
    sql`INSERT INTO consents (sub, app, client_id, scope, given_at)
      VALUES (${sub}, ${of}, ${by}, ${[...all].join(' ')}, ${now})
      ON CONFLICT (sub, app, client_id) DO UPDATE SET scope = excluded.scope, given_at = excluded.given_at`,
  );
}

/** A device polls with one request at a time. */
const MAX_POLL_ATTEMPTS = 5;

interface Poll {
  readonly clientId: string;
  readonly now: number;
}

/**
 * Without a transaction: a device that waits polls every few seconds, and its row seldom changes between the two statements. Undefined:
 * it has changed.
 */
async function poll(db: ColdDatabase, row: Row, key: Query, poll: Poll): Promise<PolledDevice | undefined> {
  const { clientId, now } = poll;
  const facts = toFacts(row);
  const verdict = judgePoll(facts, clientId, now);
  if (verdict === 'approved') return approved(db, row);
  if (verdict !== 'pending' && verdict !== 'slowDown') return { kind: verdict };
  const interval = facts.interval + (verdict === 'slowDown' ? SLOW_DOWN_SECONDS : 0);
  const noted = await db.write(
    sql`UPDATE device_authorizations SET polled_at = ${now}, poll_interval = ${interval}
      WHERE ${key} AND state = 'pending' AND poll_interval = ${facts.interval} AND coalesce(polled_at, 0) = ${facts.polledAt ?? 0}
      RETURNING 1`,
  );
  if (noted.length === 0) return undefined;
  return verdict === 'slowDown' ? { kind: verdict, interval } : { kind: verdict };
}

/** The user may have been disabled since. */
async function approved(db: ColdDatabase, row: Row): Promise<PolledDevice> {
  const [user] = await db.read(sql`SELECT * FROM users WHERE sub = ${row.sub as string} AND NOT disabled`);
  if (!user) return { kind: 'denied' };
  return { kind: 'approved', family: toFamily({ ...row, sid: null, claims: null }), user: toProfile(user) };
}

function toFacts(row: Row): DeviceFacts {
  return {
    clientId: row.client_id as string,
    state: row.state as DeviceState,
    expiresAt: Number(row.expires_at),
    interval: Number(row.poll_interval),
    polledAt: row.polled_at === null ? undefined : Number(row.polled_at),
  };
}

/** SQL: approvals that no device has redeemed yet end with the access that they would give. */
export function denyApproved(condition: string): string {
  return `UPDATE device_authorizations SET state = 'denied' WHERE ${condition} AND state = 'approved'`;
}
