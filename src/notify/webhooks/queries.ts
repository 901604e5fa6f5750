import { actOnce } from '../../audit/acts/queries.ts';
import { optional, optionalNumber, type Row, words } from '../../platform/store/row.ts';
import { among, FOR_UPDATE, type Query, sql } from '../../platform/store/sql.ts';
import { type ColdDatabase, rowsOf, runAll, type Steps } from '../../platform/store/steps.ts';
import type { PauseReason, Webhook, Webhooks } from './store.ts';

type Subscriptions = Pick<Webhooks, 'findWebhook' | 'listWebhooks' | 'changeWebhook' | 'webhookWork'>;

const COLUMNS = sql`id, app, url, description, event_types, ordered, sealed_secrets, pause_reason, failing_since, created_at`;

/** Of the last sealed event. Pruning removes the first events of the chain, never the last ones. */
const LAST_SEQ = sql`(SELECT coalesce(max(seq), 0) FROM events WHERE seq IS NOT NULL)`;

export function coldSubscriptions(db: ColdDatabase): Subscriptions {
  return {
    findWebhook: async id => {
      const [row] = await db.read(sql`SELECT ${COLUMNS} FROM webhooks WHERE id = ${id}`);
      return row && toWebhook(row);
    },
    listWebhooks: async ({ after, limit, among: apps }) => {
      const page = sql`SELECT ${COLUMNS} FROM webhooks
        WHERE id > ${after ?? ''} ${apps ? sql`AND app ${among(apps)}` : sql``} ORDER BY id LIMIT ${limit}`;
      return (await db.read(page)).map(toWebhook);
    },
    changeWebhook: (id, decide, now) =>
      actOnce(db, {
        *lock() {
          // Otherwise two at the same time could both be the last one that is allowed.
          yield* db.own.lockRegistry();
          return yield* lockWebhook(id);
        },
        *work(current) {
          const [counted] = yield* rowsOf(sql`SELECT count(*) AS subscriptions FROM webhooks`);
          const { result, write } = decide({ current, subscriptions: Number(counted?.subscriptions) });
          if (write) yield* runAll(writeWebhook(id, current, write.value, now));
          return { result, act: write?.act };
        },
      }),
    webhookWork: async now => {
      const work = sql`SELECT id, failing_since IS NOT NULL AS failing, next_seq <= ${LAST_SEQ} AS behind, ${hasDue(now)} AS due
        FROM webhooks WHERE pause_reason IS NULL ORDER BY id`;
      return (await db.read(work)).map(toWork).filter(({ isBehind, hasDue }) => isBehind || hasDue);
    },
  };
}

/** Every transaction on deliveries locks their subscription first, so that no two of them deadlock. */
export function* lockWebhook(id: string): Steps<Webhook | undefined> {
  const [row] = yield* rowsOf(sql`SELECT ${COLUMNS} FROM webhooks WHERE id = ${id} ${FOR_UPDATE}`);
  return row && toWebhook(row);
}

function writeWebhook(id: string, current: Webhook | undefined, next: Webhook | null, now: number): Query[] {
  if (!next) return [sql`DELETE FROM webhooks WHERE id = ${id}`];
  if (!current) return [insertWebhook(next)];
  const isResumed = current.pauseReason !== undefined && next.pauseReason === undefined;
  return [
    ...(next.app !== undefined && next.app !== current.app ? [deleteOfOthers(id, next.app)] : []),
    ...(isResumed ? [updateWebhook({ ...next, failingSince: undefined }), makeDue(id, now)] : [updateWebhook(next)]),
  ];
}

/** Whoever may see the subscription sees its deliveries: from now on these are people of this application. */
function deleteOfOthers(webhookId: string, app: string): Query {
  return sql`DELETE FROM webhook_deliveries WHERE webhook_id = ${webhookId}
    AND NOT EXISTS (SELECT 1 FROM events WHERE events.id = webhook_deliveries.event_id AND events.app = ${app})`;
}

function insertWebhook(webhook: Webhook): Query {
  const { id, app, url, description, ordered, sealedSecrets, pauseReason, createdAt } = webhook;
  return sql`INSERT INTO webhooks (id, app, url, description, event_types, ordered, sealed_secrets, pause_reason, next_seq, created_at)
    SELECT ${id}, ${app ?? null}, ${url}, ${description}, ${fromTypes(webhook)}, ${ordered}, ${sealedSecrets},
      ${pauseReason ?? null}, ${LAST_SEQ} + 1, ${createdAt}`;
}

function updateWebhook(webhook: Webhook): Query {
  const { id, app, url, description, ordered, sealedSecrets, pauseReason, failingSince } = webhook;
  return sql`UPDATE webhooks SET app = ${app ?? null}, url = ${url}, description = ${description},
      event_types = ${fromTypes(webhook)}, ordered = ${ordered}, sealed_secrets = ${sealedSecrets},
      pause_reason = ${pauseReason ?? null}, failing_since = ${failingSince ?? null}
    WHERE id = ${id}`;
}

function makeDue(webhookId: string, now: number): Query {
  return sql`UPDATE webhook_deliveries SET due_at = ${now}, attempts = 0 WHERE webhook_id = ${webhookId} AND finished_at IS NULL`;
}

/** Whether `takeDeliveries` would take something. */
function hasDue(now: number): Query {
  const waiting = sql`FROM webhook_deliveries AS d WHERE d.webhook_id = webhooks.id AND d.finished_at IS NULL`;
  return sql`CASE WHEN ordered
    THEN EXISTS (SELECT 1 ${waiting} AND d.seq = 0 AND d.due_at <= ${now})
      OR coalesce((SELECT d.due_at ${waiting} AND d.seq > 0 ORDER BY d.seq LIMIT 1) <= ${now}, false)
    ELSE EXISTS (SELECT 1 ${waiting} AND d.due_at <= ${now}) END`;
}

/** All types are an empty text: a type that is added later belongs to them too. */
function fromTypes({ eventTypes = [] }: Webhook): string {
  return eventTypes.join(' ');
}

function toWebhook(row: Row): Webhook {
  const eventTypes = words(row.event_types);
  return {
    id: row.id as string,
    app: optional(row.app),
    url: row.url as string,
    description: row.description as string,
    eventTypes: eventTypes.length === 0 ? undefined : eventTypes,
    ordered: Boolean(row.ordered),
    sealedSecrets: new Uint8Array(row.sealed_secrets as Uint8Array),
    pauseReason: optional(row.pause_reason) as PauseReason | undefined,
    failingSince: optionalNumber(row.failing_since),
    createdAt: row.created_at as number,
  };
}

function toWork(row: Row) {
  return {
    id: row.id as string,
    isFailing: Boolean(row.failing),
    isBehind: Boolean(row.behind),
    hasDue: Boolean(row.due),
  };
}
