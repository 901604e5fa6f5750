import cluster, { type Worker } from 'node:cluster';
import { setTimeout as pause } from 'node:timers/promises';
import { systemClock, workersOf } from '../app.ts';
import type { Config } from '../config.ts';
import { createMetrics, type Metrics } from '../observe/instruments.ts';
import type { Log } from '../observe/log.ts';
import { afterlife, exposition, type Family, merged } from '../observe/metrics.ts';
import { createThrottle } from '../throttle.ts';
import { EXIT, exitCodeOf } from './exit.ts';
import { listenForMetrics, measureProcess, onceOnSignal, open, prepare } from './serving.ts';
import { work } from './worker.ts';
import { type FromPrimary, type FromWorker, Questions } from './worker-messages.ts';

/** Several processes on one port (GATEHOUSE_WORKERS): a primary that serves nothing itself, and its workers. */
export async function serveTogether(config: Config, log: Log): Promise<void> {
  if (cluster.isWorker) return work(config, log);
  // Workers take connections from the port themselves: measured with ten requests on each, that is 1.4 to 2 times as many
  // requests as when the primary hands them out in turn, which would only spread long connections more evenly.
  cluster.schedulingPolicy = cluster.SCHED_NONE;
  try {
    await prepareOnce(config, log);
    const crew = new Crew(config, log);
    if (config.metrics) await listenForMetrics(config.metrics, () => crew.exposition(), log);
    onceOnSignal(signal => crew.drain(signal));
    crew.begin();
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`);
    process.exit(exitCodeOf(error));
  }
}

/** What is to be done once: the schema, the demo of an empty store, and keys. */
async function prepareOnce(config: Config, log: Log): Promise<void> {
  const services = await open({ ...config, metrics: undefined }, log);
  try {
    await prepare(services);
  } finally {
    await services.store.close();
  }
}

/** A little more than a worker takes to drain (serving.ts). */
const DRAIN_MS = 9500;
/** A worker that ends sooner than this after its start will probably do so again. */
const SHORT_LIFE_MS = 10_000;
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 30_000;
/** The last words of a process arrive a moment after its end. */
const LAST_WORDS_MS = 1000;

/** Shorter than a worker waits that was asked for the metrics of all (worker.ts). */
const COLLECT_MS = 600;

interface Member {
  readonly worker: Worker;
  readonly hiredAt: number;
  up: boolean;
  /** What it counted, as of the last time it was asked. */
  families: readonly Family[];
}

class Crew {
  readonly #config: Config;
  readonly #log: Log;
  readonly #size: number;
  readonly #members = new Set<Member>();
  readonly #questions = new Questions(COLLECT_MS);
  readonly #throttle = createThrottle(systemClock);
  readonly #metrics: Metrics = createMetrics(false);
  #leader: Member | undefined;
  /** One of them has served: the settings and the store are good. */
  #proven = false;
  #started = false;
  #draining = false;
  /** Replacements that wait for their pause to end. */
  #awaited = 0;
  #shortLives = 0;
  #replaced = 0;
  #complaint = 'no worker came up';
  #departed: readonly Family[] = [];
  #collecting: Promise<string> | undefined;

  constructor(config: Config, log: Log) {
    this.#config = config;
    this.#log = log;
    this.#size = workersOf(config);
    if (config.metrics) this.#measure();
  }

  begin(): void {
    while (this.#members.size < this.#size) this.#hire();
  }

  drain(signal: string): void {
    this.#draining = true;
    this.#log.info('draining', { signal });
    for (const { worker } of this.#members) tell(worker, { kind: 'drain' });
    setTimeout(() => {
      for (const { worker } of this.#members) worker.process.kill('SIGKILL');
      this.#end();
    }, DRAIN_MS).unref();
    if (this.#members.size === 0) this.#end();
  }

  #end(): void {
    this.#log.info('stopped');
    process.exit(EXIT.ok);
  }

  #hire(): void {
    const worker = cluster.fork();
    const member: Member = { worker, hiredAt: performance.now(), up: false, families: [] };
    this.#members.add(member);
    worker.on('message', (message: FromWorker) => void this.#heard(member, message));
    worker.on('error', error => this.#log.error('worker.fault', { message: error.message }));
    const disconnected = new Promise(resolve => worker.once('disconnect', resolve));
    worker.once('exit', async (code: number | null, signal: string | null) => {
      await Promise.race([disconnected, pause(LAST_WORDS_MS)]);
      this.#left(member, code, signal);
    });
  }

  async #heard(member: Member, message: FromWorker): Promise<void> {
    const { worker } = member;
    switch (message.kind) {
      case 'up':
        return this.#cameUp(member);
      case 'failed':
        this.#complaint = message.message;
        return;
      case 'admit':
        return tell(worker, { kind: 'answer', id: message.id, value: this.#throttle.admit(message.attempt) });
      case 'succeeded':
      case 'withdrawn':
        return this.#throttle[message.kind](message.attempt);
      case 'exposition':
        return tell(worker, { kind: 'answer', id: message.id, value: await this.exposition() });
      case 'answer':
        return this.#questions.answered(message.id, message.value);
    }
  }

  #cameUp(member: Member): void {
    member.up = true;
    this.#log.info('worker.started', { pid: member.worker.process.pid });
    if (!this.#leader) this.#appoint(member);
    if (!this.#proven) {
      this.#proven = true;
      this.begin();
    }
    const up = [...this.#members].filter(({ up }) => up).length;
    if (this.#started || up < this.#size) return;
    this.#started = true;
    const { host, port, baseUrl } = this.#config;
    this.#log.info('started', { address: `http://${host}:${port}`, base: baseUrl, workers: this.#size });
  }

  /** One of them runs the jobs that need to be done once. */
  #appoint(member: Member | undefined): void {
    this.#leader = member;
    if (member) tell(member.worker, { kind: 'lead' });
  }

  #left(member: Member, code: number | null, signal: string | null): void {
    this.#members.delete(member);
    this.#departed = merged([this.#departed, afterlife(member.families)]);
    if (this.#leader === member) this.#appoint([...this.#members].find(({ up }) => up));
    if (this.#draining) {
      if (this.#members.size === 0) this.#end();
      return;
    }
    const pid = member.worker.process.pid;
    // It was told to end, by a signal of its own: whoever sent it wants it gone.
    if (code === EXIT.ok) {
      this.#log.info('worker.left', { pid });
      if (this.#members.size + this.#awaited === 0) this.#end();
      return;
    }
    const pause = this.#proven ? this.#replace(member) : undefined;
    const how = {
      code: code ?? undefined,
      signal: signal ?? undefined,
      message: member.up ? undefined : this.#complaint,
    };
    this.#log.error('worker.died', { pid, ...how, pause });
    if (!this.#proven && this.#members.size === 0) this.#giveUp();
  }

  /** Where not one has ever come up, another would not either. */
  #giveUp(): void {
    process.stderr.write(`${this.#complaint}\n`);
    process.exit(EXIT.unavailable);
  }

  /** Answers in how many milliseconds the next one is started. */
  #replace(member: Member): number {
    const shortLived = performance.now() - member.hiredAt < SHORT_LIFE_MS;
    this.#shortLives = shortLived ? this.#shortLives + 1 : 0;
    const milliseconds = pauseAfter(this.#shortLives);
    this.#awaited++;
    setTimeout(() => {
      this.#awaited--;
      if (this.#draining) return;
      this.#replaced++;
      this.#hire();
    }, milliseconds);
    return milliseconds;
  }

  /** Metrics of all workers together, and of this process. Those that ended stay in the counts. */
  exposition(): Promise<string> {
    this.#collecting ??= this.#collect().finally(() => {
      this.#collecting = undefined;
    });
    return this.#collecting;
  }

  async #collect(): Promise<string> {
    const asked = [...this.#members]
      .filter(({ up }) => up)
      .map(async member => {
        try {
          member.families = await this.#questions.ask(id => tell(member.worker, { kind: 'families', id }));
        } catch {
          // It is busy or dying: what it said last is good enough, and no count goes backwards.
        }
      });
    await Promise.all(asked);
    const present = [...this.#members].map(({ families }) => families);
    return exposition(merged([...present, this.#departed, this.#metrics.families()]));
  }

  #measure(): void {
    measureProcess(this.#metrics);
    this.#metrics.watch({
      name: 'gatehouse_workers',
      help: 'Workers that serve.',
      together: 'sum',
      read: () => [...this.#members].filter(({ up }) => up).length,
    });
    this.#metrics.watch({
      name: 'gatehouse_workers_replaced_total',
      help: 'Workers that died and were replaced.',
      together: 'sum',
      counts: true,
      read: () => this.#replaced,
    });
  }
}

function tell(worker: Worker, message: FromPrimary): void {
  if (worker.isConnected()) worker.send(message);
}

/** The first replacement comes at once. */
function pauseAfter(shortLives: number): number {
  return shortLives < 2 ? 0 : Math.min(FIRST_PAUSE_MS * 2 ** (shortLives - 2), LONGEST_PAUSE_MS);
}
