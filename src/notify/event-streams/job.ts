import { setImmediate as nextTurn } from 'node:timers/promises';
import type { EventStream } from '../../platform/config/event-stream-settings.ts';
import type { RunningJob, StartJob } from '../../platform/jobs/job.ts';
import { series } from '../../platform/observe/metrics.ts';
import { releaseVersion } from '../../platform/release.ts';
import type { Services } from '../../services.ts';
import { deliverEvents } from './deliver.ts';
import type { EventStreamState } from './store.ts';

const MAX_EVENTS_PER_BATCH = 200;
/** Of one target in one run, so that the stop of the server is noticed. */
const MAX_BATCHES_PER_RUN = 50;
/** Longer than a batch can take. After a crash another process goes on when it has ended. */
const LEASE_SECONDS = 60;
const FIRST_RETRY_SECONDS = 2;
const MAX_RETRY_SECONDS = 300;
const KEEP_INTERVAL_SECONDS = 3600;

/**
 * Sends sealed events to each target of GATEHOUSE_EVENT_STREAMS, in their order and at least once. The database has how far each target is;
 * a lease says which process sends there. An event counts as sent when the target has it, so what was under way when a server died is sent
 * again by another.
 */
export const sendEventStreams: StartJob = (services, { isStopped }) => {
  const { eventStreams } = services.config;
  if (eventStreams.length === 0) return { run: async () => {} };
  return createEventSender(services, eventStreams, isStopped);
};

export function createEventSender(
  services: Services,
  targets: readonly EventStream[],
  isStopped: () => boolean,
): Required<RunningJob> {
  const { store, clock, random, log } = services;
  const holder = random.bytes(8).toString('hex');
  const version = releaseVersion();
  const running = new Map<string, Promise<void>>();
  const lags = watchLags(services, targets);
  let keptAt = Number.NEGATIVE_INFINITY;

  const send = async (stream: EventStream, wasFailing: boolean): Promise<void> => {
    for (let batch = 0; batch < MAX_BATCHES_PER_RUN && !isStopped(); batch++) {
      const now = clock.now();
      const lease = { target: stream.name, holder, leaseUntil: now + LEASE_SECONDS };
      const events = await store.takeEvents(lease, now, MAX_EVENTS_PER_BATCH);
      const last = events?.at(-1);
      if (!events || !last) return;
      await deliverEvents(stream, events, version);
      if (!(await store.finishEvents(lease, last.seq))) return;
      if (wasFailing && batch === 0) log.info('event_stream.recovered', { target: stream.name });
      if (events.length < MAX_EVENTS_PER_BATCH) return;
      await nextTurn();
    }
  };
  const failed = async ({ name }: EventStream, { failures }: EventStreamState, error: Error): Promise<void> => {
    const now = clock.now();
    const delay = Math.min(FIRST_RETRY_SECONDS * 2 ** Math.min(failures, 10), MAX_RETRY_SECONDS);
    const reason = error.message.slice(0, 200);
    if (failures === 0) log.warn('event_stream.failed', { target: name, reason });
    await store.failEvents({ target: name, holder, leaseUntil: now }, reason, now + delay, now);
  };
  const start = (stream: EventStream, state: EventStreamState): void => {
    const sending = send(stream, state.failures > 0)
      .catch(error => failed(stream, state, error))
      // The database does not answer: the lease ends.
      .catch(error => log.warn('job.failed', { job: 'event-streams', message: (error as Error).message }))
      .finally(() => running.delete(stream.name));
    running.set(stream.name, sending);
  };

  return {
    /** Starts what is due and returns, so that a target that answers slowly does not delay the others. */
    async run() {
      const now = clock.now();
      if (now - keptAt >= KEEP_INTERVAL_SECONDS) {
        await store.keepEventStreams(
          targets.map(({ name }) => name),
          now,
        );
        keptAt = now;
      }
      const states = new Map((await store.listEventStreams()).map(state => [state.target, state]));
      lags.note(states);
      for (const stream of targets) {
        const state = states.get(stream.name);
        const isDue = state !== undefined && state.waiting > 0 && state.dueAt <= now;
        if (isDue && !running.has(stream.name) && !isStopped()) start(stream, state);
      }
    },
    async stop() {
      await Promise.all(running.values());
      await store.releaseEventStreams(holder).catch(() => {});
    },
  };
}

/** The targets are those of the settings, so their number is bounded. */
function watchLags({ metrics }: Services, targets: readonly EventStream[]) {
  const name = 'gatehouse_event_stream_events_waiting';
  let states: ReadonlyMap<string, EventStreamState> = new Map();
  metrics.add({
    family: () => ({
      name,
      help: 'Events of the audit log that a target has not got, by target.',
      kind: 'gauge',
      aggregation: 'max',
      samples: targets.flatMap(target => {
        const state = states.get(target.name);
        return state ? [[series(name, { target: target.name }), state.waiting] as const] : [];
      }),
    }),
  });
  return {
    note: (read: ReadonlyMap<string, EventStreamState>) => {
      states = read;
    },
  };
}
