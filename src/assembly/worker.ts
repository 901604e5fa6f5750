import cluster from 'node:cluster';
import { EXIT } from '../operators/cli/exit.ts';
import { waitsOn } from '../operators/cli/waiting.ts';
import type { Config } from '../platform/config/config.ts';
import type { Log } from '../platform/observe/log.ts';
import type { Admission, Throttle } from '../platform/throttle/throttle.ts';
import { type StopJobs, startOwnJobs, startSharedJobs } from './jobs.ts';
import { drain, exportMetrics, listen, listenForTls, onFirstSignal, openServices, type Serving } from './serving.ts';
import { PendingReplies, type PrimaryMessage, type WorkerMessage } from './worker-channel.ts';

/**
 * A worker: one of several processes on the port. It drains and exits when the primary says so, when it receives a signal
 * itself, or when it loses the connection to the primary.
 */
export async function runWorker(config: Config, log: Log): Promise<void> {
  const primary = connectToPrimary();
  let serving: Serving | undefined;
  let runsSharedJobs = false;
  let draining = false;
  const stops: StopJobs[] = [];

  const drainAndExit = async (reason: string) => {
    if (draining) return;
    draining = true;
    log.debug('worker.draining', { pid: process.pid, reason });
    if (serving) await drain(serving);
    process.exit(EXIT.ok);
  };
  const runSharedJobs = () => {
    runsSharedJobs = true;
    if (serving && !draining) stops.push(startSharedJobs(serving.services));
  };
  onFirstSignal(process, drainAndExit);
  primary.on({
    runSharedJobs,
    drain: () => drainAndExit('primary'),
    families: () => serving?.services.metrics.families() ?? [],
  });
  cluster.worker?.once('disconnect', () => {
    // Without this, node:cluster exits the process at once, in the middle of its requests.
    if (cluster.worker) cluster.worker.exitedAfterDisconnect = true;
    void drainAndExit('orphaned');
  });

  try {
    const services = await openServices(config, log, {
      onWait: waitsOn(process.stderr),
      throttle: own => sharedThrottle(primary, own),
      exposition: () => primary.request<string>(id => ({ kind: 'exposition', id })),
    });
    const server = await listen(services);
    const tlsServer = await listenForTls(services, server);
    stops.push(startOwnJobs(services));
    const stopJobs = async () => {
      await Promise.all(stops.map(stop => stop()));
    };
    const metricExport = await exportMetrics(config, services.metrics.families, log);
    serving = { services, server, tlsServer, metricExport, stopJobs };
    if (runsSharedJobs) runSharedJobs();
    primary.send({ kind: 'ready' });
  } catch (error) {
    primary.send({ kind: 'failed', message: (error as Error).message }, () => process.exit(EXIT.unavailable));
  }
}

const REPLY_TIMEOUT_MS = 1500;

interface PrimaryChannel {
  send(message: WorkerMessage, onSent?: () => void): void;
  request<T>(message: (id: number) => WorkerMessage): Promise<T>;
  on(handlers: { runSharedJobs(): void; drain(): void; families(): FamiliesReply['value'] }): void;
}

type FamiliesReply = Extract<WorkerMessage, { kind: 'reply' }>;

function connectToPrimary(): PrimaryChannel {
  const replies = new PendingReplies(REPLY_TIMEOUT_MS);
  const send = (message: WorkerMessage, onSent: () => void = () => {}) => {
    // Without a primary there is no receiver; the lost connection makes this process drain anyway.
    if (process.connected) process.send?.(message, undefined, {}, onSent);
    else onSent();
  };
  return {
    send,
    request: message => replies.send(id => send(message(id))),
    on: handlers => {
      process.on('message', (message: PrimaryMessage) => {
        switch (message.kind) {
          case 'runSharedJobs':
            return handlers.runSharedJobs();
          case 'drain':
            return handlers.drain();
          case 'families':
            return send({ kind: 'reply', id: message.id, value: handlers.families() });
          case 'reply':
            return replies.resolve(message.id, message.value);
        }
      });
    },
  };
}

/** The primary counts attempts for all its workers. If each counted alone, an attacker would have the limit once per worker. */
function sharedThrottle(primary: PrimaryChannel, own: Throttle): Throttle {
  return {
    async admit(attempt) {
      try {
        return await primary.request<Admission>(id => ({ kind: 'admit', id, attempt }));
      } catch {
        // Without a reply this process counts alone: guessing is still limited, and users can still sign in.
        return own.admit(attempt);
      }
    },
    succeeded: attempt => primary.send({ kind: 'succeeded', attempt }),
    withdrawn: attempt => primary.send({ kind: 'withdrawn', attempt }),
  };
}
