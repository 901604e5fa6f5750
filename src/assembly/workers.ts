import cluster, { type Worker } from 'node:cluster';
import { setTimeout as delay } from 'node:timers/promises';
import { EXIT, exitCodeOf } from '../operators/cli/exit.ts';
import { waitsOn } from '../operators/cli/waiting.ts';
import type { Config } from '../platform/config/config.ts';
import { createMetrics, type Metrics } from '../platform/observe/instruments.ts';
import type { Log } from '../platform/observe/log.ts';
import { exposition, type Family, mergeFamilies, withoutGauges } from '../platform/observe/metrics.ts';
import { createThrottle } from '../platform/throttle/throttle.ts';
import { steadyClock, workerCount } from './services.ts';
import {
  exportMetrics,
  listenForMetrics,
  measureProcess,
  onFirstSignal,
  openServices,
  prepareStore,
} from './serving.ts';
import { runWorker } from './worker.ts';
import { PendingReplies, type PrimaryMessage, type WorkerMessage } from './worker-channel.ts';

/**
 * Several processes on one port (GATEHOUSE_WORKERS): the primary starts and replaces the workers, counts attempts and collects
 * metrics for them, and serves no requests itself. The states of a worker:
 *
 *   forked ──ready──▶ serving ──drain or signal──▶ draining ──▶ exited (code 0: not replaced)
 *     └─────────── fault or kill ───────────┴──▶ exited (any other code: replaced, with a growing delay)
 */
export async function serveWithWorkers(config: Config, log: Log): Promise<void> {
  if (cluster.isWorker) return runWorker(config, log);
  // Workers accept connections themselves. Measured with ten requests on each connection, that gives 1.4 to 2 times as many
  // requests as when the primary distributes connections in turn, which would only spread long connections more evenly.
  cluster.schedulingPolicy = cluster.SCHED_NONE;
  try {
    await prepareOnce(config, log);
    const pool = new WorkerPool(config, log);
    if (config.metrics) await listenForMetrics(config.metrics, () => pool.exposition(), log);
    onFirstSignal(process, signal => pool.drain(signal));
    await exportMetrics(config, () => pool.ownFamilies(), log);
    pool.start();
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`);
    process.exit(exitCodeOf(error));
  }
}

/** What is done once for all workers: the schema, the demo of an empty store, and missing keys. */
async function prepareOnce(config: Config, log: Log): Promise<void> {
  const services = await openServices({ ...config, metrics: undefined, telemetry: undefined }, log, {
    onWait: waitsOn(process.stderr),
  });
  try {
    await prepareStore(services);
  } finally {
    await services.store.close();
  }
}

/** A little more than a worker takes to drain (STOP_TIMEOUT_MS in serving.ts). */
const DRAIN_TIMEOUT_MS = 9500;
/** A worker that exits sooner than this after its start will probably do so again. */
const MIN_UPTIME_MS = 10_000;
const FIRST_RESTART_DELAY_MS = 100;
const MAX_RESTART_DELAY_MS = 30_000;
/** The last messages of a process may arrive after its exit event, until its channel is closed. */
const LAST_MESSAGES_TIMEOUT_MS = 1000;
/** Shorter than the time a worker waits for the metrics of all workers (REPLY_TIMEOUT_MS in worker.ts). */
const COLLECT_TIMEOUT_MS = 600;

interface PoolWorker {
  readonly worker: Worker;
  readonly forkedAt: number;
  isReady: boolean;
  /** Its metrics, as of the last collection. */
  families: readonly Family[];
}

class WorkerPool {
  readonly #config: Config;
  readonly #log: Log;
  readonly #size: number;
  readonly #workers = new Set<PoolWorker>();
  readonly #replies = new PendingReplies(COLLECT_TIMEOUT_MS);
  readonly #throttle = createThrottle(steadyClock);
  readonly #metrics: Metrics = createMetrics(false);
  /** The worker that runs the shared jobs. */
  #jobRunner: PoolWorker | undefined;
  /** A worker has been ready once: the settings and the store are good. */
  #hasServed = false;
  #started = false;
  #draining = false;
  /** Replacements that are delayed and not forked yet. */
  #pendingRestarts = 0;
  /** Exits in a row within MIN_UPTIME_MS. */
  #earlyExits = 0;
  #restarts = 0;
  #startError = 'no worker came up';
  /** Counters and histograms of workers that have exited. */
  #exitedFamilies: readonly Family[] = [];
  #collection: Promise<string> | undefined;

  constructor(config: Config, log: Log) {
    this.#config = config;
    this.#log = log;
    this.#size = workerCount(config);
    if (config.metrics || config.telemetry?.metrics) this.#measure();
  }

  start(): void {
    while (this.#workers.size < this.#size) this.#fork();
  }

  drain(signal: string): void {
    this.#draining = true;
    this.#log.info('draining', { signal });
    for (const { worker } of this.#workers) send(worker, { kind: 'drain' });
    setTimeout(() => {
      for (const { worker } of this.#workers) worker.process.kill('SIGKILL');
      this.#exit();
    }, DRAIN_TIMEOUT_MS).unref();
    if (this.#workers.size === 0) this.#exit();
  }

  #exit(): void {
    this.#log.info('stopped');
    process.exit(EXIT.ok);
  }

  #fork(): void {
    const worker = cluster.fork();
    const member: PoolWorker = { worker, forkedAt: performance.now(), isReady: false, families: [] };
    this.#workers.add(member);
    worker.on('message', (message: WorkerMessage) => void this.#onMessage(member, message));
    worker.on('error', error => this.#log.error('worker.fault', { message: error.message }));
    const disconnected = new Promise(resolve => worker.once('disconnect', resolve));
    worker.once('exit', async (code: number | null, signal: string | null) => {
      await Promise.race([disconnected, delay(LAST_MESSAGES_TIMEOUT_MS)]);
      this.#onExit(member, code, signal);
    });
  }

  async #onMessage(member: PoolWorker, message: WorkerMessage): Promise<void> {
    const { worker } = member;
    switch (message.kind) {
      case 'ready':
        return this.#onReady(member);
      case 'failed':
        this.#startError = message.message;
        return;
      case 'admit':
        return send(worker, { kind: 'reply', id: message.id, value: this.#throttle.admit(message.attempt) });
      case 'succeeded':
      case 'withdrawn':
        return this.#throttle[message.kind](message.attempt);
      case 'exposition':
        return send(worker, { kind: 'reply', id: message.id, value: await this.exposition() });
      case 'reply':
        return this.#replies.resolve(message.id, message.value);
    }
  }

  #onReady(member: PoolWorker): void {
    member.isReady = true;
    this.#log.info('worker.started', { pid: member.worker.process.pid });
    if (!this.#jobRunner) this.#assignSharedJobs(member);
    if (!this.#hasServed) {
      this.#hasServed = true;
      this.start();
    }
    if (this.#started || this.#readyWorkers().length < this.#size) return;
    this.#started = true;
    const { host, port, baseUrl } = this.#config;
    this.#log.info('started', { address: `http://${host}:${port}`, base: baseUrl, workers: this.#size });
  }

  #readyWorkers(): PoolWorker[] {
    return [...this.#workers].filter(({ isReady }) => isReady);
  }

  #assignSharedJobs(member: PoolWorker | undefined): void {
    this.#jobRunner = member;
    if (member) send(member.worker, { kind: 'runSharedJobs' });
  }

  #onExit(member: PoolWorker, code: number | null, signal: string | null): void {
    this.#workers.delete(member);
    this.#exitedFamilies = mergeFamilies([this.#exitedFamilies, withoutGauges(member.families)]);
    if (this.#jobRunner === member) this.#assignSharedJobs(this.#readyWorkers()[0]);
    if (this.#draining) {
      if (this.#workers.size === 0) this.#exit();
      return;
    }
    const pid = member.worker.process.pid;
    // The worker received a signal of its own and drained. The operator stopped it, so it is not replaced.
    if (code === EXIT.ok) {
      this.#log.info('worker.left', { pid });
      if (this.#workers.size + this.#pendingRestarts === 0) this.#exit();
      return;
    }
    const pause = this.#hasServed ? this.#replace(member) : undefined;
    const how = {
      code: code ?? undefined,
      signal: signal ?? undefined,
      message: member.isReady ? undefined : this.#startError,
    };
    this.#log.error('worker.died', { pid, ...how, pause });
    if (!this.#hasServed && this.#workers.size === 0) this.#failStart();
  }

  /** No worker has ever been ready, so another one would fail too. */
  #failStart(): void {
    process.stderr.write(`${this.#startError}\n`);
    process.exit(EXIT.unavailable);
  }

  /** Forks a replacement after a delay. Returns the delay in milliseconds. */
  #replace(member: PoolWorker): number {
    const isEarly = performance.now() - member.forkedAt < MIN_UPTIME_MS;
    this.#earlyExits = isEarly ? this.#earlyExits + 1 : 0;
    const delayMs = restartDelayMs(this.#earlyExits);
    this.#pendingRestarts++;
    setTimeout(() => {
      this.#pendingRestarts--;
      if (this.#draining) return;
      this.#restarts++;
      this.#fork();
    }, delayMs);
    return delayMs;
  }

  /** Metrics of all workers and of this process as text. What exited workers counted stays in the totals. */
  exposition(): Promise<string> {
    this.#collection ??= this.#collect().finally(() => {
      this.#collection = undefined;
    });
    return this.#collection;
  }

  async #collect(): Promise<string> {
    const replies = this.#readyWorkers().map(async member => {
      try {
        member.families = await this.#replies.send(id => send(member.worker, { kind: 'families', id }));
      } catch {
        // The worker is busy or about to exit. Its metrics of the last collection are used, so that no counter decreases.
      }
    });
    await Promise.all(replies);
    const current = [...this.#workers].map(({ families }) => families);
    return exposition(mergeFamilies([...current, this.#exitedFamilies, this.#metrics.families()]));
  }

  /** Of this process alone: each worker exports its own (OpenTelemetry). */
  ownFamilies(): Family[] {
    return this.#metrics.families();
  }

  #measure(): void {
    measureProcess(this.#metrics);
    this.#metrics.watch({
      name: 'gatehouse_workers',
      help: 'Workers that serve.',
      aggregation: 'sum',
      read: () => this.#readyWorkers().length,
    });
    this.#metrics.watch({
      name: 'gatehouse_workers_replaced_total',
      help: 'Workers that died and were replaced.',
      aggregation: 'sum',
      isCounter: true,
      read: () => this.#restarts,
    });
  }
}

function send(worker: Worker, message: PrimaryMessage): void {
  if (worker.isConnected()) worker.send(message);
}

/** The first replacement starts without a delay. Then the delay doubles with each early exit. */
function restartDelayMs(earlyExits: number): number {
  return earlyExits < 2 ? 0 : Math.min(FIRST_RESTART_DELAY_MS * 2 ** (earlyExits - 2), MAX_RESTART_DELAY_MS);
}
