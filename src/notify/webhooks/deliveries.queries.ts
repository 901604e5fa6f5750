import { actOnce } from '../../audit/acts/queries.ts';
import { recordEvent, toEvent } from '../../audit/events/queries.ts';
import { optional, optionalNumber, type Row } from '../../platform/store/row.ts';
import { among, type Query, sql } from '../../platform/store/sql.ts';
import { type ColdDatabase, rowsOf, runAll, type Steps } from '../../platform/store/steps.ts';
import { lockWebhook } from './queries.ts';
import type { Delivery, DeliveryState, NewDelivery, Webhook, Webhooks } from './store.ts';

type Deliveries = Pick<
  Webhooks,
  | 'enqueueDeliveries'
  | 'takeDeliveries'
  | 'finishDelivery'
  | 'failDelivery'
  | 'countWaitingDeliveries'
  | 'listDeliveries'
  | 'findDelivery'
  | 'requestDelivery'
>;

const COLUMNS = sql`id, webhook_id, event_id, type, body, state, attempts, due_at, status, reason, created_at, finished_at`;
/** Of a delivery that has no place in the order of events. */
const NO_SEQ = 0;

export function coldDeliveries(db: ColdDatabase): Deliveries {
  return {
    enqueueDeliveries: (id, limits, now, newDelivery) =>
      db.transaction(function* () {
        const webhook = yield* lockWebhook(id);
        if (!webhook || webhook.pauseReason !== undefined) return { enqueued: 0, isBehind: false };
        const room = limits.waiting - (yield* countWaiting(id));
        if (room <= 0) return { enqueued: 0, isBehind: false };
        const last = yield* lastOfWindow(id, limits.events);
        if (last === undefined) return { enqueued: 0, isBehind: false };
        const events = yield* eventsFor(webhook, last, room);
        yield* runAll(events.map(({ event, seq }) => insertDelivery(id, newDelivery(event), seq, now)));
        const isFull = events.length === room;
        const done = isFull ? (events.at(-1)?.seq ?? last) : last;
        yield* rowsOf(sql`UPDATE webhooks SET next_seq = ${done + 1} WHERE id = ${id}`);
        return { enqueued: events.length, isBehind: !isFull };
      }),
    takeDeliveries: (webhookId, now, leaseUntil, limit) =>
      db.transaction(function* () {
        const webhook = yield* lockWebhook(webhookId);
        if (!webhook || webhook.pauseReason !== undefined) return undefined;
        const ids = (yield* dueIds(webhook, now, limit)).slice(0, limit);
        const leased = yield* rowsOf(
          sql`UPDATE webhook_deliveries SET due_at = ${leaseUntil}, attempts = attempts + 1 WHERE id ${among(ids)}
            RETURNING ${COLUMNS}`,
        );
        return { webhook, deliveries: leased.map(toDelivery) };
      }),
    finishDelivery: (webhookId, id, status, now) =>
      db.transaction(function* () {
        yield* runAll([
          sql`UPDATE webhooks SET failing_since = NULL WHERE id = ${webhookId} AND failing_since IS NOT NULL`,
          sql`UPDATE webhook_deliveries SET state = 'delivered', due_at = NULL, status = ${status}, reason = NULL,
              finished_at = ${now}
            WHERE id = ${id} AND webhook_id = ${webhookId} AND finished_at IS NULL`,
        ]);
      }),
    failDelivery: ({ webhookId, id, attempts, status, reason, retryAt }, now, pause) =>
      db.transaction(function* () {
        const webhook = yield* lockWebhook(webhookId);
        const failed = yield* rowsOf(
          sql`UPDATE webhook_deliveries SET state = ${retryAt === undefined ? 'failed' : 'pending'},
              due_at = ${retryAt ?? null}, status = ${status ?? null}, reason = ${reason},
              finished_at = ${retryAt === undefined ? now : null}
            WHERE id = ${id} AND webhook_id = ${webhookId} AND attempts = ${attempts} AND finished_at IS NULL RETURNING 1`,
        );
        if (!webhook || failed.length === 0) return { paused: false };
        const failing = { ...webhook, failingSince: webhook.failingSince ?? now };
        const pausing = webhook.pauseReason === undefined ? pause(failing) : undefined;
        yield* rowsOf(
          sql`UPDATE webhooks SET failing_since = ${failing.failingSince},
              pause_reason = ${pausing?.reason ?? webhook.pauseReason ?? null}
            WHERE id = ${webhookId}`,
        );
        if (pausing) yield* rowsOf(recordEvent(pausing.event));
        return { paused: pausing !== undefined };
      }),
    countWaitingDeliveries: async () => {
      const [row] = await db.read(sql`SELECT count(*) AS count FROM webhook_deliveries WHERE finished_at IS NULL`);
      return Number(row?.count);
    },
    listDeliveries: async (webhookId, { state, after, limit }) => {
      const inState = state === undefined ? sql`` : sql`AND state = ${state}`;
      const older = after === undefined ? sql`` : sql`AND id < ${after}`;
      const page = sql`SELECT ${COLUMNS} FROM webhook_deliveries WHERE webhook_id = ${webhookId} ${older} ${inState}
        ORDER BY id DESC LIMIT ${limit}`;
      return (await db.read(page)).map(toDelivery);
    },
    findDelivery: async (webhookId, id) => {
      const [row] = await db.read(selectDelivery(webhookId, id));
      return row && toDelivery(row);
    },
    requestDelivery: (webhookId, id, decide, now) =>
      actOnce(db, {
        lock: () => lockWebhook(webhookId),
        *work(webhook) {
          const [row] = id === undefined ? [] : yield* rowsOf(selectDelivery(webhookId, id));
          const facts = { webhook, delivery: row && toDelivery(row), waiting: yield* countWaiting(webhookId) };
          const { result, write } = decide(facts);
          const due = sql`UPDATE webhook_deliveries SET due_at = ${now} WHERE id = ${id ?? null} AND finished_at IS NULL`;
          if (write?.value.kind === 'add') {
            yield* rowsOf(insertDelivery(webhookId, write.value.delivery, NO_SEQ, now));
          } else if (write) yield* rowsOf(due);
          return { result, act: write?.act };
        },
      }),
  };
}

function* countWaiting(webhookId: string): Steps<number> {
  const [row] = yield* rowsOf(
    sql`SELECT count(*) AS count FROM webhook_deliveries WHERE webhook_id = ${webhookId} AND finished_at IS NULL`,
  );
  return Number(row?.count);
}

/** The last `seq` of so many events from `next_seq` on. */
function* lastOfWindow(webhookId: string, events: number): Steps<number | undefined> {
  const [row] = yield* rowsOf(
    sql`SELECT max(seq) AS last FROM (
        SELECT seq FROM events WHERE seq >= (SELECT next_seq FROM webhooks WHERE id = ${webhookId}) ORDER BY seq LIMIT ${events}
      ) AS upcoming`,
  );
  return optionalNumber(row?.last ?? null);
}

function* eventsFor({ id, app, eventTypes }: Webhook, last: number, limit: number) {
  const ofApp = app === undefined ? sql`` : sql`AND app = ${app}`;
  const ofTypes = eventTypes === undefined ? sql`` : sql`AND type ${among(eventTypes)}`;
  const rows = yield* rowsOf(
    sql`SELECT id, time, type, outcome, actor_kind, actor, subject, app, client_id, address, user_agent, request_id, details, seq
      FROM events WHERE seq >= (SELECT next_seq FROM webhooks WHERE id = ${id}) AND seq <= ${last} ${ofApp} ${ofTypes}
      ORDER BY seq LIMIT ${limit}`,
  );
  return rows.map(row => ({ event: toEvent(row), seq: row.seq as number }));
}

function* dueIds({ id, ordered }: Webhook, now: number, limit: number): Steps<string[]> {
  const waiting = sql`FROM webhook_deliveries WHERE webhook_id = ${id} AND finished_at IS NULL`;
  const due = (some: Query) =>
    sql`SELECT id ${waiting} AND due_at <= ${now} ${some} ORDER BY due_at, seq, id LIMIT ${limit}`;
  if (!ordered) return (yield* rowsOf(due(sql``))).map(row => row.id as string);
  const [oldest = [], others = []] = yield* runAll([
    sql`SELECT id, due_at ${waiting} AND seq > ${NO_SEQ} ORDER BY seq LIMIT 1`,
    due(sql`AND seq = ${NO_SEQ}`),
  ]);
  const inOrder = oldest.filter(row => (row.due_at as number) <= now);
  return [...inOrder, ...others].map(row => row.id as string);
}

function insertDelivery(webhookId: string, delivery: NewDelivery, seq: number, now: number): Query {
  const { id, eventId, type, body } = delivery;
  return sql`INSERT INTO webhook_deliveries (id, webhook_id, event_id, type, seq, body, state, attempts, due_at, created_at)
    VALUES (${id}, ${webhookId}, ${eventId}, ${type}, ${seq}, ${body}, 'pending', 0, ${now}, ${now})`;
}

function selectDelivery(webhookId: string, id: string): Query {
  return sql`SELECT ${COLUMNS} FROM webhook_deliveries WHERE webhook_id = ${webhookId} AND id = ${id}`;
}

function toDelivery(row: Row): Delivery {
  return {
    id: row.id as string,
    webhookId: row.webhook_id as string,
    eventId: row.event_id as string,
    type: row.type as string,
    body: row.body as string,
    state: row.state as DeliveryState,
    attempts: row.attempts as number,
    dueAt: optionalNumber(row.due_at),
    status: optionalNumber(row.status),
    reason: optional(row.reason),
    createdAt: row.created_at as number,
    finishedAt: optionalNumber(row.finished_at),
  };
}
