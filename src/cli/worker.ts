import cluster from 'node:cluster';
import type { Config } from '../config.ts';
import { startOwnJobs, startSharedJobs } from '../jobs/schedule.ts';
import type { Log } from '../observe/log.ts';
import type { Admission, Throttle } from '../throttle.ts';
import { EXIT } from './exit.ts';
import { drain, listen, onceOnSignal, open, type Serving } from './serving.ts';
import { type FromPrimary, type FromWorker, Questions } from './worker-messages.ts';

/** One of several processes on the port. It ends when the primary says so, when it is told itself, or when it is left alone. */
export async function work(config: Config, log: Log): Promise<void> {
  const primary = lineToPrimary();
  let serving: Serving | undefined;
  let leading = false;
  let ending = false;
  const stops: (() => void)[] = [];

  const end = async (reason: string) => {
    if (ending) return;
    ending = true;
    log.debug('worker.draining', { pid: process.pid, reason });
    if (serving) await drain(serving);
    process.exit(EXIT.ok);
  };
  const lead = () => {
    leading = true;
    if (serving && !ending) stops.push(startSharedJobs(serving.services));
  };
  onceOnSignal(end);
  primary.on({ lead, drain: () => end('primary'), families: () => serving?.services.metrics.families() ?? [] });
  cluster.worker?.once('disconnect', () => {
    // Else node:cluster ends the process at once, in the middle of its requests.
    if (cluster.worker) cluster.worker.exitedAfterDisconnect = true;
    void end('orphaned');
  });

  try {
    const services = await open(config, log, {
      throttle: own => sharedThrottle(primary, own),
      exposition: () => primary.ask<string>(id => ({ kind: 'exposition', id })),
    });
    const server = await listen(services);
    stops.push(startOwnJobs(services));
    serving = { services, server, stopJobs: () => stops.forEach(stop => void stop()) };
    if (leading) lead();
    primary.tell({ kind: 'up' });
  } catch (error) {
    primary.tell({ kind: 'failed', message: (error as Error).message }, () => process.exit(EXIT.unavailable));
  }
}

const PATIENCE_MS = 1500;

interface PrimaryLine {
  tell(message: FromWorker, told?: () => void): void;
  ask<T>(question: (id: number) => FromWorker): Promise<T>;
  on(handlers: { lead(): void; drain(): void; families(): FamiliesAnswer['value'] }): void;
}

type FamiliesAnswer = Extract<FromWorker, { kind: 'answer' }>;

function lineToPrimary(): PrimaryLine {
  const questions = new Questions(PATIENCE_MS);
  const tell = (message: FromWorker, told: () => void = () => {}) => {
    // A primary that has gone hears nothing more; losing it ends this process anyway.
    if (process.connected) process.send?.(message, undefined, {}, told);
    else told();
  };
  return {
    tell,
    ask: question => questions.ask(id => tell(question(id))),
    on: handlers => {
      process.on('message', (message: FromPrimary) => {
        switch (message.kind) {
          case 'lead':
            return handlers.lead();
          case 'drain':
            return handlers.drain();
          case 'families':
            return tell({ kind: 'answer', id: message.id, value: handlers.families() });
          case 'answer':
            return questions.answered(message.id, message.value);
        }
      });
    },
  };
}

/** The primary counts for all its workers, or their number would multiply what may be guessed. */
function sharedThrottle(primary: PrimaryLine, own: Throttle): Throttle {
  return {
    async admit(attempt) {
      try {
        return await primary.ask<Admission>(id => ({ kind: 'admit', id, attempt }));
      } catch {
        // Without an answer this process counts on its own: slower guessing, not none, and nobody is locked out.
        return own.admit(attempt);
      }
    },
    succeeded: attempt => primary.tell({ kind: 'succeeded', attempt }),
    withdrawn: attempt => primary.tell({ kind: 'withdrawn', attempt }),
  };
}
