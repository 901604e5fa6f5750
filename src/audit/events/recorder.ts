import type { EventType } from '../../events.ts';
import type { Deps } from '../../services.ts';
import { newEvent } from './new-event.ts';
import type { Event } from './rules.ts';

/**
 * Writes the events of acts that have no transaction, such as a failed login: in batches, so that no request waits for them. An
 * attacker can cause any number of them and must not fill the database, so their number is limited for each application and minute.
 * Events beyond the limit are counted, and the count is an event itself.
 */
export interface Recorder {
  record(event: Omit<Event, 'id' | 'time'>): void;
  /** Writes everything that waits. Rejects if the store does not take it. */
  drain(): Promise<void>;
}

export interface RecorderLimits {
  readonly perAppAndMinute: number;
  /** While the store does not answer. */
  readonly maxWaiting: number;
  readonly flushMs: number;
}

const LIMITS: RecorderLimits = { perAppAndMinute: 120, maxWaiting: 10_000, flushMs: 250 };

/** The events of one application in one minute. */
interface Count {
  readonly minute: number;
  recorded: number;
  readonly dropped: Map<EventType, number>;
}

type RecorderDeps = Pick<Deps, 'store' | 'clock' | 'random' | 'log'>;

export function createRecorder(deps: RecorderDeps, limits: RecorderLimits = LIMITS): Recorder {
  const { store, clock, log } = deps;
  const counts = new Map<string | undefined, Count>();
  let waiting: Event[] = [];
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> = Promise.resolve();

  const schedule = () => {
    timer ??= setTimeout(() => {
      timer = undefined;
      void flush().catch(error => log.warn('events.delayed', { waiting: waiting.length, message: error.message }));
    }, limits.flushMs).unref();
  };
  const add = (event: Event) => {
    waiting.push(event);
    schedule();
  };
  /** Called when the minute is over, and before the process ends. */
  const reportDropped = (isOver: (count: Count) => boolean) => {
    for (const [app, count] of counts) {
      if (!isOver(count)) continue;
      counts.delete(app);
      if (count.dropped.size > 0) add(droppedEvent(deps, app, count));
    }
  };
  const flush = async (): Promise<void> => {
    const minute = minuteOf(clock.now());
    reportDropped(count => count.minute !== minute);
    // One batch after the other, so that a slow store gets no more than one at a time.
    writing = writing.catch(() => {}).then(write);
    await writing;
  };
  const write = async (): Promise<void> => {
    const batch = waiting;
    if (batch.length === 0) return;
    waiting = [];
    try {
      await store.recordEvents(batch);
    } catch (error) {
      // Writing an event twice writes it once, so the whole batch can be tried again.
      waiting = [...batch, ...waiting];
      schedule();
      throw error;
    }
    if (hasDropped()) schedule();
  };
  const hasDropped = () => [...counts.values()].some(({ dropped }) => dropped.size > 0);

  return {
    record(fields) {
      const minute = minuteOf(clock.now());
      reportDropped(count => count.minute !== minute);
      const count = counts.get(fields.app) ?? { minute, recorded: 0, dropped: new Map() };
      counts.set(fields.app, count);
      if (count.recorded >= limits.perAppAndMinute || waiting.length >= limits.maxWaiting) {
        count.dropped.set(fields.type, (count.dropped.get(fields.type) ?? 0) + 1);
        schedule();
        return;
      }
      count.recorded++;
      add(newEvent(deps, fields));
    },
    async drain() {
      clearTimeout(timer);
      reportDropped(() => true);
      await flush();
      clearTimeout(timer);
    },
  };
}

function minuteOf(time: number): number {
  return Math.floor(time / 60);
}

function droppedEvent(deps: RecorderDeps, app: string | undefined, { minute, dropped }: Count): Event {
  const details = { minute: new Date(minute * 60_000).toISOString(), types: Object.fromEntries(dropped) };
  return newEvent(deps, { type: 'events.dropped', outcome: 'success', actor: { kind: 'system' }, app, details });
}
