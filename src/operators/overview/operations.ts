import { z } from 'zod';
import { nextKeyDueAt } from '../../oauth/signing-keys/rules.ts';
import { operation } from '../api/operation.ts';
import { done } from '../api/outcome.ts';
import { isoTime, timeField } from '../api/times.ts';
import { lastBackup } from '../backup/last-backup.ts';

/** /status: the state of the deployment itself, for the overview of the console and for scripts. */

/** A node renews its row every minute (platform/jobs/nodes.ts); one that missed two is not serving, or cannot reach the database. */
const NODE_TIMEOUT_SECONDS = 180;
const MAX_NODES = 200;
const DAY_SECONDS = 86_400;
const MAX_COUNT = 10_000;
const MAX_KEYS = 20;
const DUE_SOON_SECONDS = 7 * 86_400;

const count = z.int().meta({ description: `${MAX_COUNT}: that many or more.` });

export const status = z.object({
  nodes: z
    .array(
      z.object({
        host: z.string(),
        port: z.int(),
        version: z.string(),
        started_at: timeField,
        seen_at: timeField,
        live: z.boolean().meta({ description: `Seen in the last ${NODE_TIMEOUT_SECONDS} seconds.` }),
      }),
    )
    .meta({ description: `Those that were seen in the last day, at most ${MAX_NODES}.` }),
  database: z.object({
    kind: z.enum(['sqlite', 'postgres']),
    version: z.string(),
    size_bytes: z.int(),
    migration: z.int().meta({ description: 'The number of the last migration.' }),
    latency_ms: z.number().meta({ description: 'The duration of one small read.' }),
  }),
  database_workers: z
    .array(
      z.object({
        address: z.string(),
        reachable: z.boolean(),
        applications: z.int().meta({ description: 'How many cannot be used while it is not reachable.' }),
      }),
    )
    .meta({ description: 'Of a Citus cluster, as this node sees them. Empty: the database is no cluster.' }),
  queues: z.object({ logout_notices: count, webhook_deliveries: count, unsealed_events: count, mails: count }),
  event_streams: z
    .array(
      z.object({
        target: z.string(),
        waiting: z.int().meta({ description: 'Events that it has not received.' }),
        failing_since: timeField.optional(),
        reason: z.string().optional().meta({ description: 'Why the last attempt failed.' }),
      }),
    )
    .meta({
      description:
        'Where events of the audit log are sent (GATEHOUSE_EVENT_STREAMS), as the servers of the last day were set.',
    }),
  keys_due: z
    .array(z.object({ application: z.string(), alg: z.string(), signs_since: timeField, due_at: timeField }))
    .meta({
      description: `Whose successor is due within 7 days, the first ${MAX_KEYS}. It is published automatically.`,
    }),
  last_backup: z
    .object({
      kind: z.enum(['made', 'elsewhere']).meta({
        description: '`elsewhere`: an operator said that another system makes them.',
      }),
      at: timeField,
    })
    .nullable()
    .meta({ description: 'The last that `gatehouse backup` or `POST /backups` recorded. null: none is known.' }),
});

export const getStatus = operation({
  summary:
    'Nodes with their versions and when they were last seen, the database and its workers, queue lengths, signing keys due for rotation.',
  role: 'auditor',
  reach: 'deployment',
  result: status,
  async run({ services: { store, clock } }) {
    const now = clock.now();
    const startedAt = performance.now();
    const nodes = await store.listNodes(MAX_NODES);
    const latency_ms = Math.round((performance.now() - startedAt) * 100) / 100;
    const { sizeBytes: size_bytes, ...database } = await store.describeDatabase();
    const queues = await store.queueLengths(MAX_COUNT);
    const backup = await lastBackup(store);
    const keys = await store.newestKeysBefore(now + DUE_SOON_SECONDS - nextKeyDueAt(0), MAX_KEYS);
    return done({
      nodes: nodes.map(({ host, port, version, startedAt: started, seenAt }) => ({
        host,
        port,
        version,
        started_at: isoTime(started),
        seen_at: isoTime(seenAt),
        live: now - seenAt <= NODE_TIMEOUT_SECONDS,
      })),
      database: { ...database, size_bytes, latency_ms },
      database_workers: (store.cluster()?.workers ?? []).map(({ address, isReachable, applications }) => ({
        address,
        reachable: isReachable,
        applications,
      })),
      queues: {
        logout_notices: queues.logoutNotices,
        webhook_deliveries: queues.webhookDeliveries,
        unsealed_events: queues.unsealedEvents,
        mails: queues.mails,
      },
      event_streams: (await store.listEventStreams())
        .filter(({ seenAt }) => now - seenAt < DAY_SECONDS)
        .map(({ target, waiting, failingSince, reason }) => ({
          target,
          waiting,
          failing_since: failingSince === undefined ? undefined : isoTime(failingSince),
          reason,
        })),
      keys_due: keys.map(({ app, alg, signFrom }) => ({
        application: app,
        alg,
        signs_since: isoTime(signFrom),
        due_at: isoTime(nextKeyDueAt(signFrom)),
      })),
      last_backup: backup ? { kind: backup.kind, at: isoTime(backup.at) } : null,
    });
  },
});
