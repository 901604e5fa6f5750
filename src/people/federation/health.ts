import type { Clock } from '../../platform/deps.ts';
import type { WaitLimit } from '../../platform/outbound/wait-limit.ts';

/**
 * Which providers answer, as this process sees it. One that has failed several times in a row is left alone for a while: nobody waits for
 * it, and it gets no requests that would only make it slower.
 */
export interface ProviderHealth {
  isAvailable(id: string): boolean;
  note(id: string, hasAnswered: boolean): void;
  /** What to call when the provider has answered, or not. Undefined: so many wait for it already that this one must not. */
  tryAcquire(id: string): (() => void) | undefined;
}

const MAX_FAILURES = 3;
/** Then the next person tries it again. */
const PAUSE_SECONDS = 30;
/** A provider that takes its five seconds, and whoever sends many people there, leave half of `waiting` to the other providers. */
const MAX_WAITING_FOR_ONE = 64;

export function createProviderHealth(clock: Clock, waiting: WaitLimit): ProviderHealth {
  const failing = new Map<string, { count: number; lastAt: number }>();
  const waitingFor = new Map<string, number>();
  return {
    isAvailable: id => {
      const seen = failing.get(id);
      return !seen || seen.count < MAX_FAILURES || clock.now() - seen.lastAt >= PAUSE_SECONDS;
    },
    note: (id, hasAnswered) => {
      if (hasAnswered) failing.delete(id);
      else failing.set(id, { count: (failing.get(id)?.count ?? 0) + 1, lastAt: clock.now() });
    },
    tryAcquire: id => {
      const present = waitingFor.get(id) ?? 0;
      const release = present < MAX_WAITING_FOR_ONE ? waiting.tryAcquire() : undefined;
      if (!release) return undefined;
      waitingFor.set(id, present + 1);
      return () => {
        const left = (waitingFor.get(id) ?? 1) - 1;
        if (left === 0) waitingFor.delete(id);
        else waitingFor.set(id, left);
        release();
      };
    },
  };
}
