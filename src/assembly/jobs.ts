import { setImmediate as nextTurn } from 'node:timers/promises';
import { createEventJobs } from '../audit/events/job.ts';
import { deliverLogoutNotices } from '../notify/backchannel-logout/job.ts';
import { createMailSender } from '../notify/mail/job.ts';
import { createWebhookSender } from '../notify/webhooks/job.ts';
import { deleteUnusedClients } from '../oauth/registration/job.ts';
import { finishRevocations } from '../oauth/revoke/job.ts';
import { keyEvent } from '../oauth/signing-keys/events.ts';
import { makePendingKeys, rotateDueKeys } from '../oauth/signing-keys/rotation.ts';
import { deleteDueAccounts } from '../people/my-data/job.ts';
import { resealTotpKeys } from '../people/totp/reseal.job.ts';
import { createNodeSign } from '../platform/jobs/nodes.ts';
import { purgeExpired } from '../platform/jobs/purge.ts';
import type { Services } from '../services.ts';

const REGISTRY_REFRESH_INTERVAL_MS = 500;
const PURGE_INTERVAL_MS = 60_000;
const STATISTICS_INTERVAL_MS = 60_000;
const NODE_INTERVAL_MS = 60_000;
const DELETION_INTERVAL_MS = 60_000;
const DELIVERY_INTERVAL_MS = 1000;
const PENDING_KEYS_INTERVAL_MS = 1000;
const WEBHOOK_INTERVAL_MS = 1000;
const MAIL_INTERVAL_MS = 1000;
const WAITING_INTERVAL_MS = 15_000;
const REVOCATION_INTERVAL_MS = 1000;
const SEAL_INTERVAL_MS = 1000;
const KEY_ROTATION_INTERVAL_MS = 3_600_000;
const RESEAL_INTERVAL_MS = 3_600_000;
const UNUSED_CLIENTS_INTERVAL_MS = 3_600_000;

/**
 * Background jobs: what the server does without a request.
 *
 *   in every process   registry.refresh   every 500 ms, and when the store notifies of a change
 *                      keys.spare         after a change, while applications wait for their signing keys
 *                      statistics         every minute: adds what the process has counted to the store (audit/statistics/statistics.ts)
 *   in one process     purge              every minute: deletes expired rows (platform/jobs/purge.ts) and old events
 *   of each machine    nodes              at the start and every minute: renews the sign of life of the machine (platform/jobs/nodes.ts)
 *                      deliveries         every second: back-channel logout (notify/backchannel-logout/job.ts)
 *                      events             every second: seals new events of the audit log (audit/events/job.ts)
 *                      keys.pending       every second: signing keys that an apply file has left to the server
 *                      webhooks           every second, and after each delivery: events to subscribers (notify/webhooks/job.ts)
 *                      revocations        every second: those that failed where a replay was seen (oauth/revoke/job.ts)
 *                      mails              every second: sends the mails of the queue (notify/mail/job.ts)
 *                      deletions          every minute: accounts that their users have deleted (people/my-data/job.ts)
 *                      keys               every hour: rotation of signing keys (oauth/signing-keys/rotation.ts)
 *                      reseal             at the start and every hour: what an older server secret has encrypted (people/totp/reseal.job.ts)
 *                      clients            at the start and every hour: self-registered clients that nobody uses (oauth/registration/job.ts)
 *
 * Starts all of them and returns a function that stops them.
 */
export function startJobs(services: Services): StopJobs {
  const stops = [startOwnJobs(services), startSharedJobs(services)];
  return async () => {
    await Promise.all(stops.map(stop => stop()));
  };
}

/** Starts nothing new, and resolves when the webhook deliveries and mails that are under way have been answered or have failed. */
export type StopJobs = () => Promise<void>;

/** The jobs that every process runs for itself. */
export function startOwnJobs(services: Services): StopJobs {
  const age = services.metrics.age({
    name: 'gatehouse_registry_refresh_age_seconds',
    help: 'Seconds since the caches of applications, clients and keys last checked for changes; the worst of the workers.',
    aggregation: 'max',
  });
  const makeSpareKeys = job(services, 'keys.spare', () => services.signer.makeSpareKeys());
  const refresh = job(services, 'registry.refresh', async () => {
    if (await services.registry.refresh()) {
      services.signer.invalidate();
      if ((await services.store.pendingKeys(1)).length > 0) makeSpareKeys();
    }
    age.reset();
  });
  services.store.onRegistryChange(refresh);
  const flush = job(services, 'statistics', () => services.statistics.flush());
  const timers = [every(REGISTRY_REFRESH_INTERVAL_MS, refresh), every(STATISTICS_INTERVAL_MS, flush)];
  return async () => timers.forEach(clearInterval);
}

/** The jobs that one process runs for all on its machine. Several machines may run them at the same time: each job is safe for that. */
export function startSharedJobs(services: Services): StopJobs {
  // Only one of many nodes purges at a time, so the time of the last complete purge is read from the store.
  let stopped = false;
  const isStopped = () => stopped;
  const events = createEventJobs(services, isStopped);
  let lastPurge = services.clock.now();
  services.metrics.watch({
    name: 'gatehouse_purge_lag_seconds',
    help: 'Seconds since a node last completed a purge of expired rows.',
    aggregation: 'min',
    read: () => Math.max(0, services.clock.now() - lastPurge),
  });
  const countWaiting = job(services, 'waiting', watchWaiting(services));
  const purge = job(services, 'purge', async () => {
    try {
      await purgeExpired(services);
      await events.prune();
    } finally {
      lastPurge = await services.store.lastCompletePurge();
    }
  });
  const deliver = job(services, 'deliveries', () => deliverLogoutNotices(services));
  const seal = job(services, 'events', events.seal);
  const sender = createWebhookSender(services, () => sendWebhooks());
  const sendWebhooks = job(services, 'webhooks', sender.run);
  const node = createNodeSign(services);
  const renewNode = job(services, 'nodes', node.renew);
  renewNode();
  const mails = createMailSender(services);
  const sendMails = job(services, 'mails', mails.run);
  const deleteAccounts = job(services, 'deletions', () => deleteDueAccounts(services, isStopped));
  const revoke = job(services, 'revocations', () => finishRevocations(services, isStopped));
  const rotate = job(services, 'keys', () => rotateAllKeys(services, isStopped));
  const reseal = job(services, 'reseal', () => resealTotpKeys(services, isStopped));
  const deleteClients = job(services, 'clients', () => deleteUnusedClients(services, isStopped));
  const makePending = job(services, 'keys.pending', () => makePendingKeys(services, isStopped));
  const timers = [
    every(NODE_INTERVAL_MS, renewNode),
    every(PURGE_INTERVAL_MS, purge),
    every(DELETION_INTERVAL_MS, deleteAccounts),
    every(DELIVERY_INTERVAL_MS, deliver),
    every(SEAL_INTERVAL_MS, seal),
    every(REVOCATION_INTERVAL_MS, revoke),
    every(PENDING_KEYS_INTERVAL_MS, makePending),
    every(WEBHOOK_INTERVAL_MS, sendWebhooks),
    every(MAIL_INTERVAL_MS, sendMails),
    every(WAITING_INTERVAL_MS, countWaiting),
    every(KEY_ROTATION_INTERVAL_MS, rotate),
    every(RESEAL_INTERVAL_MS, reseal),
    every(UNUSED_CLIENTS_INTERVAL_MS, deleteClients),
  ];
  return async () => {
    stopped = true;
    timers.forEach(clearInterval);
    sender.stop();
    mails.stop();
    await Promise.all([sender.idle(), mails.idle(), node.remove()]);
  };
}

/** What waits in the store, as metrics. Returns what counts it. */
function watchWaiting({ metrics, store }: Services): () => Promise<void> {
  const watched = [
    {
      name: 'gatehouse_webhook_deliveries_waiting',
      help: 'Webhook deliveries that are neither delivered nor given up.',
      count: () => store.countWaitingDeliveries(),
    },
    {
      name: 'gatehouse_mails_waiting',
      help: 'Mails that are neither sent nor given up.',
      count: () => store.countWaitingMails(),
    },
    {
      name: 'gatehouse_revocations_waiting',
      help: 'Revocations after a replayed code or refresh token that the database has not taken yet.',
      count: () => store.countWaitingRevocations(),
    },
  ];
  const counted = new Map<string, number>();
  // Every node reads the same number from the store.
  for (const { name, help } of watched)
    metrics.watch({ name, help, aggregation: 'max', read: () => counted.get(name) });
  return async () => {
    for (const { name, count } of watched) counted.set(name, await count());
  };
}

/**
 * Handles one application per turn of the event loop. The embedded store is synchronous, so a loop over thousands of applications
 * would block all requests. It reads from the store and not through the cache, which would evict applications that are in use.
 */
async function rotateAllKeys(services: Services, isStopped: () => boolean): Promise<void> {
  // Their first keys are made by `keys.pending`, which takes its time.
  const pending = new Set(await services.store.pendingKeys(Number.MAX_SAFE_INTEGER));
  for (const code of await services.store.applicationCodes()) {
    await nextTurn();
    if (isStopped()) return;
    if (pending.has(code)) continue;
    const application = await services.store.findApplication(code);
    if (application)
      await rotateDueKeys(services, application, key => ({ event: keyEvent(services, 'key.rotated', key) }));
  }
}

/**
 * Runs `work` once at a time. A call during a run causes one more run after it. An error is logged, and the next run tries again.
 */
function job({ log }: Services, name: string, work: () => Promise<void>): () => void {
  let isRunning = false;
  let mustRunAgain = false;
  const run = async (): Promise<void> => {
    mustRunAgain = isRunning;
    if (isRunning) return;
    isRunning = true;
    try {
      await work();
    } catch (error) {
      log.warn('job.failed', { job: name, message: (error as Error).message });
    } finally {
      isRunning = false;
    }
    if (mustRunAgain) await run();
  };
  return () => void run();
}

function every(milliseconds: number, run: () => void): NodeJS.Timeout {
  run();
  return setInterval(run, milliseconds).unref();
}
